// Draws the chart of an answer. The graph tells it as a Vega-Lite specification with its data inside; the few shapes
// that answers have are drawn here, since a library for all of them is ten times the whole console. A shape that is not
// known is not drawn: the rows stand below it anyway.
import { CHART } from "./documents.js";
import { Failed, html, useAnswer } from "./parts.js";
import { days, number, say, short } from "./words.js";

const WIDTH = 640;
const LETTER = 6.6;
const COLOURS = 8;

export function Chart({ resourceUri, title }) {
  const { data, failure, again } = useAnswer(CHART, { resourceUri });
  if (failure) return html`<${Failed} failure=${failure} again=${again} />`;
  const spec = data?.artifactPreview.value;
  const drawn = spec && drawing(spec);
  if (!drawn) return null;
  return html`
    <figure class="chart">
      <figcaption>${title}${spec.title?.subtitle && html`<small>${spec.title.subtitle}</small>`}</figcaption>
      ${drawn.series.length > 1 && html`<ul class="legend">${drawn.series.map((name, at) => html`<li key=${name}><span class=${`dot c${at % COLOURS}`} aria-hidden="true"></span>${name}</li>`)}</ul>`}
      <div class="wide"><svg viewBox=${`0 0 ${WIDTH} ${drawn.height}`} role="img" aria-label=${say("chart.name", { title })}>${drawn.marks}</svg></div>
    </figure>
  `;
}

// The height, the names of the series and the marks of a specification; null for a shape that is not known.
export function drawing(spec) {
  const { encoding = {}, mark, data } = spec;
  const values = data?.values;
  const kind = mark?.type ?? mark;
  if (!Array.isArray(values) || !values.length || !encoding.x || !encoding.y) return null;
  if (kind === "bar" && encoding.x.bin) return distribution(values, encoding);
  if (kind === "bar") return bars(values, encoding);
  if (kind === "line") return lines(spec, values, encoding);
  if (kind === "point") return cloud(values, encoding);
  return null;
}

const colourOf = (series, name) => `c${Math.max(0, series.indexOf(name)) % COLOURS}`;
const distinct = (list) => [...new Set(list)];
const label = (value) => (value == null ? say("turn.none") : String(value));
const cut = (text, letters) => (text.length > letters ? text.slice(0, letters - 1) + "…" : text);

// Round numbers from at most the smallest to at least the greatest value, about `count` of them.
export function ticks(from, to, count = 5) {
  const span = to - from || Math.abs(to) || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= rough);
  const first = Math.floor(from / step);
  const found = [];
  for (let at = first; at === first || found.at(-1) < to; at += 1) found.push(Number((at * step).toPrecision(12)));
  if (found.length === 1) found.push(Number(((first + 1) * step).toPrecision(12)));
  return found;
}

function scale(from, to, low, high) {
  return (value) => low + ((value - from) / (to - from || 1)) * (high - low);
}

function across(places, at, top, bottom, title) {
  return html`
    ${places.map((tick) => html`<g key=${tick}><line class="grid" x1=${at(tick)} x2=${at(tick)} y1=${top} y2=${bottom} /><text class="tick" x=${at(tick)} y=${bottom + 16} text-anchor="middle">${short(tick)}</text></g>`)}
    <text class="tick title" x=${WIDTH - 4} y=${bottom + 33} text-anchor="end">${title.replaceAll("_", " ")}</text>
  `;
}

function upward(places, at, left, right, title) {
  return html`
    ${places.map((tick) => html`<g key=${tick}><line class="grid" x1=${left} x2=${right} y1=${at(tick)} y2=${at(tick)} /><text class="tick" x=${left - 6} y=${at(tick) + 4} text-anchor="end">${short(tick)}</text></g>`)}
    <text class="tick title" x=${4} y=${11}>${title.replaceAll("_", " ")}</text>
  `;
}

function bars(values, { x, y, yOffset, color }) {
  const group = yOffset?.field;
  const series = group ? distinct(values.map((row) => label(row[group]))) : [];
  const rows = values.filter((row) => Number.isFinite(row[x.field]));
  if (!rows.length) return null;
  if (y.sort === "-x") rows.sort((one, other) => other[x.field] - one[x.field]);
  const names = distinct(rows.map((row) => label(row[y.field])));
  const step = group ? 10 * series.length + 8 : 22;
  const left = Math.min(200, Math.max(40, ...names.map((name) => name.length * LETTER + 10)));
  const places = ticks(Math.min(0, ...rows.map((row) => row[x.field])), Math.max(0, ...rows.map((row) => row[x.field])));
  const at = scale(places[0], places.at(-1), left, WIDTH - 56);
  const bottom = 6 + names.length * step;
  const marks = html`
    ${across(places, at, 6, bottom, x.title ?? "")}
    ${names.map((name, line) => html`<text key=${name} class="tick" x=${left - 6} y=${6 + line * step + step / 2 + 4} text-anchor="end">${cut(name, Math.floor(left / LETTER) - 1)}<title>${name}</title></text>`)}
    ${rows.map((row, key) => {
      const line = names.indexOf(label(row[y.field]));
      const part = group ? series.indexOf(label(row[group])) : 0;
      const thick = group ? 10 : 16;
      const top = 6 + line * step + (group ? 4 + part * 10 : 3);
      const [begin, end] = [at(0), at(row[x.field])].sort((one, other) => one - other);
      return html`<g key=${key}>
        <rect class=${`mark ${colourOf(series, label(row[group]))}`} x=${begin} y=${top} width=${Math.max(1, end - begin)} height=${thick - 1} rx="2"><title>${label(row[y.field])}${group ? `, ${label(row[group])}` : ""}: ${number(row[x.field])}</title></rect>
        ${!group && html`<text class="tick" x=${end + 5} y=${top + 12}>${short(row[x.field])}</text>`}
      </g>`;
    })}
  `;
  return { height: bottom + 40, series: color ? series : [], marks };
}

// Several figures over one time are folded by the specification, one field each; else a column may name the series.
function points(spec, values, { x, y, color }) {
  const fold = spec.transform?.find((one) => one.fold)?.fold;
  if (!fold) return values.map((row) => ({ x: row[x.field], y: row[y.field], series: color ? label(row[color.field]) : "" }));
  const names = namesOf(spec.transform.find((one) => one.calculate)?.calculate ?? "");
  return values.flatMap((row) => fold.map((field) => ({ x: row[x.field], y: row[field], series: names[field] ?? field })));
}

function namesOf(expression) {
  return Object.fromEntries([...expression.matchAll(/datum\.key === '(\w+)' \? '((?:[^'\\]|\\.)*)'/g)].map(([, field, name]) => [field, name.replace(/\\(.)/g, "$1")]));
}

function lines(spec, values, encoding) {
  const found = points(spec, values, encoding).filter((one) => Number.isFinite(one.y) && one.x != null);
  if (!found.length) return null;
  const timed = encoding.x.type === "temporal";
  const moments = found.map((one) => (timed ? Date.parse(one.x) : Number(one.x)));
  if (moments.some(Number.isNaN)) return null;
  const series = distinct(found.map((one) => one.series));
  const places = ticks(Math.min(0, ...found.map((one) => one.y)), Math.max(...found.map((one) => one.y)));
  const [top, bottom, left, right] = [22, 250, 52, WIDTH - 16];
  const [from, to] = [Math.min(...moments), Math.max(...moments)];
  const along = scale(from, to, left + 8, right - 8);
  const up = scale(places[0], places.at(-1), bottom, top);
  const marked = found.length <= 60;
  const day = to - from > 400 * 864e5 ? { year: "numeric", month: "short" } : { month: "short", day: "numeric" };
  const name = timed ? days(day) : { format: String };
  const shown = spread(distinct(moments).sort((one, other) => one - other), 8);
  const marks = html`
    ${upward(places, up, left, right, encoding.y.title ?? "")}
    ${shown.map((moment) => html`<text key=${moment} class="tick" x=${along(moment)} y=${bottom + 18} text-anchor="middle">${name.format(moment)}</text>`)}
    ${series.map((one, number_) => {
      const own = found.map((point, at) => ({ ...point, moment: moments[at] })).filter((point) => point.series === one).sort((a, b) => a.moment - b.moment);
      const path = own.map((point, at) => `${at ? "L" : "M"}${along(point.moment).toFixed(1)} ${up(point.y).toFixed(1)}`).join("");
      return html`<g key=${one} class=${`c${number_ % COLOURS}`}>
        <path class="line" d=${path} />
        ${marked && own.map((point) => html`<circle key=${point.moment} class="mark" cx=${along(point.moment)} cy=${up(point.y)} r="3"><title>${name.format(point.moment)}${one && `, ${one}`}: ${number(point.y)}</title></circle>`)}
      </g>`;
    })}
  `;
  return { height: bottom + 30, series, marks };
}

function spread(list, most) {
  const step = Math.ceil(list.length / most);
  return list.filter((_, at) => at % step === 0);
}

function cloud(values, { x, y, tooltip }) {
  const rows = values.filter((row) => Number.isFinite(row[x.field]) && Number.isFinite(row[y.field]));
  if (!rows.length) return null;
  const [top, bottom, left, right] = [22, 270, 52, WIDTH - 16];
  const range = (field) => [Math.min(...rows.map((row) => row[field])), Math.max(...rows.map((row) => row[field]))];
  const [flat, high] = [ticks(...range(x.field)), ticks(...range(y.field))];
  const along = scale(flat[0], flat.at(-1), left, right);
  const up = scale(high[0], high.at(-1), bottom, top);
  const marks = html`
    ${across(flat, along, top, bottom, x.title ?? "")}
    ${upward(high, up, left, right, y.title ?? "")}
    ${rows.map((row, at) => html`<circle key=${at} class="mark c0 faint" cx=${along(row[x.field])} cy=${up(row[y.field])} r="3.5"><title>${tooltip ? `${label(row[tooltip.field])}: ` : ""}${number(row[x.field])}, ${number(row[y.field])}</title></circle>`)}
  `;
  return { height: bottom + 40, series: [], marks };
}

function distribution(values, { x }) {
  const found = values.map((row) => row[x.field]).filter(Number.isFinite);
  if (!found.length) return null;
  const places = ticks(Math.min(...found), Math.max(...found), 16);
  const step = places[1] - places[0];
  const counts = new Array(places.length - 1).fill(0);
  for (const value of found) counts[Math.min(counts.length - 1, Math.floor((value - places[0]) / step))] += 1;
  const [top, bottom, left, right] = [22, 210, 52, WIDTH - 16];
  const high = ticks(0, Math.max(...counts), 4);
  const along = scale(places[0], places.at(-1), left, right);
  const up = scale(high[0], high.at(-1), bottom, top);
  const marks = html`
    ${upward(high, up, left, right, say("chart.rows"))}
    ${across(spread(places, 8), along, bottom, bottom, x.title ?? "")}
    ${counts.map((count, at) => html`<rect key=${at} class="mark c0" x=${along(places[at]) + 1} y=${up(count)} width=${Math.max(1, along(places[at + 1]) - along(places[at]) - 2)} height=${bottom - up(count)}><title>${number(places[at])} – ${number(places[at + 1])}: ${number(count)}</title></rect>`)}
  `;
  return { height: bottom + 40, series: [], marks };
}
