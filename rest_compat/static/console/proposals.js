// The proposals of a run that wait: by kind or by table, accepted or rejected one by one or as a group.
import { useEffect, useRef, useState } from "../vendor/preact-hooks.js";

import { Confirm, Desk, grouped } from "./desk.js";
import { DECIDE_PROPOSALS, PROPOSALS, RUNS, WAITING } from "./documents.js";
import { ask } from "./graph.js";
import { useAll } from "./pages.js";
import { Empty, Failed, html, Loading, useAnswer } from "./parts.js";
import { link, parts, tableOf } from "./places.js";
import { byWeight, inShort, kindOf, ProposalDetail, ProposalRow } from "./proposal.js";
import { counted, moment, number, percent, work } from "./words.js";

const MOST_RUNS = 20;
const MOST_AT_ONCE = 1000;
const PAUSE = 600;
const NOUN = ["proposal", "proposals"];

export function Proposals({ given }) {
  return given.run ? html`<${OfRun} key=${given.run} run=${given.run} by=${given.by} />` : html`<${Waiting} />`;
}

// The newest runs that proposed something and are over, each with how much of it waits.
function Waiting() {
  const answer = useAnswer(RUNS, {});
  const [waiting, setWaiting] = useState(null);
  const [failure, setFailure] = useState(null);
  const { data } = answer;
  useEffect(() => {
    if (!data) return undefined;
    const leaving = new AbortController();
    const runs = data.workflowConfigurations.items.flatMap((one) => one.runs);
    const done = runs.filter((run) => run.status === "COMPLETED" && run.output.proposals > 0);
    const newest = done.sort((one, other) => other.startedAt.localeCompare(one.startedAt)).slice(0, MOST_RUNS);
    const counting = newest.map(async (run) => ({ ...run, waiting: (await ask(WAITING, { runId: run.id }, { signal: leaving.signal })).runProposals.total }));
    Promise.all(counting).then(
      (found) => setWaiting(found.filter((run) => run.waiting)),
      (error) => leaving.signal.aborted || setFailure(error),
    );
    return () => leaving.abort();
  }, [data]);
  const wrong = answer.failure ?? failure;
  if (wrong) return html`<${Failed} failure=${wrong} again=${answer.again} />`;
  if (!waiting) return html`<${Loading} what="Looking for what waits" />`;
  if (!waiting.length) return html`<${Empty} title="Nothing waits">What runs propose comes here until somebody decides. Start one on the page of a table.<//>`;
  return html`
    <ul class="hits">
      ${waiting.map(
        (run) => html`<li key=${run.id}>
          <a class="hit" href=${link("inbox", { run: run.id })}>
            <span class="hit-head"><strong>${counted(run.waiting, ...NOUN)}</strong> <span class="kind">${work(run.workflowType)}</span></span>
            <span class="size">${[run.assetFqn, moment(run.completedAt)].filter(Boolean).join(" · ")}</span>
          </a>
        </li>`,
      )}
    </ul>
  `;
}

function OfRun({ run, by }) {
  const list = useAll(PROPOSALS, { runId: run });
  const [filter, setFilter] = useState({ text: "", sure: "" });
  const [asked, setAsked] = useState(null);
  const [told, setTold] = useState(null);
  const decisions = useDecisions(run, list, setTold);
  const byKind = by !== "table";
  const shown = list.items.filter((one) => fits(one, filter));
  const groups = byKind ? grouped(shown, (one) => one.kind, (one) => kindOf(one.kind), byWeight) : grouped(shown, (one) => tableOf(one.assetFqn), (one) => parts(one.assetFqn)[3] ?? one.assetFqn);
  const choice = (key, verb, decision) => ({
    key,
    verb,
    decide: (items, group) => (group ? setAsked({ items, group, verb, decision }) : decisions.later(items, decision)),
  });
  return html`
    <p class="kinds" role="group" aria-label="Grouping">
      <a href=${link("inbox")}>‹ All runs</a>
      <a href=${link("inbox", { run })} aria-current=${byKind ? "true" : undefined}>By kind</a>
      <a href=${link("inbox", { run, by: "table" })} aria-current=${byKind ? undefined : "true"}>By table</a>
      ${list.total !== null && html`<span class="quiet" role="status">${shown.length < list.items.length ? `${number(shown.length)} of ` : ""}${counted(list.items.length, ...NOUN)} to decide${list.loading || decisions.going ? " …" : ""}</span>`}
    </p>
    ${list.items.length > 0 && html`<${Filter} filter=${filter} onChange=${setFilter} />`}
    <${Outcome} told=${told} onUndo=${decisions.undo} />
    ${list.failure && html`<${Failed} failure=${list.failure} again=${list.again} />`}
    ${list.total === null && list.loading && html`<${Loading} what="Fetching the proposals" />`}
    ${decisions.going && !list.items.length && html`<${Loading} what="Carrying out what was decided" />`}
    ${list.total !== null && !list.loading && !list.items.length && !decisions.going && html`<${Empty} title="All decided"><a href=${link("inbox")}>See what else waits</a>.<//>`}
    ${list.items.length > 0 && !shown.length && html`<${Empty} title="None of these"><button type="button" onClick=${() => setFilter({ text: "", sure: "" })}>Show all again</button><//>`}
    ${shown.length > 0 &&
    html`<${Desk} groups=${groups} noun=${NOUN} choices=${[choice("a", "Accept", "APPROVE"), choice("r", "Reject", "REJECT")]}
      row=${(one) => html`<${ProposalRow} one=${one} byKind=${byKind} />`} detail=${(one) => html`<${ProposalDetail} key=${one.id} run=${run} one=${one} />`} />`}
    ${asked && html`<${Sure} asked=${asked} onNo=${() => setAsked(null)} onYes=${(notes) => { decisions.now(asked.items, asked.decision, notes); setAsked(null); }} />`}
  `;
}

const SURE = { "": () => true, "90": (one) => one.confidence >= 0.9, "75": (one) => one.confidence >= 0.75, less: (one) => one.confidence == null || one.confidence < 0.75 };

function fits(one, { text, sure }) {
  return SURE[sure](one) && (!text || `${one.assetFqn} ${inShort(one.proposedValue)}`.toLowerCase().includes(text.toLowerCase()));
}

// What is filtered away is not decided either: a group is what is shown of it.
function Filter({ filter, onChange }) {
  const set = (name) => (event) => onChange({ ...filter, [name]: event.target.value });
  return html`
    <form class="fields filter" role="search" onSubmit=${(event) => event.preventDefault()}>
      <label><span class="hidden">Only what holds this text</span><input type="search" value=${filter.text} placeholder="Only those with …" autocomplete="off" spellcheck=${false} onInput=${set("text")} /></label>
      <label><span class="hidden">How sure the engine is</span>
        <select value=${filter.sure} onChange=${set("sure")}>
          <option value="">However sure</option><option value="90">90% sure and more</option><option value="75">75% sure and more</option><option value="less">Less than 75% sure</option>
        </select>
      </label>
    </form>
  `;
}

// What is about to happen to a group, counted, before it does.
function Sure({ asked: { items, group, verb, decision }, onYes, onNo }) {
  const assets = new Set(items.map((one) => one.assetFqn)).size;
  const tables = new Set(items.map((one) => tableOf(one.assetFqn))).size;
  const sure = items.map((one) => one.confidence).filter((one) => one != null);
  return html`
    <${Confirm} title=${`${verb} ${counted(items.length, ...NOUN)}?`} verb=${`${verb} ${items.length}`} reason="Why (kept with the decision, may be empty)" onYes=${onYes} onNo=${onNo}>
      <p>${group.title}: ${counted(assets, "asset", "assets")} of ${counted(tables, "table", "tables")}${sure.length > 0 && html`, the least sure at ${percent(Math.min(...sure))}`}.</p>
      <p class="quiet">${decision === "APPROVE" ? "Each is carried out at once, as a new version of its asset. What is accepted stays." : "Nothing changes in the catalog. Rejected ones can be taken up again."}</p>
    <//>
  `;
}

// Decides; what is decided one by one goes together, as people press keys faster than a server counts requests.
function useDecisions(run, list, setTold) {
  const queue = useRef({ items: [], decision: null, timer: null });
  const [going, setGoing] = useState(0);
  async function now(items, decision, notes = null) {
    list.change((before) => before.filter((one) => !items.includes(one)));
    setGoing((before) => before + 1);
    const conflicts = new Map();
    let left = items;
    try {
      while (left.length) {
        const part = left.slice(0, MOST_AT_ONCE);
        const answer = (await ask(DECIDE_PROPOSALS, { runId: run, decision, ids: part.map((one) => one.id), notes })).decideRun;
        for (const one of answer.conflicts) conflicts.set(one.proposalId, one.message);
        left = left.slice(MOST_AT_ONCE);
      }
      const back = items.filter((one) => conflicts.has(one.id));
      if (back.length) list.change((before) => [...back, ...before]);
      setTold({ decision, items: items.filter((one) => !conflicts.has(one.id)), conflicts: [...conflicts.values()] });
    } catch (failure) {
      list.change((before) => [...left, ...before]);
      setTold({ failure });
    }
    setGoing((before) => before - 1);
  }
  function flush() {
    const { items, decision, timer } = queue.current;
    clearTimeout(timer);
    queue.current = { items: [], decision: null, timer: null };
    if (items.length) now(items, decision);
  }
  function later(items, decision) {
    if (queue.current.decision && queue.current.decision !== decision) flush();
    clearTimeout(queue.current.timer);
    list.change((before) => before.filter((one) => !items.includes(one)));
    queue.current = { items: [...queue.current.items, ...items], decision, timer: setTimeout(flush, PAUSE) };
  }
  useEffect(() => flush, []);
  async function undo(items) {
    try {
      await ask(DECIDE_PROPOSALS, { runId: run, decision: "PENDING", ids: items.map((one) => one.id).slice(0, MOST_AT_ONCE), notes: null });
      list.change((before) => [...items, ...before]);
      setTold(null);
    } catch (failure) {
      setTold({ failure });
    }
  }
  return { now, later, undo, going: going > 0 || queue.current.items.length > 0 };
}

function Outcome({ told, onUndo }) {
  if (!told) return null;
  if (told.failure) return html`<${Failed} failure=${told.failure} />`;
  const rejected = told.decision === "REJECT";
  return html`
    <p class="outcome" role="status">
      ${counted(told.items.length, ...NOUN)} ${rejected ? "rejected" : "accepted"}.
      ${rejected && told.items.length > 0 && html` <button type="button" class="quiet-button" onClick=${() => onUndo(told.items)}>Undo</button>`}
      ${told.conflicts.length > 0 && html` ${told.conflicts.length} could not be: ${told.conflicts[0]}`}
    </p>
  `;
}
