// What every place is made of: markup, questions to the graph, and the faces of what is not there.
import { h } from "../vendor/preact.js";
import { useCallback, useEffect, useState } from "../vendor/preact-hooks.js";
import htm from "../vendor/htm.js";

import { ask } from "./graph.js";
import { inWords, languages, say } from "./words.js";

export const html = htm.bind(h);

// The answer to a question, asked again when its variables change: { data, failure, loading, again }. The last answer
// stays until the next one is there. Without variables nothing is asked.
export function useAnswer(document, variables, { anywhere = false } = {}) {
  const key = variables && JSON.stringify(variables);
  const [state, setState] = useState({ loading: true });
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    if (key === undefined) return undefined;
    const leaving = new AbortController();
    setState((before) => ({ data: before.data, loading: true }));
    ask(document, JSON.parse(key), { signal: leaving.signal, anywhere }).then(
      (data) => setState({ data, loading: false }),
      (failure) => leaving.signal.aborted || setState({ failure, loading: false }),
    );
    return () => leaving.abort();
  }, [document, key, round]);
  return { ...state, again };
}

// Whether questions have come to an end, well or not. What stands above the rest of a page is waited for, so that nothing
// moves under a hand that is about to press it.
export const settled = (...answers) => answers.every(({ data, failure }) => data || failure);

const PAUSE = 400;

// What somebody has typed, once they pause, without blanks around it.
export function useTyped(text) {
  const [typed, setTyped] = useState(text.trim());
  useEffect(() => {
    const later = setTimeout(() => setTyped(text.trim()), PAUSE);
    return () => clearTimeout(later);
  }, [text]);
  return typed;
}

// Small pictures for places and for what is not there; each is drawn by lines in a square of 24.
const ICONS = {
  find: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 20 20",
  ask: "M4 5h16v11H11l-4 4v-4H4zM8 9h8M8 12.5h5",
  inbox: "M4 14 6.5 5h11L20 14v5H4zM4 14h5l1 2.5h4l1-2.5h5",
  sources: "M5 6.5C5 5 8 4 12 4s7 1 7 2.5v11c0 1.5-3 2.5-7 2.5s-7-1-7-2.5zM5 6.5C5 8 8 9 12 9s7-1 7-2.5M5 12c0 1.5 3 2.5 7 2.5s7-1 7-2.5",
  runs: "M4 12h4l2.5-7 4 14 2.5-7h3",
  access: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-3.5 2.5-5.5 6-5.5s6 2 6 5.5M16 11.5l2 2 3.5-4",
  table: "M4 5h16v14H4zM4 10h16M4 14.5h16M10 10v9",
  column: "M4 5h16v14H4zM9.3 5v14M14.7 5v14",
  schema: "M5 4h5v5H5zM14 4h5v5h-5zM5 14h5v5H5zM14 14h5v5h-5z",
  database: "M5 6.5C5 5 8 4 12 4s7 1 7 2.5v11c0 1.5-3 2.5-7 2.5s-7-1-7-2.5zM5 6.5C5 8 8 9 12 9s7-1 7-2.5M5 12c0 1.5 3 2.5 7 2.5s7-1 7-2.5",
  servers: "M4 5h16v5H4zM4 14h16v5H4zM7.500 7.500h.3M7.500 16.500h.3M11 7.500h5M11 16.500h5",
  done: "M5 12.5l4.5 4.5L19 7.5",
  none: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zM8 12h8",
  wrong: "M12 4 2.5 20h19zM12 10v4.5M12 17.200v.3",
  closed: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
};
export const Icon = ({ name }) => html`<svg class="icon" width="20" height="20" viewBox="0 0 24 24" aria-hidden="true"><path d=${ICONS[name] ?? ICONS.none} /></svg>`;

export const Loading = ({ what = say("part.loading") }) => html`<p class="face calm" role="status"><span class="spinner" aria-hidden="true"></span>${what} …</p>`;

export const Empty = ({ title, icon = "none", children }) => html`<div class="face empty" role="status"><${Icon} name=${icon} /><strong>${title}</strong><span>${children}</span></div>`;

export function Failed({ failure, again }) {
  const { title, next, said, code, id, refused, signedOut } = inWords(failure);
  return html`
    <div class=${`face wrong ${refused ? "refused" : ""}`} role="alert">
      <${Icon} name=${refused || signedOut ? "closed" : "wrong"} />
      <strong>${title}</strong>
      ${said && html`<${English}>${said}<//>`}
      <span><${Told} text=${next} /></span>
      ${again && !signedOut && html`<button type="button" onClick=${again}>${say("part.again")}</button>`}
      ${signedOut && html`<button type="button" onClick=${window.stoa.signOut}>${say("part.signIn")}</button>`}
      <small>${code}${id && html` · ${say("part.request", { id })}`}</small>
    </div>
  `;
}

// A part of a page with a question of its own: one that fails leaves the rest as it is.
export function Part({ title, answer, children, note, id }) {
  const { data, failure, again } = answer;
  return html`
    <section class="part" id=${id} aria-label=${title}>
      <h2>${title}${note && html` <small>${note}</small>`}</h2>
      ${failure ? html`<${Failed} failure=${failure} again=${again} />` : data ? children(data) : html`<${Loading} />`}
    </section>
  `;
}

// The views of one place, as links in a row: [[key, title, address]].
export const Views = ({ label, now, views, kind = "page" }) => html`
  <nav class=${kind === "page" ? "views" : "kinds"} aria-label=${label}>${views.map(([key, title, address]) => html`<a key=${key} href=${address} aria-current=${key === now ? kind : undefined}>${title}</a>`)}</nav>
`;

// A share as a small bar: beside a hundred others a figure says no more.
export const Bar = ({ share, told, width = 26, kind = "bar-fill", children }) => html`<svg class="share-bar" width=${width} height="8" viewBox=${`0 0 ${width} 8`} role="img" aria-label=${told}><title>${told}</title><rect class="rest" width=${width} height="8" rx="3" /><rect class=${kind} width=${width * share} height="8" rx="3" />${children}</svg>`;

// What a page is for, for who wants to be told.
export const Help = ({ text }) => html`<details class="help"><summary aria-label=${say("part.help")} title=${text}>?</summary><p>${text}</p></details>`;

// What a list leaves out, where it leaves something out.
export const NotShown = ({ count, what = "part.notShown" }) => (count > 0 ? html`<p class="quiet">${say(what, { count })}</p>` : null);

// A text of the catalog, whose names stand between backticks.
export const Told = ({ text }) => text.split("`").map((part, at) => (at % 2 ? html`<code key=${at}>${part}</code>` : part));

// A text of the platform itself, which speaks English: who listens hears it so. With `own`, it is one of the console.
export const English = ({ own, children }) => html`<span lang=${!own && languages.now !== "en" ? "en" : undefined}>${children}</span>`;

// A heading that takes the focus when its place is opened, so that a screen reader begins there.
export function Heading({ children, title }) {
  const take = useCallback((element) => {
    if (element && document.activeElement === document.body) element.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    if (title) document.title = `${title} | Stoa`;
  }, [title]);
  return html`<h1 tabindex="-1" ref=${take}>${children}</h1>`;
}
