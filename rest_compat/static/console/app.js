// The console: a client of the public graph and of nothing else.
import { render } from "../vendor/preact.js";
import { useEffect, useReducer } from "../vendor/preact-hooks.js";

import { Access } from "./access.js";
import { Ask } from "./ask.js";
import { Asset } from "./asset.js";
import { PROJECTS } from "./documents.js";
import { Find } from "./find.js";
import { Inbox } from "./inbox.js";
import { Empty, Failed, html, Loading, useAnswer } from "./parts.js";
import { link, usePlace } from "./places.js";
import { Runs } from "./runs.js";

const { stoa } = window;
const PLACES = { find: Find, asset: Asset, ask: Ask, inbox: Inbox, runs: Runs, access: Access };
const NAMED = [["find", "Find"], ["ask", "Ask"], ["inbox", "Inbox"], ["runs", "Runs"], ["access", "Access"]];
const signedIn = () => "Authorization" in stoa.headers();
const chosen = () => stoa.headers()["X-Project-ID"];

function Console() {
  const [visit, changed] = useReducer((before) => before + 1, 0);
  useEffect(() => stoa.onChange(changed), []);
  useEffect(() => document.body.classList.toggle("signed", signedIn()), [visit]);
  if (!signedIn()) return html`<main class="console-page"><${Welcome} /></main>`;
  return html`<${Signed} key=${stoa.headers().Authorization} />`;
}

const Welcome = () => html`
  <h1>Sign in</h1>
  <p class="lead">Open the link that <code>make demo</code> prints, or paste a token into the field above.</p>
  <p>A development server prints a token:</p>
  <pre><code>stoa token --user NAME --org ORGANIZATION</code></pre>
  <p class="quiet">It stays in this browser tab and is gone when the tab is closed.</p>
`;

function Signed() {
  const answer = useAnswer(PROJECTS, {}, { anywhere: true });
  const projects = answer.data?.projects.items ?? [];
  const project = chosen();
  // Without a choice there is nothing to see, so the first project is one.
  useEffect(() => {
    if (!project && projects.length) stoa.setProject(projects[0].id);
  }, [project, projects.length]);
  const { place, given } = usePlace();
  const Place = PLACES[place] ?? Find;
  const tab = NAMED.some(([name]) => name === place) ? place : "find"; // a table is found
  let content;
  if (answer.failure && !project) content = html`<${Failed} failure=${answer.failure} again=${answer.again} />`;
  else if (!project && !answer.loading && !projects.length)
    content = html`<${Empty} title="No project">You are a member of none yet. Ask an owner of your organization to let you in.<//>`;
  else if (!project) content = html`<${Loading} what="Looking for your projects" />`;
  else content = html`<${Place} key=${project + place} given=${given} />`;
  return html`
    <a class="skip" href="#console-main" onClick=${skip}>Skip to the content</a>
    <nav class="places" aria-label="Console">
      ${NAMED.map(([name, title]) => html`<a key=${name} href=${link(name)} aria-current=${name === tab ? "page" : undefined}>${title}</a>`)}
      <${Projects} projects=${projects} project=${project} />
      <button type="button" class="quiet-button" onClick=${stoa.signOut}>Sign out</button>
    </nav>
    <main class="console-page" id="console-main" tabindex="-1">${content}</main>
  `;
}

// The address behind the # names a place, so the link moves the focus itself.
function skip(event) {
  event.preventDefault();
  document.getElementById("console-main").focus();
}

function Projects({ projects, project }) {
  const known = projects.some(({ id }) => id === project);
  const pick = (event) => {
    stoa.setProject(event.target.value);
    location.hash = link("find");
  };
  return html`
    <label class="picker"><span>Project</span>
      <select value=${project} onChange=${pick}>
        ${project && !known && html`<option value=${project}>${projects.length ? "one that is not yours" : "…"}</option>`}
        ${projects.map(({ id, name }) => html`<option key=${id} value=${id} selected=${id === project}>${name}</option>`)}
      </select>
    </label>
  `;
}

render(html`<${Console} />`, document.getElementById("console"));
