// Writing a rule by hand: a few kinds with what each needs, tried before it is written.
import { useState } from "../vendor/preact-hooks.js";

import { ask } from "./graph.js";
import { TRY_RULE, WRITE_RULE } from "./inbox-documents.js";
import { English, Failed, html, Told } from "./parts.js";
import { parts } from "./places.js";
import { Examples } from "./rows.js";
import { named, say, sentence } from "./words.js";

const SEVERITIES = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];
const number = (form, name) => (form.get(name) === "" ? null : Number(form.get(name)));
const lines = (text) => String(text).split(/\n/).map((one) => one.trim()).filter(Boolean);
const given = (pairs) => Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== null && value !== ""));

// Each kind: what it is about, its fields as [name, type, key, needed], and what becomes of them. What counts what breaks
// it has a bound, in rows or in percent.
const KINDS = {
  filled: { metric: "nullValues", of: "column", fields: [], bound: true, made: () => ({}) },
  unique: { metric: "duplicateValues", of: "columns", fields: [], bound: true, made: () => ({}) },
  values: { metric: "invalidValues", of: "column", fields: [["values", "lines", "rules.values", true]], bound: true, made: (form) => ({ arguments: { validValues: lines(form.get("values")) } }) },
  range: {
    metric: "invalidValues", of: "column", bound: true,
    fields: [["minimum", "text", "rules.minimum"], ["maximum", "text", "rules.maximum"]],
    made: (form) => ({ arguments: given({ minimum: form.get("minimum").trim(), maximum: form.get("maximum").trim() }) }),
  },
  pattern: { metric: "invalidValues", of: "column", fields: [["pattern", "text", "rules.pattern", true]], bound: true, made: (form) => ({ arguments: { pattern: form.get("pattern") } }) },
  rows: {
    metric: "rowCount", of: "table",
    fields: [["least", "number", "rules.least", true], ["most", "number", "rules.most"]],
    made: (form) => (number(form, "most") === null ? { operator: "MUST_BE_GREATER_OR_EQUAL_TO", threshold: [number(form, "least")] } : { operator: "MUST_BE_BETWEEN", threshold: [number(form, "least"), number(form, "most")] }),
  },
  fresh: { metric: "staleData", of: "column", fields: [["hours", "number", "rules.hours", true]], made: (form, { column }) => ({ arguments: { column, maxAgeSeconds: number(form, "hours") * 3600 } }) },
  sql: { metric: null, of: "table", fields: [["query", "lines", "rules.query", true]], bound: true, made: (form) => ({ query: form.get("query").trim() }) },
};
const TYPES = { staleData: "CUSTOM" };

// What is sent, of what stands in the form.
function ruleOf(kind, form, fqn, columns) {
  const { metric, of, bound, made } = KINDS[kind];
  const chosen = form.getAll("column");
  const [first] = columns.filter((one) => chosen.includes(one.name));
  const own = made(form, { column: chosen[0] });
  const several = of === "columns" && chosen.length > 1;
  const about = of === "table" || several || kind === "fresh" ? fqn : (first?.fullyQualifiedName ?? fqn);
  const most = bound ? number(form, "bound") ?? 0 : null;
  return {
    name: form.get("name").trim() || [sentence(say(`rules.kind.${kind}`)), chosen.join(", ")].filter(Boolean).join(": ").slice(0, 255),
    assetFqn: about,
    type: metric ? (TYPES[metric] ?? "LIBRARY") : "SQL",
    ...(metric && { metric }),
    severity: form.get("severity"),
    ...(most !== null && { threshold: [most], unit: form.get("unit"), operator: most ? "MUST_BE_LESS_OR_EQUAL_TO" : "MUST_BE" }),
    ...own,
    ...(several && { arguments: { properties: chosen } }),
  };
}

export function RuleForm({ fqn, columns, onMade }) {
  const [kind, setKind] = useState("filled");
  const [state, setState] = useState({});
  const { of, fields, bound } = KINDS[kind];
  async function act(event, document, done) {
    event.preventDefault();
    const form = event.target.form ?? event.target;
    if (!form.reportValidity()) return;
    setState({ busy: true });
    try {
      const [answer] = Object.values(await ask(document, { rule: ruleOf(kind, new FormData(form), fqn, columns) }));
      setState({});
      done(answer, form);
    } catch (failure) {
      setState({ failure });
    }
  }
  const write = (event) => act(event, WRITE_RULE, (rule, form) => (form.reset(), onMade(rule)));
  const attempt = (event) => act(event, TRY_RULE, (trial) => setState({ trial }));
  const field = ([name, type, key, needed]) => html`<label key=${kind + name}>${say(key)}${type === "lines" ? html`<textarea name=${name} rows="3" required=${Boolean(needed)} spellcheck=${false}></textarea>` : html`<input name=${name} type=${type} step="any" required=${Boolean(needed)} autocomplete="off" spellcheck=${false} />`}</label>`;
  return html`
    <details class="more"><summary>${say("rules.add")}</summary>
      <form class="fields stacked rule-form" onSubmit=${write} onInput=${() => state.trial && setState({})}>
        <label>${say("rules.kind")}<select value=${kind} name="kind" onChange=${(event) => (setKind(event.target.value), setState({}))}>${Object.keys(KINDS).map((one) => html`<option key=${one} value=${one} selected=${one === kind}>${sentence(say(`rules.kind.${one}`))}</option>`)}</select></label>
        ${of !== "table" && html`<label key=${of}>${say(of === "columns" ? "rules.columns" : "rules.column")}<select name="column" required multiple=${of === "columns"} size=${of === "columns" ? Math.min(5, columns.length) : undefined}>${columns.map((one) => html`<option key=${one.name} value=${one.name}>${one.name}</option>`)}</select></label>`}
        ${fields.map(field)}
        ${bound && html`<label>${say("rules.bound")}<input name="bound" type="number" min="0" step="any" value="0" /></label>
          <label>${say("rules.unit")}<select name="unit"><option value="ROWS">${say("rules.ROWS")}</option><option value="PERCENT">${say("rules.PERCENT")}</option></select></label>`}
        <label>${say("rules.severity")}<select name="severity">${SEVERITIES.map((one) => html`<option key=${one} value=${one} selected=${one === "MEDIUM"}>${sentence(named("severity", one))}</option>`)}</select></label>
        <label>${say("rules.name")}<input name="name" maxlength="255" autocomplete="off" placeholder=${say("rules.nameItself")} /></label>
        <span class="choices"><button type="button" class="quiet-button" disabled=${Boolean(state.busy)} onClick=${attempt}>${say("rules.try")}</button><button type="submit" disabled=${Boolean(state.busy)}>${say("rules.write")}</button></span>
      </form>
      ${state.failure && html`<${Failed} failure=${state.failure} />`}
      ${state.trial && html`<${Trial} trial=${state.trial} />`}
    </details>
  `;
}

// What the rule comes to just now; nothing of it is kept.
function Trial({ trial: { inWords, outcome, numerator, denominator, reason, examples } }) {
  const rows = examples?.rows ?? [];
  return html`
    <div class="outcome trial" role="status">
      <p><strong>${say(`rules.${outcome}`)}</strong>${denominator != null && ` ${say("rules.counted", { bad: denominator - numerator, all: denominator })}`}</p>
      <p><${English}><${Told} text=${inWords} /><//></p>
      ${reason && html`<p><${English}>${reason}<//></p>`}
      ${rows.length > 0 && html`<${Examples} examples=${rows} />`}
    </div>
  `;
}
