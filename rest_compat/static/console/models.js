// Semantic models of other tools: a file of theirs becomes memories, and memories become a file.
import { useState } from "../vendor/preact-hooks.js";

import { CONNECTIONS } from "./documents.js";
import { ask, keepAs } from "./graph.js";
import { EXPORT_MODEL, IMPORT_MODEL } from "./model-documents.js";
import { English, Failed, html, useAnswer } from "./parts.js";
import { say } from "./words.js";

const READ = ["DBT", "CUBE", "OSSIE"];
const WRITTEN = ["OSSIE", "ODCS"];
const MOST_LETTERS = 1_000_000;

// `pack` is that of the memories, if there is one, and `packNeeded` gives its id or makes one.
export function Models({ pack, packNeeded, onTaken }) {
  const sources = useAnswer(CONNECTIONS, {}).data?.dataConnections.nodes ?? [];
  const [state, setState] = useState({});
  if (!sources.length) return null;
  async function act(work) {
    setState({ busy: true });
    try {
      setState(await work());
    } catch (failure) {
      setState({ failure });
    }
  }
  function take(event) {
    event.preventDefault();
    const { format, resourceUri, file } = Object.fromEntries(new FormData(event.target));
    act(async () => {
      if (file.size > 4 * MOST_LETTERS) return { said: say("models.large") };
      const given = { format, resourceUri, text: await file.text(), contextPackId: await packNeeded() };
      const { created, kept, ended, dropped } = (await ask(IMPORT_MODEL, given)).importSemanticModel;
      onTaken();
      return { said: say("models.taken", { created: say("count.memories", { count: created }), kept, ended }), dropped };
    });
  }
  function write(event) {
    event.preventDefault();
    const { format, resourceUri } = Object.fromEntries(new FormData(event.target));
    act(async () => {
      const { text, memories, dropped } = (await ask(EXPORT_MODEL, { packId: pack.id, format, resourceUri })).semanticModel;
      keepAs(`${pack.name}.${format.toLowerCase()}.yaml`, new Blob([text], { type: "application/yaml" }));
      return { said: say("models.written", { memories: say("count.memories", { count: memories }) }), dropped };
    });
  }
  return html`
    <section class="part" id="models" aria-label=${say("models.title")}>
      <h2>${say("models.title")}</h2>
      <p class="quiet">${say("models.lead")}</p>
      <form class="fields take" onSubmit=${take}>
        <${Formats} formats=${READ} />
        <${Of} sources=${sources} />
        <label>${say("models.file")}<input type="file" name="file" required accept=".yml,.yaml,.json" /></label>
        <button type="submit" disabled=${state.busy}>${say("models.take")}</button>
      </form>
      ${pack &&
      html`<form class="fields write" onSubmit=${write}>
        <${Formats} formats=${WRITTEN} />
        <${Of} sources=${sources} />
        <button type="submit" class="quiet-button" disabled=${state.busy}>${say("models.write")}</button>
      </form>`}
      ${state.failure && html`<${Failed} failure=${state.failure} />`}
      ${state.said && html`<p class="outcome" role="status">${state.said}</p>`}
      ${state.dropped?.length > 0 &&
      html`<details class="more" open><summary>${say("models.dropped", { count: state.dropped.length })}</summary>
        <ul class="why">${state.dropped.map(({ where, reason }) => html`<li key=${where + reason}><code>${where}</code> <${English}>${reason}<//></li>`)}</ul>
      </details>`}
    </section>
  `;
}

const Formats = ({ formats }) => html`<label>${say("models.format")}<select name="format">${formats.map((name) => html`<option key=${name} value=${name}>${say(`models.in.${name}`)}</option>`)}</select></label>`;

const Of = ({ sources }) => html`<label>${say("models.source")}<select name="resourceUri">${sources.map((one) => html`<option key=${one.resourceUri} value=${one.resourceUri}>${one.name}</option>`)}</select></label>`;
