// What a table is made of and what is made of it, drawn: upstream on the left, the table in the middle, downstream on the
// right. Tables open to the columns that have edges. The same stands in words below, for who does not see the picture.
import { useCallback, useMemo, useState } from "../vendor/preact-hooks.js";

import { Box, cut, Drawing, HEAD, Line } from "./drawing.js";
import { useAll } from "./pages.js";
import { LINEAGE, LINEAGE_EDGES } from "./place-documents.js";
import { Failed, html, Loading, NotShown, Part, useAnswer } from "./parts.js";
import { bare, link, parts, tableOf } from "./places.js";
import { listed, named, say } from "./words.js";

const WIDE = 212;
const GAP = 96;
const ROW = 24;
const SPACE = 16;
const MOST_EDGES = 1000;
const MOST_TABLES = 12;
const MOST_COLUMNS = 40;
const OPEN_AT_FIRST = 30; // columns, of all tables together
const SIDES = ["UPSTREAM", "DOWNSTREAM"];

const shortOf = (fqn) => bare(parts(fqn).at(-1));
// The name of a column, or nothing where the rows of the table are meant.
const columnOf = (fqn) => (parts(fqn).length > 4 ? shortOf(fqn) : "");
const far = (edge, side) => (side === "UPSTREAM" ? edge.fromFqn : edge.toFqn);
const near = (edge, side) => (side === "UPSTREAM" ? edge.toFqn : edge.fromFqn);
const keyOf = (edge) => [edge.fromFqn, edge.toFqn, edge.subtype, edge.source, edge.statementId].join(" ");

export function Lineage({ uri, fqn, columns }) {
  const reach = useAnswer(LINEAGE, { resourceUri: uri, fqn });
  const upstream = useAll(LINEAGE_EDGES, { resourceUri: uri, fqn, direction: "UPSTREAM" }, MOST_EDGES, keyOf);
  const downstream = useAll(LINEAGE_EDGES, { resourceUri: uri, fqn, direction: "DOWNSTREAM" }, MOST_EDGES, keyOf);
  const edges = { UPSTREAM: upstream, DOWNSTREAM: downstream };
  return html`
    <${Part} title=${say("lineage.title")} answer=${reach} id="lineage">
      ${(reached) => {
        const broken = SIDES.find((side) => edges[side].failure);
        if (broken) return html`<${Failed} failure=${edges[broken].failure} again=${edges[broken].again} />`;
        if (SIDES.some((side) => edges[side].total == null)) return html`<${Loading} />`;
        return html`<${Told} key=${fqn} uri=${uri} fqn=${fqn} columns=${columns} reached=${{ UPSTREAM: reached.upstream, DOWNSTREAM: reached.downstream }} edges=${edges} />`;
      }}
    <//>
  `;
}

function Told({ uri, fqn, columns, reached, edges }) {
  const all = SIDES.flatMap((side) => edges[side].items);
  const bounded = SIDES.some((side) => !reached[side].complete);
  if (!all.length && !bounded && SIDES.every((side) => !reached[side].total && !reached[side].hidden)) return html`<p class="quiet small" title=${say("lineage.none.next")}>${say("lineage.none")}</p>`;
  const homes = new Map(SIDES.flatMap((side) => reached[side].items.map((one) => [one.tableFqn, one.resourceUri])));
  const opened = (table) => link("asset", { uri: table === fqn ? uri : homes.get(table), fqn: table });
  const left = SIDES.reduce((sum, side) => sum + edges[side].total - edges[side].items.length, 0);
  return html`
    ${all.length > 0 && html`<${Picture} fqn=${fqn} columns=${columns} reached=${reached} edges=${edges} opened=${opened} />`}
    ${SIDES.map((side) => html`<${Beyond} key=${side} side=${side} fqn=${fqn} reach=${reached[side]} edges=${edges[side].items} opened=${opened} />`)}
    ${bounded && html`<p class="quiet">${say("lineage.bounded")}</p>`}
    <${NotShown} count=${left} what="lineage.edgesLeft" />
    ${all.length > 0 && html`<${List} edges=${[...new Map(all.map((one) => [keyOf(one), one])).values()]} opened=${opened} />`}
  `;
}

// What lies further away, by name, and how much of it may not be read.
function Beyond({ side, fqn, reach, edges, opened }) {
  const beside = new Set([fqn, ...edges.map((edge) => tableOf(far(edge, side)))]);
  const further = [...new Set(reach.items.map((one) => one.tableFqn))].filter((table) => !beside.has(table));
  return html`
    ${further.length > 0 && html`<p>${say(`lineage.further.${side}`)} ${further.map((table, at) => html`${at > 0 && ", "}<a key=${table} href=${opened(table)} title=${table}>${shortOf(table)}</a>`)}</p>`}
    <${NotShown} count=${reach.total - reach.items.length} what=${`lineage.left.${side}`} />
    ${reach.hidden > 0 && html`<p class="quiet">${say(`lineage.hidden.${side}`, { count: reach.hidden })}</p>`}
  `;
}

// The tables of the picture, lane by lane: { fqn, side, columns, rest, places }.
function tablesOf(fqn, columns, edges) {
  const found = new Map([[fqn, { fqn, own: true, names: new Set() }]]);
  for (const side of SIDES)
    for (const edge of edges[side].items) {
      const table = tableOf(far(edge, side));
      const key = table === fqn ? fqn : `${side} ${table}`;
      if (!found.has(key)) found.set(key, { fqn: table, side, names: new Set() });
      for (const [one, end] of [[found.get(key), far(edge, side)], [found.get(fqn), near(edge, side)]]) if (columnOf(end)) one.names.add(end);
    }
  const order = new Map(columns.map((one, at) => [one.name, at]));
  const placed = (end) => order.get(columnOf(end)) ?? order.size;
  return [...found].map(([key, one]) => {
    const names = [...one.names].sort((a, b) => (one.own ? placed(a) - placed(b) : 0) || columnOf(a).localeCompare(columnOf(b)));
    return { ...one, key, columns: names.slice(0, MOST_COLUMNS), rest: Math.max(0, names.length - MOST_COLUMNS) };
  });
}

function laidOut(tables, isOpen, hidden) {
  const lanes = [tables.filter((one) => one.side === "UPSTREAM"), tables.filter((one) => one.own), tables.filter((one) => one.side === "DOWNSTREAM")];
  const lines = (one) => (isOpen(one) ? one.columns.length + (one.rest ? 1 : 0) : 0);
  const below = (one) => (lines(one) ? lines(one) * ROW + 8 : 0);
  const shut = [hidden.UPSTREAM, 0, hidden.DOWNSTREAM];
  const shown = lanes.map((lane) => lane.slice(0, MOST_TABLES));
  const notes = shut.map((count, at) => (count ? 1 : 0) + (lanes[at].length > MOST_TABLES ? 1 : 0));
  const heights = shown.map((lane, at) => lane.reduce((sum, one) => sum + HEAD + below(one) + SPACE, 0) + notes[at] * (HEAD + SPACE));
  const height = Math.max(...heights) + 4;
  const boxes = [];
  const words = [];
  let x = 4;
  shown.forEach((lane, at) => {
    if (!lane.length && !notes[at]) return;
    let y = (height - heights[at] + SPACE) / 2 + HEAD / 2;
    for (const one of lane) {
      boxes.push({ ...one, x, y, below: below(one), open: lines(one) > 0 });
      y += HEAD + below(one) + SPACE;
    }
    if (lanes[at].length > MOST_TABLES) {
      words.push({ x, y, text: say("lineage.tablesLeft", { count: lanes[at].length - MOST_TABLES }) });
      y += HEAD + SPACE;
    }
    if (shut[at]) words.push({ x, y, text: say("lineage.shut", { count: shut[at] }) });
    x += WIDE + GAP;
  });
  return { boxes, words, width: x - GAP + 4, height };
}

// The lines of a picture: those that begin and end at the same places and are of the same type are one.
function linesOf(fqn, edges, boxes) {
  const byKey = new Map(boxes.map((box) => [box.key, box]));
  const heightOf = (box, end) => {
    const at = box.open ? box.columns.indexOf(end) : -1;
    return at >= 0 ? box.y + HEAD / 2 + at * ROW + ROW / 2 : box.open && columnOf(end) ? box.y + HEAD / 2 + box.columns.length * ROW + ROW / 2 : box.y;
  };
  const lines = new Map();
  for (const side of SIDES)
    for (const edge of edges[side].items) {
      const other = byKey.get(`${side} ${tableOf(far(edge, side))}`);
      const own = byKey.get(fqn);
      if (!other) continue; // the table itself, as in a query that reads what it fills, or one that is not drawn
      const [begin, end] = side === "UPSTREAM" ? [other, own] : [own, other];
      const from = { x: begin.x + WIDE, y: heightOf(begin, edge.fromFqn) };
      const to = { x: end.x, y: heightOf(end, edge.toFqn) };
      const key = `${from.x} ${from.y} ${to.y} ${edge.type}`;
      const line = lines.get(key) ?? { key, from, to, type: edge.type, ends: new Set() };
      for (const place of [edge.fromFqn, edge.toFqn]) line.ends.add(place).add(tableOf(place));
      line.pairs = [...(line.pairs ?? []), [edge.fromFqn, edge.toFqn]];
      lines.set(key, line);
    }
  // Where both types go the same way, they run side by side.
  for (const line of lines.values())
    if (line.type === "INDIRECT" && lines.has(line.key.replace("INDIRECT", "DIRECT"))) {
      line.from = { ...line.from, y: line.from.y + 6 };
      line.to = { ...line.to, y: line.to.y + 6 };
    }
  return [...lines.values()].sort((one, other) => (one.type < other.type ? 1 : -1));
}

function Picture({ fqn, columns, reached, edges, opened }) {
  const tables = useMemo(() => tablesOf(fqn, columns, edges), [fqn, columns, edges.UPSTREAM.items, edges.DOWNSTREAM.items]);
  const [turned, setTurned] = useState(null);
  const [passing, setPassing] = useState(null); // under the pointer, or with the focus
  const [kept, setKept] = useState(null);
  const wide = tables.reduce((sum, one) => sum + one.columns.length, 0) > OPEN_AT_FIRST;
  const isOpen = (one) => (turned ? turned.has(one.key) : !wide);
  const turn = (one) => {
    const next = new Set(tables.filter(isOpen).map((other) => other.key));
    if (!next.delete(one.key)) next.add(one.key);
    setTurned(next);
  };
  const { boxes, words, width, height } = laidOut(tables, isOpen, { UPSTREAM: reached.UPSTREAM.hidden, DOWNSTREAM: reached.DOWNSTREAM.hidden });
  const lines = linesOf(fqn, edges, boxes);
  const active = passing ?? kept;
  const touched = new Set(active ? lines.flatMap((line) => line.pairs.filter((pair) => pair.some((end) => end === active || tableOf(end) === active)).flat()) : []);
  const middle = boxes.find((one) => one.own).x + WIDE / 2;
  // In a narrow window one sees the table itself first, and scrolls to both sides.
  const take = useCallback((element) => element && element.scrollTo(middle - element.clientWidth / 2, 0), [middle]);
  const anyOpen = tables.some(isOpen);
  return html`
    <div class="lineage-keys">
      <ul class="legend">
        ${["DIRECT", "INDIRECT"].map((type) => html`<li key=${type}><svg width="34" height="10" aria-hidden="true" class="drawing"><path class=${`edge ${type === "INDIRECT" ? "dashed" : ""}`} d="M1 5H33" /></svg> ${say(`lineage.legend.${type}`)}</li>`)}
      </ul>
      <button type="button" class="quiet-button" onClick=${() => setTurned(new Set(anyOpen ? [] : tables.map((one) => one.key)))}>${say(anyOpen ? "lineage.shutAll" : "lineage.openAll")}</button>
    </div>
    <${Drawing} label=${say("lineage.drawing", { table: shortOf(fqn) })} width=${width} height=${height} take=${take}>
      ${lines.map((line) => html`<g key=${line.key} class=${active ? (line.pairs.some((pair) => pair.some((end) => end === active || tableOf(end) === active)) ? "lit" : "dim") : ""}><${Line} from=${line.from} to=${line.to} kind=${line.type === "INDIRECT" ? "dashed" : ""} /></g>`)}
      ${boxes.map((box) => html`<${Table} key=${box.key} box=${box} touched=${touched} kept=${kept} opened=${opened} turn=${() => turn(box)} pass=${setPassing} keep=${(end) => setKept(kept === end ? null : end)} />`)}
      ${words.map((one) => html`<${Box} key=${one.y} x=${one.x} y=${one.y} width=${WIDE} text=${one.text} kind="shut" letters=${34} />`)}
    <//>
  `;
}

// What can be hovered, focused and chosen; Escape lets go.
function handles(end, { pass, keep }) {
  return {
    onMouseEnter: () => pass(end),
    onMouseLeave: () => pass(null),
    onFocus: () => pass(end),
    onBlur: () => pass(null),
    onClick: () => keep(end),
    onKeyDown: (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      keep(end);
    },
  };
}

function Table({ box, touched, kept, opened, turn, pass, keep }) {
  const { x, y, own } = box;
  const name = shortOf(box.fqn);
  const over = { onMouseEnter: () => pass(box.fqn), onMouseLeave: () => pass(null), onFocus: () => pass(box.fqn), onBlur: () => pass(null) };
  const head = html`<${Box} x=${x} y=${y} width=${WIDE} text=${name} kind=${own ? "own" : ""} below=${box.below} start letters=${own ? 24 : 22} />`;
  const top = y + HEAD / 2;
  return html`
    <g>
      ${own ? html`<g ...${over}>${head}</g>` : html`<a href=${opened(box.fqn)} aria-label=${name} ...${over}><title>${box.fqn}</title>${head}</a>`}
      ${box.columns.length > 0 && html`<${Twist} x=${x + WIDE - 30} y=${y} open=${box.open} label=${say(box.open ? "lineage.close" : "lineage.open", { table: name })} turn=${turn} />`}
      ${box.open && box.columns.map((end, at) => html`
        <g key=${end} class=${`cell ${touched.has(end) ? "lit" : ""}`} role="button" tabindex="0" aria-pressed=${kept === end ? "true" : "false"} aria-label=${say("lineage.column", { column: columnOf(end), table: name })} ...${handles(end, { pass, keep })}>
          <title>${end}</title>
          <rect x=${x + 4} y=${top + at * ROW + 1} width=${WIDE - 8} height=${ROW - 2} rx="5" />
          <text x=${x + 14} y=${top + at * ROW + ROW / 2 + 4}>${cut(columnOf(end), 27)}</text>
        </g>
      `)}
      ${box.open && box.rest > 0 && html`<text class="tick" x=${x + 14} y=${top + box.columns.length * ROW + ROW / 2 + 4}>${say("lineage.columnsLeft", { count: box.rest })}</text>`}
    </g>
  `;
}

const Twist = ({ x, y, open, label, turn }) => html`
  <g class="twist" role="button" tabindex="0" aria-expanded=${open ? "true" : "false"} aria-label=${label} onClick=${turn} onKeyDown=${(event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    turn();
  }}>
    <rect x=${x} y=${y - 13} width="26" height="26" rx="6" />
    <path d=${open ? `M${x + 8} ${y + 2.5}l5 -5l5 5` : `M${x + 8} ${y - 2.5}l5 5l5 -5`} />
  </g>
`;

// The same in words: each edge with the way in which one depends on the other, and who says so.
function List({ edges, opened }) {
  const told = new Map();
  for (const edge of edges) {
    const key = `${edge.fromFqn} ${edge.toFqn}`;
    const one = told.get(key) ?? { ...edge, ways: new Map() };
    one.ways.set(`${edge.subtype} ${edge.source}`, edge);
    told.set(key, one);
  }
  const place = (end) => html`<a href=${opened(tableOf(end))} title=${end}>${shortOf(tableOf(end))}</a>${columnOf(end) ? html` <code>${columnOf(end)}</code>` : html` <span class="quiet">${say("lineage.rows")}</span>`}`;
  const wordsOf = (ways, of) => listed([...new Set([...ways.values()].map(of))]);
  return html`
    <details class="more"><summary>${say("lineage.list", { count: edges.length })}</summary>
      <div class="wide" tabindex="0" role="region" aria-label=${say("lineage.listOf")}>
        <table>
          <thead><tr>${["lineage.from", "lineage.to", "lineage.way", "lineage.source"].map((head) => html`<th key=${head} scope="col">${say(head)}</th>`)}</tr></thead>
          <tbody>
            ${[...told].map(([key, one]) => html`<tr key=${key}>
              <td>${place(one.fromFqn)}</td>
              <td>${place(one.toFqn)}</td>
              <td>${wordsOf(one.ways, ({ type, subtype }) => `${named("lineage.subtype", subtype)} (${named("lineage.type", type)})`)}</td>
              <td>${wordsOf(one.ways, ({ source }) => named("lineage.told", source))}</td>
            </tr>`)}
          </tbody>
        </table>
      </div>
    </details>
  `;
}
