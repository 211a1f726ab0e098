// Find: what the catalog of a project holds, searched as one types.
import { useEffect, useRef, useState } from "../vendor/preact-hooks.js";

import { FIND } from "./documents.js";
import { Empty, Failed, Heading, html, Loading, Told, useAnswer } from "./parts.js";
import { above, link, settle } from "./places.js";
import { Tags } from "./tags.js";
import { counted, plain } from "./words.js";

const KINDS = [
  ["", "Everything"],
  ["TABLE", "Tables"],
  ["COLUMN", "Columns"],
  ["DATABASE_SCHEMA", "Schemas"],
  ["DATABASE", "Databases"],
];
const PAUSE = 180;
const PAGE = 30;

// Plain words find what begins with the last of them; whatever uses the language of searches is sent as it stands.
function asked(text) {
  const words = text.trim();
  if (!words) return null;
  return /^[\p{L}\p{N}_\s]+$/u.test(words) && !/\b(AND|OR|NOT)\b/.test(words) ? words + "*" : words;
}

function target({ type, resourceUri, fullyQualifiedName, name }) {
  if (type === "TABLE") return link("asset", { uri: resourceUri, fqn: fullyQualifiedName });
  if (type === "COLUMN") return link("asset", { uri: resourceUri, fqn: above(fullyQualifiedName), column: name });
  return link("find", { under: fullyQualifiedName, kind: "TABLE" });
}

function size({ type, rowCount, columnCount, tableCount, dataType }) {
  if (type === "COLUMN") return dataType;
  const told = [];
  if (tableCount != null) told.push(counted(tableCount, "table", "tables"));
  if (rowCount != null) told.push(counted(rowCount, "row", "rows"));
  if (columnCount != null) told.push(counted(columnCount, "column", "columns"));
  return told.join(" · ");
}

const Hit = ({ asset }) => html`
  <li>
    <a class="hit" href=${target(asset)}>
      <span class="hit-head"><strong>${asset.name}</strong> <span class="kind">${plain(asset.type)}</span></span>
      <span class="path">${above(asset.fullyQualifiedName)}</span>
      ${asset.description && html`<span class="about"><${Told} text=${asset.description} /></span>`}
      <span class="size">${size(asset)} <${Tags} tags=${asset.tags} /></span>
    </a>
  </li>
`;

export function Find({ given }) {
  const [text, setText] = useState(given.q ?? "");
  const [words, setWords] = useState(text);
  const [offset, setOffset] = useState(0);
  const field = useRef();
  const kind = given.kind ?? "";
  const under = given.under ?? "";

  useEffect(() => {
    const later = setTimeout(() => {
      setWords(text);
      setOffset(0);
    }, PAUSE);
    return () => clearTimeout(later);
  }, [text]);
  useEffect(() => settle("find", { q: words, kind, under }), [words]);
  useEffect(() => setOffset(0), [kind, under]);
  useEffect(() => field.current?.focus(), []);

  const answer = useAnswer(FIND, { q: asked(words), assetType: kind || null, fqnPrefix: under || null, offset });
  return html`
    <${Heading} title="Find">Find<//>
    <form role="search" class="search" onSubmit=${(event) => event.preventDefault()}>
      <label class="hidden" for="q">Search the catalog</label>
      <input
        id="q" ref=${field} type="search" value=${text} autocomplete="off" spellcheck=${false}
        placeholder="A name, a word of a description, or columns.name:price"
        onInput=${(event) => setText(event.target.value)}
      />
    </form>
    <div class="kinds" role="group" aria-label="Kind">
      ${KINDS.map(
        ([value, label]) => html`<a key=${value} href=${link("find", { q: text, kind: value, under })} aria-current=${value === kind ? "true" : undefined}>${label}</a>`,
      )}
      ${under && html`<a class="under" href=${link("find", { q: text, kind })} title="Look everywhere again">in ${under} <span aria-hidden="true">×</span><span class="hidden">, remove</span></a>`}
    </div>
    <${Found} answer=${answer} text=${words} offset=${offset} onPage=${setOffset} narrowed=${kind || under} />
  `;
}

function Found({ answer, text, offset, onPage, narrowed }) {
  const { data, failure, loading, again } = answer;
  if (failure) return html`<${Failed} failure=${failure} again=${again} />`;
  if (!data) return html`<${Loading} what="Searching" />`;
  const { items, total } = data.searchMetadata;
  if (total === 0 && !loading) {
    if (text || narrowed) return html`<${Empty} title="Nothing found">Try fewer or other words, or everything instead of one kind.<//>`;
    return html`<${Empty} title="The catalog of this project is empty">Connect a source and ingest it, or pick another project above.<//>`;
  }
  return html`
    <p class="count" role="status">${counted(total, "result", "results")}${loading ? " …" : ""}</p>
    <ul class="hits">${items.map((asset) => html`<${Hit} key=${asset.id} asset=${asset} />`)}</ul>
    ${total > PAGE &&
    html`<nav class="pages" aria-label="Pages">
      <button type="button" disabled=${offset === 0} onClick=${() => onPage(Math.max(0, offset - PAGE))}>Earlier</button>
      <span>${offset + 1}–${Math.min(offset + PAGE, total)}</span>
      <button type="button" disabled=${offset + PAGE >= total} onClick=${() => onPage(offset + PAGE)}>Later</button>
    </nav>`}
  `;
}
