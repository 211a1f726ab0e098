// Schedules: runs that begin by themselves.
import { useState } from "../vendor/preact-hooks.js";

import { ask } from "./graph.js";
import { ADD_SCHEDULE, DELETE_SCHEDULE, SCHEDULES, SWITCH_SCHEDULE } from "./place-documents.js";
import { Closed, useMay } from "./may.js";
import { Empty, Failed, Heading, Help, html, Loading, useAnswer } from "./parts.js";
import { RunViews } from "./runs.js";
import { moment, say, sentence, work } from "./words.js";

const WHEN = { hourly: "0 * * * *", daily: "0 6 * * *", weekly: "0 6 * * 1", monthly: "0 6 1 * *", own: "" };
const often = (cron) => Object.keys(WHEN).find((name) => WHEN[name] === cron);

export function Schedules() {
  const { data, failure, again } = useAnswer(SCHEDULES, {});
  const configurations = data?.workflowConfigurations.nodes ?? [];
  const may = useMay();
  const items = data?.schedules.nodes ?? [];
  return html`
    <${Heading} title=${say("runs.schedules")}>${say("place.runs")}<//>
    <${RunViews} now="schedules" />
    <${Help} text=${say("schedules.lead")} />
    ${failure && html`<${Failed} failure=${failure} again=${again} />`}
    ${!data && !failure && html`<${Loading} />`}
    ${data && !items.length && html`<${Empty} icon="runs" title=${say("schedules.none")}>${say(!configurations.length ? "schedules.configurations" : may("CAN_CREATE_RESOURCES") ? "schedules.none.next" : "schedules.none.look")}<//>`}
    <ul class="hits">${items.map((one) => html`<${Schedule} key=${one.scheduleId} one=${one} runs=${configurations.find(({ id }) => id === one.referenceId)} may=${may} again=${again} />`)}</ul>
    ${!may("CAN_CREATE_RESOURCES") && html`<${Closed} needs=${["CAN_CREATE_RESOURCES"]} />`}
    ${configurations.length > 0 && may("CAN_CREATE_RESOURCES") && html`<${Add} configurations=${configurations} again=${again} />`}
  `;
}

function Schedule({ one, runs, may, again }) {
  const [failure, setFailure] = useState(null);
  const act = (document, given = {}) => ask(document, { scheduleId: one.scheduleId, ...given }).then(again, setFailure);
  const { cron, timezone, runAt } = one.schedule;
  const when = often(cron) ? `${say(`schedules.${often(cron)}`)} (${timezone})` : cron ? `${cron} (${timezone})` : moment(runAt);
  const told = [when, runs && work(runs.workflowType), one.enabled ? one.nextRunAt && say("schedules.next", { when: moment(one.nextRunAt) }) : say("schedules.off"), one.lastRunAt && say("schedules.last", { when: moment(one.lastRunAt) })];
  return html`
    <li class="card">
      <div class="card-head"><strong>${one.scheduleName}</strong></div>
      <p class="quiet">${told.filter(Boolean).join(" · ")}</p>
      <p class="acts">
        ${may("CAN_WRITE") && html`<button type="button" class="quiet-button" onClick=${() => act(SWITCH_SCHEDULE, { enabled: !one.enabled })}>${say(one.enabled ? "schedules.pause" : "schedules.on")}</button>`}
        ${may("CAN_DELETE") && html`<button type="button" class="quiet-button" onClick=${() => act(DELETE_SCHEDULE)}>${say("schedules.delete")}</button>`}
      </p>
      ${failure && html`<${Failed} failure=${failure} />`}
    </li>
  `;
}

function Add({ configurations, again }) {
  const [configuration, setConfiguration] = useState(configurations[0].id);
  const [when, setWhen] = useState("daily");
  const [cron, setCron] = useState("");
  const [failure, setFailure] = useState(null);
  const title = (one) => `${sentence(work(one.workflowType))}: ${one.name}`;
  async function add(event) {
    event.preventDefault();
    setFailure(null);
    const chosen = configurations.find(({ id }) => id === configuration) ?? configurations[0];
    const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
    try {
      await ask(ADD_SCHEDULE, { name: title(chosen), cron: WHEN[when] || cron.trim(), timezone, configurationId: chosen.id });
      again();
    } catch (error) {
      setFailure(error);
    }
  }
  return html`
    <section class="part" aria-label=${say("schedules.add")}>
      <h2>${say("schedules.add")}</h2>
      <form class="fields" onSubmit=${add}>
        <label>${say("schedules.what")}<select value=${configuration} onChange=${(event) => setConfiguration(event.target.value)}>${configurations.map((one) => html`<option key=${one.id} value=${one.id} selected=${one.id === configuration}>${title(one)}</option>`)}</select></label>
        <label>${say("schedules.when")}<select value=${when} onChange=${(event) => setWhen(event.target.value)}>${Object.keys(WHEN).map((one) => html`<option key=${one} value=${one} selected=${one === when}>${say(`schedules.${one}`)}</option>`)}</select></label>
        ${when === "own" && html`<label>${say("schedules.cron")}<input required value=${cron} placeholder="30 6 * * 1-5" autocomplete="off" onInput=${(event) => setCron(event.target.value)} /></label>`}
        <button type="submit">${say("schedules.create")}</button>
      </form>
      ${failure && html`<${Failed} failure=${failure} />`}
    </section>
  `;
}
