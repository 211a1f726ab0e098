// Runs: the work of the platform on data, how far each has come, and one of them as it happens.
import { useEffect, useState } from "../vendor/preact-hooks.js";

import { RUNS } from "./documents.js";
import { useAll } from "./pages.js";
import { Empty, English, Failed, Heading, html, Loading, Views } from "./parts.js";
import { link } from "./places.js";
import { Run } from "./run.js";
import { Schedules } from "./schedules.js";
import { isOpen, lasted, moment, named, pieces, say, sentence, work } from "./words.js";

const FIRST = 50;
const PAUSE = 3000;
const SHOWN = { "": () => true, open: (run) => isOpen(run.status), failed: (run) => run.status === "FAILED" || run.progress.failed > 0 };
const NAMES = [["", "runs.all"], ["open", "runs.open"], ["failed", "runs.failed"]];

export function Runs({ given }) {
  if (given.of === "schedules") return html`<${Schedules} />`;
  return given.run && given.configuration ? html`<${Run} key=${given.run} given=${given} />` : html`<${List} only=${given.only ?? ""} />`;
}

export const RunViews = ({ now }) => html`
  <${Views} label=${say("runs.views")} now=${now} views=${[["", say("place.runs"), link("runs")], ["schedules", say("runs.schedules"), link("runs", { of: "schedules" })]]} />
`;

export const Status = ({ value }) => html`<span class=${`status ${value.toLowerCase()}`}>${named("status", value)}</span>`;

// What a run works on: a part of the catalog, or the source that it reads in, by its name.
export const placeOf = ({ assetFqn, workflowType, workflowName }) => assetFqn || (workflowType === "SERVICE_INGESTION" ? workflowName : "");

// How many tasks are over of those that there are; more may begin while a run goes on. Once it is over there is nothing
// to wait for, and the tasks are a figure like others.
export function Progress({ run: { progress: { tasks, completed, failed, skipped }, status }, label }) {
  const over = completed + failed + skipped;
  if (!isOpen(status)) return tasks ? html`<span class="quiet small">${over < tasks || failed ? say(failed ? "runs.progressFailed" : "runs.progress", { over, failed, tasks: say("count.tasks", { count: tasks }) }) : say("count.tasks", { count: tasks })}</span>` : null;
  return html`
    <span class="progress">
      <progress max=${Math.max(1, tasks)} value=${over} aria-label=${label}></progress>
      <span class="quiet">${tasks ? say(failed ? "runs.progressFailed" : "runs.progress", { over, failed, tasks: say("count.tasks", { count: tasks }) }) : say("runs.unplanned")}</span>
    </span>
  `;
}

function List({ only }) {
  const [most, setMost] = useState(FIRST);
  const { items, total, loading, failure, again } = useAll(RUNS, {}, most);
  const moving = items.some((run) => isOpen(run.status));
  useEffect(() => {
    if (!moving) return undefined;
    const later = setInterval(() => document.hidden || again(), PAUSE);
    return () => clearInterval(later);
  }, [moving]);
  const shown = items.filter(SHOWN[only] ?? SHOWN[""]);
  const left = (total ?? 0) - items.length;
  return html`
    <${Heading} title=${say("place.runs")}>${say("place.runs")}<//>
    <${RunViews} now="" />
    <div class="kinds" role="group" aria-label=${say("runs.which")}>
      ${NAMES.map(([name, title]) => html`<a key=${name} href=${link("runs", { only: name })} aria-current=${name === only ? "true" : undefined}>${say(title)}</a>`)}
    </div>
    ${failure && html`<${Failed} failure=${failure} again=${again} />`}
    ${total === null && loading && html`<${Loading} what=${say("runs.fetching")} />`}
    ${total !== null && !shown.length && html`<${Empty} icon="runs" title=${say(only ? "runs.none" : "runs.noneYet")}>${only && left > 0 ? say("runs.older") : pieces("runs.noneYet.next", { find: html`<a href=${link("find", { kind: "TABLE" })}>${say("place.find")}</a>` })}<//>`}
    <ul class="plain rows runs">${shown.map((run) => html`<${Line} key=${run.id} run=${run} />`)}</ul>
    ${left > 0 && html`<button type="button" class="quiet-button" disabled=${loading && !moving} onClick=${() => setMost(most + FIRST)}>${say("runs.more", { count: Math.min(FIRST, left) })}</button>`}
  `;
}

const Line = ({ run }) => html`
  <li>
    <span class="deed"><a href=${link("runs", { run: run.id, configuration: run.configurationId })}>${sentence(work(run.workflowType))}</a> ${placeOf(run)}</span>
    <${Progress} run=${run} label=${say("run.overOf", { work: work(run.workflowType) })} />
    <${Status} value=${run.status} />
    <span class="quiet line">${[moment(run.startedAt) || say("run.waits"), lasted(run)].filter(Boolean).join(" · ")}</span>
    ${run.errorMessage && html`<span class="line trouble"><${English}>${run.errorMessage}<//></span>`}
  </li>
`;
