// The figures of one column, small enough to stand in its row.
import { Bar, html, Icon } from "./parts.js";
import { names } from "./rows.js";
import { number, percent, say, short } from "./words.js";

const WIDTH = 160;
const HEIGHT = 34;
const MOST_VALUES = 3;
const TELLING = 0.1; // the share of the rows below which the most frequent values say little of a column

// How much of a column is filled, and how many of its cells look wrong; `suspects` leads to those.
export function Shares({ figures, wrong = 0, suspects }) {
  const told = say("profile.wrong", { count: wrong });
  const leads = wrong > 0 && html`<a class="wrong-cells" href=${suspects} title=${told} aria-label=${told}><${Icon} name="wrong" />${short(wrong)}</a>`;
  if (!figures || figures.nullCount == null || !figures.rowCount) return leads || html`<span class="quiet">–</span>`;
  const filled = 1 - figures.nullCount / figures.rowCount;
  return html`
    <span class="filled">
      <${Bar} share=${filled} told=${say("profile.filled", { share: percent(filled) })} width=${48}>${wrong > 0 && html`<rect class="bar-wrong" width=${Math.max(2, 48 * Math.min(1, wrong / figures.rowCount))} height="8" rx="3" />`}<//>
      ${filled < 1 && percent(filled)} ${leads}
    </span>
  `;
}

export function Picture({ figures }) {
  if (!figures) return html`<span class="quiet">–</span>`;
  if (figures.masked) return html`<span class="quiet masked" role="img" title=${say("profile.masked")} aria-label=${say("profile.masked")}><${Icon} name="closed" /></span>`;
  if (figures.histogram.length > 1) return html`<${Histogram} figures=${figures} />`;
  if (figures.topValues.length) return isTelling(figures) ? html`<${TopValues} figures=${figures} />` : html`<span class="quiet" title=${figures.topValues.map(({ value }) => value).join(", ")}>${different(figures)}</span>`;
  if (figures.minimum != null) return html`<span>${shown(figures.minimum, figures.name)} – ${shown(figures.maximum, figures.name)}</span>`;
  return html`<span class="quiet">–</span>`;
}

const different = ({ distinctCount }) => (distinctCount == null ? "" : say("count.different", { count: short(distinctCount) }));
// Where nearly every row has a value of its own, the first few of them are no picture.
const isTelling = ({ topValues, rowCount, distinctCount }) => distinctCount == null || !rowCount || topValues.slice(0, MOST_VALUES).reduce((sum, { count }) => sum + count, 0) >= TELLING * rowCount;

// Numbers and days as they are read; other texts as they are.
function shown(value, column) {
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return value.replace(/T00:00:00.*$/, "");
  if (names(column) && /^\d+$/.test(value)) return value;
  return Math.abs(value) >= 10_000 ? short(Number(value)) : number(Number(value));
}

// There is no room for the hour below a picture that spans days.
const day = (text) => text.replace(/^(\d{4}-\d\d-\d\d)T.*$/, "$1");

function Histogram({ figures }) {
  const { histogram, mean } = figures;
  const most = Math.max(...histogram.map((bin) => bin.count), 1);
  const step = WIDTH / histogram.length;
  const from = day(shown(histogram[0].lower, figures.name));
  const to = day(shown(histogram.at(-1).upper, figures.name));
  const told = say(mean == null ? "profile.from" : "profile.mean", { from, to, mean: mean == null ? "" : number(mean) });
  return html`
    <svg class="histogram" width=${WIDTH} height=${HEIGHT} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${told}>
      ${histogram.map((bin, at) => {
        const height = bin.count ? Math.max(1, (bin.count / most) * HEIGHT) : 0;
        const title = `${shown(bin.lower, figures.name)} – ${shown(bin.upper, figures.name)}: ${number(bin.count)}`;
        return html`<rect key=${at} x=${at * step} y=${HEIGHT - height} width=${Math.max(1, step - 1)} height=${height}><title>${title}</title></rect>`;
      })}
    </svg>
    <span class="ends quiet"><span>${from}</span><span>${to}</span></span>
  `;
}

function TopValues({ figures }) {
  const values = figures.topValues.slice(0, MOST_VALUES);
  const most = values[0].count || 1;
  return html`
    <ul class="top" title=${different(figures)}>
      ${values.map(
        ({ value, count }) => html`<li key=${value} title=${[say("count.rows", { count }), different(figures)].filter(Boolean).join(" · ")}>
          <svg width="60" height="10" viewBox="0 0 60 10" role="img" aria-label=${say("count.rows", { count })}><rect class="bar-fill" width=${Math.max(1, (60 * count) / most)} height="10" rx="2" /></svg>
          <span class="value">${value === "" ? say("profile.blank") : value}</span>
        </li>`,
      )}
    </ul>
  `;
}
