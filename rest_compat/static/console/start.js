// Starts work on a table: what there is to start, and the way to the run.
import { useState } from "../vendor/preact-hooks.js";

import { CONFIGURATIONS, CONFIGURE, START_RUN, WORKFLOWS } from "./documents.js";
import { ask } from "./graph.js";
import { English, Failed, html, Loading, useAnswer } from "./parts.js";
import { link } from "./places.js";
import { say } from "./words.js";

const ON_SOURCES = "SERVICE_INGESTION"; // which works on a whole connection, never on a table

// What does most comes first: to enrich a table in all ways, then to assess it.
const WHOLE = ["RUN_ALL_ENRICHMENT", "DQ_ASSESSMENT"];
const weight = ({ workflowType }) => (WHOLE.includes(workflowType) ? WHOLE.indexOf(workflowType) : WHOLE.length);

export function Start({ fqn }) {
  const [open, setOpen] = useState(false);
  return html`
    <details class="start" onToggle=${(event) => setOpen(event.target.open)}>
      <summary class="button quiet-button">${say("asset.start")}</summary>
      ${open && html`<${Choices} fqn=${fqn} />`}
    </details>
  `;
}

function Choices({ fqn }) {
  const answer = useAnswer(WORKFLOWS, {});
  const [busy, setBusy] = useState(null);
  const [failure, setFailure] = useState(null);
  if (answer.failure) return html`<${Failed} failure=${answer.failure} again=${answer.again} />`;
  if (!answer.data) return html`<${Loading} />`;
  const able = answer.data.workflowDefinitions.nodes.filter((one) => one.workflowType !== ON_SOURCES && one.dataAssetTypes.includes("table")).sort((one, other) => weight(one) - weight(other));
  async function start(definition) {
    setBusy(definition.id);
    setFailure(null);
    try {
      const configurationId = await configurationOf(definition);
      const run = (await ask(START_RUN, { configurationId, assetFqn: fqn })).triggerRun;
      location.hash = link("runs", { run: run.id, configuration: run.configurationId });
    } catch (error) {
      setFailure(error);
      setBusy(null);
    }
  }
  return html`
    ${failure && html`<${Failed} failure=${failure} />`}
    <ul class="plain rows">
      ${able.map(
        (one) => html`<li key=${one.id} class="choice">
          <button type="button" class="quiet-button" disabled=${busy !== null} onClick=${() => start(one)}>${busy === one.id ? say("asset.starting") : one.name}</button>
          <span class="quiet"><${English}>${one.description}<//></span>
        </li>`,
      )}
    </ul>
  `;
}

// What is done to all tables of a source at once, one after the other.
export const ON_ALL = { enrich: "RUN_ALL_ENRICHMENT", assess: "DQ_ASSESSMENT" };

export async function startOn(work, fqn) {
  const configurationId = await configurationOf({ name: say(`sources.${work}`), workflowType: ON_ALL[work] });
  const run = (await ask(START_RUN, { configurationId, assetFqn: fqn })).triggerRun;
  location.hash = link("runs", { run: run.id, configuration: run.configurationId });
}

// The configuration that is the one to use, else the newest; the first run of a kind makes one as it stands.
export async function configurationOf({ name, workflowType }) {
  const { nodes: items } = (await ask(CONFIGURATIONS, { workflowType })).workflowConfigurations;
  const found = items.find((one) => one.isDefault) ?? items.find((one) => !one.requireReferencePack);
  return (found ?? (await ask(CONFIGURE, { name, workflowType })).createWorkflowConfiguration).id;
}
