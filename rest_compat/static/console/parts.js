// What every place is made of: markup, questions to the graph, and the faces of what is not there.
import { h } from "../vendor/preact.js";
import { useCallback, useEffect, useState } from "../vendor/preact-hooks.js";
import htm from "../vendor/htm.js";

import { ask } from "./graph.js";
import { counted, inWords } from "./words.js";

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

export const Loading = ({ what = "Loading" }) => html`<p class="face calm" role="status"><span class="spinner" aria-hidden="true"></span>${what} …</p>`;

export const Empty = ({ title, children }) => html`<div class="face" role="status"><strong>${title}</strong><span>${children}</span></div>`;

export function Failed({ failure, again }) {
  const { title, next, said, code, id, refused, signedOut } = inWords(failure);
  return html`
    <div class=${`face wrong ${refused ? "refused" : ""}`} role="alert">
      <strong>${title}</strong>
      ${said && html`<span>${said}</span>`}
      <span><${Told} text=${next} /></span>
      ${again && !signedOut && html`<button type="button" onClick=${again}>Try again</button>`}
      ${signedOut && html`<button type="button" onClick=${window.stoa.signOut}>Sign in again</button>`}
      <small>${code}${id && html` · request ${id}`}</small>
    </div>
  `;
}

// A part of a page with a question of its own: one that fails leaves the rest as it is.
export function Part({ title, answer, children, note }) {
  const { data, failure, again } = answer;
  return html`
    <section class="part" aria-label=${title}>
      <h2>${title}${note && html` <small>${note}</small>`}</h2>
      ${failure ? html`<${Failed} failure=${failure} again=${again} />` : data ? children(data) : html`<${Loading} />`}
    </section>
  `;
}

// What a list leaves out, where it leaves something out.
export const NotShown = ({ count, one = "more is", many = "more are" }) => (count > 0 ? html`<p class="quiet">${counted(count, one, many)} not shown.</p>` : null);

// A text of the catalog, whose names stand between backticks.
export const Told = ({ text }) => text.split("`").map((part, at) => (at % 2 ? html`<code key=${at}>${part}</code>` : part));

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
