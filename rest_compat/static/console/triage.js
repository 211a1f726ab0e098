// Open violations: what is wrong where, with rows that show it, until somebody says what becomes of it.
import { useRef, useState } from "../vendor/preact-hooks.js";

import { Confirm, Desk, grouped } from "./desk.js";
import { DECIDE_VIOLATION, OPEN_VIOLATIONS } from "./documents.js";
import { ask } from "./graph.js";
import { useAll } from "./pages.js";
import { Empty, Failed, html, Loading } from "./parts.js";
import { link, parts, tableOf } from "./places.js";
import { seen, Severity, worst } from "./quality.js";
import { counted, number, plain, sentence } from "./words.js";

const MOST = 1000;
const NOUN = ["violation", "violations"];
const WAIT = 5000;
const CHOICES = [
  { key: "c", verb: "Acknowledge", status: "ACKNOWLEDGED", told: "They stay known, and out of this list." },
  { key: "x", verb: "Resolve", status: "RESOLVED", told: "What a later run still finds is opened again.", reason: "How it was resolved" },
  { key: "d", verb: "Dismiss", status: "FALSE_POSITIVE", told: "Later runs leave them as they are.", reason: "Why it is none" },
];
const nameOf = (one) => one.displayName || sentence(plain(one.name));

export function Triage() {
  const list = useAll(OPEN_VIOLATIONS, {}, MOST);
  const [asked, setAsked] = useState(null);
  const [told, setTold] = useState(null);
  const [busy, setBusy] = useState("");
  const stopped = useRef(false);

  async function decide(notes) {
    const { items, choice } = asked;
    stopped.current = false;
    setTold(null);
    let done = 0;
    try {
      for (const one of items) {
        if (stopped.current) break;
        if (items.length > 1) setBusy(`${done} of ${items.length} …`);
        await patiently({ violationId: one.id, status: choice.status, notes });
        done += 1;
        list.change((before) => before.filter((other) => other !== one));
      }
      setTold({ done, verb: choice.verb });
    } catch (failure) {
      setTold({ failure });
    }
    setBusy("");
    setAsked(null);
  }
  const stop = () => (busy ? (stopped.current = true) : setAsked(null));
  const choices = CHOICES.map((choice) => ({ ...choice, decide: (items) => setAsked({ items, choice }) }));
  const groups = grouped(list.items, (one) => one.name, (one) => sentence(plain(one.name)), (one, other) => worst(one.items[0], other.items[0]));
  const missing = (list.total ?? 0) > MOST && !list.loading;
  return html`
    ${told?.failure && html`<${Failed} failure=${told.failure} />`}
    ${told?.done > 0 && html`<p class="outcome" role="status">${told.verb}: ${counted(told.done, ...NOUN)}.</p>`}
    ${list.failure && html`<${Failed} failure=${list.failure} again=${list.again} />`}
    ${list.total === null && list.loading && html`<${Loading} what="Fetching the violations" />`}
    ${list.total !== null && !list.loading && !list.items.length && html`<${Empty} title="None open">Nothing that was looked for is wrong.<//>`}
    ${list.items.length > 0 && html`<p class="count" role="status">${counted(list.items.length, ...NOUN)} open${list.loading ? " …" : ""}${missing ? `, of ${number(list.total)}` : ""}</p>`}
    ${list.items.length > 0 && html`<${Desk} groups=${groups} noun=${NOUN} choices=${choices} row=${(one) => html`<${Row} one=${one} />`} detail=${(one) => html`<${Detail} key=${one.id} one=${one} />`} />`}
    ${asked &&
    html`<${Confirm} title=${`${asked.choice.verb} ${counted(asked.items.length, ...NOUN)}?`} verb=${asked.choice.verb} reason=${asked.choice.reason} busy=${busy} onYes=${decide} onNo=${stop}>
      <p>${inWords(asked.items)}</p>
      <p class="quiet">${asked.choice.told}</p>
    <//>`}
  `;
}

function inWords(items) {
  if (items.length === 1) return `${nameOf(items[0])}: ${items[0].assetFqn}`;
  return `${plain(items[0].name)}, in ${counted(new Set(items.map((one) => tableOf(one.assetFqn))).size, "table", "tables")}.`;
}

// The graph changes one violation at a time and counts requests; who changes many waits as long as it takes.
async function patiently(variables) {
  for (;;) {
    try {
      return await ask(DECIDE_VIOLATION, variables);
    } catch (failure) {
      if (failure.code !== "RATE_LIMIT_EXCEEDED") throw failure;
      await new Promise((resolve) => setTimeout(resolve, WAIT));
    }
  }
}

const Row = ({ one }) => html`
  <span class="row-head"><${Severity} value=${one.severity} /> <strong>${parts(one.assetFqn).slice(3).join(".") || one.assetFqn}</strong></span>
  ${one.displayName && plain(one.name) !== one.displayName.toLowerCase() && html`<span class="about">${one.displayName}</span>`}
`;

function Detail({ one }) {
  const { examples = [], numerator, denominator, value, unit } = one.details;
  const wrong = denominator != null && numerator != null ? denominator - numerator : null;
  return html`
    <h3>${nameOf(one)}</h3>
    <p><a href=${link("asset", { fqn: tableOf(one.assetFqn), column: one.column })}>${one.assetFqn}</a></p>
    ${wrong !== null && html`<p>${counted(wrong, "row", "rows")} of ${number(denominator)} ${wrong === 1 ? "is" : "are"} wrong.</p>`}
    ${wrong === null && value != null && html`<p>Measured: ${value} ${unit ?? ""}</p>`}
    ${examples.length > 0 && html`<${Examples} examples=${examples} />`}
    <p class="quiet">Seen ${seen([one])}.</p>
  `;
}

function Examples({ examples }) {
  const keys = [...new Set(examples.flatMap((one) => Object.keys(one.key ?? {})))];
  const values = [...new Set(examples.flatMap((one) => Object.keys(one.values ?? {})))].filter((name) => !keys.includes(name));
  const marked = new Set(examples.flatMap((one) => Object.keys(one.values ?? {})));
  const cell = (one, name) => one.values?.[name] ?? one.key?.[name];
  const names = [...keys, ...values];
  return html`
    <div class="wide" tabindex="0" role="region" aria-label="Rows that show it">
      <table>
        <thead><tr>${names.map((name) => html`<th key=${name} scope="col">${name}</th>`)}</tr></thead>
        <tbody>${examples.map((one, at) => html`<tr key=${at}>${names.map((name) => html`<td key=${name} class=${marked.has(name) ? "marked" : undefined}>${String(cell(one, name) ?? "none")}</td>`)}</tr>`)}</tbody>
      </table>
    </div>
  `;
}
