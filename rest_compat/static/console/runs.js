// Runs: the work of the platform on data, how far each has come, and one of them as it happens.
import { useEffect, useState } from "../vendor/preact-hooks.js";

import { RUNS } from "./documents.js";
import { useAll } from "./pages.js";
import { Empty, Failed, Heading, html, Loading } from "./parts.js";
import { link } from "./places.js";
import { Run } from "./run.js";
import { counted, isOpen, lasted, moment, plain, sentence, work } from "./words.js";

const FIRST = 50;
const PAUSE = 3000;
const SHOWN = { "": () => true, open: (run) => isOpen(run.status), failed: (run) => run.status === "FAILED" || run.progress.failed > 0 };
const NAMES = [["", "All"], ["open", "Running"], ["failed", "With failures"]];

export function Runs({ given }) {
  return given.run && given.configuration ? html`<${Run} key=${given.run} given=${given} />` : html`<${List} only=${given.only ?? ""} />`;
}

export const Status = ({ value }) => html`<span class=${`status ${value.toLowerCase()}`}>${plain(value)}</span>`;

// How many tasks are over of those that there are; more may begin while a run goes on.
export function Progress({ progress: { tasks, completed, failed, skipped }, label }) {
  const over = completed + failed + skipped;
  return html`
    <span class="progress">
      <progress max=${Math.max(1, tasks)} value=${over} aria-label=${label}></progress>
      <span class="quiet">${tasks ? `${over} of ${counted(tasks, "task", "tasks")}` : "not planned yet"}${failed ? `, ${failed} failed` : ""}</span>
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
    <${Heading} title="Runs">Runs<//>
    <div class="kinds" role="group" aria-label="Which runs">
      ${NAMES.map(([name, title]) => html`<a key=${name} href=${link("runs", { only: name })} aria-current=${name === only ? "true" : undefined}>${title}</a>`)}
    </div>
    ${failure && html`<${Failed} failure=${failure} again=${again} />`}
    ${total === null && loading && html`<${Loading} what="Fetching the runs" />`}
    ${total !== null && !shown.length && html`<${Empty} title=${only ? "None of these" : "No runs yet"}>${only && left > 0 ? "Not among the newest; look at older ones below." : html`Start one on the page of a table; look for it in <a href=${link("find", { kind: "TABLE" })}>Find</a>.`}<//>`}
    <ul class="plain rows runs">${shown.map((run) => html`<${Line} key=${run.id} run=${run} />`)}</ul>
    ${left > 0 && html`<button type="button" class="quiet-button" disabled=${loading && !moving} onClick=${() => setMost(most + FIRST)}>Show ${counted(Math.min(FIRST, left), "older one", "older ones")}</button>`}
  `;
}

const Line = ({ run }) => html`
  <li>
    <a href=${link("runs", { run: run.id, configuration: run.configurationId })}>${sentence(work(run.workflowType))}</a>
    <${Status} value=${run.status} />
    <${Progress} progress=${run.progress} label=${`${work(run.workflowType)}, tasks that are over`} />
    <span class="quiet line">${[run.assetFqn, moment(run.startedAt) || "waits for its turn", lasted(run)].filter(Boolean).join(" · ")}</span>
    ${run.errorMessage && html`<span class="line trouble">${run.errorMessage}</span>`}
  </li>
`;
