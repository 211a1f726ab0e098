// One run as it happens: its tasks, what failed and why, what it made.
import { useEffect, useState } from "../vendor/preact-hooks.js";

import { CANCEL_RUN, RETRY_RUN, RUN } from "./documents.js";
import { ask, follow, save } from "./graph.js";
import { DOWNLOAD } from "./inbox-documents.js";
import { useMay } from "./may.js";
import { English, Failed, Heading, html, Loading, NotShown, Told } from "./parts.js";
import { link, part, parts, tableOf } from "./places.js";
import { placeOf, Progress, Status } from "./runs.js";
import { startOn } from "./start.js";
import { isOpen, lasted, moment, number, pieces, say, sentence, work } from "./words.js";

const FIRST = 30;
const FEW = 5;
const READS_IN = "SERVICE_INGESTION";
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
    <p class="facts"><${Status} value=${run.status} /> <${On} run=${run} />${placeOf(run) && " · "}<span>${[moment(run.startedAt) || say("run.waits"), lasted(run)].filter(Boolean).join(" · ")}</span></p>
    ${open && html`<p role="status"><${Progress} run=${run} label=${say("run.over")} />${run.progress.rowsTotal > 0 && html` <span class="quiet small">${say("run.rowsOf", { done: run.progress.rowsDone ?? 0, rows: say("count.rows", { count: run.progress.rowsTotal }) })}</span>`}</p>`}
    ${refused && html`<${Failed} failure=${refused} />`}
    ${failure && html`<${Failed} failure=${failure} again=${() => setRound(round + 1)} />`}
    ${run.errorMessage && html`<div class="face wrong" role="alert"><strong>${say("run.failed")}</strong><${English}>${run.errorMessage}<//>${run.progress.failed > 0 ? html`<span>${say("run.failed.next")}</span>` : run.workflowType === READS_IN && html`<span><a href=${link("sources")}>${say("run.source")}</a></span>`}</div>`}
    <${Made} run=${run} may=${may} />
    <${Ignored} output=${run.output} />
    <${Insights} list=${run.output.insights ?? []} />
    <${Tasks} key=${open} tasks=${run.tasks} total=${run.progress.tasks} folded=${run.status === "COMPLETED" && !run.progress.failed} />
  `;
}

function On({ run }) {
  const fqn = run.assetFqn;
  if (!placeOf(run)) return null;
  if (!fqn) return html`${pieces("run.on", { place: placeOf(run) })}`;
  const place = parts(fqn).length === 4 ? link("asset", { fqn }) : link("find", { under: fqn, kind: "TABLE" });
  return html`${pieces("run.on", { place: html`<a href=${place}>${fqn}</a>` })}`;
}

// What people ask of a run first; all other figures are there for who looks.
const TOLD = ["created", "updated", "vanished", "restored", "tables", "profiling_tables", "profiling_columns", "profiling_rows", "pii_found", "quality_rules_found", "rules", "failed", "suspects", "new_violations", "reopened", "resolved", "proposal_parts"];

// What a run made, and what to do with it: proposals wait in the inbox, and one kind of work goes before another.
function Made({ run, may }) {
  const { output } = run;
  const figures = Object.entries(output).filter(([name, value]) => typeof value === "number" && value !== 0 && !/tasks/.test(name));
  const [told, rest] = [TOLD.filter((name) => output[name] > 0), figures.filter(([name]) => !TOLD.includes(name))];
  if (!figures.length) return null;
  return html`
    <section class="part" aria-label=${say("run.made")}>
      <h2>${say("run.made")}</h2>
      <dl class="figures">${told.map((name) => html`<div key=${name}><dt>${say(`made.${name}`)}</dt><dd>${number(output[name])}</dd></div>`)}</dl>
      ${run.status === "COMPLETED" && html`<${Next} run=${run} may=${may} />`}
      ${rest.length > 0 && html`<details class="more"><summary>${say("run.figures")}</summary><dl class="figures">${rest.map(([name, value]) => html`<div key=${name}><dt>${sentence(work(name))}</dt><dd>${number(value)}</dd></div>`)}</dl></details>`}
    </section>
  `;
}

function Next({ run: { id, workflowType, assetFqn, input, output }, may }) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState(null);
  const act = (what) => {
    setBusy(true);
    setFailure(null);
    return what().catch(setFailure).finally(() => setBusy(false));
  };
  const report = () => act(async () => save((await ask(DOWNLOAD, { resourceUri: output.report_uri })).artifactDownload));
  const service = input.resource_uri && part(input.resource_uri.split(":").at(-1));
  const [following, on] = { [READS_IN]: ["enrich", service], RUN_ALL_ENRICHMENT: ["assess", assetFqn] }[workflowType] ?? [];
  // What was read in is looked at sooner or later; most want to know first what is in it.
  const leads = Boolean(workflowType === READS_IN && on && may("CAN_EXECUTE"));
  const follow = following && on && may("CAN_EXECUTE") && html`<button type="button" class=${leads ? undefined : "quiet-button"} disabled=${busy} title=${say(`sources.${following}.told`)} onClick=${() => act(() => startOn(following, on))}>${say(`sources.${following}`)}</button>`;
  return html`
    <p class="acts">
      ${leads && follow}
      ${workflowType === READS_IN && html`<a class=${leads ? "button quiet-button" : "button"} href=${link("find", { under: service, kind: "TABLE" })}>${say("run.find")}</a>`}
      ${output.proposals > 0 && html`<a class="button" href=${link("inbox", { run: id })}>${say("run.decide")}</a>`}
      ${workflowType === "DQ_ASSESSMENT" && html`<a class="button" href=${link("inbox", { of: "violations", like: assetFqn ? `${assetFqn}*` : "" })}>${say("run.violations")}</a>`}
      ${!leads && follow}
      ${output.report_uri && html`<button type="button" class="quiet-button csv" disabled=${busy} onClick=${report}>${say("run.report")}</button>`}
    </p>
    ${failure && html`<${Failed} failure=${failure} />`}
  `;
}

// The files of a source that are no tables, each with why.
function Ignored({ output: { ignored, ignored_files: count } }) {
  if (!count) return null;
  return html`
    <section class="part" aria-label=${say("run.ignored")}>
      <h2>${say("run.ignored")} <small>${say("count.files", { count })}</small></h2>
      <ul class="plain rows">${(ignored ?? []).map(({ path, reason }) => html`<li key=${path}><code>${path}</code> <span class="quiet line"><${English}>${reason}<//></span></li>`)}</ul>
      <${NotShown} count=${count - (ignored ?? []).length} />
    </section>
  `;
}

// What stands out in the data, the weightiest first.
function Insights({ list }) {
  const [all, setAll] = useState(false);
  if (!list.length) return null;
  const sorted = [...list].sort((one, other) => other.weight - one.weight);
  return html`
    <section class="part" aria-label=${say("run.insights")}>
      <h2>${say("run.insights")}</h2>
      <ul class="plain rows">${(all ? sorted : sorted.slice(0, FEW)).map((one) => html`<li key=${one.kind + one.sentence}><${English}><${Told} text=${one.sentence} /><//> ${parts(one.asset_fqn).length > 3 && html`<a href=${link("asset", { fqn: tableOf(one.asset_fqn) })}>${say("run.insight.see")}<span class="hidden"> ${tableOf(one.asset_fqn)}</span></a>`}</li>`)}</ul>
      ${!all && sorted.length > FEW && html`<button type="button" class="quiet-button" onClick=${() => setAll(true)}>${say("desk.show", { count: sorted.length - FEW })}</button>`}
    </section>
  `;
}

// The tasks, folded where all of them came to a good end.
function Tasks({ tasks, total, folded }) {
  const [all, setAll] = useState(false);
  const [open, setOpen] = useState(!folded);
  const sorted = [...tasks].sort(urgent);
  const shown = all ? sorted : sorted.slice(0, FIRST);
  if (!tasks.length) return null;
  return html`
    <section class="part" aria-label=${say("run.tasks")}>
      <h2>${say("run.tasks")}</h2>
      ${!open && html`<button type="button" class="quiet-button" onClick=${() => setOpen(true)}>${say("run.showTasks", { tasks: say("count.tasks", { count: total }) })}</button>`}
      ${open && html`<ul class="plain rows">
        ${shown.map(
          (task) => html`<li key=${task.id}>
            <${Status} value=${task.status} /> ${task.name}
            <span class="quiet"> ${[rowsOf(task), task.status === "RUNNING" && task.waitsFor && say("run.place"), lasted(task)].filter(Boolean).join(" · ")}</span>
            ${task.errorMessage && html`<span class=${task.status === "FAILED" ? "line trouble" : "line quiet"}><${English}>${task.errorMessage}<//></span>`}
          </li>`,
        )}
      </ul>`}
      ${open && sorted.length > shown.length && html`<button type="button" class="quiet-button" onClick=${() => setAll(true)}>${say("desk.show", { count: sorted.length - shown.length })}</button>`}
      <${NotShown} count=${total - tasks.length} />
    </section>
  `;
}

function rowsOf({ rowsDone, rowsTotal }) {
  if (rowsDone == null) return "";
  return rowsTotal == null ? say("count.rows", { count: rowsDone }) : say("run.rowsOf", { done: rowsDone, rows: say("count.rows", { count: rowsTotal }) });
}
