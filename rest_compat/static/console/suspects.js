// The cells of a table that its latest assessment holds for wrong, until somebody says whether they are.
import { useEffect, useRef, useState } from "../vendor/preact-hooks.js";

import { carryOutAll, Choice, Outcome, Sure, useQueue } from "./decide.js";
import { Desk, grouped } from "./desk.js";
import { CSV, DECIDE_SUSPECTS, EXPORT_SUSPECTS, SUSPECTS } from "./documents.js";
import { ask, save } from "./graph.js";
import { Empty, Failed, html, Loading, Told, useAnswer } from "./parts.js";
import { counted, moment, number, percent } from "./words.js";

const NOUN = ["suspect cell", "suspect cells"];
export const KINDS = {
  DEPENDENCY: "unlike rows that agree",
  VARIANT: "nearly a frequent value",
  WRITING: "written otherwise",
  WORD: "nearly a frequent word",
  PATTERN: "odd form",
  LETTERS: "odd characters",
  RARE: "rare value",
  OUTLIER: "far from all others",
  STAND_IN: "stands for nothing",
  MISSING: "missing",
  DOMAIN: "value of another column",
  ORDER: "less than it may be",
  FORMULA: "does not add up",
};
const CHOICES = [
  { key: "w", verdict: "WRONG", verb: "Really wrong", many: "All wrong", act: "Confirm", noun: ["wrong cell", "wrong cells"], said: "wrong", told: "They stay on the list until they are mended, and cells like them become more probable." },
  { key: "f", verdict: "FINE", verb: "Fine", many: "All fine", act: "Accept", noun: ["cell as fine", "cells as fine"], said: "fine", told: "They are not asked about again while their value and their row stay, and cells like them become less probable." },
  { key: "a", verdict: "ALWAYS_FINE", verb: "Always fine here", many: "All always fine", act: "Accept", noun: ["cell as always fine", "cells as always fine"], said: "always fine", told: "No cell of the column with such a value is asked about again." },
];
const REOPEN = { key: "u", verdict: "UNDECIDED", verb: "Take back", many: "Take all back", act: "Take back", noun: ["verdict", "verdicts"], said: "undecided again", told: "They wait for a verdict again." };
const VERDICTS = { UNDECIDED: "To decide", WRONG: "Really wrong", FINE: "Fine", ALWAYS_FINE: "Always fine", "": "All" };
const SURE = { "": "Any probability", 0.9: "90% and more", 0.75: "75% and more", 0.5: "50% and more" };
const ALL = { column: "", kind: "", sure: "", verdict: "UNDECIDED" };

export function Suspects({ fqn, columns }) {
  const [filter, setFilter] = useState(ALL);
  const [page, setPage] = useState(1);
  const [gone, setGone] = useState(() => new Set());
  const going = useRef(new Set()); // what is decided and not yet sent stays away from an answer that comes meanwhile
  const [asked, setAsked] = useState(null);
  const [told, setTold] = useState(null);
  const narrowed = { kind: filter.kind || undefined, probabilityAtLeast: filter.sure ? Number(filter.sure) : undefined };
  const answer = useAnswer(SUSPECTS, { fqn, asset: filter.column || fqn, ...narrowed, verdict: filter.verdict || undefined, page });
  const { data, failure, loading } = answer;
  const queue = useQueue(decideEach);
  const only = { under: filter.column || fqn, kinds: narrowed.kind && [narrowed.kind], probabilityAtLeast: narrowed.probabilityAtLeast, verdicts: filter.verdict ? [filter.verdict] : undefined };

  useEffect(() => setGone(new Set(going.current)), [data]);
  function filtered(change) {
    setFilter({ ...filter, ...change });
    setPage(1);
  }
  // What was decided leaves the list where the list is of others.
  async function decideEach(items, choice) {
    const ids = items.map((one) => one.id);
    try {
      await ask(DECIDE_SUSPECTS, { only: { ids }, verdict: choice.verdict, dryRun: false });
      setTold({ said: `${counted(ids.length, "cell is", "cells are")} ${choice.said}.`, undo: choice !== REOPEN && (() => queue.now(items, REOPEN)) });
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
        return { said: `${counted(done, "cell is", "cells are")} ${choice.said}.` };
      },
    });
    return true;
  }
  const choices = (filter.verdict === "UNDECIDED" ? CHOICES : [...CHOICES, REOPEN]).map((choice) => ({
    ...choice,
    decide: (one) => {
      if (filter.verdict && filter.verdict !== choice.verdict) {
        going.current.add(one.id);
        setGone((before) => new Set(before).add(one.id));
      }
      queue.later(one, choice);
      return !filter.verdict;
    },
    decideAll: (group) => askAbout(choice, group),
  }));
  if (failure) return html`<${Frame}><${Failed} failure=${failure} again=${answer.again} /><//>`;
  if (!data) return html`<${Frame}><${Loading} /><//>`;
  const { suspectCells: list, found } = data;
  if (!found.total) return html`<${Frame}><${Empty} title="None known">An assessment of data quality looks for cells that are probably wrong.<//><//>`;
  const items = list.items.filter((one) => !gone.has(one.id));
  const pages = Math.max(1, Math.ceil(list.total / list.limit));
  const [{ measuredAt, suspectsInTable }] = found.items;
  const groups = grouped(items, (one) => one.assetFqn, (one) => one.column, (one, other) => other.items[0].probability - one.items[0].probability);
  return html`
    <${Frame} note=${`assessed ${moment(measuredAt)}${suspectsInTable > found.total ? `, the most probable ${number(found.total)} of ${number(suspectsInTable)}` : ""}`}>
      <${Filter} filter=${filter} columns=${columns} onChange=${filtered}><${Save} only=${only} name=${`Suspect cells of ${fqn}`} /><//>
      <${Outcome} told=${told} />
      <p class="count" role="status">${counted(Math.max(0, list.total - gone.size), ...NOUN)}${loading || queue.going ? " …" : ""}</p>
      ${!items.length && !loading && !queue.going && (page > 1 ? html`<button type="button" class="quiet-button" onClick=${() => setPage(1)}>Back to the first</button>` : html`<${Empty} title="None of these"><button type="button" onClick=${() => filtered({ ...ALL, verdict: "" })}>Show all</button><//>`)}
      ${items.length > 0 && html`<${Desk} groups=${groups} heading="h3" choices=${choices} sum=${(group) => `${number(group.items.length)}${pages > 1 ? " on this page" : ""}`} row=${(one) => html`<${Row} one=${one} />`} detail=${(one) => html`<${Detail} key=${one.id} one=${one} />`} />`}
      ${pages > 1 && html`<nav class="pages" aria-label="Pages of suspect cells">
        <button type="button" class="quiet-button" disabled=${page <= 1} onClick=${() => setPage(page - 1)}>Before</button>
        <span class="quiet">page ${number(page)} of ${number(pages)}</span>
        <button type="button" class="quiet-button" disabled=${page >= pages} onClick=${() => setPage(page + 1)}>Next</button>
      </nav>`}
      ${asked && html`<${Sure} key=${asked.verb + asked.about} asked=${asked} onEnd=${(came) => (came && setTold(came), setAsked(null))} />`}
    <//>
  `;
}

const Frame = ({ note, children }) => html`<section class="part suspects" aria-label="Suspect cells"><h2>Suspect cells${note && html` <small>${note}</small>`}</h2>${children}</section>`;

function inWords({ kind, sure, verdict }) {
  const said = [kind && KINDS[kind], sure && `wrong with ${SURE[sure]}`, VERDICTS[verdict].toLowerCase()].filter(Boolean).join(", ");
  return `: ${said}`;
}

const trialOf = ({ decided, waiting, sample }) => ({
  moves: decided + waiting,
  stays: [],
  heads: ["Stands there", "Belongs there", "Why"],
  rows: sample.map((one) => [one.value ?? "nothing", one.repair ?? "not known", one.reason]),
});

const Filter = ({ filter, columns, onChange, children }) => html`
  <form class="fields filter" onSubmit=${(event) => event.preventDefault()}>
    <${Choice} label="Which column" options=${[["", "Every column"], ...columns.map((one) => [one.fullyQualifiedName, one.name])]} value=${filter.column} onChange=${(column) => onChange({ column })} />
    <${Choice} label="Which kind" options=${[["", "Every kind"], ...Object.entries(KINDS)]} value=${filter.kind} onChange=${(kind) => onChange({ kind })} />
    <${Choice} label="How probably wrong" options=${Object.entries(SURE).sort()} value=${filter.sure} onChange=${(sure) => onChange({ sure })} />
    <${Choice} label="Which verdict" options=${Object.entries(VERDICTS)} value=${filter.verdict} onChange=${(verdict) => onChange({ verdict })} />
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
  return html`<button type="button" class="quiet-button csv" disabled=${Boolean(state.busy)} onClick=${download}>Save as CSV</button>
    ${state.failure && html`<${Failed} failure=${state.failure} again=${download} />`}`;
}

// Nothing that nobody has looked at is certain.
const chance = (one, value = one.probability) => (one.verdict === "UNDECIDED" && value > 0.99 ? `over ${percent(0.99)}` : percent(value));

const Value = ({ text, none }) => (text == null ? html`<em class="quiet">${none}</em>` : html`<code>${text}</code>`);

const Row = ({ one }) => html`
  <span class="row-head">
    <span class="figure sure">${chance(one)}</span> <${Value} text=${one.value} none="nothing" />${one.repair != null && html` <span class="quiet" aria-label="belongs there">→</span> <${Value} text=${one.repair} />`}
    <span class="kind">${KINDS[one.kind]}</span>${one.verdict !== "UNDECIDED" && html` <span class="status">${VERDICTS[one.verdict].toLowerCase()}</span>`}
  </span>
  <span class="about"><${Told} text=${one.reason} /></span>
`;

function Detail({ one }) {
  const key = Object.entries(one.rowKey ?? {});
  const moved = one.verdict === "UNDECIDED" && Math.abs(one.probability - one.detectedProbability) >= 0.001;
  return html`
    <h3>${one.column}${key.length > 0 && html` <small class="quiet">where ${key.map(([name, value]) => `${name} is ${value ?? "nothing"}`).join(" and ")}</small>`}</h3>
    <dl class="beside">
      <div><dt>Stands there</dt><dd><${Value} text=${one.value} none="nothing" /></dd></div>
      <div><dt>Probably belongs there</dt><dd class=${one.repair == null ? undefined : "new"}><${Value} text=${one.repair} none="not known" /></dd></div>
    </dl>
    <p><${Told} text=${one.reason} /></p>
    ${one.furtherReasons.length > 0 && html`<h4>What else speaks against it</h4><ul class="why">${one.furtherReasons.map((reason) => html`<li key=${reason}><${Told} text=${reason} /></li>`)}</ul>`}
    <p class="quiet">${one.verdict === "UNDECIDED" ? `Wrong with a probability of ${chance(one)}.` : `Said to be ${VERDICTS[one.verdict].toLowerCase()} ${moment(one.decidedAt)}.`}${moved && ` The detector said ${chance(one, one.detectedProbability)}; verdicts on cells like it moved that.`}</p>
  `;
}
