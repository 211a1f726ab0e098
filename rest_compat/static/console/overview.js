// What stands beside a search: the project at a glance, and the catalog as a tree whose branches are asked for as they
// are opened.
import { useState } from "../vendor/preact-hooks.js";

import { CONNECTIONS } from "./documents.js";
import { DECIDING } from "./inbox-documents.js";
import { SCORE_OF } from "./overview-documents.js";
import { CHILDREN } from "./place-documents.js";
import { Failed, html, Icon, Loading, useAnswer } from "./parts.js";
import { below, link } from "./places.js";
import { suspectsOf } from "./quality.js";
import { named, number, percent, say, short } from "./words.js";

const MOST_SCORES = 4;

export function Overview({ answer: { data, failure, again } }) {
  const deciding = useAnswer(DECIDING, {}); // by itself: who may not see proposals sees the rest
  if (failure) return html`<${Failed} failure=${failure} again=${again} />`;
  if (!data) return html`<${Loading} />`;
  const figures = [
    ["find.tables", data.tables.totalCount, link("find", { kind: "TABLE" })],
    ["find.open", data.violations.totalCount, link("inbox", { of: "violations" })],
    ["suspects.title", data.suspects.totalCount, link("find", { kind: "TABLE" })],
    ["find.waits", deciding.data?.projectRuns.nodes.reduce((sum, run) => sum + run.waiting.totalCount, 0), link("inbox")],
  ];
  return html`
    <section class="tiles" aria-label=${say("find.overview")}>
      ${data.dataConnections.nodes.slice(0, MOST_SCORES).map((one) => html`<${Source} key=${one.resourceUri} source=${one} />`)}
      ${figures.map(([key, value, address]) => html`<a key=${key} class="tile" href=${address}><strong>${value === undefined ? "–" : short(value)}</strong><span>${say(key)}</span></a>`)}
    </section>
  `;
}

// The last part of a source's address is the name of its service in the catalog.
const serviceOf = ({ resourceUri }) => resourceUri.split(":").at(-1);

function Source({ source }) {
  const fqn = serviceOf(source);
  const { data } = useAnswer(SCORE_OF, { fqn, below: below(fqn) });
  const score = data?.scorecard;
  const wrong = data ? wrongIn(data.tables) : 0;
  const parts = score && [["find.data", score.dataQuality.score], ["find.description", score.metadata.score]].filter(([, value]) => value != null);
  return html`
    <a class="tile source" href=${link("find", { under: fqn, kind: "TABLE" })}>
      <${Ring} value=${score?.overallScore} wrong=${wrong} />
      <span><b>${source.name}</b>
${wrong > 0 ? html`<small class="wrong-cells">${say("find.wrong", { share: percent(wrong) })}</small>` : html`<small>${parts?.length ? parts.map(([key, value]) => `${say(key)} ${percent(value)}`).join(" · ") : say("find.score.none")}</small>`}
      </span>
    </a>
  `;
}

// The share of the cells of assessed tables that look wrong; of more tables than are asked for nothing is said.
function wrongIn({ nodes, pageInfo }) {
  const assessed = nodes.filter((one) => one.scorecard?.overallScore != null);
  const cells = assessed.reduce((sum, one) => sum + one.rowCount * one.columnCount, 0);
  const found = assessed.reduce((sum, one) => sum + suspectsOf(one.suspectCells), 0);
  return cells && !pageInfo.hasNextPage ? Math.min(1, found / cells) : 0;
}

// A share of a whole as a ring, with its figure inside unless it stands beside.
export function Ring({ value, wrong = 0, size = 60, bare }) {
  const around = 2 * Math.PI * 25;
  const known = value != null;
  return html`
    <svg class=${`ring ${known ? level(Number(value)) : ""}`} width=${size} height=${size} viewBox="0 0 60 60" aria-hidden="true">
      <circle class="rest" cx="30" cy="30" r="25" />
      ${known && html`<circle class="share" cx="30" cy="30" r="25" transform="rotate(-90 30 30)" stroke-dasharray=${`${around * value} ${around}`} />`}
      ${wrong > 0 && html`<circle class="wrong" cx="30" cy="30" r="25" transform="rotate(-90 30 30)" stroke-dasharray=${`${around * wrong} ${around}`} />`}
      ${!bare && html`<text x="30" y="35" text-anchor="middle">${known ? number(value < 1 ? Math.min(99, Math.round(100 * value)) : 100) : "–"}</text>`}
    </svg>
  `;
}

export const level = (value) => (value >= 0.9 ? "high" : value >= 0.6 ? "middle" : "low");

export function Tree({ under }) {
  const { data, failure, again } = useAnswer(CONNECTIONS, {});
  const sources = data?.dataConnections.nodes ?? [];
  return html`
    <nav class="tree" aria-label=${say("find.tree")}>
      <h2>${say("find.tree")}</h2>
      ${failure && html`<${Failed} failure=${failure} again=${again} />`}
      ${!data && !failure && html`<${Loading} />`}
      <ul>${sources.map((one) => html`<${Branch} key=${one.resourceUri} name=${one.name} fqn=${serviceOf(one)} type="SERVICE" under=${under} open=${sources.length === 1} />`)}</ul>
    </nav>
  `;
}

const within = (under, fqn) => under === fqn || under.startsWith(`${fqn}.`);

function Branch({ name, fqn, type, under, uri, open: first = false }) {
  const [open, setOpen] = useState(first || within(under, fqn));
  const here = under === fqn ? "true" : undefined;
  if (type === "TABLE") return html`<li class="leaf"><${Icon} name="table" /><a href=${link("asset", { uri, fqn })}>${name}</a></li>`;
  return html`
    <li>
      <span class="branch">
        <button type="button" class="twist" aria-expanded=${String(open)} aria-label=${name} onClick=${() => setOpen(!open)}><span aria-hidden="true">${open ? "▾" : "▸"}</span></button>
        <${Icon} name=${type === "DATABASE_SCHEMA" ? "schema" : "database"} />
        <a href=${link("find", { under: fqn, kind: "TABLE" })} aria-current=${here} title=${named("kind", type)}>${name}</a>
      </span>
      ${open && html`<${Below} fqn=${fqn} under=${under} />`}
    </li>
  `;
}

function Below({ fqn, under }) {
  const { data, failure, again } = useAnswer(CHILDREN, { fqn });
  if (failure) return html`<${Failed} failure=${failure} again=${again} />`;
  if (!data) return html`<${Loading} />`;
  const { nodes: items, totalCount: total } = data.searchMetadata;
  return html`
    <ul>
      ${items.map((one) => html`<${Branch} key=${one.fullyQualifiedName} name=${one.name} fqn=${one.fullyQualifiedName} type=${one.type} uri=${one.resourceUri} under=${under} open=${items.length === 1 && one.type !== "DATABASE_SCHEMA"} />`)}
      ${total > items.length && html`<li class="leaf"><a href=${link("find", { under: fqn, kind: "TABLE" })}>${say("part.more", { count: total - items.length })}</a></li>`}
    </ul>
  `;
}
