// What is shared by the lists that a steward decides: a window of groups, moved through and decided by keyboard.
import { useEffect, useRef, useState } from "../vendor/preact-hooks.js";

import { html } from "./parts.js";
import { counted } from "./words.js";

const FIRST = 10;
const STEPS = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

// Groups of a list, each { key, title, items }; the fullest first, unless something else comes before.
export function grouped(items, keyOf, titleOf, before = () => 0) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (!groups.has(key)) groups.set(key, { key, title: titleOf(item), items: [] });
    groups.get(key).items.push(item);
  }
  return [...groups.values()].sort((one, other) => before(one, other) || other.items.length - one.items.length);
}

// Groups of rows beside what is told of the one with the focus. `choices` are what may be decided: { key, verb, kind,
// decide(items) }, for a row by its key and for its group by the same key with Shift.
export function Desk({ groups, row, detail, choices, noun }) {
  const [picked, setPicked] = useState(null);
  const board = useRef();
  const all = groups.flatMap((group) => group.items);
  const chosen = all.find((item) => item.id === picked) ?? all[0];

  // The focus moves on before its row goes.
  function leave(from) {
    const rows = [...board.current.querySelectorAll("[data-row]")];
    const at = rows.indexOf(from);
    (rows[at + 1] ?? rows[at - 1])?.focus();
  }
  function pressed(event) {
    const here = event.target.closest("[data-row]");
    if (!here || event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = [...board.current.querySelectorAll("[data-row]")];
    if (event.key in STEPS) {
      event.preventDefault();
      rows[rows.indexOf(here) + STEPS[event.key]]?.focus();
      return;
    }
    const choice = choices.find((one) => one.key === event.key.toLowerCase());
    if (!choice) return;
    event.preventDefault();
    const group = groups.find((one) => one.items.some((item) => item.id === here.dataset.row));
    if (event.shiftKey) choice.decide(group.items, group);
    else decide(choice, group.items.find((item) => item.id === here.dataset.row));
  }
  function decide(choice, item) {
    leave(board.current.querySelector(`[data-row="${item.id}"]`));
    choice.decide([item]);
  }
  return html`
    <p class="keys quiet">
      <kbd>↓</kbd> <kbd>↑</kbd> move${choices.map((one) => html`, <kbd>${one.key}</kbd> ${one.verb.toLowerCase()}`)}; with <kbd>Shift</kbd> the whole group
    </p>
    <div class="desk">
      <div ref=${board} class="board" onKeyDown=${pressed} onFocusIn=${(event) => event.target.dataset.row && setPicked(event.target.dataset.row)}>
        ${groups.map((group) => html`<${Group} key=${group.key} group=${group} row=${row} choices=${choices} chosen=${chosen} noun=${noun} />`)}
      </div>
      <aside class="detail" aria-label="What is chosen" aria-live="polite">
        ${chosen && html`<p class="choices">${choices.map((one, at) => html`<button key=${one.key} type="button" class=${at ? "quiet-button" : undefined} onClick=${() => decide(one, chosen)}>${one.verb}</button>`)}</p>`}
        ${chosen && detail(chosen)}
      </aside>
    </div>
  `;
}

function Group({ group, row, choices, chosen, noun }) {
  const [open, setOpen] = useState(false);
  const shown = open ? group.items : group.items.slice(0, FIRST);
  const rest = group.items.length - shown.length;
  return html`
    <section class="group" aria-label=${group.title}>
      <header>
        <h2>${group.title} <small>${group.items.length}</small></h2>
        <span class="choices">
          ${choices.map((one) => html`<button key=${one.key} type="button" class="quiet-button" aria-label=${`${one.verb} all ${counted(group.items.length, ...noun)} of ${group.title}`} onClick=${() => one.decide(group.items, group)}>${one.verb} all</button>`)}
        </span>
      </header>
      <ul class="plain">
        ${shown.map(
          (item) => html`<li key=${item.id} class=${item === chosen ? "row chosen" : "row"}>
            <button type="button" class="row-open" data-row=${item.id} aria-current=${item === chosen ? "true" : undefined}>${row(item)}</button>
          </li>`,
        )}
      </ul>
      ${rest > 0 && html`<button type="button" class="quiet-button" onClick=${() => setOpen(true)}>Show ${counted(rest, "more", "more")}</button>`}
    </section>
  `;
}

// A question that is answered before many things happen. With `reason`, people may say why.
export function Confirm({ title, verb, reason, busy, onYes, onNo, children }) {
  const dialog = useRef();
  const [notes, setNotes] = useState("");
  useEffect(() => {
    const before = document.activeElement;
    dialog.current.showModal();
    return () => before?.isConnected && before.focus();
  }, []);
  return html`
    <dialog ref=${dialog} class="confirm" aria-labelledby="confirm-title" onCancel=${(event) => { event.preventDefault(); onNo(); }}>
      <form
        onSubmit=${(event) => {
          event.preventDefault();
          onYes(notes.trim() || null);
        }}
      >
        <h2 id="confirm-title">${title}</h2>
        ${children}
        ${reason && html`<label>${reason}<textarea rows="2" maxlength="1000" value=${notes} onInput=${(event) => setNotes(event.target.value)}></textarea></label>`}
        <p class="after"><button type="submit" autofocus disabled=${busy}>${busy || verb}</button><button type="button" class="quiet-button" onClick=${onNo}>${busy ? "Stop" : "Leave it"}</button></p>
      </form>
    </dialog>
  `;
}
