// Find: what the catalog of a project holds, searched as one types or walked through as a tree. Before anything is
// asked for, it is the front page: what there is, how good it is and what waits.
import { useEffect, useRef, useState } from "../vendor/preact-hooks.js";

import { Choice } from "./decide.js";
import { FIND } from "./documents.js";
import { Glossary } from "./glossary.js";
import { Overview, Ring, Tree } from "./overview.js";
import { useSteps } from "./pages.js";
import { Empty, Failed, Heading, html, Icon, Loading, settled, Told, useAnswer, Views } from "./parts.js";
import { OVERVIEW } from "./overview-documents.js";
import { shareOf, suspectsOf } from "./quality.js";
import { TAGS } from "./tag-documents.js";
import { above, below, link, settle } from "./places.js";
import { Tags } from "./tags.js";
import { named, number, percent, pieces, say } from "./words.js";

const KINDS = ["TABLE", "COLUMN", "DATABASE_SCHEMA", "DATABASE"];
const ICON = { TABLE: "table", COLUMN: "column", DATABASE_SCHEMA: "schema", DATABASE: "database" };
const PAUSE = 180;
const PAGE = 30;

// What has a tag, or begins with it; a table has those of its columns as well.
const quoted = (tag) => `"${tag.replace(/["\\]/g, "\\$&")}"`;
const tagged = (tag, kind) => (kind === "TABLE" ? `(tags:${quoted(tag)} OR columns.tags:${quoted(tag)})` : `tags:${quoted(tag)}`);

function asked(text, { under, tag, kind }) {
  const words = worded(text.trim());
  const all = [words && (under || tag ? `(${words})` : words), tag && tagged(tag, kind), under && below(under)].filter(Boolean);
  return all.length ? all.join(" AND ") : null;
}

// Plain words and dotted names find what begins with the last of them, in names and texts and among the tags; whatever
// uses the language of searches is sent as it stands.
function worded(words) {
  if (!words) return null;
  if (!/^[\p{L}\p{N}_\s.]+$/u.test(words) || /\b(AND|OR|NOT)\b/.test(words)) return words;
  const begins = /[\s.]$/.test(words) ? words : words + "*";
  const parts = words.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return parts.length ? `(${begins}) OR tags:${parts.join(".")}*` : words;
}

function target({ type, resourceUri, fullyQualifiedName, name }) {
  if (type === "TABLE") return link("asset", { uri: resourceUri, fqn: fullyQualifiedName });
  if (type === "COLUMN") return link("asset", { uri: resourceUri, fqn: above(fullyQualifiedName), column: name });
  return link("find", { under: fullyQualifiedName, kind: "TABLE" });
}

function size({ type, rowCount, columnCount, tableCount, dataType }) {
  if (type === "COLUMN") return dataType;
  const told = [];
  if (tableCount != null) told.push(say("count.tables", { count: tableCount }));
  if (rowCount != null) told.push(say("count.rows", { count: rowCount }));
  if (columnCount != null) told.push(say("count.columns", { count: columnCount }));
  return told.join(" · ");
}

// How far it can be trusted, as a ring: its score, and in red the share of its cells that look wrong.
function Marks({ asset: { scorecard, suspectCells, rowCount, columnCount } }) {
  const score = scorecard?.overallScore;
  if (score == null) return null;
  const cells = rowCount * columnCount;
  const found = suspectsOf(suspectCells);
  const wrong = shareOf(suspectCells, cells);
  const told = wrong > 0 && say("find.wrong", { share: percent(wrong) });
  return html`
    <span class="hit-marks">
      ${told && html`<span class="wrong-cells" title=${say("suspects.count", { count: found })}>${told}</span>`}
      <span role="img" aria-label=${say("find.scored", { score: percent(score) })} title=${say("find.scored", { score: percent(score) })}><${Ring} value=${score} wrong=${wrong} size=${44} /></span>
    </span>
  `;
}

// `alike`: all that are listed are of one kind, which is said once.
const Hit = ({ asset, alike }) => html`
  <li class="found">
    <a class="hit" href=${target(asset)}>
      <span class="hit-head"><${Icon} name=${ICON[asset.type]} /><strong>${asset.name}</strong> ${!alike && html`<span class="kind">${named("kind", asset.type)}</span>`} <span class="path">${above(asset.fullyQualifiedName)}</span></span>
      ${asset.description && html`<span class="about"><${Told} text=${asset.description} /></span>`}
      <span class="size">${size(asset)} <${Tags} tags=${asset.tags} /></span>
      <${Marks} asset=${asset} />
    </a>
  </li>
`;

export function Find({ given }) {
  const glossary = given.of === "glossary";
  return html`
    <${Heading} title=${say(glossary ? "find.glossary" : "place.find")}>${say("place.find")}<//>
    <${Views} label=${say("find.what")} now=${glossary ? "glossary" : ""} views=${[["", say("find.catalog"), link("find")], ["glossary", say("find.glossary"), link("find", { of: "glossary" })]]} />
    ${glossary ? html`<${Glossary} given=${given} />` : html`<${Catalog} given=${given} />`}
  `;
}

function Catalog({ given }) {
  const [text, setText] = useState(given.q ?? "");
  const [words, setWords] = useState(text);
  const field = useRef();
  const kind = given.kind ?? "";
  const under = given.under ?? "";
  const tag = given.tag ?? "";

  useEffect(() => {
    const later = setTimeout(() => setWords(text), PAUSE);
    return () => clearTimeout(later);
  }, [text]);
  useEffect(() => setText(given.q ?? ""), [given]); // a link to another place of Find says what is looked for there
  useEffect(() => settle("find", { q: words, kind, under, tag }), [words]);
  useEffect(() => field.current?.focus(), []);

  const idle = !words.trim() && !kind && !under && !tag;
  // Without any words the tables come first: columns are thousands, and begin with whatever sorts before letters.
  const sought = { q: asked(words, { under, tag, kind }), assetType: kind || (idle ? "TABLE" : null) };
  const steps = useSteps(JSON.stringify(sought));
  const answer = useAnswer(FIND, { ...sought, after: steps.after });
  const overview = useAnswer(OVERVIEW, idle ? {} : undefined);
  const empty = idle && answer.data?.searchMetadata.totalCount === 0;
  return html`
    <form role="search" class="search" onSubmit=${(event) => event.preventDefault()}>
      <label class="hidden" for="q">${say("find.search")}</label>
      <${Icon} name="find" />
      <input
        id="q" ref=${field} type="search" value=${text} autocomplete="off" spellcheck=${false}
        placeholder=${say("find.placeholder")}
        onInput=${(event) => setText(event.target.value)}
      />
    </form>
    ${!empty && html`<div class="narrow"><${Views} label=${say("find.kinds")} now=${kind} kind="true" views=${[["", say("find.everything"), link("find", { q: text, under, tag })], ...KINDS.map((name) => [name, say(`find.${name}`), link("find", { q: text, kind: name, under, tag })])]} />
    <${ByTag} tag=${tag} onChange=${(chosen) => (location.hash = link("find", { q: text, kind, under, tag: chosen }))} /></div>`}
    ${under && html`<p class="kinds"><a class="under" href=${link("find", { q: text, kind, tag })} title=${say("find.inRemove")}>${say("find.in", { place: under })} <span aria-hidden="true">×</span><span class="hidden">, ${say("find.inRemove")}</span></a></p>`}
    ${idle && !empty && html`<${Overview} answer=${overview} />`}
    ${(!idle || settled(overview)) && html`<div class=${empty ? undefined : "with-tree"}>
      ${!empty && html`<${Tree} under=${under} />`}
      <div>
        <${Found} answer=${answer} text=${words} steps=${steps} narrowed=${kind || under || tag} idle=${idle} alike=${idle || kind} />
      </div>
    </div>`}
  `;
}

// The tags that the platform knows; one that somebody made up comes from the page of a table.
function ByTag({ tag, onChange }) {
  const { data } = useAnswer(TAGS, {});
  const known = (data?.taxonomy.nodes ?? []).map((one) => one.tagFqn).sort();
  const all = tag && !known.includes(tag) ? [tag, ...known] : known;
  return html`<form class="fields filter" onSubmit=${(event) => event.preventDefault()}>
    <${Choice} label=${say("find.tag")} options=${[["", say("find.anyTag")], ...all.map((one) => [one, one])]} value=${tag} onChange=${onChange} />
  </form>`;
}

function Found({ answer, text, steps, narrowed, idle, alike }) {
  const { data, failure, loading, again } = answer;
  if (failure) return html`<${Failed} failure=${failure} again=${again} />`;
  if (!data) return html`<${Loading} what=${say("find.searching")} />`;
  const { nodes: items, totalCount: total, pageInfo } = data.searchMetadata;
  const from = (steps.page - 1) * PAGE;
  if (total === 0 && !loading) {
    if (text || narrowed) return html`<${Empty} icon="find" title=${say("find.nothing")}>${say("find.nothing.next")}<//>`;
    const connect = html`<a href=${link("sources")}>${say("find.empty.connect")}</a>`;
    return html`<${Empty} icon="database" title=${say("find.empty")}>${pieces("find.empty.next", { connect })}<//>`;
  }
  return html`
    <p class="count" role="status">${say(idle ? "count.tables" : "count.results", { count: total })}${loading ? " …" : ""}</p>
    <ul class="hits">${items.map((asset) => html`<${Hit} key=${asset.id} asset=${asset} alike=${alike} />`)}</ul>
    ${total > PAGE &&
    html`<nav class="pages" aria-label=${say("part.pages")}>
      <button type="button" class="quiet-button" disabled=${steps.page === 1} onClick=${steps.back}>${say("part.before")}</button>
      <span>${say("part.range", { from: number(from + 1), to: number(from + items.length), total: number(total) })}</span>
      <button type="button" class="quiet-button" disabled=${!pageInfo.hasNextPage} onClick=${() => steps.forward(pageInfo)}>${say("part.after")}</button>
    </nav>`}
  `;
}
