// One run as it happens: its tasks, what failed and why, what it made.
import { useEffect, useState } from "../vendor/preact-hooks.js";

import { CANCEL_RUN, RETRY_RUN, RUN } from "./documents.js";
import { ask, follow } from "./graph.js";
import { useMay } from "./may.js";
import { English, Failed, Heading, html, Loading, NotShown } from "./parts.js";
import { link, parts } from "./places.js";
import { Progress, Status } from "./runs.js";
import { isOpen, lasted, moment, number, pieces, say, sentence, work } from "./words.js";

const FIRST = 30;
const URGENT = ["FAILED", "RUNNING", "SKIPPED", "PENDING", "CANCELED", "COMPLETED"];
const urgent = (one, other) => URGENT.indexOf(one.status) - URGENT.indexOf(other.status);

export function Run({ given }) {
  const [run, setRun] = useState(null);
  const [failure, setFailure] = useState(null);
  const [refused, setRefused] = useState(null);
  const [round, setRound] = useState(0);
  const may = useMay();
  const variables = { configurationId: given.configuration, runId: given.run };
  useEffect(() => {
    const leaving = new AbortController();
    setFailure(null);
    follow(RUN, variables, setRun, leaving.signal, (heard) => !isOpen(heard.status)).catch((error) => leaving.signal.aborted || setFailure(error));
    return () => leaving.abort();
  }, [given.run, round]);
  const act = (document) => {
    setRefused(null);
    return ask(document, variables).then(() => setRound(round + 1), setRefused);
  };
  if (!run) return html`<${Heading} title=${say("run.one")}>${say("run.one")}<//>${failure ? html`<${Failed} failure=${failure} again=${() => setRound(round + 1)} />` : html`<${Loading} what=${say("run.opening")} />`}`;
  const open = isOpen(run.status);
  return html`
    <nav class="trail" aria-label=${say("part.where")}><a href=${link("runs")}>${say("place.runs")}</a></nav>
    <div class="ask-head">
      <${Heading} title=${sentence(work(run.workflowType))}>${sentence(work(run.workflowType))}<//>
      ${open && may("CAN_EXECUTE") && html`<button type="button" class="quiet-button" onClick=${() => act(CANCEL_RUN)}>${say("run.cancel")}</button>`}
      ${!open && run.progress.failed > 0 && may("CAN_EXECUTE") && html`<button type="button" class="quiet-button" onClick=${() => act(RETRY_RUN)}>${say("run.retry")}</button>`}
    </div>
    <p class="facts"><${Status} value=${run.status} /> <${On} fqn=${run.assetFqn} /> <span>${[moment(run.startedAt) || say("run.waits"), lasted(run)].filter(Boolean).join(" · ")}</span></p>
    <p role="status"><${Progress} progress=${run.progress} label=${say("run.over")} />${run.progress.rowsTotal > 0 && html` <span class="quiet small">${say("run.rowsOf", { done: run.progress.rowsDone ?? 0, rows: say("count.rows", { count: run.progress.rowsTotal }) })}</span>`}</p>
    ${refused && html`<${Failed} failure=${refused} />`}
    ${failure && html`<${Failed} failure=${failure} again=${() => setRound(round + 1)} />`}
    ${run.errorMessage && html`<div class="face wrong" role="alert"><strong>${say("run.failed")}</strong><${English}>${run.errorMessage}<//>${run.progress.failed > 0 && html`<span>${say("run.failed.next")}</span>`}</div>`}
    <${Made} run=${run} />
    <${Tasks} tasks=${run.tasks} total=${run.progress.tasks} />
  `;
}

function On({ fqn }) {
  if (!fqn) return null;
  const place = parts(fqn).length === 4 ? link("asset", { fqn }) : link("find", { under: fqn, kind: "TABLE" });
  return html`${pieces("run.on", { place: html`<a href=${place}>${fqn}</a>` })}`;
}

// What a run made, as far as it is figures; proposals wait in the inbox.
function Made({ run }) {
  const figures = Object.entries(run.output).filter(([name, value]) => typeof value === "number" && value !== 0 && !/tasks/.test(name));
  if (!figures.length) return null;
  return html`
    <section class="part" aria-label=${say("run.made")}>
      <h2>${say("run.made")}</h2>
      <dl class="figures">${figures.map(([name, value]) => html`<div key=${name}><dt>${work(name)}</dt><dd>${number(value)}</dd></div>`)}</dl>
      ${run.workflowType === "SERVICE_INGESTION" && run.status === "COMPLETED" && html`<p><a class="button" href=${link("find", { kind: "TABLE" })}>${say("run.find")}</a></p>`}
      ${run.output.proposals > 0 && run.status === "COMPLETED" && html`<p><a class="button" href=${link("inbox", { run: run.id })}>${say("run.decide")}</a></p>`}
    </section>
  `;
}

function Tasks({ tasks, total }) {
  const [all, setAll] = useState(false);
  const sorted = [...tasks].sort(urgent);
  const shown = all ? sorted : sorted.slice(0, FIRST);
  if (!tasks.length) return null;
  return html`
    <section class="part" aria-label=${say("run.tasks")}>
      <h2>${say("run.tasks")}</h2>
      <ul class="plain rows">
        ${shown.map(
          (task) => html`<li key=${task.id}>
            <${Status} value=${task.status} /> ${task.name}
            <span class="quiet"> ${[rowsOf(task), task.status === "RUNNING" && task.waitsFor && say("run.place"), lasted(task)].filter(Boolean).join(" · ")}</span>
            ${task.errorMessage && html`<span class=${task.status === "FAILED" ? "line trouble" : "line quiet"}><${English}>${task.errorMessage}<//></span>`}
          </li>`,
        )}
      </ul>
      ${sorted.length > shown.length && html`<button type="button" class="quiet-button" onClick=${() => setAll(true)}>${say("desk.show", { count: sorted.length - shown.length })}</button>`}
      <${NotShown} count=${total - tasks.length} />
    </section>
  `;
}

function rowsOf({ rowsDone, rowsTotal }) {
  if (rowsDone == null) return "";
  return rowsTotal == null ? say("count.rows", { count: rowsDone }) : say("run.rowsOf", { done: rowsDone, rows: say("count.rows", { count: rowsTotal }) });
}
