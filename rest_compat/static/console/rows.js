// The rows of an answer, and those that break a rule, as tables that scroll in their own place.
import { html } from "./parts.js";
import { number, say } from "./words.js";

// Exact numbers come as texts, which keep all their digits; the type of the column tells them from other texts.
const NUMERIC = /INT|DECIMAL|NUMERIC|DOUBLE|FLOAT|REAL/i;
const isNumber = (value) => typeof value === "number" || (typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value));
const WHOLE = /^-?\d+$/;

// Numbers that name things have no separator between thousands: 1989 is a year.
const NAMING = new Set(["year", "id", "code", "key", "no", "nr", "number", "zip", "postcode", "phone", "season", "at", "date"]);
export const names = (column) => NAMING.has(column.replace(/([a-z\d])([A-Z])/g, "$1 $2").split(/[^\p{L}\p{N}]+/u).at(-1).toLowerCase());

function figure(value, name) {
  const text = String(value);
  if (!WHOLE.test(text)) return html`<span title=${text}>${number(Number(text))}</span>`;
  return names(name) ? text : number(BigInt(text));
}

function cell(value, { name }, numeric) {
  if (value === null) return html`<span class="quiet">${say("turn.none")}</span>`;
  if (numeric) return figure(value, name);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function Rows({ result }) {
  const { columns, rows, row_count: total } = result;
  if (!rows.length) return html`<p class="face calm">${say("turn.norows")}</p>`;
  const numeric = columns.map(({ type }, at) => NUMERIC.test(type ?? "") && rows.every((row) => row[at] === null || isNumber(row[at])));
  return html`
    <div class="wide" tabindex="0" role="region" aria-label=${say("turn.rows", { rows: say("count.rows", { count: total }) })}>
      <table class="rows-table">
        <thead><tr>${columns.map(({ name }, at) => html`<th key=${at} scope="col" class=${numeric[at] ? "figure" : undefined} title=${name}>${name.replaceAll("_", " ")}</th>`)}</tr></thead>
        <tbody>
          ${rows.map((row, line) => html`<tr key=${line}>${row.map((value, at) => html`<td key=${at} class=${numeric[at] ? "figure" : undefined}>${cell(value, columns[at], numeric[at])}</td>`)}</tr>`)}
        </tbody>
      </table>
    </div>
  `;
}

const besideOf = ({ beside, different }) => [...beside.map(({ value, rows }) => `${value} (${number(rows)}×)`), ...(different > beside.length ? ["…"] : [])].join(", ");

// Rows that break a rule: what tells each apart, and what is wrong in it. A row names only its own wrong values, so what
// another one is wrong in stands empty in it: nothing is known of it here. Where rows that should agree do not, each
// line tells all their values; where no key is known, how many rows are alike.
export function Examples({ examples: given_ }) {
  const examples = given_.map((one) => (one.beside ? { key: one.values, values: { [one.dependent]: besideOf(one) } } : one));
  const many = examples.some((one) => one.rows > 1);
  const keys = [...new Set(examples.flatMap((one) => Object.keys(one.key ?? {})))];
  const values = [...new Set(examples.flatMap((one) => Object.keys(one.values ?? {})))].filter((name) => !keys.includes(name));
  const names = [...keys, ...values];
  const isWrong = (one, name) => name in (one.values ?? {});
  const cell = (one, name) => (isWrong(one, name) ? one.values[name] : one.key?.[name]);
  const given = (name) => examples.map((one) => cell(one, name)).filter((value) => value != null);
  const numeric = new Set(names.filter((name) => given(name).length && given(name).every((value) => typeof value === "number")));
  const look = (one, name) => [numeric.has(name) && "figure", isWrong(one, name) && "marked"].filter(Boolean).join(" ") || undefined;
  const shown = (one, name) => {
    const value = cell(one, name);
    if (value != null) return typeof value === "object" ? JSON.stringify(value) : String(value);
    return isWrong(one, name) || name in (one.key ?? {}) ? html`<em class="quiet">${say("turn.none")}</em>` : "";
  };
  return html`
    <div class="wide" tabindex="0" role="region" aria-label=${say("triage.examples")}>
      <table>
        <thead><tr>${names.map((name) => html`<th key=${name} scope="col" class=${numeric.has(name) ? "figure" : undefined}>${name}</th>`)}${many && html`<th scope="col" class="figure">${say("triage.rows")}</th>`}</tr></thead>
        <tbody>${examples.map((one, at) => html`<tr key=${at}>${names.map((name) => html`<td key=${name} class=${look(one, name)}>${shown(one, name)}</td>`)}${many && html`<td class="figure">${one.rows ?? ""}</td>`}</tr>`)}</tbody>
      </table>
    </div>
  `;
}
