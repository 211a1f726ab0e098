// The versions of a table: what the newest changed, and what differs between it and an older one.
import { useState } from "../vendor/preact-hooks.js";

import { VERSION } from "./place-documents.js";
import { English, Failed, html, Loading, useAnswer } from "./parts.js";
import { listed, moment, named, say } from "./words.js";

const inLine = (list) => [...(list ?? [])].sort().join(", ");

// What is compared of a version, each as one line of text.
const COMPARED = {
  displayName: (one) => one.displayName ?? "",
  description: (one) => one.description ?? "",
  businessDefinition: (one) => one.businessDefinition ?? "",
  owners: (one) => inLine(one.owners?.map((owner) => owner.name)),
  tags: (one) => inLine(one.tags?.map((tag) => tag.tagFqn)),
};

// Of two long lists only what is in one of them.
function apart(before, after) {
  const [old, now] = [before.split(", "), after.split(", ")];
  if (old.length < 2 && now.length < 2) return [before, after];
  return [old.filter((one) => !now.includes(one)).join(", "), now.filter((one) => !old.includes(one)).join(", ")];
}

export function differences(before, after) {
  return Object.entries(COMPARED).flatMap(([field, read]) => {
    const [was, is] = [read(before), read(after)];
    if (was === is) return [];
    return [[field, ...(field === "description" || field === "businessDefinition" ? [was, is] : apart(was, is))]];
  });
}

export function Versions({ uri, table }) {
  const answer = useAnswer(VERSION, { resourceUri: uri, fqn: table.fullyQualifiedName });
  return html`
    <details class="part" id="versions">
      <summary><h2>${say("asset.versions")} <small>${table.version} · ${moment(table.updatedAt)}</small></h2></summary>
      ${answer.failure ? html`<${Failed} failure=${answer.failure} again=${answer.again} />` : answer.data ? html`<ol class="plain rows versions"><${Version} uri=${uri} fqn=${table.fullyQualifiedName} one=${answer.data.metadata} /></ol>` : html`<${Loading} />`}
    </details>
  `;
}

// What a version changed, in a few words: fields of the table by their names, and how many of its columns.
function changedIn(description) {
  const fields = ["fieldsAdded", "fieldsUpdated", "fieldsDeleted"].flatMap((kind) => description?.[kind] ?? []).map((one) => one.fieldName);
  const columns = new Set(fields.filter((name) => name.startsWith("columns.")).map((name) => name.replace(/^columns\.|\.[^.]*$/g, "")));
  const own = [...new Set(fields.filter((name) => !name.startsWith("columns.")))].map((name) => named("version", name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())));
  return listed([...own, ...(columns.size ? [say("count.columns", { count: columns.size })] : [])]);
}

// A run is told by what it does: its id says nothing to people.
function Why({ reason }) {
  if (["AUTO", "MANUAL"].includes(reason)) return named("asset.versions.why", reason);
  return html`<${English}>${reason.replace(/\brun [\da-f]{8}-[\da-f-]{27} \(([\w-]+)\)/, (_, type) => type.replaceAll("-", " "))}<//>`;
}

function Version({ uri, fqn, one }) {
  const [open, setOpen] = useState(false);
  const before = one.changeDescription?.previousVersion;
  const isFirst = !before || before === one.version;
  const changed = changedIn(one.changeDescription);
  return html`
    <li>
      <strong>${say("asset.versions.of", { version: one.version, when: moment(one.updatedAt), who: one.updatedBy })}</strong>
      <span class="quiet line">${isFirst ? say("asset.versions.first") : html`<${Why} reason=${one.versionChangeReason} />`}${!isFirst && changed && ` ${say("asset.versions.changed", { what: changed })}`}</span>
      ${!isFirst && !open && html`<button type="button" class="quiet-button" onClick=${() => setOpen(true)}>${say("asset.versions.compare", { version: before })}</button>`}
    </li>
    ${open && html`<${Older} uri=${uri} fqn=${fqn} version=${before} newer=${one} />`}
  `;
}

function Older({ uri, fqn, version, newer }) {
  const { data, failure, again } = useAnswer(VERSION, { resourceUri: uri, fqn, version });
  if (failure) return html`<li><${Failed} failure=${failure} again=${again} /></li>`;
  if (!data) return html`<li><${Loading} /></li>`;
  const found = differences(data.metadata, newer);
  return html`
    <li>
      ${!found.length && html`<p class="quiet">${say("asset.versions.none")}</p>`}
      ${found.length > 0 &&
      html`<div class="wide" tabindex="0" role="region" aria-label=${say("asset.versions.before", { version: newer.version })}>
        <table class="compared">
          <thead><tr>${["field", "was", "is"].map((head) => html`<th key=${head} scope="col">${say(`asset.versions.${head}`)}</th>`)}</tr></thead>
          <tbody>${found.map(([field, was, is]) => html`<tr key=${field}><th scope="row">${say(`version.${field}`)}</th><td class="gone">${was || "–"}</td><td class="come">${is || "–"}</td></tr>`)}</tbody>
        </table>
      </div>`}
    </li>
    <${Version} uri=${uri} fqn=${fqn} one=${data.metadata} />
  `;
}
