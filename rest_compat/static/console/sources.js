// Sources: what a project is connected to. Each is verified and read in from here; a new one is connected below.
import { useState } from "../vendor/preact-hooks.js";

import { oneOnly, Sure } from "./decide.js";
import { ask } from "./graph.js";
import { CONFIGURE_INGESTION, CONNECT, DISCONNECT, INGEST, INGESTIONS, SOURCES, VERIFY } from "./place-documents.js";
import { Closed, holds, useMay } from "./may.js";
import { Empty, Failed, Heading, Help, html, Loading, settled, useAnswer, Views } from "./parts.js";
import { link, part } from "./places.js";
import { Status } from "./runs.js";
import { Servers } from "./servers.js";
import { Edit } from "./source-edit.js";
import { Field, filled, KINDS } from "./source-kinds.js";
import { ON_ALL, startOn } from "./start.js";
import { named, number, say } from "./words.js";

const RUNS = ["CAN_EXECUTE"];

export const Sources = ({ given }) => (given.of === "servers" ? html`<${Heading} title=${say("runs.servers")}>${say("place.sources")}<//><${SourceViews} now="servers" /><${Servers} />` : html`<${Connected} given=${given} />`);

const SourceViews = ({ now }) => html`<${Views} label=${say("place.sources")} now=${now} views=${[["", say("sources.data"), link("sources")], ["servers", say("runs.servers"), link("sources", { of: "servers" })]]} />`;

function Connected({ given }) {
  const answer = useAnswer(SOURCES, {});
  const [made, setMade] = useState(given.made ?? "");
  const { data, failure, again } = answer;
  const items = data?.dataConnections.nodes ?? [];
  const may = useMay();
  return html`
    <${Heading} title=${say("place.sources")}>${say("place.sources")}<//>
    <${SourceViews} now="" />
    <${Help} text=${say("sources.lead")} />
    ${failure && html`<${Failed} failure=${failure} again=${again} />`}
    ${!data && !failure && html`<${Loading} />`}
    ${data && !items.length && html`<${Empty} icon="database" title=${say("sources.none")}>${say("sources.none.next")}<//>`}
    ${items.length > 0 && !may(...RUNS) && html`<${Closed} needs=${RUNS} />`}
    ${made && html`<p class="outcome" role="status">${say("sources.connected", { name: made })}</p>`}
    <ul class="hits sources">${items.map((one) => html`<${Source} key=${one.resourceUri} source=${one} runs=${may(...RUNS)} onGone=${again} />`)}</ul>
    ${settled(answer) && (!may("CAN_CREATE_RESOURCES") ? html`<${Closed} needs=${["CAN_CREATE_RESOURCES"]} />` : html`<${Connect} onMade=${(name) => (setMade(name), again())} first=${data && !items.length} />`)}
  `;
}

// Where a source is, in the words of its kind, in one line.
const PLACED = ["path", "bucket", "endpoint_url", "host", "port", "database", "share"];
function placed({ databaseConfig, storageConfig, filesystemConfig }) {
  const config = databaseConfig ?? storageConfig ?? filesystemConfig ?? {};
  return PLACED.filter((name) => config[name] != null && config[name] !== "").map((name) => config[name]).join(" · ");
}

function Source({ source, runs, onGone }) {
  const may = (permission) => holds(source.permissions, [permission]);
  const [state, setState] = useState({});
  const [asked, setAsked] = useState(null);
  const service = source.resourceUri.split(":").at(-1);
  async function act(busy, work) {
    setState({ busy });
    try {
      setState((await work()) ?? {});
    } catch (failure) {
      setState({ failure });
    }
  }
  const verify = () =>
    act("verify", async () => {
      const { success, message, latencyMs } = (await ask(VERIFY, { resourceUri: source.resourceUri })).verifyDataConnection;
      const said = latencyMs == null ? message : say("sources.verified", { message, ms: number(Math.round(latencyMs)) });
      return success ? { said } : { trouble: said };
    });
  const ingest = () =>
    act("ingest", async () => {
      const run = (await ask(INGEST, { configurationId: await ingestionOf(source) })).triggerRun;
      location.hash = link("runs", { run: run.id, configuration: run.configurationId });
    });
  const start = (work) => act(work, () => startOn(work, part(service)));
  const disconnect = () =>
    setAsked({
      verb: say("sources.delete"),
      noun: "count.sources",
      about: `\`${source.name}\`${placed(source) && ` (${placed(source)})`}`,
      told: say("sources.deleteTold"),
      trial: oneOnly,
      carryOut: async () => {
        await ask(DISCONNECT, { resourceUri: source.resourceUri });
        onGone();
        return {};
      },
    });
  const wrong = source.status === "ERROR";
  // Before anything is read in there is one thing to do; what can be done with tables comes once there are some.
  const known = source.catalog.total > 0;
  const verifying = may("CAN_EXECUTE") && html`<button type="button" class=${wrong ? undefined : known ? "bare-button" : "quiet-button"} disabled=${Boolean(state.busy)} onClick=${verify}>${say(state.busy === "verify" ? "sources.verifying" : "sources.verify")}</button>`;
  return html`
    <li class="card">
      <div class="card-head"><strong>${source.name}</strong> <span class="kind">${named("sources", source.connectionType)}</span> <${Status} value=${source.status} />
        ${source.secretNames.length > 0 && html`<span class="quiet small">${say("sources.secrets", { count: source.secretNames.length })}</span>`}
      </div>
      ${placed(source) && html`<p class="quiet small"><code>${placed(source)}</code></p>`}
      ${source.description && html`<p class="quiet">${source.description}</p>`}
      ${source.statusMessage && wrong && html`<p class="trouble">${source.statusMessage}</p>`}
      <p class="acts">
        ${known && html`<a class="button" href=${link("find", { under: part(service), kind: "TABLE" })}>${say("sources.browse")}</a>`}
        ${runs && html`<button type="button" class=${wrong || known ? "quiet-button" : undefined} disabled=${Boolean(state.busy)} onClick=${ingest}>${say(state.busy === "ingest" ? "sources.ingesting" : known ? "sources.ingestAgain" : "sources.ingest")}</button>`}
        ${(wrong || !known) && verifying}
        ${runs && known && Object.keys(ON_ALL).map((work) => html`<button key=${work} type="button" class="quiet-button" disabled=${Boolean(state.busy)} title=${say(`sources.${work}.told`)} onClick=${() => start(work)}>${say(state.busy === work ? "sources.ingesting" : `sources.${work}`)}</button>`)}
      </p>
      <p class="asides">
        ${!wrong && known && verifying}
        <a href=${link("access", { on: source.resourceUri })}>${say("sources.access")}</a>
        ${may("CAN_DELETE") && html`<button type="button" class="bare-button" disabled=${Boolean(state.busy)} onClick=${disconnect}>${say("sources.delete")}</button>`}
      </p>
      ${may("CAN_WRITE") && html`<${Edit} source=${source} onChanged=${onGone} />`}
      ${state.said && html`<p class="outcome" role="status">${state.said}</p>`}
      ${state.trouble && html`<p class="trouble" role="alert">${state.trouble}</p>`}
      ${state.failure && html`<${Failed} failure=${state.failure} />`}
      ${asked && html`<${Sure} asked=${asked} onEnd=${(came) => (came?.failure && setState(came), setAsked(null))} />`}
    </li>
  `;
}

// The configuration that reads this source in; the first time makes one.
async function ingestionOf({ name, resourceUri }) {
  const { nodes: items } = (await ask(INGESTIONS)).workflowConfigurations;
  const found = items.find((one) => one.config?.resource_uri === resourceUri);
  if (found) return found.id;
  return (await ask(CONFIGURE_INGESTION, { name, config: { resource_uri: resourceUri } })).createWorkflowConfiguration.id;
}

function Connect({ onMade, first }) {
  const [kind, setKind] = useState("POSTGRES");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState(null);
  const { config, credentials = [] } = KINDS[kind];
  async function connect(event) {
    event.preventDefault();
    const form = new FormData(event.target);
    const key = kind.toLowerCase();
    const secrets = filled(credentials, form);
    const connection = {
      name: form.get("name").trim(),
      connectionType: kind,
      typedConfig: { [key]: filled(config, form) },
      ...(Object.keys(secrets).length && { typedCredentials: { [key]: secrets } }),
    };
    setBusy(true);
    setFailure(null);
    try {
      const made = (await ask(CONNECT, { connection })).createDataConnection;
      event.target.reset();
      // Whether it can be reached is told at the source itself, where it can be tried again.
      const verified = await ask(VERIFY, { resourceUri: made.resourceUri }).catch(() => null);
      onMade(verified?.verifyDataConnection.success ? made.name : "");
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  }
  return html`
    <details class="part more" open=${first}>
      <summary><h2>${say("sources.add")}</h2></summary>
      <form class="fields stacked" onSubmit=${connect}>
        <label>${say("sources.kind")}<select value=${kind} onChange=${(event) => setKind(event.target.value)}>${Object.keys(KINDS).map((one) => html`<option key=${one} value=${one} selected=${one === kind}>${say(`sources.${one}`)}</option>`)}</select></label>
        <label>${say("sources.name")}<input name="name" required maxlength="255" autocomplete="off" /></label>
        ${config.map((one) => html`<${Field} key=${kind + one[0]} one=${one} />`)}
        ${credentials.map((one) => html`<${Field} key=${kind + one[0]} one=${one} />`)}
        <button type="submit" disabled=${busy}>${say(busy ? "sources.connecting" : "sources.connect")}</button>
      </form>
      <p class="quiet small">${kind === "NFS" && `${say("sources.files")} `}${credentials.length > 0 && `${say("sources.hidden")} `}${say("sources.others")}</p>
      ${failure && html`<${Failed} failure=${failure} />`}
    </details>
  `;
}
