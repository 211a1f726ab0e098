// What pictures of tables are made of: boxes with names, and lines that bend from one to the other.
import { html } from "./parts.js";

export const HEAD = 32;
const LETTERS = 24;

export const cut = (text, letters = LETTERS) => (text.length > letters ? text.slice(0, letters - 1) + "…" : text);

// A place of its own, which scrolls where the window is narrower; how wide a picture is stays so, for its letters.
export const Drawing = ({ label, width, height, children, take }) => html`
  <div class="wide drawing" tabindex="0" role="region" aria-label=${label} ref=${take}>
    <svg viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height}>${children}</svg>
  </div>
`;

// A line with a head, from the right side of one box to the left side of another.
export function Line({ from, to, kind = "" }) {
  const bend = (from.x + to.x) / 2;
  return html`
    <path class=${`edge ${kind}`} d=${`M${from.x} ${from.y}C${bend} ${from.y} ${bend} ${to.y} ${to.x - 7} ${to.y}`} />
    <path class=${`head ${kind}`} d=${`M${to.x - 8} ${to.y - 4}L${to.x} ${to.y}L${to.x - 8} ${to.y + 4}z`} />
  `;
}

// A box whose first line has its middle at y; what hangs below makes it higher.
export const Box = ({ x, y, width, text, kind = "", below = 0, start, letters }) => html`
  <g class=${`box ${kind}`}>
    <rect x=${x} y=${y - HEAD / 2} width=${width} height=${HEAD + below} rx="8" />
    <text x=${start ? x + 12 : x + width / 2} y=${y + 5} text-anchor=${start ? "start" : "middle"}>${cut(text, letters)}</text>
  </g>
`;
