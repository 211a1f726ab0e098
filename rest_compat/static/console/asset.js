// Asset: one table, on one page. Each part asks for itself, so that what one may not see leaves the rest as it is.
import { useEffect } from "../vendor/preact-hooks.js";

import { ASSET, LOCATE, PROFILE } from "./documents.js";
import { Empty, Failed, Heading, html, Loading, NotShown, Part, Told, useAnswer } from "./parts.js";
import { above, link, parts } from "./places.js";
import { Picture, Shares } from "./profile.js";
import { Actions, Rules, Score, Violations } from "./quality.js";
import { Start } from "./start.js";
import { Suspects } from "./suspects.js";
import { Tags } from "./tags.js";
import { counted, moment, plain } from "./words.js";

// Narrow windows lay the rows out as blocks, which would take their roles from them; so these are written down.
const HEADS = ["Column", "Type", "Filled", "What is in it"];

// Where only the name of a table is known, the catalog says in which source it is.
export function Asset({ given }) {
  const answer = useAnswer(LOCATE, given.fqn && !given.uri ? { fqn: given.fqn } : undefined);
  if (!given.fqn || given.uri) return html`<${Table} given=${given} />`;
  if (answer.failure) return html`<${Failed} failure=${answer.failure} again=${answer.again} />`;
  if (!answer.data) return html`<${Loading} what="Looking for the table" />`;
  const [found] = answer.data.dataAssets.items;
  if (found?.fqn !== given.fqn) return html`<${Heading} title=${given.fqn}>${given.fqn}<//><${Empty} title="This is no table">Look for it in <a href=${link("find", { under: given.fqn })}>Find</a>.<//>`;
  return html`<${Table} given=${{ ...given, uri: found.resourceUri }} />`;
}

function Table({ given }) {
  const { uri, fqn, column } = given;
  const variables = uri && fqn ? { resourceUri: uri, fqn } : undefined;
  const answer = useAnswer(ASSET, variables);
  const profile = useAnswer(PROFILE, variables);
  if (!variables) return html`<${Empty} title="No table is named">Look for one in <a href=${link("find")}>Find</a>.<//>`;
  if (answer.failure) return html`<${Heading} title=${fqn}>${parts(fqn).at(-1)}<//><${Failed} failure=${answer.failure} again=${answer.again} />`;
  if (!answer.data) return html`<${Loading} what="Opening the table" />`;
  const table = answer.data.metadata;
  return html`
    <${Trail} fqn=${table.fullyQualifiedName} />
    <${Heading} title=${table.name}>${table.name}<//>
    <p class="facts">${facts(table)} <${Tags} tags=${table.tags} most=${12} opens /></p>
    ${table.description || table.summaryText
      ? html`<p class="described"><${Told} text=${table.description || table.summaryText} /></p>`
      : html`<p class="described quiet">Nobody has described this table yet.</p>`}
    <div class="acts"><a class="button" href=${link("ask", { about: table.name })}>Ask about it</a><a class="button quiet-button" href=${link("access", { on: uri })}>Who may do what</a><${Start} fqn=${fqn} /></div>
    <${Actions} fqn=${fqn} />
    <div class="two">
      <${Score} fqn=${fqn} />
      <${Violations} fqn=${fqn} />
    </div>
    <${Suspects} key=${fqn} fqn=${fqn} columns=${table.children ?? []} />
    <${Columns} table=${table} profile=${profile} chosen=${column} />
    <${Keys} answer=${profile} uri=${uri} />
    <${Rules} fqn=${fqn} />
  `;
}

function facts(table) {
  return [
    plain(table.tableType) || "table",
    table.rowCount != null && counted(table.rowCount, "row", "rows"),
    table.columnCount != null && counted(table.columnCount, "column", "columns"),
    `version ${table.version}`,
    table.owners?.length && `owned by ${table.owners.map((owner) => owner.name).join(", ")}`,
    `changed ${moment(table.updatedAt)}`,
  ].filter(Boolean).join(" · ");
}

function Trail({ fqn }) {
  const names = parts(fqn).slice(0, -1);
  return html`
    <nav class="trail" aria-label="Where it is">
      ${names.map((name, at) => html`<a key=${at} href=${link("find", { under: names.slice(0, at + 1).join("."), kind: "TABLE" })}>${name}</a>`)}
    </nav>
  `;
}

function Columns({ table, profile, chosen }) {
  const columns = [...(table.children ?? [])].sort((one, other) => (one.ordinalPosition ?? 0) - (other.ordinalPosition ?? 0));
  const measured = profile.data?.metadata.profile;
  const figures = new Map((measured?.columns ?? []).map((one) => [one.name, one]));
  useEffect(() => {
    if (chosen) document.querySelector("tr.chosen")?.scrollIntoView({ block: "center" });
  }, [chosen, table.id]);
  return html`
    <section class="part" aria-label="Columns">
      <h2>Columns <small>${measuredBy(profile, measured)}</small></h2>
      ${profile.failure && html`<${Failed} failure=${profile.failure} again=${profile.again} />`}
      ${columns.length === 0 && html`<${Empty} title="No columns">The catalog knows of none.<//>`}
      ${columns.length > 0 &&
      html`<div class="wide" tabindex="0" role="region" aria-label="Table of columns">
        <table class="columns" role="table">
          <thead role="rowgroup"><tr role="row">${HEADS.map((head) => html`<th key=${head} scope="col" role="columnheader">${head}</th>`)}</tr></thead>
          <tbody role="rowgroup">${columns.map((one) => html`<${Column} key=${one.id} column=${one} figures=${figures.get(one.name)} chosen=${one.name === chosen} />`)}</tbody>
        </table>
      </div>`}
      <${NotShown} count=${(table.childrenTotal ?? 0) - columns.length} one="more column is" many="more columns are" />
    </section>
  `;
}

function measuredBy(profile, measured) {
  if (profile.loading) return "being looked up …";
  if (!measured) return profile.failure ? "" : "not profiled yet";
  const sample = measured.sampleSize ? ` from ${counted(measured.sampleSize, "row", "rows")}` : "";
  return `profiled ${moment(measured.measuredAt)}${sample}`;
}

const Column = ({ column, figures, chosen }) => html`
  <tr class=${chosen ? "chosen" : undefined} role="row">
    <th scope="row" role="rowheader">
      <span class="name">${column.name}</span> <${Tags} tags=${column.tags} opens />
      ${column.description && html`<span class="about"><${Told} text=${column.description} /></span>`}
    </th>
    <td class="type" role="cell">${column.dataTypeDisplay || column.dataType}${column.nullable === false && html`<span class="quiet"> not null</span>`}</td>
    <td role="cell"><${Shares} figures=${figures} /></td>
    <td role="cell"><${Picture} figures=${figures} /></td>
  </tr>
`;

function Keys({ answer, uri }) {
  const profile = answer.data?.metadata.profile;
  const keys = profile?.candidateKeys ?? [];
  const references = profile?.foreignKeys ?? [];
  if (!keys.length && !references.length) return null;
  return html`
    <${Part} title="Keys and references" answer=${answer}>
      ${() => html`
        <ul class="plain">
          ${keys.map((key) => html`<li key=${key.columns.join()}><code>${key.columns.join(", ")}</code> tells rows apart${key.isDeclared ? " (declared)" : " (measured)"}</li>`)}
          ${references.map(
            (one) => html`<li key=${one.columns.join() + one.targetFqn}>
              <code>${one.columns.join(", ")}</code> refers to <a href=${link("asset", { uri, fqn: one.targetFqn })}>${parts(one.targetFqn).at(-1)}</a>
              <span class="quiet"> (${one.targetColumns.join(", ")}${one.isDeclared ? ", declared" : ""})</span>
            </li>`,
          )}
        </ul>
      `}
    <//>
  `;
}
