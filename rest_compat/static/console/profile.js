// The figures of one column, small enough to stand in its row.
import { html } from "./parts.js";
import { names } from "./rows.js";
import { number, percent, say, short } from "./words.js";

const WIDTH = 160;
const HEIGHT = 34;
const MOST_VALUES = 4;

// How much of a column is filled, and how many of its cells look wrong; `suspects` leads to those.
export function Shares({ figures, wrong = 0, suspects }) {
  const told = wrong > 0 && html`<a class="wrong-cells" href=${suspects}>${say("profile.wrong", { count: wrong })}</a>`;
  if (!figures || figures.nullCount == null || !figures.rowCount) return told || html`<span class="quiet">–</span>`;
  const filled = 1 - figures.nullCount / figures.rowCount;
  return html`
    <span class="filled">
      <svg width="48" height="8" viewBox="0 0 48 8" aria-hidden="true"><rect class="rest" width="48" height="8" rx="3" /><rect class="bar-fill" width=${48 * filled} height="8" rx="3" />${wrong > 0 && html`<rect class="bar-wrong" width=${Math.max(2, 48 * Math.min(1, wrong / figures.rowCount))} height="8" rx="3" />`}</svg>
      ${percent(filled)}
    </span>
    ${told && html`<span class="line">${told}</span>`}
    ${figures.distinctCount != null && html`<span class="quiet line">${say("count.different", { count: short(figures.distinctCount) })}</span>`}
  `;
}

export function Picture({ figures }) {
  if (!figures) return html`<span class="quiet">–</span>`;
  if (figures.masked) return html`<span class="quiet">${say("profile.masked")}</span>`;
  if (figures.histogram.length > 1) return html`<${Histogram} figures=${figures} />`;
  if (figures.topValues.length) return html`<${TopValues} figures=${figures} />`;
  if (figures.minimum != null) return html`<span>${shown(figures.minimum, figures.name)} – ${shown(figures.maximum, figures.name)}</span>`;
  return html`<span class="quiet">–</span>`;
}

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
    <ul class="top">
      ${values.map(
        ({ value, count }) => html`<li key=${value} title=${say("count.rows", { count })}>
          <svg width="60" height="10" viewBox="0 0 60 10" aria-hidden="true"><rect class="bar-fill" width=${Math.max(1, (60 * count) / most)} height="10" rx="2" /></svg>
          <span class="value">${value === "" ? say("profile.blank") : value}</span> <span class="quiet figure">${short(count)}</span>
        </li>`,
      )}
    </ul>
  `;
}
