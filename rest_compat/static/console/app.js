// The console: a client of the public graph and of nothing else.
import { render } from "../vendor/preact.js";
import { useEffect, useLayoutEffect, useReducer, useState } from "../vendor/preact-hooks.js";

import { Access } from "./access.js";
import { Ask } from "./ask.js";
import { Asset } from "./asset.js";
import { PROJECTS } from "./documents.js";
import { Find } from "./find.js";
import { ADDED, AddProject } from "./holdings.js";
import { Inbox } from "./inbox.js";
import { Empty, Failed, html, Icon, Loading, useAnswer } from "./parts.js";
import { link, usePlace } from "./places.js";
import { Runs } from "./runs.js";
import { comeBack, offered, signIn } from "./sign-in.js";
import { Sources } from "./sources.js";
import { hour, languages, moment, say, setLanguage } from "./words.js";

const { stoa } = window;
const PLACES = { find: Find, asset: Asset, ask: Ask, inbox: Inbox, sources: Sources, runs: Runs, access: Access };
const NAMED = ["find", "ask", "inbox", "sources", "runs", "access"];
const root = document.getElementById("console");
const signedIn = () => "Authorization" in stoa.headers();
const chosen = () => stoa.headers()["X-Project-ID"];

function Console({ refused }) {
  const [visit, changed] = useReducer((before) => before + 1, 0);
  // An effect would begin to listen only after the page is seen: a link followed in between would sign nobody in.
  useLayoutEffect(() => void stoa.onChange(changed), []);
  useEffect(() => {
    if (!signedIn()) document.title = `${say("welcome.title")} | Stoa`;
  }, [visit]);
  if (!signedIn()) return html`<${Welcome} refused=${refused} />`;
  return html`<${Signed} key=${stoa.headers().Authorization} />`;
}

const Brand = () => html`
  <a class="brand" href=${link("find")}>
    <svg viewBox="0 0 32 32" aria-hidden="true"><path d="M16 3 3 9v3h26V9zM6 14v11m6.7-11v11m6.6-11v11M26 14v11M3 28h26" /></svg>Stoa
  </a>
`;

const Language = () => html`
  <label class="language"><span>${say("shell.language")}</span>
    <select onChange=${(event) => setLanguage(event.target.value)}>
      ${Object.entries(languages.all).map(([name, title]) => html`<option key=${name} value=${name} lang=${name} selected=${name === languages.now}>${title}</option>`)}
    </select>
  </label>
`;

function Welcome({ refused }) {
  const [token, setToken] = useState("");
  const [failure, setFailure] = useState(refused);
  const provider = offered();
  const begin = () => signIn().catch(setFailure);
  return html`
    <main class="welcome">
      <div class="welcome-card">
        <p class="brand"><svg viewBox="0 0 32 32" aria-hidden="true"><path d="M16 3 3 9v3h26V9zM6 14v11m6.7-11v11m6.6-11v11M26 14v11M3 28h26" /></svg>Stoa</p>
        <h1>${say("welcome.title")}</h1>
        <p class="lead">${say("welcome.lead")}</p>
        ${failure && html`<${Failed} failure=${failure} />`}
        ${provider && html`<button type="button" class="wide-button" onClick=${begin}>${say("welcome.provider")}</button>`}
        <form
          onSubmit=${(event) => {
            event.preventDefault();
            if (token.trim()) stoa.setToken(token);
          }}
        >
          <label>${say("welcome.token")}<input type="password" value=${token} autocomplete="off" spellcheck=${false} placeholder="eyJ…" onInput=${(event) => setToken(event.target.value)} /></label>
          <button type="submit" class=${provider ? "quiet-button" : undefined} disabled=${!token.trim()}>${say("welcome.open")}</button>
        </form>
        <details class="more"><summary>${say("welcome.how")}</summary>
          <p>${say("welcome.link")}</p>
          <pre tabindex="0"><code>stoa token --user NAME --org ORGANIZATION</code></pre>
        </details>
        <p class="quiet small">${say("welcome.kept")}</p>
        <${Language} />
      </div>
    </main>
  `;
}

function Signed() {
  const answer = useAnswer(PROJECTS, {}, { anywhere: true });
  const projects = answer.data?.projects.nodes ?? [];
  const project = chosen();
  useEffect(() => void (answer.data && stoa.nameProjects(projects)), [answer.data]);
  // One that is added on a page stands in the list as well.
  useEffect(() => {
    addEventListener(ADDED, answer.again);
    return () => removeEventListener(ADDED, answer.again);
  }, [answer.again]);
  // Without a choice there is nothing to see, so the first project is one.
  useEffect(() => {
    if (!project && projects.length) stoa.setProject(projects[0].id);
  }, [project, projects.length]);
  const { place, given } = usePlace();
  const Place = PLACES[place] ?? Find;
  const tab = NAMED.includes(place) ? place : "find"; // a table is found
  let content;
  if (answer.failure && !project) content = html`<${Failed} failure=${answer.failure} again=${answer.again} />`;
  else if (!project && !answer.loading && !projects.length)
    content = html`<${Empty} icon="access" title=${say("shell.noProject")}>${say("shell.noProject.next")}<//><${AddProject} onMade=${(id) => (stoa.setProject(id), answer.again())} />`;
  else if (!project) content = html`<${Loading} what=${say("shell.projects")} />`;
  else content = html`<${Place} key=${project + place} given=${given} />`;
  return html`
    <a class="skip" href="#console-main" onClick=${skip}>${say("shell.skip")}</a>
    <header class="side">
      <${Brand} />
      <${Projects} projects=${projects} project=${project} />
      <nav class="places" aria-label=${say("shell.places")}>
        ${NAMED.map((name) => html`<a key=${name} href=${link(name)} aria-current=${name === tab ? "page" : undefined}><${Icon} name=${name} />${say(`place.${name}`)}</a>`)}
      </nav>
      <${Account} />
    </header>
    <main class="console-page" id="console-main" tabindex="-1">${content}</main>
  `;
}

function Account() {
  const { person, place, until } = stoa.bearer() ?? {};
  const today = until?.toDateString() === new Date().toDateString();
  return html`
    <details class="account" onKeyDown=${(event) => event.key === "Escape" && (event.currentTarget.open = false)}>
      <summary><span class="portrait" aria-hidden="true">${(person || "?").charAt(0).toUpperCase()}</span><span class="person">${person || say("shell.somebody")}<small>${place}</small></span></summary>
      <div class="account-menu">
        ${until && html`<p class="quiet small">${say("shell.until", { when: today ? hour(until) : moment(until) })}</p>`}
        <${Language} />
        <a href=${`${root.dataset.root}/graphql`}>${say("shell.explorer")}</a>
        <a href=${`${root.dataset.root}/docs`}>${say("shell.rest")}</a>
        <button type="button" class="quiet-button" onClick=${stoa.signOut}>${say("shell.signOut")}</button>
      </div>
    </details>
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
    <label class="picker"><span>${say("shell.project")}</span>
      <select value=${project} onChange=${pick}>
        ${project && !known && html`<option value=${project}>${projects.length ? say("shell.notYours") : "…"}</option>`}
        ${projects.map(({ id, name }) => html`<option key=${id} value=${id} selected=${id === project}>${name}</option>`)}
      </select>
    </label>
  `;
}

// A provider that signs people in sends them back with a code, before there is anything to show.
const refused = await comeBack().then(() => null, (failure) => failure);
root.replaceChildren();
render(html`<${Console} refused=${refused} />`, root);
