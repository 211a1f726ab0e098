// The tables to which a table refers, drawn: the table on the left, a line for each reference. All of it stands in words
// below, so the drawing is for those who see.
import { Box, cut, Drawing, Line } from "./drawing.js";
import { html } from "./parts.js";
import { link, parts } from "./places.js";
import { say } from "./words.js";

const WIDTH = 640;
const STEP = 46;
const BOX = 200;
const MOST = 12;

export function Relations({ name, uri, references }) {
  const shown = references.slice(0, MOST);
  const height = Math.max(1, shown.length) * STEP + 8;
  const middle = height / 2;
  const right = WIDTH - BOX - 4;
  return html`
    <${Drawing} label=${say("asset.related.drawing", { table: name })} width=${WIDTH} height=${height}>
      ${shown.map((one, at) => {
        const y = 4 + at * STEP + STEP / 2;
        return html`<g key=${one.columns.join() + one.targetFqn}>
          <${Line} from=${{ x: BOX + 4, y: middle }} to=${{ x: right, y }} kind=${one.isDeclared ? "" : "dashed"} />
          <text class="tick" x=${right - 12} y=${y - 7} text-anchor="end">${cut(one.columns.join(", "))}</text>
          <a href=${link("asset", { uri, fqn: one.targetFqn })}><${Box} x=${right} y=${y} width=${BOX} text=${parts(one.targetFqn).at(-1)} /></a>
        </g>`;
      })}
      <${Box} x=${4} y=${middle} width=${BOX} text=${name} kind="own" />
    <//>
  `;
}
