// The cells of a table that its latest assessment holds for wrong, until somebody says whether they are.
import { useEffect, useRef, useState } from "../vendor/preact-hooks.js";

import { carryOutAll, Choice, Outcome, Sure, useQueue } from "./decide.js";
import { Desk, grouped } from "./desk.js";
import { CSV, DECIDE_SUSPECTS, EXPORT_SUSPECTS, SUSPECTS } from "./documents.js";
import { ask, save } from "./graph.js";
import { Closed, useMay } from "./may.js";
import { Bar, Empty, English, Failed, html, Loading, Told, useAnswer } from "./parts.js";
import { useSteps } from "./pages.js";
import { bare, link, parts } from "./places.js";
import { listed, moment, named, number, percent, say } from "./words.js";

const NOUN = "suspects.count";
const PAGE = 100;
const FIRST = 3; // of a column, before one asks for more
const KINDS = ["DEPENDENCY", "VARIANT", "WRITING", "WORD", "PATTERN", "LETTERS", "RARE", "OUTLIER", "STAND_IN", "MISSING", "DOMAIN", "ORDER", "FORMULA", "REPEATED"];
const VERDICTS = ["UNDECIDED", "WRONG", "FINE", "ALWAYS_FINE", ""];
const MOST_REASONS = 4;
const SURE = ["", "0.5", "0.75", "0.9"];
// Stands in the place of a value that is personal data.
const MASK = "***";
const choiceOf = (key, verdict) => ({
  key,
  verdict,
  verb: say(`suspects.${verdict}`),
  many: say(`suspects.${verdict}.all`),
  act: say(`suspects.${verdict}.act`),
  noun: `suspects.${verdict}.noun`,
  told: say(`suspects.${verdict}.told`),
});
const CHOICES = [choiceOf("w", "WRONG"), choiceOf("f", "FINE"), choiceOf("a", "ALWAYS_FINE")];
const REOPEN = choiceOf("u", "UNDECIDED");
const ALL = { column: "", kind: "", sure: "", verdict: "UNDECIDED" };

// Cells that are decided alike are one: of a column, with the same value and what probably belongs there. What may not
// be shown is told apart by the reason. Opened, each stands behind the one that is for all.
function alike(cells, opened) {
  const found = new Map();
  for (const one of cells) {
    const key = JSON.stringify([one.assetFqn, one.kind, one.value, one.repair, one.verdict, masked(one) && one.reason]);
    found.set(key, [...(found.get(key) ?? []), one]);
  }
  return [...found].flatMap(([id, same]) => (same.length === 1 ? same : [{ ...same[0], id, cells: same, opened: opened.has(id) }, ...(opened.has(id) ? same.map((one) => ({ ...one, of: id })) : [])]));
}

const cellsOf = (one) => one.cells ?? [one];
const countOf = (group) => group.items.reduce((sum, one) => sum + (one.of ? 0 : cellsOf(one).length), 0);
const sumOf = (group, more) => (more ? say("suspects.onPage", { count: countOf(group) }) : number(countOf(group)));

// `about` is the column that is looked at first, if not all.
export function Suspects({ fqn, columns, about = "" }) {
  const [filter, setFilter] = useState({ ...ALL, column: about });
  const [gone, setGone] = useState(() => new Set());
  const [opened, setOpened] = useState(() => new Set());
  const going = useRef(new Set()); // what is decided and not yet sent stays away from an answer that comes meanwhile
  const may = useMay();
  const [asked, setAsked] = useState(null);
  const [told, setTold] = useState(null);
  const narrowed = { kind: filter.kind || undefined, probabilityAtLeast: filter.sure ? Number(filter.sure) : undefined };
  const looked = { fqn, asset: filter.column || fqn, ...narrowed, verdict: filter.verdict || undefined };
  const { page, after, forward, back, first } = useSteps(JSON.stringify(looked));
  const answer = useAnswer(SUSPECTS, { ...looked, after });
  const { data, failure, loading } = answer;
  const queue = useQueue(decideEach);
  const only = { under: filter.column || fqn, kinds: narrowed.kind && [narrowed.kind], probabilityAtLeast: narrowed.probabilityAtLeast, verdicts: filter.verdict ? [filter.verdict] : undefined };

  useEffect(() => setGone(new Set(going.current)), [data]);
  const filtered = (change) => setFilter({ ...filter, ...change });
  // What was decided leaves the list where the list is of others.
  async function decideEach(items, choice) {
    const ids = items.map((one) => one.id);
    try {
      await ask(DECIDE_SUSPECTS, { only: { ids }, verdict: choice.verdict, dryRun: false });
      setTold({ said: say(`suspects.${choice.verdict}.done`, { count: ids.length }), undo: choice !== REOPEN && (() => queue.now(items, REOPEN)) });
    } catch (error) {
      setTold({ failure: error });
    }
    for (const id of ids) going.current.delete(id);
    answer.again();
  }
  function askAbout(choice, group) {
    const variables = { only: { ...only, under: group.key }, verdict: choice.verdict };
    setAsked({
      ...choice,
      verb: choice.act,
      about: `${group.title}${inWords(filter)}.`,
      trial: async (signal) => {
        await queue.flush();
        return trialOf((await ask(DECIDE_SUSPECTS, { ...variables, dryRun: true }, { signal })).decideSuspectCells);
      },
      carryOut: async (_, step, stopped) => {
        const send = async () => (await ask(DECIDE_SUSPECTS, { ...variables, dryRun: false })).decideSuspectCells;
        const done = await carryOutAll(send, (came) => came.decided, step, stopped);
        answer.again();
        return { said: say(`suspects.${choice.verdict}.done`, { count: done }) };
      },
    });
    return true;
  }
  const choices = (filter.verdict === "UNDECIDED" ? CHOICES : [...CHOICES, REOPEN]).map((choice) => ({
    ...choice,
    decide: (one) => {
      const cells = cellsOf(one);
      if (filter.verdict && filter.verdict !== choice.verdict) {
        for (const { id } of cells) going.current.add(id);
        setGone((before) => new Set([...before, ...cells.map(({ id }) => id)]));
      }
      for (const cell of cells) queue.later(cell, choice);
      return !filter.verdict;
    },
    decideAll: (group) => askAbout(choice, group),
  }));
  if (failure) return html`<${Frame}><${Failed} failure=${failure} again=${answer.again} /><//>`;
  if (!data) return html`<${Frame}><${Loading} /><//>`;
  const { suspectCells: list, found } = data;
  if (!found.totalCount) return html`<${Frame}><${Empty} icon="done" title=${say("suspects.none")} /><//>`;
  const items = alike(list.nodes.filter((one) => !gone.has(one.id)), opened);
  const toggle = ({ id, cells }) => cells && setOpened((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));
  const pages = Math.max(1, Math.ceil(list.totalCount / PAGE));
  const [{ measuredAt, suspectsInTable }] = found.nodes;
  const groups = grouped(items, (one) => one.assetFqn, (one) => one.column, (one, other) => masked(one.items[0]) - masked(other.items[0]) || other.items[0].probability - one.items[0].probability);
  return html`
    <${Frame} note=${say(suspectsInTable > found.totalCount ? "suspects.assessedOf" : "suspects.assessed", { when: moment(measuredAt), found: found.totalCount, all: suspectsInTable })}>
      <${Filter} filter=${filter} columns=${columns} onChange=${filtered}>${may("CAN_CREATE_RESOURCES") && html`<${Save} only=${only} name=${say("suspects.name", { fqn })} />`}<//>
      ${!may("CAN_WRITE") && html`<${Closed} needs=${["CAN_WRITE"]} />`}
      <${Outcome} told=${told} />
      <p class="count" role="status">${say(NOUN, { count: Math.max(0, list.totalCount - gone.size) })}${loading || queue.going ? " …" : ""}</p>
      ${!items.length && !loading && !queue.going && (page > 1 ? html`<button type="button" class="quiet-button" onClick=${first}>${say("suspects.first")}</button>` : html`<${Empty} title=${say("proposals.none")}><button type="button" onClick=${() => filtered({ ...ALL, verdict: "" })}>${say("suspects.showAll")}</button><//>`)}
      ${items.length > 0 && html`<${Desk} groups=${groups} first=${FIRST} heading="h3" choices=${may("CAN_WRITE") ? choices : []} onOpen=${toggle} sum=${(group) => sumOf(group, pages > 1)} row=${(one) => html`<${Row} one=${one} />`} detail=${(one) => html`<${Detail} key=${one.id} one=${one} table=${may("CAN_EXECUTE") && parts(fqn).at(-1)} />`} />`}
      ${pages > 1 && html`<nav class="pages" aria-label=${say("suspects.pages")}>
        <button type="button" class="quiet-button" disabled=${page <= 1} onClick=${back}>${say("part.before")}</button>
        <span class="quiet">${say("suspects.page", { page, pages })}</span>
        <button type="button" class="quiet-button" disabled=${!list.pageInfo.hasNextPage} onClick=${() => forward(list.pageInfo)}>${say("part.after")}</button>
      </nav>`}
      ${asked && html`<${Sure} key=${asked.verb + asked.about} asked=${asked} onEnd=${(came) => (came && setTold(came), setAsked(null))} />`}
    <//>
  `;
}

const Frame = ({ note, children }) => html`<section class="part suspects" id="suspects" aria-label=${say("suspects.title")}><h2>${say("suspects.title")}${note && html` <small>${note}</small>`}</h2>${children}</section>`;

function inWords({ kind, sure, verdict }) {
  const said = [kind && named("suspect", kind), sure && say("suspects.wrongWith", { sure: say(`suspects.sure.${sure}`) }), say(`verdict.${verdict}`).toLowerCase()].filter(Boolean).join(", ");
  return `: ${said}`;
}

const trialOf = ({ decided, waiting, sample }) => ({
  moves: decided + waiting,
  stays: [],
  heads: [say("suspects.there"), say("suspects.belongs"), say("suspects.why")],
  rows: sample.map((one) => [one.value ?? say("suspects.nothing"), one.repair ?? say("suspects.unknown"), one.reason]),
});

const Filter = ({ filter, columns, onChange, children }) => html`
  <form class="fields filter" onSubmit=${(event) => event.preventDefault()}>
    <${Choice} label=${say("suspects.column")} options=${[["", say("suspects.anyColumn")], ...columns.map((one) => [one.fullyQualifiedName, one.name])]} value=${filter.column} onChange=${(column) => onChange({ column })} />
    <${Choice} label=${say("suspects.kind")} options=${[["", say("suspects.anyKind")], ...KINDS.map((kind) => [kind, named("suspect", kind)])]} value=${filter.kind} onChange=${(kind) => onChange({ kind })} />
    <${Choice} label=${say("suspects.howProbable")} options=${SURE.map((value) => [value, say(`suspects.sure.${value}`)])} value=${filter.sure} onChange=${(sure) => onChange({ sure })} />
    <${Choice} label=${say("suspects.verdict")} options=${VERDICTS.map((value) => [value, say(`verdict.${value}`)])} value=${filter.verdict} onChange=${(verdict) => onChange({ verdict })} />
    ${children}
  </form>
`;

function Save({ only, name }) {
  const [state, setState] = useState({});
  const download = async () => {
    setState({ busy: true });
    try {
      const { resourceUri } = (await ask(EXPORT_SUSPECTS, { only, name: name.slice(0, 255) })).exportSuspectCells;
      await save((await ask(CSV, { resourceUri })).artifactDownload);
      setState({});
    } catch (failure) {
      setState({ failure });
    }
  };
  return html`<button type="button" class="quiet-button csv" disabled=${Boolean(state.busy)} onClick=${download}>${say("turn.csv")}</button>
    ${state.failure && html`<${Failed} failure=${state.failure} again=${download} />`}`;
}

// Nothing that nobody has looked at is certain.
const chance = (one, value = one.probability) => (one.verdict === "UNDECIDED" && value > 0.99 ? say("suspects.over", { share: percent(0.99) }) : percent(value));

// Whether what stands in a cell, or belongs there, may not be shown.
const masked = (one) => [one.value, one.repair].includes(MASK);

const Value = ({ text, none }) => (text == null ? html`<em class="quiet">${none}</em>` : html`<code>${text}</code>`);

const Row = ({ one }) => html`
  <span class="row-head" title=${named("suspect", one.kind)}>
    <${Chance} one=${one} /> ${one.cells && html`<span class="twisty" aria-hidden="true">${one.opened ? "▾" : "▸"}</span>`} ${masked(one) ? html`<em class="quiet">${say("suspects.masked")}</em>` : html`<${Value} text=${one.value} none=${say("suspects.nothing")} />${one.repair != null && html` <span class="quiet" role="img" aria-label=${say("suspects.belongs")}>→</span> <${Value} text=${one.repair} />`}`}
    ${one.cells && html`<strong class="figure" title=${say(NOUN, { count: one.cells.length })}>×${number(one.cells.length)}</strong>`}
    ${one.repair == null && html`<span class="kind">${named("suspect", one.kind)}</span>`}${one.verdict !== "UNDECIDED" && html` <span class="status">${say(`verdict.${one.verdict}`).toLowerCase()}</span>`}
  </span>
`;

const Chance = ({ one }) => html`<${Bar} share=${one.probability} told=${say("suspects.chance", { chance: chance(one) })} kind="bar-wrong" />`;

// A value that is masked here is read at its source, as a question may that its policies let through; that is written
// down in the audit log.
function askFor(one, table) {
  const row = Object.entries(one.rowKey ?? {});
  if (!table || !masked(one) || !row.length || row.some(([, value]) => value === MASK || value == null)) return null;
  return link("ask", { q: say("suspects.ask.row", { column: one.column, table: bare(table), row: row.map(([name, value]) => say("suspects.ask.is", { name, value: String(value) })).join(", ") }) });
}

function Detail({ one, table }) {
  const key = one.cells ? [] : Object.entries(one.rowKey ?? {});
  const others = [...new Set([...cellsOf(one).map((cell) => cell.reason).slice(0, MOST_REASONS), ...one.furtherReasons])].filter((reason) => reason !== one.reason);
  const question = one.cells ? null : askFor(one, table);
  const moved = one.verdict === "UNDECIDED" && Math.abs(one.probability - one.detectedProbability) >= 0.001;
  return html`
    <h3>${one.column}${one.cells && html` <small class="quiet">${say(NOUN, { count: one.cells.length })}</small>`}${key.length > 0 && html` <small class="quiet">${say("suspects.rowWhere", { row: listed(key.map(([name, value]) => say("suspects.is", { name, value: String(value ?? say("suspects.nothing")) }))) })}</small>`}</h3>
    ${masked(one) ? html`<p class="quiet">${say("suspects.maskedWhy")}</p>` : html`<dl class="beside">
      <div><dt>${say("suspects.there")}</dt><dd><${Value} text=${one.value} none=${say("suspects.nothing")} /></dd></div>
      <div><dt>${say("suspects.probably")}</dt><dd class=${one.repair == null ? undefined : "new"}><${Value} text=${one.repair} none=${say("suspects.unknown")} /></dd></div>
    </dl>`}
    <p><${English}><${Told} text=${one.reason} /><//></p>
    ${others.length > 0 && html`<h4>${say("suspects.else")}</h4><ul class="why">${others.map((reason) => html`<li key=${reason}><${English}><${Told} text=${reason} /><//></li>`)}</ul>`}
    ${question && html`<p><a href=${question}>${say("suspects.ask")}</a></p>`}
    <p class="quiet">${one.verdict === "UNDECIDED" ? say("suspects.chance", { chance: chance(one) }) : say("suspects.said", { verdict: say(`verdict.${one.verdict}`).toLowerCase(), when: moment(one.decidedAt) })}${moved && ` ${say("suspects.moved", { chance: chance(one, one.detectedProbability) })}`}</p>
  `;
}
