// The rows of an answer, as a table that scrolls in its own place.
import { html } from "./parts.js";
import { counted, number } from "./words.js";

// Exact decimals come as texts, which keep all their digits.
const DECIMAL = /^-?\d+\.\d+$/;
const isNumber = (value) => typeof value === "number" || (typeof value === "string" && DECIMAL.test(value));

// Years and ids are numbers without a separator between thousands.
function cell(value, name) {
  if (value === null) return html`<span class="quiet">none</span>`;
  if (isNumber(value)) return /year|_?id$/i.test(name) ? String(value) : html`<span title=${value}>${number(Number(value))}</span>`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function Rows({ result }) {
  const { columns, rows, row_count: total } = result;
  if (!rows.length) return html`<p class="face calm">The answer has no rows.</p>`;
  const numeric = columns.map((_, at) => rows.every((row) => row[at] === null || isNumber(row[at])));
  return html`
    <div class="wide" tabindex="0" role="region" aria-label=${`Rows of the answer, ${counted(total, "row", "rows")}`}>
      <table class="rows-table">
        <thead><tr>${columns.map(({ name }, at) => html`<th key=${at} scope="col" class=${numeric[at] ? "figure" : undefined}>${name}</th>`)}</tr></thead>
        <tbody>
          ${rows.map((row, line) => html`<tr key=${line}>${row.map((value, at) => html`<td key=${at} class=${numeric[at] ? "figure" : undefined}>${cell(value, columns[at].name)}</td>`)}</tr>`)}
        </tbody>
      </table>
    </div>
  `;
}
