// A decision about many things: first what it would change, counted and shown, then the decision.
import { useEffect, useRef, useState } from "../vendor/preact-hooks.js";

import { Confirm } from "./desk.js";
import { Failed, html, Loading, Told } from "./parts.js";
import { number, say } from "./words.js";

const PAUSE = 600;

// The trial of a decision about one thing, of which nothing has to be counted.
export const oneOnly = async () => ({ moves: 1, stays: [], heads: [], rows: [] });

// `asked` is { verb, noun (the key of a plural), about, told, reason, trial(signal), carryOut(notes, step, stopped) }. The trial answers with
// { moves, stays: [sentence], heads, rows: [[text]] } and carrying out with whatever `onEnd` takes; `step` is told how
// many are done, and `stopped` whether somebody wants no more.
export function Sure({ asked, onEnd }) {
  const [trial, setTrial] = useState(null);
  const [failure, setFailure] = useState(null);
  const [busy, setBusy] = useState("");
  const stopped = useRef(false);
  const { verb, noun, about, told, reason } = asked;
  useEffect(() => {
    const leaving = new AbortController();
    asked.trial(leaving.signal).then(setTrial, (error) => leaving.signal.aborted || setFailure(error));
    return () => leaving.abort();
  }, [asked]);
  async function yes(notes) {
    setBusy(say("decide.going"));
    try {
      onEnd(await asked.carryOut(notes, (done) => setBusy(say("decide.done", { count: done })), () => stopped.current));
    } catch (error) {
      onEnd({ failure: error });
    }
  }
  const no = () => (busy ? (stopped.current = true) : onEnd(null));
  const moves = trial?.moves ?? 0;
  return html`
    <${Confirm} title=${moves ? say("decide.sure", { verb, what: say(noun, { count: moves }) }) : say("decide.sureOne", { verb })} verb=${moves ? say("decide.yes", { verb, count: moves }) : ""} reason=${moves > 0 && reason} busy=${busy} onYes=${yes} onNo=${no}>
      <p><${Told} text=${about} /></p>
      ${failure && html`<${Failed} failure=${failure} />`}
      ${!trial && !failure && html`<${Loading} what=${say("decide.looking")} />`}
      ${trial && !moves && html`<p><strong>${say("decide.nothing")}</strong></p>`}
      ${trial?.stays.map((sentence) => html`<p key=${sentence} class="trouble">${sentence}</p>`)}
      ${trial?.rows.length > 0 && html`<${Sample} trial=${trial} />`}
      ${moves > 0 && html`<p class="quiet">${told}</p>`}
    <//>
  `;
}

const Sample = ({ trial: { moves, heads, rows } }) => html`
  <div class="wide sample" tabindex="0" role="region" aria-label=${say("decide.sample")}>
    <table>
      <thead><tr>${heads.map((head) => html`<th key=${head} scope="col">${head}</th>`)}</tr></thead>
      <tbody>${rows.map((row, at) => html`<tr key=${at}>${row.map((text, place) => html`<td key=${place}><${Told} text=${text} /></td>`)}</tr>`)}</tbody>
    </table>
  </div>
  ${moves > rows.length && html`<p class="quiet">${say("decide.firstOf", { rows: rows.length, total: moves })}</p>`}
`;

// One call decides as many as a server takes at once and says how many wait: called until none does, none moves any
// more or somebody wants no more. `countOf` says how many one answer moved; the sum of them is what comes back.
export async function carryOutAll(send, countOf, step, stopped) {
  let done = 0;
  for (let came = { waiting: 1 }; came.waiting && !stopped(); step(done)) {
    came = await send();
    done += countOf(came);
    if (!countOf(came)) break;
  }
  return done;
}

// Decisions one by one. What is decided alike within a moment goes together, as people press keys faster than a server
// counts requests; `send(items, decision)` carries it out.
export function useQueue(send) {
  const queue = useRef({ items: [], decision: null, timer: null });
  const [going, setGoing] = useState(0);
  const last = useRef(Promise.resolve()); // one after another, so that the later of two decisions about one thing stands
  function now(items, decision) {
    setGoing((before) => before + 1);
    last.current = last.current.then(() => send(items, decision)).finally(() => setGoing((before) => before - 1));
    return last.current;
  }
  async function flush() {
    const { items, decision, timer } = queue.current;
    clearTimeout(timer);
    queue.current = { items: [], decision: null, timer: null };
    if (items.length) await now(items, decision);
  }
  function later(item, decision) {
    if (queue.current.decision && queue.current.decision !== decision) flush();
    clearTimeout(queue.current.timer);
    queue.current = { items: [...queue.current.items, item], decision, timer: setTimeout(flush, PAUSE) };
  }
  useEffect(() => () => void flush(), []);
  return { now, later, flush, going: going > 0 || queue.current.items.length > 0 };
}

// What came of a decision: { failure } or { said, trouble, undo }.
export function Outcome({ told }) {
  if (!told) return null;
  if (told.failure) return html`<${Failed} failure=${told.failure} />`;
  return html`
    <p class="outcome" role="status">
      ${told.said}${told.undo && html` <button type="button" class="quiet-button" onClick=${told.undo}>${say("decide.undo")}</button>`}
      ${told.trouble && html` <span class="trouble">${told.trouble}</span>`}
    </p>
  `;
}

// Part of a name, as people type it, becomes a pattern over whole names.
export const patternOf = (text) => (!text ? undefined : text.includes("*") ? text : `*${text}*`);

// A field for part of a name that waits until nothing more is typed.
export function Like({ label, value, onChange }) {
  const waiting = useRef();
  useEffect(() => () => clearTimeout(waiting.current), []);
  const typed = (event) => {
    const text = event.target.value.trim();
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => onChange(text), 250);
  };
  return html`<label><span class="hidden">${label}</span><input type="search" value=${value} placeholder=${label} maxlength="398" autocomplete="off" spellcheck=${false} onInput=${typed} /></label>`;
}

// One of a few, as a part of a filter; `options` are [[value, title]].
export function Choice({ label, options, value, onChange }) {
  return html`<label><span class="hidden">${label}</span>
    <select value=${value} onChange=${(event) => onChange(event.target.value)}>${options.map(([one, title]) => html`<option key=${one} value=${one} selected=${one === value}>${title}</option>`)}</select>
  </label>`;
}
