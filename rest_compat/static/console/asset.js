// Asset: one table, on one page. Each part asks for itself, so that what one may not see leaves the rest as it is.
import { useEffect, useState } from "../vendor/preact-hooks.js";

import { ASSET, LOCATE, PROFILE, SCORE } from "./documents.js";
import { WAITING_ON, WRONG } from "./inbox-documents.js";
import { Lineage } from "./lineage.js";
import { Empty, Failed, Heading, html, Loading, NotShown, settled, Told, useAnswer } from "./parts.js";
import { link, parts, settle } from "./places.js";
import { Picture, Shares } from "./profile.js";
import { Score, Wrong } from "./quality.js";
import { References } from "./references.js";
import { Rules } from "./rules.js";
import { Closed, useMay } from "./may.js";
import { Start, startOn } from "./start.js";
import { Suspects } from "./suspects.js";
import { isLevel, Tags } from "./tags.js";
import { Versions } from "./versions.js";
import { moment, named, pieces, say } from "./words.js";

// Narrow windows lay the rows out as blocks, which would take their roles from them; so these are written down.
const HEADS = ["asset.column", "asset.type", "asset.filled", "asset.content"];

// Where only the name of a table is known, the catalog says in which source it is.
export function Asset({ given }) {
  const answer = useAnswer(LOCATE, given.fqn && !given.uri ? { fqn: given.fqn } : undefined);
  if (!given.fqn || given.uri) return html`<${Table} given=${given} />`;
  if (answer.failure) return html`<${Failed} failure=${answer.failure} again=${answer.again} />`;
  if (!answer.data) return html`<${Loading} what=${say("asset.looking")} />`;
  const [found] = answer.data.dataAssets.nodes;
  if (found?.fqn !== given.fqn) return html`<${Heading} title=${given.fqn}>${given.fqn}<//><${Empty} icon="table" title=${say("asset.notTable")}>${pieces("asset.lookIn", { find: html`<a href=${link("find", { under: given.fqn })}>${say("place.find")}</a>` })}<//>`;
  return html`<${Table} given=${{ ...given, uri: found.resourceUri }} />`;
}

function Table({ given }) {
  const { uri, fqn } = given;
  const variables = uri && fqn ? { resourceUri: uri, fqn } : undefined;
  const answer = useAnswer(ASSET, variables);
  const profile = useAnswer(PROFILE, variables);
  const score = useAnswer(SCORE, variables && { fqn });
  const wrong = useAnswer(WRONG, variables && { fqn });
  const waiting = useAnswer(WAITING_ON, variables);
  const may = useMay();
  useEffect(() => {
    if (given.part && answer.data) jump(given.part);
  }, [given.part, answer.data?.metadata.id, settled(profile, score, wrong, waiting)]);
  if (!variables) return html`<${Empty} icon="table" title=${say("asset.noneNamed")}>${pieces("asset.lookIn", { find: html`<a href=${link("find")}>${say("place.find")}</a>` })}<//>`;
  if (answer.failure) return html`<${Heading} title=${fqn}>${parts(fqn).at(-1)}<//><${Failed} failure=${answer.failure} again=${answer.again} />`;
  if (!answer.data || !settled(profile, score, wrong, waiting)) return html`<${Loading} what=${say("asset.opening")} />`;
  const table = answer.data.metadata;
  const columns = inOrder(table.children);
  // Where an assessment has found nothing because there was none, nothing is said to be fine.
  const { scorecard } = score.data ?? {};
  const suspects = waiting.data?.metadata.suspectCells ?? { totalCount: 0, nodes: [] };
  const assessed = Boolean(score.failure || wrong.failure || scorecard.overallScore != null || suspects.totalCount || wrong.data.violations.totalCount);
  const proposals = waiting.data?.metadata.proposals ?? { totalCount: 0, nodes: [] };
  const about = (given.part === "suspects" && columns.find((one) => one.name === given.column)?.fullyQualifiedName) || "";
  return html`
    <${Trail} fqn=${table.fullyQualifiedName} />
    <${Heading} title=${table.name}>${table.name}<//>
    <p class="facts" title=${say("asset.changed", { when: moment(table.updatedAt) })}>${facts(table)} <${Tags} tags=${table.tags} most=${12} opens /></p>
    ${table.description || table.summaryText
      ? html`<p class="described"><${Told} text=${table.description || table.summaryText} /></p>`
      : !proposals.totalCount && html`<p class="described quiet">${say("asset.undescribed")}</p>`}
    <div class="acts">${may("CAN_EXECUTE") && html`<a class="button" href=${link("ask", { about: table.name })}>${say("asset.ask")}</a>`}${may("CAN_EXECUTE") && html`<${Start} fqn=${fqn} />`}<a class="button quiet-button" href=${link("access", { on: uri })} title=${say("asset.access")}>${say("place.access")}</a></div>
    ${!may("CAN_EXECUTE") && html`<${Closed} needs=${["CAN_EXECUTE"]} />`}
    <${Jumps} given=${given} assessed=${assessed} />
    <div class="three">
      ${assessed ? html`<${Score} answer=${score} suspects=${suspects} cells=${table.rowCount * table.columnCount} /><${Wrong} answer=${wrong} />` : html`<${Unassessed} fqn=${fqn} may=${may("CAN_EXECUTE")} />`}
      <${Next} given=${given} fqn=${fqn} proposals=${proposals} score=${score.data} violations=${wrong.data?.violations.totalCount} />
    </div>
    <${Columns} given=${given} table=${table} columns=${columns} profile=${profile} />
    ${assessed && html`<${Suspects} key=${`${fqn} ${about}`} fqn=${fqn} columns=${columns} about=${about} />`}
    <${Lineage} uri=${uri} fqn=${table.fullyQualifiedName} columns=${columns} />
    <${References} profile=${profile} uri=${uri} table=${table} columns=${columns} onChange=${answer.again} />
    <${Versions} key=${`${fqn} ${table.version}`} uri=${uri} table=${table} />
    <${Rules} fqn=${fqn} columns=${columns} />
  `;
}

function Unassessed({ fqn, may }) {
  const [state, setState] = useState({});
  const assess = () => (setState({ busy: true }), startOn("assess", fqn).catch((failure) => setState({ failure })));
  return html`
    <section class="part" id="score" aria-label=${say("quality.score")}>
      <h2>${say("quality.score")}</h2>
      <${Empty} title=${say("quality.unassessed")}>${say("quality.unassessed.next")}<//>
      ${may && html`<p class="acts"><button type="button" disabled=${state.busy} onClick=${assess}>${say(state.busy ? "asset.starting" : "quality.assess")}</button></p>`}
      ${state.failure && html`<${Failed} failure=${state.failure} />`}
    </section>
  `;
}

// The parts of the page, by the ids of their sections. It is a long one, above all in a narrow window.
const OF_ASSESSED = ["wrong", "suspects"];
const JUMPS = [["score", "quality.score"], ["wrong", "quality.wrong"], ["columns", "asset.columns"], ["suspects", "suspects.title"], ["lineage", "lineage.title"], ["keys", "asset.keys"], ["versions", "asset.versions"], ["rules", "quality.rules"]];

// To a part, with the focus, so that the keyboard goes on from there.
function jump(id) {
  const heading = document.querySelector(`#${CSS.escape(id)} h2`);
  if (!heading) return;
  const folded = heading.closest("details");
  if (folded) folded.open = true;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  document.getElementById(id).scrollIntoView();
}

const Jumps = ({ given, assessed }) => html`
  <nav class="jumps" aria-label=${say("asset.parts")}>
    ${JUMPS.filter(([id]) => assessed || !OF_ASSESSED.includes(id)).map(([id, title]) => html`<a key=${id} href=${link("asset", { ...given, part: id })} onClick=${(event) => (event.preventDefault(), settle("asset", { ...given, part: id }), jump(id))}>${say(title)}</a>`)}
  </nav>
`;

// What waits to be done about the table, what does most first: nothing is said where nothing waits.
function Next({ given, fqn, proposals, score, violations }) {
  const [newest] = proposals.nodes;
  const steps = [
    ["asset.next.proposals", newest && proposals.totalCount, newest && link("inbox", { run: newest.runId, like: `${fqn}*` })],
    ["asset.next.violations", violations, link("inbox", { of: "violations", like: `${fqn}*` })],
    ["asset.next.suspects", score?.undecided.totalCount, link("asset", { ...given, part: "suspects" })],
    ["asset.next.rules", !newest && score?.proposed.totalCount, link("asset", { ...given, part: "rules" })],
  ].filter(([, count]) => count);
  if (!steps.length) return null;
  return html`
    <section class="part" id="next" aria-label=${say("asset.next")}>
      <h2>${say("asset.next")}</h2>
      <ul class="plain next">${steps.map(([key, count, address]) => html`<li key=${key}><a href=${address}>${say(key, { count })}</a></li>`)}</ul>
    </section>
  `;
}

function facts(table) {
  return [
    !PLAIN.includes((table.tableType ?? "").toLowerCase()) && named("kind", table.tableType),
    table.rowCount != null && say("count.rows", { count: table.rowCount }),
    table.columnCount != null && say("count.columns", { count: table.columnCount }),
    say("asset.version", { version: table.version }),
    table.owners?.length && say("asset.owned", { names: table.owners.map((owner) => owner.name).join(", ") }),
  ].filter(Boolean).join(" · ");
}

function Trail({ fqn }) {
  const names = parts(fqn).slice(0, -1);
  return html`
    <nav class="trail" aria-label=${say("part.where")}>
      ${names.map((name, at) => html`<a key=${at} href=${link("find", { under: names.slice(0, at + 1).join("."), kind: "TABLE" })}>${name}</a>`)}
    </nav>
  `;
}

const PLAIN = ["", "table", "file", "regular"]; // what needs no word

const inOrder = (columns) => [...(columns ?? [])].sort((one, other) => (one.ordinalPosition ?? 0) - (other.ordinalPosition ?? 0));

function Columns({ given, table, columns, profile }) {
  const chosen = given.part ? "" : given.column;
  const measured = profile.data?.metadata.profile;
  const most = usual(columns);
  const figures = new Map((measured?.columns ?? []).map((one) => [one.name, one]));
  useEffect(() => {
    if (chosen) document.querySelector("tr.chosen")?.scrollIntoView({ block: "center" });
  }, [chosen, table.id]);
  return html`
    <section class="part" id="columns" aria-label=${say("asset.columns")}>
      <h2 title=${measured && measuredBy(profile, measured)}>${say("asset.columns")}${most.length > 0 && html` <small>${say("asset.mostly", { tag: most[0].tagFqn })}</small>`}${!measured && html` <small>${measuredBy(profile, measured)}</small>`}</h2>
      ${profile.failure && html`<${Failed} failure=${profile.failure} again=${profile.again} />`}
      ${columns.length === 0 && html`<${Empty} title=${say("asset.noColumns")}>${say("asset.noColumns.next")}<//>`}
      ${columns.length > 0 &&
      html`<div class="wide" tabindex="0" role="region" aria-label=${say("asset.tableOf")}>
        <table class="columns" role="table">
          <thead role="rowgroup"><tr role="row">${HEADS.map((head) => html`<th key=${head} scope="col" role="columnheader">${say(head)}</th>`)}</tr></thead>
          <tbody role="rowgroup">${columns.map((one) => html`<${Column} key=${one.id} column=${one} within=${[...(table.tags ?? []), ...most]} figures=${figures.get(one.name)} chosen=${one.name === chosen} suspects=${link("asset", { ...given, column: one.name, part: "suspects" })} />`)}</tbody>
        </table>
      </div>`}
      <${NotShown} count=${(table.childrenTotal ?? 0) - columns.length} what="asset.moreColumns" />
    </section>
  `;
}

function measuredBy(profile, measured) {
  if (profile.loading) return say("asset.lookedUp");
  if (!measured) return profile.failure ? "" : say("asset.notProfiled");
  const rows = measured.sampleSize ? say("count.rows", { count: measured.sampleSize }) : "";
  return say(rows ? "asset.profiledFrom" : "asset.profiled", { when: moment(measured.measuredAt), rows });
}

// How sensitive most of the columns are, which is said once.
function usual(columns) {
  const counts = new Map();
  for (const tag of columns.flatMap((one) => one.tags ?? []).filter(isLevel)) counts.set(tag.tagFqn, [...(counts.get(tag.tagFqn) ?? []), tag]);
  const [[most] = []] = [...counts.values()].sort((one, other) => other.length - one.length);
  return columns.length > 1 && most ? [most] : [];
}

const Column = ({ column, within, figures, chosen, suspects }) => html`
  <tr class=${chosen ? "chosen" : undefined} role="row">
    <th scope="row" role="rowheader">
      <span class="name">${column.name}</span> <${Tags} tags=${column.tags} within=${within} opens />
      ${column.description && html`<span class="about"><${Told} text=${column.description} /></span>`}
    </th>
    <td class="type" role="cell">${column.dataTypeDisplay || column.dataType}${column.nullable === false && html`<span class="quiet"> ${say("asset.notNull")}</span>`}</td>
    <td role="cell"><${Shares} figures=${figures} wrong=${column.suspectCells.totalCount} suspects=${suspects} /></td>
    <td role="cell"><${Picture} figures=${figures} /></td>
  </tr>
`;
