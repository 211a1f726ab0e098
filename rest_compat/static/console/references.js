// What a table refers to and what tells its rows apart: as the source declares it, as it was measured, and as people say.
import { useState } from "../vendor/preact-hooks.js";

import { Outcome } from "./decide.js";
import { ask } from "./graph.js";
import { Closed, useMay } from "./may.js";
import { Failed, html, Loading, useAnswer } from "./parts.js";
import { ADD_REFERENCE, CHILDREN, NEIGHBORS, REMOVE_REFERENCE } from "./place-documents.js";
import { above, link, part, parts } from "./places.js";
import { Relations } from "./relations.js";
import { pieces, say } from "./words.js";

const NEEDS = "CAN_MANAGE_METADATA";
const BY_PEOPLE = ["approved", "accepted automatically"];
const sameAs = (one) => JSON.stringify([one.columns, one.targetFqn, one.targetColumns]);

// What the catalog says that columns refer to.
function saidOf(columns) {
  return columns.flatMap((column) =>
    (column.columnRelationships ?? [])
      .filter((one) => one.type === "FOREIGN_KEY" && one.table && one.column)
      .map((one) => {
        const [service, database, schema] = parts(column.fullyQualifiedName);
        const targetFqn = [service, database, one.schema ? part(one.schema) : schema, part(one.table)].join(".");
        return { columns: [column.name], fqn: column.fullyQualifiedName, targetFqn, targetColumns: [one.column], isDeclared: !BY_PEOPLE.includes(one.origin), byPeople: BY_PEOPLE.includes(one.origin) };
      }),
  );
}

// What a key is said to do goes by what was measured: columns that repeat in few rows are listed too.
function keySaid(key) {
  if (key.uniqueness < 1) return key.isDeclared ? "asset.key.broken" : "asset.key.nearly";
  if (key.isDeclared) return "asset.key.declared";
  return key.isExact ? "asset.key.measured" : "asset.key.sampled";
}

// Keys of which the same is said, said once.
function byWord(keys) {
  const found = new Map();
  for (const key of keys) found.set(keySaid(key), [...(found.get(keySaid(key)) ?? []), key]);
  return found;
}

export function References({ profile, uri, table, columns, onChange }) {
  const may = useMay(uri);
  const [told, setTold] = useState(null);
  const measured = profile.data?.metadata.profile;
  const keys = measured?.candidateKeys ?? [];
  const said = saidOf(columns);
  const known = new Set(said.map(sameAs));
  const references = [...said, ...(measured?.foreignKeys ?? []).filter((one) => !known.has(sameAs(one)))];
  const remove = ({ fqn, targetFqn, targetColumns: [column] }) =>
    ask(REMOVE_REFERENCE, { resourceUri: uri, fqn, targetFqn: `${targetFqn}.${part(column)}` }).then(
      () => (setTold({ said: say("references.removed") }), onChange()),
      (failure) => setTold({ failure }),
    );
  return html`
    <section class="part" id="keys" aria-label=${say("asset.keys")}>
      <h2>${say("asset.keys")}</h2>
      ${!keys.length && !references.length && profile.data && html`<p class="quiet">${say("asset.keys.none")}</p>`}
      ${references.length > 0 && html`<${Relations} name=${table.name} uri=${uri} references=${references} />`}
      <ul class="plain">
        ${[...byWord(keys)].map(([word, alike]) => html`<li key=${word}>${pieces(word, { columns: html`${alike.map((key, at) => html`${at > 0 && " · "}<code key=${key.columns.join()}>${key.columns.join(", ")}</code>`)}` })}</li>`)}
        ${references.map(
          (one) => html`<li key=${sameAs(one)}>
            ${pieces("asset.refers", { columns: html`<code>${one.columns.join(", ")}</code>`, table: html`<a href=${link("asset", { uri, fqn: one.targetFqn })}>${parts(one.targetFqn).at(-1)}</a>` })}
            <span class="quiet"> (${[one.targetColumns.join(", "), say(one.byPeople ? "references.byPeople" : one.isDeclared ? "asset.declared" : "references.measured")].join(", ")})</span>
            ${one.byPeople && may(NEEDS) && html` <button type="button" class="quiet-button" aria-label=${say("references.removeOf", { column: one.columns.join(", ") })} onClick=${() => remove(one)}>${say("references.remove")}</button>`}
          </li>`,
        )}
      </ul>
      <${Outcome} told=${told} />
      ${may(NEEDS) ? html`<${Add} uri=${uri} fqn=${table.fullyQualifiedName} columns=${columns} onMade=${(text) => (setTold({ said: text }), onChange())} />` : html`<${Closed} needs=${[NEEDS]} on=${uri} />`}
    </section>
  `;
}

function Add({ uri, fqn, columns, onMade }) {
  const [open, setOpen] = useState(false);
  return html`<details class="more" onToggle=${(event) => setOpen(event.target.open)}><summary>${say("references.add")}</summary>${open && html`<${Choose} uri=${uri} fqn=${fqn} columns=${columns} onMade=${onMade} />`}</details>`;
}

// A column, and the one that it refers to: of a table of the same database.
function Choose({ uri, fqn, columns, onMade }) {
  const database = parts(fqn).slice(0, 2).join(".");
  const tables = useAnswer(NEIGHBORS, { fqn: database });
  const [target, setTarget] = useState("");
  const targets = useAnswer(CHILDREN, target ? { fqn: target } : undefined);
  const [failure, setFailure] = useState(null);
  const wrong = tables.failure ?? targets.failure ?? failure;
  if (!tables.data) return tables.failure ? html`<${Failed} failure=${tables.failure} again=${tables.again} />` : html`<${Loading} />`;
  const names = tables.data.dataAssets.nodes.map((one) => one.fqn);
  const add = (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    const [from, to] = [form.get("column"), form.get("target")];
    setFailure(null);
    ask(ADD_REFERENCE, { resourceUri: uri, fqn: from, targetFqn: to }).then(
      () => onMade(say("references.added", { column: parts(from).at(-1), target: parts(to).slice(-2).join(".") })),
      setFailure,
    );
  };
  return html`
    <form class="fields references" onSubmit=${add}>
      <label>${say("rules.column")}<select name="column" required>${columns.map((one) => html`<option key=${one.name} value=${one.fullyQualifiedName}>${one.name}</option>`)}</select></label>
      <label>${say("references.table")}<select name="table" required value=${target} onChange=${(event) => setTarget(event.target.value)}><option value="">${say("references.choose")}</option>${names.map((name) => html`<option key=${name} value=${name} selected=${name === target}>${parts(name).slice(2).join(".")}</option>`)}</select></label>
      <label>${say("references.target")}<select name="target" required disabled=${!targets.data}>${(targets.data?.searchMetadata.nodes ?? []).filter((one) => above(one.fullyQualifiedName) === target).map((one) => html`<option key=${one.name} value=${one.fullyQualifiedName}>${one.name}</option>`)}</select></label>
      <button type="submit" disabled=${!targets.data}>${say("references.do")}</button>
    </form>
    ${wrong && html`<${Failed} failure=${wrong} />`}
  `;
}
