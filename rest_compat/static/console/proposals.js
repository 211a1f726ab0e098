// The proposals of a run that wait, in groups of what is alike: decided one by one, as a group, or as what a filter fits.
import { useEffect, useMemo, useState } from "../vendor/preact-hooks.js";

import { Choice, Like, Outcome, patternOf, Sure, useQueue } from "./decide.js";
import { Desk, grouped } from "./desk.js";
import { ask } from "./graph.js";
import { DECIDE_MATCHING, DECIDE_PROPOSALS, DECIDING, PROPOSAL_GROUPS, PROPOSALS, TRY_PROPOSALS, WAITING } from "./inbox-documents.js";
import { Closed, useMay } from "./may.js";
import { useAll } from "./pages.js";
import { Empty, Failed, html, Loading, settled, useAnswer } from "./parts.js";
import { link, parts, settle } from "./places.js";
import { byWeight, GroupDetail, GroupRow, inShort, kindOf, kinds, ProposalDetail, ProposalRow, saying } from "./proposal.js";
import { moment, number, percent, say, work } from "./words.js";

const MOST_LOOKED_AT = 300;
const MOST_GROUPS = 100;
const FIRST = 6; // of a kind, before one asks for more
const NEEDS = "CAN_MANAGE_METADATA";
const NOUN = "count.proposals";
const REJECTED = "REJECTED";
const DECISIONS = { PROPOSED: [["a", "APPROVE"], ["r", "REJECT"]], REJECTED: [["u", "PENDING"]] };
const decisionsOf = (state) => DECISIONS[state];
const QUITE_SURE = 0.9;
const SURE = ["", "0.95", "0.9", "0.75", "0.5"];

export function Proposals({ given }) {
  return given.run ? html`<${OfRun} key=${given.run} given=${given} />` : html`<${Waiting} />`;
}

// The newest runs that proposed something and are over, each with how much of it waits.
function Waiting() {
  const { items, total, loading, failure, again } = useAll(DECIDING, {}, MOST_LOOKED_AT);
  if (failure) return html`<${Failed} failure=${failure} again=${again} />`;
  if (total === null || (loading && !items.length)) return html`<${Loading} what=${say("proposals.looking")} />`;
  const waiting = items.map((run) => ({ ...run, waiting: run.waiting.totalCount, rejected: run.rejected.totalCount }));
  const rejected = waiting.filter((run) => run.rejected);
  const open = waiting.filter((run) => run.waiting);
  if (open.length === 1 && !rejected.length) return html`<${OfRun} key=${open[0].id} given=${{ run: open[0].id }} alone />`;
  return html`
    ${!open.length && html`<${Empty} icon="inbox" title=${say("proposals.nothing")}>${say("proposals.nothing.next")}<span class="after"><a href=${link("sources")}>${say("proposals.nothing.sources")}</a><a href=${link("inbox", { of: "violations" })}>${say("proposals.nothing.violations")}</a></span><//>`}
    <ul class="hits">
      ${open.map(
        (run) => html`<li key=${run.id}>
          <a class="hit" href=${link("inbox", { run: run.id })}>
            <span class="hit-head"><strong>${say(NOUN, { count: run.waiting })}</strong> <span class="kind">${work(run.workflowType)}</span></span>
            <span class="size">${[run.assetFqn, moment(run.completedAt)].filter(Boolean).join(" · ")}</span>
          </a>
        </li>`,
      )}
    </ul>
    ${rejected.length > 0 && html`<section class="part" aria-label=${say("proposals.rejected")}>
      <h2>${say("proposals.rejected")}</h2>
      <ul class="plain rows">${rejected.map((run) => html`<li key=${run.id}><a href=${link("inbox", { run: run.id, state: REJECTED })}>${say("proposals.rejectedOf", { count: run.rejected, work: work(run.workflowType) })}</a> <span class="quiet">${[run.assetFqn, moment(run.completedAt)].filter(Boolean).join(" · ")}</span></li>`)}</ul>
    </section>`}
  `;
}

// `alone`: there is no other run to go back to.
function OfRun({ given: { run, kind = "", sure = "", like = "", state = "" }, alone }) {
  const [filter, setFilter] = useState({ kind, sure, like, state: state === REJECTED ? state : "" });
  const stands = filter.state || "PROPOSED";
  const [most, setMost] = useState(MOST_GROUPS);
  const narrowed = { state: stands, kind: filter.kind || undefined, minConfidence: filter.sure ? Number(filter.sure) : undefined, assetsLike: patternOf(filter.like) };
  const list = useAll(PROPOSAL_GROUPS, { runId: run, ...narrowed }, most);
  const count = useAnswer(WAITING, { runId: run, ...narrowed });
  const surest = useAnswer(WAITING, { runId: run, state: "PROPOSED", minConfidence: QUITE_SURE });
  const members = useMembers(run, narrowed);
  const may = useMay();
  const [asked, setAsked] = useState(null);
  const [told, setTold] = useState(null);
  const again = () => (list.again(), count.again());
  const decisions = useDecisions(run, { drop, again, recount: count.again }, setTold);
  const only = { kinds: narrowed.kind && [narrowed.kind], minConfidence: narrowed.minConfidence, assetsLike: narrowed.assetsLike };
  const total = count.data?.runProposals.totalCount;
  const narrow = Boolean(filter.kind || filter.sure || filter.like);

  function filtered(change) {
    const next = { ...filter, ...change };
    settle("inbox", { run, ...next });
    setFilter(next);
  }
  // Forget one that is decided, in its group.
  function drop(one) {
    members.drop(one);
    list.change((before) => before.flatMap((group) => {
      if (group.id !== (one.of ?? one.id)) return [group];
      if (!one.of || group.proposals === 1) return [];
      return [{ ...group, proposals: group.proposals - 1, example: members.otherOf(group, one) ?? group.example }];
    }));
  }
  function askAbout(decision, which, about) {
    setAsked({
      verb: say(`proposals.${decision}`),
      about,
      noun: NOUN,
      told: say(`proposals.${decision}.told`),
      reason: decision !== "PENDING" && say("proposals.reason"),
      trial: async (signal) => {
        await decisions.flush();
        return trialOf((await ask(TRY_PROPOSALS, { runId: run, decision, only: which }, { signal })).decideRun);
      },
      carryOut: async (notes, step, stopped) => {
        const came = await decideMatching({ runId: run, decision, only: which, notes }, step, stopped);
        const undo = decision === "REJECT" && came.moved > 0 && (() => askAbout("PENDING", which, say("proposals.again", { about })));
        members.forget();
        again();
        return { said: say(`proposals.${decision}.done`, { count: came.moved }), trouble: troubleOf(came), undo };
      },
    });
  }
  const choice = (key, decision) => ({
    key,
    verb: say(`proposals.${decision}`),
    decide: (item) => {
      if (isMany(item)) askAbout(decision, { ...only, group: item.id }, `${kindOf(item.kind)}: ${saying(item)}`);
      else decisions.later(item, decision);
      return isMany(item);
    },
    decideAll: (section) => askAbout(decision, { ...only, kinds: [section.key] }, `${section.title}${inWords(filter, false)}.`),
  });
  const everything = (decision) => askAbout(decision, only, `${say(narrow ? "proposals.fits" : "proposals.waits")}${inWords(filter, true)}.`);
  const rows = list.items.flatMap((group) => members.beside(group));
  const sections = grouped(rows, (one) => one.kind, (one) => kindOf(one.kind), byWeight);
  const left = (list.total ?? 0) - list.items.length;
  const busy = list.loading || decisions.going;
  // What stands above the rows is waited for with them, so that they do not move.
  if (!list.failure && (list.total === null || !settled(count, surest))) return html`<${Loading} what=${say("proposals.fetching")} />`;
  return html`
    <p class="kinds">
      ${!alone && html`<a href=${link("inbox")}>${say("proposals.allRuns")}</a>`}
      ${total > 0 && html`<span class="quiet" role="status">${say(filter.state ? "proposals.areRejected" : "proposals.toDecide", { proposals: say(NOUN, { count: total }), groups: say("count.groups", { count: list.total ?? 0 }) })}${busy ? " …" : ""}</span>`}
    </p>
    ${!filter.state && !narrow && may(NEEDS) && html`<${Surest} answer=${surest} total=${total} onAll=${() => askAbout("APPROVE", { minConfidence: QUITE_SURE }, `${say("proposals.waits")}${inWords({ sure: String(QUITE_SURE) }, true)}.`)} />`}
    ${!list.failure && html`<${Filter} filter=${filter} stands=${stands} onChange=${filtered} total=${may(NEEDS) ? total : 0} onAll=${everything} />`}
    ${!may(NEEDS) && html`<${Closed} needs=${[NEEDS]} />`}
    <${Outcome} told=${told} />
    ${list.failure && html`<${Failed} failure=${list.failure} again=${again} />`}
    ${members.failure && html`<${Failed} failure=${members.failure} />`}
    ${list.items.length === 0 && decisions.going && html`<${Loading} what=${say("proposals.carrying")} />`}
    ${list.total !== null && !busy && !list.items.length && (narrow || filter.state ? html`<${Empty} title=${say("proposals.none")}><button type="button" onClick=${() => filtered({ kind: "", sure: "", like: "", state: "" })}>${say("proposals.showAll")}</button><//>` : html`<${Empty} icon="done" title=${say("proposals.decided")}><a href=${link("inbox")}>${say("proposals.other")}</a><//>`)}
    ${rows.length > 0 &&
    html`<${Desk} groups=${sections} first=${sections.length > 1 ? FIRST : undefined} choices=${may(NEEDS) ? decisionsOf(stands).map(([key, decision]) => choice(key, decision)) : []} onOpen=${members.toggle} sum=${(section) => left > 0 ? say("proposals.andMore", { count: sumOf(section) }) : number(sumOf(section))}
      row=${(one) => (isMany(one) ? html`<${GroupRow} one=${one} />` : html`<${ProposalRow} one=${one.example ?? one} />`)}
      detail=${(one) => (isMany(one) ? html`<${GroupDetail} key=${one.id} run=${run} one=${one} />` : html`<${ProposalDetail} key=${one.id} run=${run} one=${one.example ?? one} />`)} />`}
    ${left > 0 && !list.loading && html`<button type="button" class="quiet-button" onClick=${() => setMost(most + MOST_GROUPS)}>${say("proposals.moreGroups", { count: left })}</button>`}
    ${asked && html`<${Sure} key=${asked.verb + asked.about} asked=${asked} onEnd=${(came) => (came && setTold(came), setAsked(null))} />`}
  `;
}

// A group of one is that one.
const isMany = (item) => item.proposals > 1;
const sumOf = (section) => section.items.reduce((sum, item) => sum + (item.of ? 0 : item.proposals), 0);

function inWords({ kind, sure, like }, withKind) {
  const said = [withKind && kind && kindOf(kind).toLowerCase(), sure && say(`proposals.sure.${sure}`), like && say("proposals.like", { pattern: patternOf(like) })];
  const told = said.filter(Boolean).join(", ");
  return told && `: ${told}`;
}

function trialOf({ moved, waiting, conflicted, conflicts, sample }) {
  const stays = conflicted ? [say("proposals.stays", { count: conflicted, where: parts(conflicts[0].assetFqn).slice(3).join("."), message: conflicts[0].message })] : [];
  return {
    moves: moved + waiting,
    stays,
    heads: [say("proposals.where"), say("proposal.stands"), say("proposal.proposed")],
    rows: sample.map((one) => [parts(one.assetFqn).slice(3).join(".") || one.assetFqn, inShort(one.standingValue) || say("proposal.nothing"), inShort(one.proposedValue)]),
  };
}

const troubleOf = ({ conflicted, message }) => (conflicted ? say("proposals.couldNot", { count: conflicted, message }) : "");

// One call decides some thousands, and says behind which table to go on.
async function decideMatching(variables, step, stopped) {
  const came = { moved: 0, conflicted: 0, message: "" };
  let afterTable;
  do {
    const answer = (await ask(DECIDE_MATCHING, { ...variables, afterTable })).decideRun;
    came.moved += answer.moved;
    came.conflicted += answer.conflicted;
    came.message ||= answer.conflicts[0]?.message;
    afterTable = answer.goOnAfterTable;
    step(came.moved);
  } while (afterTable && !stopped());
  return came;
}

// The proposals of the groups that are opened, behind their group.
function useMembers(run, { state, minConfidence, assetsLike }) {
  const key = JSON.stringify([state, minConfidence, assetsLike]);
  const [opened, setOpened] = useState({});
  const [failure, setFailure] = useState(null);
  useEffect(() => setOpened({}), [key]);
  return useMemo(() => ({
    failure,
    forget: () => setOpened({}),
    beside: (group) => (isMany(group) ? [{ ...group, opened: group.id in opened }, ...(opened[group.id] ?? [])] : [group]),
    drop: (one) => setOpened((before) => (one.of in before ? { ...before, [one.of]: before[one.of].filter((other) => other.id !== one.id) } : before)),
    otherOf: (group, one) => (group.example.id === one.id ? (opened[group.id] ?? []).find((other) => other.id !== one.id) : undefined),
    toggle: async (group) => {
      if (!isMany(group)) return;
      setFailure(null);
      if (group.id in opened) {
        setOpened(({ [group.id]: _, ...rest }) => rest);
        return;
      }
      try {
        const found = (await ask(PROPOSALS, { runId: run, group: group.id, state, minConfidence, assetsLike })).runProposals.nodes;
        setOpened((before) => ({ ...before, [group.id]: found.map((one) => ({ ...one, of: group.id })) }));
      } catch (error) {
        setFailure(error);
      }
    },
  }), [opened, failure, key]);
}

// What the engine is quite sure of is decided in one go: first it is shown what that would change.
function Surest({ answer, total, onAll }) {
  useEffect(() => {
    if (total !== undefined) answer.again();
  }, [total]);
  const count = answer.data?.runProposals.totalCount ?? 0;
  if (!count) return null;
  return html`<div class="surest"><p>${say("proposals.surest", { count, sure: percent(QUITE_SURE), total: total ?? count })}</p><button type="button" onClick=${onAll}>${say("proposals.surestDo")}</button></div>`;
}

// What is not narrowed down is not decided either: a group is what is shown of it.
function Filter({ filter, stands, onChange, total, onAll }) {
  return html`
    <form class="fields filter" role="search" onSubmit=${(event) => event.preventDefault()}>
      <${Like} label=${say("like.label")} value=${filter.like} onChange=${(like) => onChange({ like })} />
      <${Choice} label=${say("proposals.kind")} options=${[["", say("proposals.anyKind")], ...kinds()]} value=${filter.kind} onChange=${(kind) => onChange({ kind })} />
      <${Choice} label=${say("proposal.sure")} options=${SURE.map((value) => [value, say(`proposals.sure.${value}`)])} value=${filter.sure} onChange=${(sure) => onChange({ sure })} />
      <${Choice} label=${say("proposals.state")} options=${["", REJECTED].map((value) => [value, say(`proposals.state.${value}`)])} value=${filter.state} onChange=${(state) => onChange({ state })} />
      ${total > 0 && html`<span class="choices">
        ${decisionsOf(stands).map(([key, decision], at) => html`<button key=${key} type="button" class=${at ? "quiet-button" : "quiet-button all"} onClick=${() => onAll(decision)}>${say(at ? "decide.allOfThem" : "decide.allOf", { verb: say(`proposals.${decision}`), total })}</button>`)}
      </span>`}
    </form>
  `;
}

function useDecisions(run, { drop, again, recount }, setTold) {
  async function send(items, decision) {
    try {
      const ids = items.map((one) => (one.example ?? one).id);
      const { conflicted, conflicts } = (await ask(DECIDE_PROPOSALS, { runId: run, decision, ids, notes: null })).decideRun;
      const held = new Set(conflicts.map((one) => one.proposalId));
      const moved = ids.filter((id) => !held.has(id));
      const undo = decision === "REJECT" && moved.length > 0 && (() => takeBack(moved));
      setTold({ said: say(`proposals.${decision}.done`, { count: moved.length }), trouble: troubleOf({ conflicted, message: conflicts[0]?.message }), undo });
      if (conflicted) again();
      else recount();
    } catch (failure) {
      setTold({ failure });
      again();
    }
  }
  const { later, flush, going } = useQueue(send);
  async function takeBack(ids) {
    try {
      await ask(DECIDE_PROPOSALS, { runId: run, decision: "PENDING", ids, notes: null });
      again();
      setTold(null);
    } catch (failure) {
      setTold({ failure });
    }
  }
  return { later: (item, decision) => (drop(item), later(item, decision)), flush, going };
}
