// A proposal and a group of those that are alike: what would stand there beside what stands, and why.
import { PROPOSAL } from "./inbox-documents.js";
import { Bar, English, Failed, html, Loading, Told, useAnswer } from "./parts.js";
import { link, parts, tableOf } from "./places.js";
import { listed, named, number, percent, plain, say, sentence } from "./words.js";

// In the order in which they matter: what is personal first, what stands on nearly everything last.
const RANKS = ["PII_TAG", "SENSITIVITY_TAG", "RELATIONSHIP", "GLOSSARY_LINK", "DESCRIPTION", "BUSINESS_DEFINITION", "DISPLAY_NAME", "INSIGHT", "RULE", "TAG", "DQ_TAG"];
export const kindOf = (kind) => named("proposal", kind);
export const kinds = () => RANKS.map((kind) => [kind, kindOf(kind)]);
// The columns that a rule is about stand in its words.
const COLUMNS = ["properties", "columns", "column", "determinant", "dependent"];
const MOST_SHOWN = 50; // as many as are asked for of a group
export const byWeight = (one, other) => RANKS.indexOf(one.key) - RANKS.indexOf(other.key);

// A value of any kind as one line.
export function inShort(value) {
  if (value === null || value === undefined || value === "") return "";
  if (Array.isArray(value)) return value.map(inShort).join(", ");
  if (typeof value !== "object") return String(value);
  if (value.tag_fqn) return value.tag_fqn;
  if (value.sentence) return value.sentence;
  if (value.table && value.column) return say("proposal.refers", { place: `${value.table}.${value.column}` });
  if (value.between) return say("proposal.links", { tables: listed(value.between.map(({ table }) => table)) });
  if (value.metric && value.description) return value.description; // a rule, whose name is for programs
  if (value.name) return value.description ? `${value.name}: ${value.description}` : value.name;
  return value.term_name ?? value.term ?? JSON.stringify(value);
}

// The parts of the evidence that people can read; ids and versions are for programs.
export function reasons(evidence) {
  const said = [...(evidence.found ?? []).map((one) => one.reason), ...(evidence.statements ?? []).map((one) => say("proposal.from", { says: one.says, from: [one.from].flat().join(", ") }))];
  for (const [name, value] of Object.entries(evidence)) {
    if (/^(found|statements|basis|engine|kind|.*_id|.*version)$/.test(name) || value === null || typeof value === "boolean") continue;
    if (Array.isArray(value) ? value.every((one) => typeof one !== "object") : typeof value !== "object") said.push(`${plain(name)}: ${[value].flat().join(", ")}`);
  }
  return said.filter(Boolean);
}

// What all of a group say, with words for the marks of what differs. A rule begins with its metric, and an insight is
// named by its kind: as programs write them.
export function saying({ kind, says }) {
  if (kind === "INSIGHT") return sentence(plain(says));
  return (kind === "RULE" ? says.replace(/^\w+: /, "") : says).replaceAll("{name}", say("proposal.itsName"));
}

const placeOf = (one) => parts(one.assetFqn).slice(3).join(".") || one.assetFqn;

// What stands, if anything does, and what would.
const Becomes = ({ one }) => html`
  ${inShort(one.standingValue) && html`<span class="stands"><${Told} text=${inShort(one.standingValue)} /></span> <span role="img" aria-label=${say("proposal.becomes")}>→</span> `}<${Told} text=${inShort(one.proposedValue)} />
`;

// What a rule is told besides its words, such as the pattern or the values that it allows: what one decides about.
function Arguments({ rule: { arguments: given, threshold, unit } }) {
  const told = Object.entries(given ?? {}).filter(([name, value]) => !COLUMNS.includes(name) && value !== null && value !== "");
  if (threshold?.some((most) => Number(most) > 0)) told.push(["threshold", `${threshold.map(Number).map(number).join(" – ")} ${plain(unit)}`]);
  return told.map(([name, value]) => html`<div key=${name}><dt>${sentence(named("argument", name))}</dt><dd><code>${[value].flat().map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one))).join(", ")}</code></dd></div>`);
}


export const ProposalRow = ({ one }) => html`
  <span class="row-head">${one.confidence != null && html`<${Bar} share=${one.confidence} told=${`${say("proposal.sure")}: ${percent(one.confidence)}`} />`} <strong>${placeOf(one)}</strong> <span class="about"><${Becomes} one=${one} /></span></span>
`;

// What all of a group say, where it has no gaps; else what one of them does.
const saidOf = (one) => (one.kind === "RELATIONSHIP" ? `${placeOf(one.example)} ${inShort(one.example.proposedValue)}` : /\{name\}|…|#/.test(one.says) ? inShort(one.example.proposedValue) || saying(one) : saying(one));

export const GroupRow = ({ one }) => html`
  <span class="row-head many" title=${saying(one)}>${one.lowestConfidence != null && html`<${Bar} share=${one.lowestConfidence} told=${`${say("proposal.sure")}: ${between(one)}`} />`}
    <strong class="clamped"><span class="twisty" aria-hidden="true">${one.opened ? "▾" : "▸"}</span> <${Told} text=${saidOf(one)} /></strong> <span class="kind" title=${say("count.proposals", { count: one.proposals })}>×${number(one.proposals)}</span></span>
`;

function between({ lowestConfidence: low, highestConfidence: high }) {
  return percent(low) === percent(high) ? percent(low) : say("proposal.between", { low: percent(low), high: percent(high) });
}

export const GroupDetail = ({ run, one }) => html`
  <h3><${Told} text=${saying(one)} /></h3>
  <p class="quiet">${say(one.opened && one.proposals > MOST_SHOWN ? "proposal.alikeFirst" : "proposal.alike", { proposals: say("count.proposals", { count: one.proposals }), assets: say("count.assets", { count: one.assets }), shown: MOST_SHOWN })}</p>
  <${ProposalDetail} run=${run} one=${one.example} />
`;

export function ProposalDetail({ run, one }) {
  const answer = useAnswer(PROPOSAL, { runId: run, assetFqn: one.assetFqn, kind: one.kind });
  const known = answer.data?.runProposals.nodes.find((item) => item.id === one.id);
  return html`
    <h3><a href=${link("asset", { uri: one.resourceUri, fqn: tableOf(one.assetFqn), column: parts(one.assetFqn)[4] })}>${placeOf(one)}</a></h3>
    <dl class="beside">
      <div><dt>${say("proposal.proposed")}</dt><dd class="new"><${Told} text=${inShort(one.proposedValue)} /></dd></div>
      ${one.proposedValue?.metric && html`<${Arguments} rule=${one.proposedValue} />`}
      ${(one.kind !== "RULE" || inShort(one.standingValue)) && html`<div><dt>${say("proposal.stands")}</dt><dd><${Told} text=${inShort(one.standingValue) || say("proposal.nothing")} /></dd></div>`}
    </dl>
    ${one.proposedValue?.tag_description && html`<p class="quiet"><${English}>${one.proposedValue.tag_description}<//></p>`}
    ${answer.failure && html`<${Failed} failure=${answer.failure} again=${answer.again} />`}
    ${!known && answer.loading && html`<${Loading} what=${say("proposal.lookingWhy")} />`}
    ${known && html`<h4>${say("proposal.why")}</h4><ul class="why">${reasons(known.evidence).map((reason, at) => html`<li key=${at}><${English}><${Told} text=${reason} /><//></li>`)}</ul>`}
  `;
}
