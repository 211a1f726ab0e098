// Webhooks: who is told of events, how it went, and sending again. A secret is shown once, when it is made.
import { useEffect, useState } from "../vendor/preact-hooks.js";

import { oneOnly, Outcome, Sure } from "./decide.js";
import { ask } from "./graph.js";
import { Sending } from "./holdings.js";
import { Closed, useMay } from "./may.js";
import { useAll } from "./pages.js";
import { Empty, Failed, Help, html, Loading } from "./parts.js";
import { ADD_WEBHOOK, DELETE_WEBHOOK, DELIVERIES, REPLAY_WEBHOOK, SWITCH_WEBHOOK, TEST_WEBHOOK, WEBHOOKS } from "./webhook-documents.js";
import { Status } from "./runs.js";
import { listed, moment, named, say, sentence } from "./words.js";

const OPENLINEAGE = "OPENLINEAGE"; // a format of the channel WEBHOOK, chosen among the channels
const CHANNELS = ["WEBHOOK", OPENLINEAGE, "CHAT", "EMAIL"];
const TYPES = ["RUN_STARTED", "RUN_ENDED", "VIOLATION_OPENED", "VIOLATION_REOPENED", "VIOLATION_RESOLVED", "SCORE_FELL", "SCHEMA_CHANGED", "PERSONAL_DATA_FOUND", "PROPOSALS_WAITING", "CONNECTION_BROKE", "TERM_APPROVED", "BUDGET_NEARLY_SPENT"];
const DAY = 86_400_000;
const MOST = 50;
const PAUSE = 3000;

export function Webhooks() {
  const { items, total, loading, failure, again } = useAll(WEBHOOKS, {});
  const may = useMay();
  const [channel, setChannel] = useState(CHANNELS[0]);
  const [told, setTold] = useState(null);
  const [secret, setSecret] = useState(null);
  const byHttp = channel !== "EMAIL";
  const add = async ({ name, url, authorization }, form) => {
    const types = new FormData(form).getAll("types");
    const headers = authorization?.trim() ? [{ name: "Authorization", value: authorization.trim() }] : [];
    const { createWebhook: made } = await ask(ADD_WEBHOOK, { webhook: { name: name.trim(), url: url.trim(), types, headers, ...(channel === OPENLINEAGE ? { format: OPENLINEAGE } : { channel }) } });
    setSecret(made.secret);
    setTold({ said: say("webhooks.added", { name: made.webhook.name }) });
    again();
  };
  return html`
    <${Help} text=${say("webhooks.lead")} />
    <${Outcome} told=${told} />
    ${secret && html`<div class="outcome" role="status"><p>${say("webhooks.secret")}</p><p><code class="secret">${secret}</code></p><button type="button" class="quiet-button" onClick=${() => setSecret(null)}>${say("webhooks.kept")}</button></div>`}
    ${failure && html`<${Failed} failure=${failure} again=${again} />`}
    ${total === null && loading && html`<${Loading} />`}
    ${total === 0 && html`<${Empty} icon="runs" title=${say("webhooks.none")}>${say("webhooks.none.next")}<//>`}
    <ul class="hits">${items.map((one) => html`<${Webhook} key=${one.id} one=${one} may=${may} again=${again} />`)}</ul>
    ${(total !== null || failure) && (may("CAN_CREATE_RESOURCES") ? html`<${Sending} title=${say("webhooks.add")} verb=${say("projects.create")} send=${add} fields=${[["name", "text", "sources.name", true], ["url", "text", byHttp ? "sources.endpoint" : "webhooks.mail", true], ...(byHttp ? [["authorization", "password", "webhooks.authorization", false]] : [])]}>
      <label>${say("webhooks.channel")}<select value=${channel} onChange=${(event) => setChannel(event.target.value)}>${CHANNELS.map((one) => html`<option key=${one} value=${one} selected=${one === channel}>${say(`webhooks.${one}`)}</option>`)}</select></label>
      ${channel !== OPENLINEAGE && html`<label>${say("webhooks.types")}<select name="types" multiple size="5">${TYPES.map((one) => html`<option key=${one} value=${one}>${sentence(named("event", one))}</option>`)}</select></label>`}
    <//>` : html`<${Closed} needs=${["CAN_CREATE_RESOURCES"]} />`)}
  `;
}

function Webhook({ one, may, again }) {
  const [told, setTold] = useState(null);
  const [asked, setAsked] = useState(null);
  const [open, setOpen] = useState(false);
  const [round, setRound] = useState(0);
  const act = (document, given, said) =>
    ask(document, { webhookId: one.id, ...given }).then(
      (answer) => (setTold({ said: said(answer) }), setRound(round + 1), again()),
      (failure) => setTold({ failure }),
    );
  const remove = () =>
    setAsked({
      verb: say("glossary.delete"),
      noun: "count.webhooks",
      about: one.name,
      told: say("webhooks.deleteTold"),
      trial: oneOnly,
      carryOut: async () => (await ask(DELETE_WEBHOOK, { webhookId: one.id }), again(), {}),
    });
  const paused = one.status === "PAUSED";
  const button = (text, onClick) => html`<button type="button" class="quiet-button" aria-label=${say("rules.doOf", { verb: text, name: one.name })} onClick=${onClick}>${text}</button>`;
  return html`
    <li class="card">
      <div class="card-head"><strong>${one.name}</strong> <span class="kind">${say(`webhooks.${one.format === OPENLINEAGE ? OPENLINEAGE : one.channel}`)}</span> <${Status} value=${paused ? "INACTIVE" : "ACTIVE"} /></div>
      <p class="quiet small"><code>${one.url}</code></p>
      <p class="quiet">${[one.types.length ? listed(one.types.map((type) => named("event", type))) : one.format === OPENLINEAGE ? listed(["RUN_STARTED", "RUN_ENDED"].map((type) => named("event", type))) : say("webhooks.all"), one.headerNames.length > 0 && say("webhooks.headers", { names: listed(one.headerNames) }), one.lastDeliveredAt && say("webhooks.last", { when: moment(one.lastDeliveredAt) }), one.failures > 0 && say("webhooks.failures", { count: one.failures })].filter(Boolean).join(" · ")}</p>
      ${may("CAN_WRITE") && html`<p class="acts">
        ${button(say("webhooks.test"), () => act(TEST_WEBHOOK, {}, () => say("webhooks.tested")))}
        ${button(say("webhooks.replay"), () => act(REPLAY_WEBHOOK, { since: new Date(Date.now() - DAY).toISOString() }, ({ replayWebhook }) => say("webhooks.replayed", { count: replayWebhook.deliveries })))}
        ${button(say(paused ? "schedules.on" : "schedules.pause"), () => act(SWITCH_WEBHOOK, { status: paused ? "ACTIVE" : "PAUSED" }, () => say(paused ? "webhooks.on" : "webhooks.off")))}
        ${may("CAN_DELETE") && button(say("glossary.delete"), remove)}
      </p>`}
      <${Outcome} told=${told} />
      <details class="more" onToggle=${(event) => setOpen(event.target.open)}><summary>${say("webhooks.deliveries")}</summary>${open && html`<${Deliveries} key=${round} webhook=${one} />`}</details>
      ${asked && html`<${Sure} asked=${asked} onEnd=${(came) => (came && setTold(came), setAsked(null))} />`}
    </li>
  `;
}

function Deliveries({ webhook }) {
  const { items, total, loading, failure, again } = useAll(DELIVERIES, { webhookId: webhook.id }, MOST);
  // What has just been sent comes in line by and by.
  const moving = total !== null && (!items.length || items.some((one) => one.status === "WAITING"));
  useEffect(() => {
    if (!moving) return undefined;
    const later = setInterval(() => document.hidden || again(), PAUSE);
    return () => clearInterval(later);
  }, [moving]);
  if (failure) return html`<${Failed} failure=${failure} again=${again} />`;
  if (total === null && loading) return html`<${Loading} />`;
  return html`
    ${total === 0 && html`<p class="quiet">${say("webhooks.noDeliveries")}</p>`}
    <ul class="plain rows">
      ${items.map(
        (one) => html`<li key=${one.id}>
          <span class=${`status ${{ DELIVERED: "completed", GIVEN_UP: "failed" }[one.status] ?? ""}`}>${named("delivery", one.status)}</span> ${sentence(named("event", one.type))}
          <span class="quiet line">${[moment(one.createdAt), one.assetFqn, one.responseStatus && `HTTP ${one.responseStatus}`, say("webhooks.attempts", { count: one.attempts })].filter(Boolean).join(" · ")}</span>
          ${one.error && html`<span class="line trouble">${one.error}</span>`}
        </li>`,
      )}
    </ul>
    <button type="button" class="quiet-button" onClick=${again}>${say("webhooks.again")}</button>
  `;
}
