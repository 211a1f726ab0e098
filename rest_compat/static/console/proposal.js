// One proposal: what would stand there beside what stands, and why.
import { PROPOSAL } from "./documents.js";
import { Failed, html, Loading, Told, useAnswer } from "./parts.js";
import { link, parts, tableOf } from "./places.js";
import { percent, plain } from "./words.js";

// In the order in which they matter: what is personal first, what stands on nearly everything last.
const KINDS = {
  PII_TAG: "Tags of personal data",
  SENSITIVITY_TAG: "Tags of sensitivity",
  RELATIONSHIP: "Relationships",
  GLOSSARY_LINK: "Links to the glossary",
  DESCRIPTION: "Descriptions",
  BUSINESS_DEFINITION: "Business definitions",
  DISPLAY_NAME: "Display names",
  INSIGHT: "Insights",
  RULE: "Rules",
  TAG: "Tags",
  DQ_TAG: "Tags of data quality",
};
const RANKS = Object.keys(KINDS);
export const byWeight = (one, other) => RANKS.indexOf(one.key) - RANKS.indexOf(other.key);
export const kindOf = (kind) => KINDS[kind] ?? plain(kind);

// A value of any kind as one line.
export function inShort(value) {
  if (value === null || value === undefined || value === "") return "";
  if (Array.isArray(value)) return value.map(inShort).join(", ");
  if (typeof value !== "object") return String(value);
  if (value.tag_fqn) return value.tag_fqn;
  if (value.sentence) return value.sentence;
  if (value.table && value.column) return `refers to ${value.table}.${value.column}`;
  if (value.name) return value.description ? `${value.name}: ${value.description}` : value.name;
  return value.term_name ?? value.term ?? JSON.stringify(value);
}

// The parts of the evidence that people can read; ids and versions are for programs.
export function reasons(evidence) {
  const said = [...(evidence.found ?? []).map((one) => one.reason), ...(evidence.statements ?? []).map((one) => `${one.says} (from ${[one.from].flat().join(", ")})`)];
  for (const [name, value] of Object.entries(evidence)) {
    if (/^(found|statements|basis|engine|kind|.*_id|.*version)$/.test(name) || value === null || typeof value === "boolean") continue;
    if (Array.isArray(value) ? value.every((one) => typeof one !== "object") : typeof value !== "object") said.push(`${plain(name)}: ${[value].flat().join(", ")}`);
  }
  return said.filter(Boolean);
}

export const ProposalRow = ({ one, byKind }) => html`
  <span class="row-head"><strong>${parts(one.assetFqn).slice(byKind ? 3 : 4).join(".") || parts(one.assetFqn).at(-1)}</strong>${!byKind && html` <span class="kind">${plain(one.kind)}</span>`}
    ${one.confidence != null && html`<span class="sure" title="How sure the engine is">${percent(one.confidence)}</span>`}</span>
  <span class="about"><${Told} text=${inShort(one.proposedValue)} /></span>
`;

export function ProposalDetail({ run, one }) {
  const answer = useAnswer(PROPOSAL, { runId: run, assetFqn: one.assetFqn, kind: one.kind });
  const known = answer.data?.runProposals.items.find((item) => item.id === one.id);
  return html`
    <h3><a href=${link("asset", { uri: one.resourceUri, fqn: tableOf(one.assetFqn), column: parts(one.assetFqn)[4] })}>${parts(one.assetFqn).slice(3).join(".") || one.assetFqn}</a></h3>
    <dl class="beside">
      <div><dt>Proposed</dt><dd class="new"><${Told} text=${inShort(one.proposedValue)} /></dd></div>
      <div><dt>Stands now</dt><dd>${known ? html`<${Told} text=${inShort(known.standingValue) || "nothing"} />` : "…"}</dd></div>
    </dl>
    ${one.proposedValue?.tag_description && html`<p class="quiet">${one.proposedValue.tag_description}</p>`}
    ${answer.failure && html`<${Failed} failure=${answer.failure} again=${answer.again} />`}
    ${!known && answer.loading && html`<${Loading} what="Looking up why" />`}
    ${known && html`<h4>Why</h4><ul class="why">${reasons(known.evidence).map((reason, at) => html`<li key=${at}><${Told} text=${reason} /></li>`)}</ul>`}
  `;
}
