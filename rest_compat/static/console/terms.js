// Terms of the glossary that wait for somebody to approve them, decided as proposals are.
import { useState } from "../vendor/preact-hooks.js";

import { Outcome, Sure } from "./decide.js";
import { Desk, grouped } from "./desk.js";
import { ask } from "./graph.js";
import { Closed, useMay } from "./may.js";
import { useAll } from "./pages.js";
import { REVIEW_TERM, SUBMIT_TERM, TERMS } from "./place-documents.js";
import { Empty, Failed, html, Loading, Told } from "./parts.js";
import { listed, moment, named, number, say, sentence } from "./words.js";

const WAITING = ["IN_REVIEW", "DRAFT"];
const CHOICES = { a: "APPROVE", r: "REJECT" };
const NEEDS = "CAN_MANAGE_METADATA";
const NOUN = "terms.noun";
const nameOf = (one) => one.displayName || one.name;

// A decision takes a term that is in review; a draft goes there first.
export async function decideTerm(one, decision, notes) {
  if (one.status === "DRAFT") await ask(SUBMIT_TERM, { termId: one.id });
  await ask(REVIEW_TERM, { termId: one.id, decision, notes });
}

export function Terms() {
  const reviewed = useAll(TERMS, { status: WAITING[0] });
  const drafts = useAll(TERMS, { status: WAITING[1] });
  const lists = [reviewed, drafts];
  const may = useMay();
  const [asked, setAsked] = useState(null);
  const [told, setTold] = useState(null);
  const items = lists.flatMap((list) => list.items);
  const failure = lists.find((list) => list.failure)?.failure;
  const loading = lists.some((list) => list.total === null && list.loading);
  const again = () => lists.forEach((list) => list.again());
  const drop = (ids) => lists.forEach((list) => list.change((before) => before.filter((one) => !ids.has(one.id))));

  function askAbout(choice, terms, about) {
    setAsked({
      ...choice,
      noun: NOUN,
      about,
      reason: say("terms.notes"),
      trial: async () => ({ moves: terms.length, stays: [], heads: [say("inbox.terms"), say("terms.definition")], rows: terms.slice(0, 20).map((one) => [nameOf(one), one.definition ?? ""]) }),
      carryOut: async (notes, step, stopped) => {
        const done = new Set();
        for (const one of terms) {
          if (stopped()) break;
          await decideTerm(one, choice.decision, notes);
          done.add(one.id);
          step(done.size);
        }
        drop(done);
        return { said: say("terms.allDone", { verb: choice.verb, what: say(NOUN, { count: done.size }) }) };
      },
    });
    return true;
  }
  const choices = Object.entries(CHOICES).map(([key, decision]) => {
    const choice = { key, decision, verb: say(`terms.${decision}`), told: say(`terms.${decision}.told`) };
    return { ...choice, decide: (one) => askAbout(choice, [one], nameOf(one)), decideAll: (group) => askAbout(choice, group.items, group.title) };
  });
  const groups = grouped(items, (one) => one.status, (one) => sentence(named("status", one.status)), (one, other) => WAITING.indexOf(one.key) - WAITING.indexOf(other.key));
  return html`
    ${!may(NEEDS) && html`<${Closed} needs=${[NEEDS]} />`}
    <${Outcome} told=${told} />
    ${failure && html`<${Failed} failure=${failure} again=${again} />`}
    ${loading && !failure && html`<${Loading} what=${say("terms.fetching")} />`}
    ${!loading && !failure && !items.length && html`<${Empty} icon="done" title=${say("terms.none")}>${say("terms.none.next")}<//>`}
    ${items.length > 0 && html`<p class="count" role="status">${say("terms.count", { count: items.length })}</p>`}
    ${items.length > 0 && html`<${Desk} groups=${groups} choices=${may(NEEDS) ? choices : []} sum=${(group) => number(group.items.length)} row=${(one) => html`<${Row} one=${one} />`} detail=${(one) => html`<${Detail} key=${one.id} one=${one} />`} />`}
    ${asked && html`<${Sure} key=${asked.verb + asked.about} asked=${asked} onEnd=${(came) => (came && setTold(came), setAsked(null))} />`}
  `;
}

const Row = ({ one }) => html`
  <span class="row-head"><strong>${nameOf(one)}</strong> <span class="kind">${named("status", one.status)}</span></span>
  ${one.definition && html`<span class="about"><${Told} text=${one.definition} /></span>`}
`;

const Detail = ({ one }) => html`
  <h3>${nameOf(one)}</h3>
  <dl class="beside"><div><dt>${say("terms.definition")}</dt><dd>${one.definition ? html`<${Told} text=${one.definition} />` : say("terms.undefined")}</dd></div></dl>
  ${one.synonyms.length > 0 && html`<p>${say("terms.synonyms", { names: listed(one.synonyms) })}</p>`}
  <p class="quiet">${say("terms.by", { who: one.updatedBy, when: moment(one.updatedAt) })} · ${say("count.assets", { count: one.assetCount })}</p>
`;
