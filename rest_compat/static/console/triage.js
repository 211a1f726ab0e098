// Violations: what is wrong where, with rows that show it, until somebody says what becomes of it; and what was said.
import { useState } from "../vendor/preact-hooks.js";

import { carryOutAll, Choice, Like, oneOnly, Outcome, patternOf, Sure } from "./decide.js";
import { Desk, grouped } from "./desk.js";
import { HOLDERS } from "./documents.js";
import { ask } from "./graph.js";
import { DECIDE_VIOLATION, DECIDE_VIOLATIONS, REACHED, TRIAGED_VIOLATIONS } from "./inbox-documents.js";
import { Closed, useMay } from "./may.js";
import { useAll } from "./pages.js";
import { ASSIGN_VIOLATION } from "./place-documents.js";
import { Empty, English, Failed, html, Loading, Told, useAnswer } from "./parts.js";
import { link, parts, settle, tableOf } from "./places.js";
import { Examples } from "./rows.js";
import { ORDER, seen, Severity, worst, wrongOf } from "./quality.js";
import { named, number, plain, say, sentence } from "./words.js";

const MOST = 1000;
const NEEDS = "CAN_WRITE";
const NOUN = "count.violations";
const KEYS = { ACKNOWLEDGED: "c", RESOLVED: "x", FALSE_POSITIVE: "d", OPEN: "o" };
const REASONED = ["RESOLVED", "FALSE_POSITIVE"];
// What may become of a violation, by where it stands.
const MOVES = { OPEN: ["ACKNOWLEDGED", "RESOLVED", "FALSE_POSITIVE"], ACKNOWLEDGED: ["RESOLVED", "FALSE_POSITIVE", "OPEN"], RESOLVED: ["OPEN"], FALSE_POSITIVE: ["OPEN"] };
const choicesOf = (from) =>
  MOVES[from].map((status) => ({
    key: KEYS[status],
    status,
    verb: say(`triage.${status}`),
    told: say(`triage.${status}.told`),
    reason: REASONED.includes(status) && say(`triage.${status}.reason`),
  }));
const placeOf = (one) => parts(one.assetFqn).slice(3).join(".") || one.assetFqn;

export function Triage({ given: { status = "", severity = "", like = "" } }) {
  const [filter, setFilter] = useState({ status, severity, like });
  const stands = filter.status in MOVES ? filter.status : "OPEN";
  const list = useAll(TRIAGED_VIOLATIONS, { status: stands, severity: filter.severity || undefined, assetsLike: patternOf(filter.like) }, MOST);
  const may = useMay();
  const [asked, setAsked] = useState(null);
  const [told, setTold] = useState(null);
  const only = { statuses: [stands], severities: filter.severity ? [filter.severity] : undefined, assetsLike: patternOf(filter.like) };
  const narrow = Object.values(filter).some(Boolean);

  function filtered(change) {
    const next = { ...filter, ...change };
    settle("inbox", { of: "violations", ...next });
    setFilter(next);
  }
  const outcome = (choice, done) => ({ said: say("triage.done", { verb: choice.verb, what: say(NOUN, { count: done }) }) });
  function askAboutOne(choice, one) {
    setAsked({
      ...choice,
      noun: NOUN,
      about: `${one.assetFqn}: ${wrongOf(one)}`,
      trial: oneOnly,
      carryOut: async (notes) => {
        await ask(DECIDE_VIOLATION, { violationId: one.id, status: choice.status, notes });
        list.change((before) => before.filter((other) => other.id !== one.id));
        return outcome(choice, 1);
      },
    });
    return true;
  }
  function askAbout(choice, which, about) {
    const variables = { only: which, status: choice.status };
    setAsked({
      ...choice,
      noun: NOUN,
      about,
      trial: async (signal) => trialOf((await ask(DECIDE_VIOLATIONS, { ...variables, dryRun: true }, { signal })).decideViolations),
      carryOut: async (notes, step, stopped) => {
        const send = async () => (await ask(DECIDE_VIOLATIONS, { ...variables, notes, dryRun: false })).decideViolations;
        const done = await carryOutAll(send, (came) => came.moved, step, stopped);
        list.again();
        return outcome(choice, done);
      },
    });
  }
  const able = choicesOf(stands).map((choice) => ({
    ...choice,
    decide: (one) => askAboutOne(choice, one),
    decideAll: (group) => askAbout(choice, { ...only, names: [group.key] }, `${group.title}${inWords(filter)}.`),
  }));
  const groups = grouped(list.items, (one) => one.name, (one) => sentence(plain(one.name)), (one, other) => worst(one.items[0], other.items[0]));
  const total = list.total ?? 0;
  return html`
    <${Filter} filter=${filter} stands=${stands} onChange=${filtered} total=${may(NEEDS) ? total : 0} onAll=${(choice) => askAbout(choice, only, `${say(narrow || stands !== "OPEN" ? "triage.fits" : "triage.open")}${inWords(filter)}.`)} />
    ${!may(NEEDS) && html`<${Closed} needs=${[NEEDS]} />`}
    <${Outcome} told=${told} />
    ${list.failure && html`<${Failed} failure=${list.failure} again=${list.again} />`}
    ${list.total === null && list.loading && html`<${Loading} what=${say("triage.fetching")} />`}
    ${list.total !== null && !list.loading && !list.items.length && (narrow ? html`<${Empty} title=${say("proposals.none")}><button type="button" onClick=${() => filtered({ status: "", severity: "", like: "" })}>${say("proposals.showAll")}</button><//>` : html`<${Empty} icon="done" title=${say("quality.none")}>${say("quality.none.next")}<//>`)}
    ${list.items.length > 0 && html`<p class="count" role="status">${say(total > MOST ? "triage.countOf" : "triage.count", { count: list.items.length, total, status: named("violation", stands) })}${list.loading ? " …" : ""}</p>`}
    ${list.items.length > 0 && html`<${Desk} groups=${groups} choices=${may(NEEDS) ? able : []} sum=${(group) => group.items.length} row=${(one) => html`<${Row} one=${one} />`} detail=${(one) => html`<${Detail} key=${one.id} one=${one} may=${may(NEEDS)} />`} />`}
    ${asked && html`<${Sure} key=${asked.verb + asked.about} asked=${asked} onEnd=${(came) => (came && setTold(came), setAsked(null))} />`}
  `;
}

function inWords({ status, severity, like }) {
  const said = [status && named("violation", status), severity && named("severity", severity), like && say("proposals.like", { pattern: patternOf(like) })].filter(Boolean).join(", ");
  return said && `: ${said}`;
}

function trialOf({ moved, waiting, barred, sample }) {
  const stays = barred ? [say("triage.stays", { count: barred })] : [];
  return { moves: moved + waiting, stays, heads: [say("proposals.where"), say("triage.what")], rows: sample.map((one) => [placeOf(one), wrongOf(one)]) };
}

const Filter = ({ filter, stands, onChange, total, onAll }) => html`
  <form class="fields filter" role="search" onSubmit=${(event) => event.preventDefault()}>
    <${Like} label=${say("like.label")} value=${filter.like} onChange=${(like) => onChange({ like })} />
    <${Choice} label=${say("triage.stands")} options=${Object.keys(MOVES).map((value) => [value, sentence(named("violation", value))])} value=${stands} onChange=${(status) => onChange({ status: status === "OPEN" ? "" : status })} />
    <${Choice} label=${say("triage.bad")} options=${[["", say("triage.anyBad")], ...ORDER.map((value) => [value, sentence(named("severity", value))])]} value=${filter.severity} onChange=${(severity) => onChange({ severity })} />
    ${total > 0 && html`<span class="choices">${choicesOf(stands).map((choice, at) => html`<button key=${choice.key} type="button" class="quiet-button" onClick=${() => onAll(choice)}>${say(at ? "decide.allOfThem" : "decide.allOf", { verb: choice.verb, total })}</button>`)}</span>`}
  </form>
`;

const Row = ({ one }) => html`
  <span class="row-head"><${Severity} value=${one.severity} /> <strong>${placeOf(one)}</strong></span>
  ${wrongOf(one).toLowerCase() !== plain(one.name) && html`<span class="about"><${English}><${Told} text=${wrongOf(one)} /><//></span>`}
`;

function Detail({ one, may }) {
  const { examples = [], numerator, denominator, value, unit } = one.details;
  const wrong = denominator != null && numerator != null ? denominator - numerator : null;
  return html`
    <h3><${English}><${Told} text=${wrongOf(one)} /><//></h3>
    <p><a href=${link("asset", { fqn: tableOf(one.assetFqn), column: one.column })}>${one.assetFqn}</a></p>
    ${wrong !== null && !one.inWords && html`<p>${say("triage.wrong", { count: wrong, all: denominator })}</p>`}
    ${wrong === null && value != null && html`<p>${say("triage.measured", { value: `${value} ${unit ?? ""}` })}</p>`}
    ${examples.length > 0 && html`<${Examples} examples=${examples} />`}
    ${one.details.suspects > 0 && html`<p><a class="button quiet-button" href=${link("asset", { fqn: tableOf(one.assetFqn), part: "suspects" })}>${say("triage.suspects")}</a></p>`}
    <${Reached} key=${one.id} id=${one.id} />
    <p class="quiet">${sentence(seen([one]))}.</p>
    ${may ? html`<${Assign} one=${one} />` : one.assignedTo && html`<p>${say("triage.assigned", { who: one.assignedTo })}</p>`}
  `;
}

// The tables and views that are made of what is wrong, as far as lineage is known; nothing where there are none.
function Reached({ id }) {
  const { total, hidden, items } = useAnswer(REACHED, { violationId: id }).data?.violationImpact ?? { total: 0, hidden: 0 };
  return html`
    ${total > 0 && html`<p>${say("triage.reaches", { count: total })} ${items.map(({ tableFqn, resourceUri }, at) => html`${at > 0 && ", "}<a key=${tableFqn} href=${link("asset", { uri: resourceUri, fqn: tableFqn })}>${parts(tableFqn).at(-1)}</a>`)}${total > items.length && ", …"}</p>`}
    ${hidden > 0 && html`<p class="quiet">${say("triage.reachesHidden", { count: hidden })}</p>`}
  `;
}

// Whoever is to look after it, by the id that the identity provider knows.
function Assign({ one }) {
  const [who, setWho] = useState(one.assignedTo ?? "");
  // Who has a role in the project is offered, to whoever may know that; others can be named as well.
  const may = useMay();
  const holders = useAnswer(HOLDERS, may.known && may("CAN_SHARE") ? { resourceType: "PROJECT", resourceId: window.stoa.headers()["X-Project-ID"] } : undefined);
  const people = (holders.data?.roleHoldersConnection.nodes ?? []).filter((holder) => !holder.isGroup).map((holder) => holder.userOrGroup);
  const known = [...new Set([window.stoa.bearer()?.user, ...people].filter(Boolean))].sort();
  const [told, setTold] = useState(null);
  const assign = async (event) => {
    event.preventDefault();
    try {
      await ask(ASSIGN_VIOLATION, { violationId: one.id, assignedTo: who.trim() || null });
      setTold({ said: say("triage.assigned", { who: who.trim() || say("turn.none") }) });
    } catch (failure) {
      setTold({ failure });
    }
  };
  return html`
    <form class="fields" onSubmit=${assign}>
      <label>${say("triage.assign")}<input list="members" value=${who} maxlength="255" autocomplete="off" spellcheck=${false} onInput=${(event) => setWho(event.target.value)} /></label>
      <datalist id="members">${known.map((name) => html`<option key=${name} value=${name}></option>`)}</datalist>
      <button type="submit" class="quiet-button">${say("triage.assignDo")}</button>
    </form>
    <${Outcome} told=${told} />
  `;
}
