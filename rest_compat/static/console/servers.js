// Registered servers: programs of other people whose tools are called from here. Each is read, approved and then called.
import { useRef, useState } from "../vendor/preact-hooks.js";

import { oneOnly, Outcome, Sure } from "./decide.js";
import { ask } from "./graph.js";
import { Sending } from "./holdings.js";
import { Closed, holds, useMay } from "./may.js";
import { useAll } from "./pages.js";
import { Empty, English, Failed, Help, html, Loading } from "./parts.js";
import { link } from "./places.js";
import { Status } from "./runs.js";
import { CHANGE_SERVER, DELETE_SERVER, READ_TOOLS, REGISTER_SERVER, SERVERS } from "./server-documents.js";
import { Calls, Tools } from "./server-tools.js";
import { Field } from "./source-kinds.js";
import { listed, moment, say } from "./words.js";

const KINDS = ["MCP", "API"];
const MOST = 500;
const byUri = (one) => one.resourceUri;

export function Servers() {
  const { items, total, loading, failure, again } = useAll(SERVERS, {}, MOST, byUri);
  const may = useMay();
  const [kind, setKind] = useState(KINDS[0]);
  const register = async ({ name, url, documentUrl, bearerToken, header, value }) => {
    const headers = header?.trim() ? [{ name: header.trim(), value }] : [];
    const credentials = bearerToken || headers.length ? { bearerToken: bearerToken || null, headers } : null;
    const server = { kind, name: name.trim(), url: url.trim(), documentUrl: documentUrl?.trim() || null, credentials };
    const { resourceUri } = (await ask(REGISTER_SERVER, { server })).createRegisteredServer;
    // Whether it can be reached is told at the server itself, where it can be tried again.
    await ask(READ_TOOLS, { resourceUri }).catch(() => null);
    again();
  };
  const fields = [["name", "text", "sources.name", true], ["url", "url", "sources.endpoint", true], ...(kind === "API" ? [["documentUrl", "url", "servers.document", false]] : []), ["bearerToken", "password", "servers.bearer", false], ["header", "text", "servers.header", false], ["value", "password", "servers.value", false]];
  return html`
    <${Help} text=${say("servers.lead")} />
    ${failure && html`<${Failed} failure=${failure} again=${again} />`}
    ${total === null && loading && html`<${Loading} />`}
    ${total === 0 && html`<${Empty} icon="servers" title=${say("servers.none")}>${say("servers.none.next")}<//>`}
    <ul class="hits sources">${items.map((one) => html`<${Server} key=${one.resourceUri} server=${one} again=${again} />`)}</ul>
    ${(total !== null || failure) && (may("CAN_CREATE_RESOURCES") ? html`<${Sending} title=${say("servers.add")} verb=${say("servers.register")} send=${register} fields=${fields}>
      <label>${say("sources.kind")}<select value=${kind} onChange=${(event) => setKind(event.target.value)}>${KINDS.map((one) => html`<option key=${one} value=${one} selected=${one === kind}>${say(`servers.${one}`)}</option>`)}</select></label>
    <//><p class="quiet small">${say("servers.sealed")}</p>` : html`<${Closed} needs=${["CAN_CREATE_RESOURCES"]} />`)}
  `;
}

function Server({ server, again }) {
  const may = (permission) => holds(server.permissions, [permission]);
  const [told, setTold] = useState(null);
  const [busy, setBusy] = useState(false);
  const [asked, setAsked] = useState(null);
  const act = (document, given, outcome) => {
    setBusy(true);
    return ask(document, { resourceUri: server.resourceUri, ...given })
      .then((answer) => setTold(outcome(answer)), (failure) => setTold({ failure }))
      .finally(() => (setBusy(false), again()));
  };
  const read = () =>
    act(READ_TOOLS, {}, ({ verifyRegisteredServer: { success, message, leftOut } }) => ({ ...(success ? { said: message } : { trouble: message }), leftOut }));
  const turn = () => act(CHANGE_SERVER, { changes: { enabled: !server.enabled } }, () => ({ said: say(server.enabled ? "servers.off" : "servers.on") }));
  const remove = () =>
    setAsked({
      verb: say("sources.delete"),
      noun: "count.servers",
      about: `\`${server.name}\` (${server.url})`,
      told: say("servers.deleteTold"),
      trial: oneOnly,
      carryOut: async () => (await ask(DELETE_SERVER, { resourceUri: server.resourceUri }), again(), {}),
    });
  const unread = !server.seenSha256;
  const facts = [!unread && say("count.tools", { count: server.toolCount }), server.status === "ACTIVE" && say("servers.approved", { who: server.approvedBy, when: moment(server.approvedAt) }), server.headerNames.length > 0 && say("webhooks.headers", { names: listed(server.headerNames) })];
  return html`
    <li class="card">
      <div class="card-head"><strong>${server.name}</strong> <span class="kind">${say(`servers.${server.kind}`)}</span> <${Status} value=${server.enabled ? server.status : "INACTIVE"} /></div>
      <p class="quiet small"><code>${server.url}</code></p>
      ${server.description && html`<p class="quiet">${server.description}</p>`}
      ${facts.some(Boolean) && html`<p class="quiet small">${facts.filter(Boolean).join(" · ")}</p>`}
      ${server.statusMessage && !told?.trouble && html`<p class="trouble"><${English}>${server.statusMessage}<//></p>`}
      <${Outcome} told=${told} />
      ${server.enabled && may("CAN_EXECUTE") && unread && html`<p class="acts"><button type="button" disabled=${busy} onClick=${read}>${say("servers.read")}</button></p>`}
      ${!unread && html`<${Tools} key=${server.seenSha256 + server.status} server=${server} again=${again} onTold=${setTold} />`}
      ${!unread && html`<${Calls} server=${server} />`}
      <p class="asides">
        ${server.enabled && may("CAN_EXECUTE") && !unread && html`<button type="button" class="bare-button" disabled=${busy} onClick=${read}>${say("servers.readAgain")}</button>`}
        ${may("CAN_WRITE") && html`<button type="button" class="bare-button" disabled=${busy} onClick=${turn}>${say(server.enabled ? "servers.switchOff" : "schedules.on")}</button>`}
        <a href=${link("access", { on: server.resourceUri })}>${say("sources.access")}</a>
        ${may("CAN_DELETE") && html`<button type="button" class="bare-button" disabled=${busy} onClick=${remove}>${say("sources.delete")}</button>`}
      </p>
      ${may("CAN_WRITE") && html`<${Change} server=${server} onChanged=${again} />`}
      ${told?.leftOut?.length > 0 && html`<details class="more"><summary>${say("servers.leftOut", { count: server.leftOutCount })}</summary><ul class="why">${told.leftOut.map((one) => html`<li key=${one}><${English}>${one}<//></li>`)}</ul></details>`}
      ${asked && html`<${Sure} asked=${asked} onEnd=${(came) => (came?.failure && setTold(came), setAsked(null))} />`}
    </li>
  `;
}

function Change({ server, onChanged }) {
  const [failure, setFailure] = useState(null);
  const box = useRef();
  const change = async (event) => {
    event.preventDefault();
    const { name, url, bearerToken } = Object.fromEntries(new FormData(event.target));
    try {
      await ask(CHANGE_SERVER, { resourceUri: server.resourceUri, changes: { name: name.trim(), url: url.trim(), ...(bearerToken && { credentials: { bearerToken } }) } });
      setFailure(null);
      box.current.open = false;
      onChanged();
    } catch (problem) {
      setFailure(problem);
    }
  };
  return html`<details class="more" ref=${box}><summary>${say("sources.change")}</summary>
    <form class="fields stacked" onSubmit=${change}>
      <${Field} one=${["name", "text", "name", true]} value=${server.name} />
      <${Field} one=${["url", "url", "endpoint", true]} value=${server.url} />
      <label>${say("servers.bearer")}<input name="bearerToken" type="password" autocomplete="new-password" /></label>
      <button type="submit">${say("sources.keep")}</button>
    </form>
    <p class="quiet small">${say("servers.credentialsStay")}</p>
    ${failure && html`<${Failed} failure=${failure} />`}
  </details>`;
}
