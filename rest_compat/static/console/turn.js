// One question and its answer. The events of an answer are kept, so an old one is told as a new one is.
import { useEffect, useState } from "../vendor/preact-hooks.js";

import { Chart } from "./chart.js";
import { CANCEL_TASK, PROVENANCE } from "./ask-documents.js";
import { CSV, FOLLOW } from "./documents.js";
import { ask, follow, save } from "./graph.js";
import { English, Failed, html, Icon, Loading, useAnswer } from "./parts.js";
import { link } from "./places.js";
import { lasting, listed, moment, percent, say, sentence } from "./words.js";
import { Rows } from "./rows.js";

const LONG = 3; // seconds after which one may want to stop
const CANCELED = "canceled";
const NOTHING = { steps: [], text: "", sql: null, result: null, artifacts: [], done: null, error: null };

// What is known of an answer once one more event of it was heard.
export function told(known, { event, data }) {
  if (event === "TASK_UPDATE") return data.message ? { ...known, steps: [...known.steps, data.message] } : known;
  if (event === "MESSAGE_DELTA") return { ...known, text: known.text + (data.delta ?? "") };
  if (event === "SQL") return { ...known, sql: data };
  if (event === "RESULT") return { ...known, result: data };
  if (event === "ARTIFACT") return { ...known, artifacts: [...known.artifacts, data] };
  if (event === "DONE") return { ...known, done: data, text: (data.state !== CANCELED && data.message) || known.text };
  if (event === "ERROR") return { ...known, error: data };
  return known;
}

export function Turn({ session, turn, last, followed, onPick }) {
  const [known, setKnown] = useState(NOTHING);
  const [failure, setFailure] = useState(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    setKnown(NOTHING);
    setFailure(null);
    const heard = (event) => setKnown((before) => told(before, event));
    follow(FOLLOW, { sessionId: session, turnId: turn.turnId }, heard, leaving.signal).catch(
      (error) => leaving.signal.aborted || setFailure(error),
    );
    return () => leaving.abort();
  }, [session, turn.turnId, round]);

  const over = known.done || known.error;
  const canceled = known.done?.state === CANCELED;
  const provenance = useAnswer(PROVENANCE, known.done && known.sql && !canceled ? { sessionId: session, turnId: turn.turnId } : undefined);
  return html`
    <li class="turn" aria-busy=${String(!over && !failure)}>
      <p class="question">${turn.question}</p>
      <div class="answer">
        ${!over && !failure && html`<${Working} step=${known.steps.at(-1)} task=${turn.taskId} />`}
        ${canceled && html`<p class="quiet">${say("turn.canceled")}</p>`}
        <${Said} known=${known} why=${provenance.data?.turnProvenance} onPick=${last ? onPick : null} />
        ${known.error && html`<div class="face wrong" role="alert"><strong>${say("turn.failed")}</strong><span>${known.error.message}</span><span>${say("turn.failed.next")}</span></div>`}
        ${failure && html`<${Failed} failure=${failure} again=${() => setRound(round + 1)} />`}
        <${Readings} readings=${known.done?.readings} open=${last && onPick} picked=${followed} onPick=${onPick} />
        ${known.result ? html`<div class="result"><${Charts} artifacts=${known.artifacts} /><${Rows} result=${known.result} /></div><${Csv} artifacts=${known.artifacts} result=${known.result} />` : html`<${Charts} artifacts=${known.artifacts} />`}
        <${Query} known=${known} provenance=${provenance} />
      </div>
    </li>
  `;
}

// How far it has come, for how long, and the way to want it no more.
function Working({ step, task }) {
  const [seconds, setSeconds] = useState(0);
  const [state, setState] = useState({});
  useEffect(() => {
    const begun = Date.now();
    const ticking = setInterval(() => setSeconds(Math.round((Date.now() - begun) / 1000)), 1000);
    return () => clearInterval(ticking);
  }, []);
  const cancel = () => (setState({ busy: true }), ask(CANCEL_TASK, { taskId: task }).catch((failure) => setState({ failure })));
  return html`
    <p class="step"><span class="spinner" aria-hidden="true"></span><span role="status">${step ?? say("turn.sent")} …</span>${seconds >= LONG && html`<span class="quiet figure">${lasting(seconds)}</span>${task && html`<button type="button" class="quiet-button" disabled=${state.busy} onClick=${cancel}>${say("decide.stop")}</button>`}`}</p>
    ${state.failure && html`<${Failed} failure=${state.failure} />`}
  `;
}

// A question back names its readings in its text as well; the buttons say them better.
function Said({ known, why, onPick }) {
  const readings = known.done?.readings ?? [];
  const [first] = readings;
  const listed = readings.length > 1 ? `\n\n1. ${first.text}` : `\n\n${first?.text}`;
  const text = first ? known.text.split(listed)[0] : known.text;
  if (!text) return null;
  return html`<div class="said" aria-live="polite">${text.split(/\n\n+/).map((part, at) => (why?.warnings.includes(part) ? html`<${Doubt} key=${at} text=${part} doubts=${why.evidence?.doubts} />` : html`<${Part} key=${at} text=${part} onPick=${onPick} />`))}</div>`;
}

// What the asker is warned of, apart from what was found, with what made it doubtful.
const Doubt = ({ text, doubts = [] }) => html`
  <div class="doubt"><${Icon} name="wrong" /><span><${English}>${text}<//>${doubts.length > 0 && html`<ul>${doubts.map((one) => html`<li key=${one}><${English}>${sentence(one)}.<//></li>`)}</ul>`}</span></div>
`;

// A list of questions that can be asked is one to ask from.
function Part({ text, onPick }) {
  const [head, ...lines] = text.split("\n");
  const questions = lines.filter((line) => line.startsWith("- ") && line.endsWith("?")).map((line) => line.slice(2));
  if (!questions.length || questions.length < lines.length) return html`<p>${text}</p>`;
  if (!onPick) return html`<p>${head}</p><ul>${questions.map((question) => html`<li key=${question}>${question}</li>`)}</ul>`;
  return html`
    <p>${head}</p>
    <div class="suggestions">
      ${questions.map((question) => html`<button key=${question} type="button" class="quiet-button" onClick=${() => onPick({ text: question, id: null })}>${question}</button>`)}
    </div>
  `;
}

// What may be meant; what was gone on with stays marked.
function Readings({ readings, open, picked, onPick }) {
  if (!readings?.length) return null;
  return html`
    <ul class="readings" aria-label=${say("turn.readings")}>
      ${readings.map(
        (reading) => html`<li key=${reading.id}>
          <button type="button" class=${reading.text === picked ? "picked" : undefined} aria-pressed=${open ? undefined : String(reading.text === picked)} disabled=${!open} onClick=${() => onPick(reading)}>
            <span>${reading.text}</span>
            ${reading.row_count != null && html`<span class="quiet">${say("count.rows", { count: reading.row_count })}</span>`}
          </button>
        </li>`,
      )}
    </ul>
  `;
}

const of = (artifacts, kind) => artifacts.find((one) => one.artifact_type === kind);

function Charts({ artifacts }) {
  const chart = of(artifacts, "chart");
  return chart ? html`<${Chart} resourceUri=${chart.resource_uri} title=${chart.artifact_title} />` : null;
}

function Csv({ artifacts, result }) {
  const [failure, setFailure] = useState(null);
  const rows = of(artifacts, "parquet");
  if (!rows) return null;
  const download = async () => {
    setFailure(null);
    try {
      await save((await ask(CSV, { resourceUri: rows.resource_uri })).artifactDownload);
    } catch (error) {
      setFailure(error);
    }
  };
  return html`
    <p class="after">
      <button type="button" class="quiet-button csv" onClick=${download}>${say("turn.csv")}</button>
      ${result.rows.length < result.row_count && html`<span class="quiet">${say("turn.shown", { count: result.rows.length, total: result.row_count })}</span>`}
      ${result.truncated && html`<span class="quiet">${say("turn.truncated")}</span>`}
    </p>
    ${failure && html`<${Failed} failure=${failure} again=${download} />`}
  `;
}

function Query({ known, provenance }) {
  const [open, setOpen] = useState(false);
  const { sql, done } = known;
  if (!sql) return null;
  return html`
    <details class="query" onToggle=${(event) => setOpen(event.target.open)}>
      <summary>${say("turn.how")}${sql.confidence != null && html`<span class="quiet"> · ${say("turn.right", { share: percent(sql.confidence) })}</span>`}</summary>
      ${(done?.reading ?? sql.reading) && html`<p>${say("turn.understood", { reading: done?.reading ?? sql.reading })}</p>`}
      ${done?.verified && html`<p>${say("turn.verified")}</p>`}
      <pre tabindex="0" role="region" aria-label="SQL"><code>${sql.sql}</code></pre>
      ${open && done && html`<${Provenance} answer=${provenance} />`}
    </details>
  `;
}

// What an answer stands on: its tables as they were, what was known of them, and what was built into the query.
function Provenance({ answer: { data, failure, again } }) {
  if (failure) return html`<${Failed} failure=${failure} again=${again} />`;
  if (!data) return html`<${Loading} />`;
  const { tables, memories, policies, drafter, createdAt } = data.turnProvenance;
  const about = (one) => [
    one.version && say("turn.version", { version: one.version }),
    one.qualityScore != null && say("turn.score", { score: percent(one.qualityScore) }),
    one.openViolations > 0 && say("count.violations", { count: one.openViolations }),
    one.columns.length > 0 && say("turn.columns", { columns: listed(one.columns.map((column) => column.name)) }),
  ].filter(Boolean).join(" · ");
  const named = [["turn.policies", policies], ["turn.memories", memories]].filter(([, list]) => list.length);
  return html`
    <section aria-label=${say("turn.provenance")}>
      <h3>${say("turn.provenance")}</h3>
      <ul class="plain rows">${tables.map((one) => html`<li key=${one.fqn}><a href=${link("asset", { fqn: one.fqn })}>${one.fqn}</a><span class="quiet line">${about(one)}</span></li>`)}</ul>
      ${named.map(([key, list]) => html`<p key=${key}>${say(key)}: ${listed(list.map((one) => one.name))}</p>`)}
      <p class="quiet small">${[drafter && say("turn.drafter", { drafter }), say("turn.at", { when: moment(createdAt) })].filter(Boolean).join(" · ")}</p>
    </section>
  `;
}
