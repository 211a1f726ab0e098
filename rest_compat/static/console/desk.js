// What is shared by the lists that a steward decides: groups of rows, moved through and decided by keyboard.
import { useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact-hooks.js";

import { html } from "./parts.js";
import { pieces, say } from "./words.js";

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

// Groups of rows beside what is told of the one with the focus. `choices` are what may be decided: { key, verb,
// decide(item), decideAll(group) } and `many`, the verb for all where it is another, for a row by its key and for its group by the same key with Shift. A decision that
// is asked about first answers true, and the focus stays. What can be opened is, by Enter or a click, by `onOpen`;
// a row with `of` lies in another one. A narrow window has room for the rows or for what is told of one of them: a row
// that is clicked is shown, until one goes back.
export function Desk({ groups, row, detail, choices, sum, onOpen, first = FIRST, heading = "h2" }) {
  const [picked, setPicked] = useState(null);
  const [shown, setShown] = useState(false);
  const board = useRef();
  const place = useRef(0);
  const aside = useRef();
  const all = groups.flatMap((group) => group.items);
  const chosen = all.find((item) => item.id === picked) ?? all[0];
  const rows = () => [...board.current.querySelectorAll("[data-row]")];

  // A row that goes while it has the focus leaves it to the one that comes to its place.
  useEffect(() => {
    if (picked === null || document.activeElement !== document.body) return;
    const left = rows();
    (left.find((one) => one.dataset.row === picked) ?? left[Math.min(place.current, left.length - 1)])?.focus();
  }, [all.map((item) => item.id).join()]);
  // Keys that nothing else waits for are for the row that is marked, so that a list can be decided as soon as it is there.
  useEffect(() => {
    const anywhere = (event) => {
      if (document.activeElement !== document.body && !document.activeElement?.matches("h1")) return;
      const here = board.current && rows().find((one) => one.dataset.row === chosen?.id);
      if (!here || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!(event.key in STEPS) && !choices.some((one) => one.key === event.key.toLowerCase())) return;
      event.preventDefault();
      here.focus();
      if (!(event.key in STEPS)) pressed({ target: here, key: event.key, shiftKey: event.shiftKey, preventDefault() {} });
    };
    addEventListener("keydown", anywhere);
    return () => removeEventListener("keydown", anywhere);
  });
  function focused(event) {
    const here = event.target.closest("[data-row]");
    if (!here) return;
    place.current = rows().indexOf(here);
    setPicked(here.dataset.row);
  }
  function pressed(event) {
    const here = event.target.closest("[data-row]");
    if (!here || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in STEPS) {
      event.preventDefault();
      const list = rows();
      list[list.indexOf(here) + STEPS[event.key]]?.focus();
      return;
    }
    const choice = choices.find((one) => one.key === event.key.toLowerCase());
    if (!choice) return;
    event.preventDefault();
    const group = groups.find((one) => one.items.some((item) => item.id === here.dataset.row));
    if (event.shiftKey) choice.decideAll(group);
    else decide(choice, group.items.find((item) => item.id === here.dataset.row));
  }
  // The focus moves on before its row goes.
  function decide(choice, item) {
    if (choice.decide(item)) return;
    const list = rows();
    const at = list.findIndex((one) => one.dataset.row === item.id);
    const next = list[at + 1] ?? list[at - 1];
    setPicked(next?.dataset.row ?? null);
    next?.focus();
  }
  function open(item) {
    setPicked(item.id);
    if (aside.current.offsetParent) onOpen?.(item);
    else {
      setShown(true);
      requestAnimationFrame(() => aside.current.scrollIntoView({ block: "nearest" }));
    }
  }
  // Back to the rows, to the one that was shown.
  function back() {
    setShown(false);
    requestAnimationFrame(() => rows().find((one) => one.dataset.row === chosen?.id)?.focus());
  }
  return html`
    <details class="keys quiet"><summary>${say("desk.keyboard")}</summary>
      ${pieces(choices.length ? "desk.keys" : "desk.look", {
        down: html`<kbd>↓</kbd>`,
        up: html`<kbd>↑</kbd>`,
        shift: html`<kbd>⇧</kbd>`,
        rest: html`${onOpen && pieces("desk.enter", { enter: html`<kbd>↵</kbd>` })}${choices.map((one) => html`, <kbd>${one.key}</kbd> ${one.verb.toLowerCase()}`)}`,
      })}
    </details>
    <div class=${shown ? "desk shown" : "desk"}>
      <div ref=${board} class="board" onKeyDown=${pressed} onFocusIn=${focused}>
        ${groups.map((group) => html`<${Group} key=${group.key} group=${group} row=${row} choices=${choices} chosen=${chosen} sum=${sum} onOpen=${open} first=${first} heading=${heading} />`)}
      </div>
      <aside ref=${aside} class="detail" aria-label=${say("desk.chosen")} aria-live="polite" onKeyDown=${(event) => event.key === "Escape" && shown && back()}>
        ${chosen && html`<${heading} class="hidden">${say("desk.chosen")}<//>`}
        ${shown && html`<button type="button" class="quiet-button back" autofocus onClick=${back}>‹ ${say("part.back")}</button>`}
        ${chosen && html`<p class="choices">${choices.map((one, at) => html`<button key=${one.key} type="button" class=${at ? "quiet-button" : undefined} onClick=${() => decide(one, chosen)}>${one.verb}</button>`)}${chosen.opened !== undefined && html`<button type="button" class="quiet-button" onClick=${() => (onOpen(chosen), shown && back())}>${say(chosen.opened ? "desk.close" : "desk.each")}</button>`}</p>`}
        ${chosen && detail(chosen)}
      </aside>
    </div>
  `;
}

const many = (choice) => choice.many ?? say("decide.all", { verb: choice.verb });

function Group({ group, row, choices, chosen, sum, onOpen, first, heading }) {
  const [open, setOpen] = useState(false);
  const tops = group.items.filter((item) => !item.of);
  const end = open || tops.length <= first ? group.items.length : group.items.indexOf(tops[first]);
  const rest = tops.length - first;
  // The same few words above each group are read once: where the focus is.
  const here = group.items.includes(chosen);
  const count = sum(group);
  return html`
    <section class="group" aria-label=${group.title}>
      <header>
        <${heading}>${group.title} <small>${count}</small><//>
        <span class="choices">
          ${here && choices.map((one) => html`<button key=${one.key} type="button" class="quiet-button" aria-label=${say("decide.groupOf", { verb: many(one), title: group.title, count })} onClick=${() => one.decideAll(group)}>${many(one)}</button>`)}
        </span>
      </header>
      <ul class="plain">
        ${group.items.slice(0, end).map(
          (item) => html`<li key=${item.id} class=${`row${item === chosen ? " chosen" : ""}${item.of ? " within" : ""}`}>
            <button type="button" class="row-open" data-row=${item.id} aria-current=${item === chosen ? "true" : undefined} aria-expanded=${item.opened === undefined ? undefined : String(item.opened)} onClick=${() => onOpen(item)}>${row(item)}</button>
          </li>`,
        )}
      </ul>
      ${rest > 0 && !open && html`<button type="button" class="quiet-button" onClick=${() => setOpen(true)}>${say("desk.show", { count: rest })}</button>`}
    </section>
  `;
}

// A question that is answered before something happens. With `reason`, people may say why; without `verb` there is
// nothing to say yes to, or not yet. The focus is on yes as soon as there is one.
export function Confirm({ title, verb, reason, busy, onYes, onNo, children }) {
  const dialog = useRef();
  const yes = useRef();
  const [notes, setNotes] = useState("");
  // Before the browser paints: whoever presses Enter at the first sight of the question means its yes.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current.showModal();
    return () => before?.isConnected && before.focus();
  }, []);
  useLayoutEffect(() => yes.current?.focus(), [Boolean(verb)]);
  return html`
    <dialog ref=${dialog} class="confirm" aria-labelledby="confirm-title" onCancel=${(event) => { event.preventDefault(); onNo(); }}>
      <form
        onSubmit=${(event) => {
          event.preventDefault();
          if (!busy) onYes(notes.trim() || null);
        }}
      >
        <h2 id="confirm-title" tabindex="-1" autofocus>${title}</h2>
        ${children}
        ${reason && html`<label>${reason}<textarea rows="2" maxlength="1000" value=${notes} onInput=${(event) => setNotes(event.target.value)}></textarea></label>`}
        <p class="after">${verb && html`<button ref=${yes} type="submit" aria-disabled=${Boolean(busy)}>${busy || verb}</button>`}<button type="button" class="quiet-button" onClick=${onNo}>${say(busy ? "decide.stop" : "part.cancel")}</button></p>
      </form>
    </dialog>
  `;
}
