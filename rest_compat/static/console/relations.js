// The tables to which a table refers, drawn: the table on the left, a line for each reference. All of it stands in words
// below, so the drawing is for those who see.
import { html } from "./parts.js";
import { link, parts } from "./places.js";
import { say } from "./words.js";

const WIDTH = 640;
const STEP = 46;
const BOX = { width: 200, height: 32 };
const LETTERS = 24;
const MOST = 12;

const cut = (text, letters) => (text.length > letters ? text.slice(0, letters - 1) + "…" : text);

export function Relations({ name, uri, references }) {
  const shown = references.slice(0, MOST);
  const height = Math.max(1, shown.length) * STEP + 8;
  const middle = height / 2;
  const right = WIDTH - BOX.width - 4;
  return html`
    <div class="wide drawing" tabindex="0" role="region" aria-label=${say("asset.related.drawing", { table: name })}>
      <svg viewBox=${`0 0 ${WIDTH} ${height}`} width=${WIDTH} height=${height}>
        ${shown.map((one, at) => {
          const y = 4 + at * STEP + STEP / 2;
          const from = BOX.width + 4;
          const bend = (from + right) / 2;
          return html`<g key=${one.columns.join() + one.targetFqn}>
            <path class=${one.isDeclared ? "edge" : "edge found"} d=${`M${from} ${middle}C${bend} ${middle} ${bend} ${y} ${right - 7} ${y}`} />
            <path class="head" d=${`M${right - 8} ${y - 4}L${right} ${y}L${right - 8} ${y + 4}z`} />
            <text class="tick" x=${right - 12} y=${y - 7} text-anchor="end">${cut(one.columns.join(", "), LETTERS)}</text>
            <a href=${link("asset", { uri, fqn: one.targetFqn })}><${Box} x=${right} y=${y} text=${parts(one.targetFqn).at(-1)} /></a>
          </g>`;
        })}
        <${Box} x=${4} y=${middle} text=${name} own />
      </svg>
    </div>
  `;
}

const Box = ({ x, y, text, own }) => html`
  <g class=${own ? "box own" : "box"}>
    <rect x=${x} y=${y - BOX.height / 2} width=${BOX.width} height=${BOX.height} rx="8" />
    <text x=${x + BOX.width / 2} y=${y + 5} text-anchor="middle">${cut(text, LETTERS)}</text>
  </g>
`;
