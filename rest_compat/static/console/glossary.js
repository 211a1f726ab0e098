// The glossary: its terms by where they stand, and the way to a new one. Those that wait are approved in the inbox.
import { useState } from "../vendor/preact-hooks.js";

import { Choice, oneOnly, Outcome, Sure } from "./decide.js";
import { ask } from "./graph.js";
import { Sending } from "./holdings.js";
import { ADD_TERM, DELETE_TERM, TERMS } from "./place-documents.js";
import { Closed, useMay } from "./may.js";
import { useAll } from "./pages.js";
import { Empty, Failed, Help, html, Loading } from "./parts.js";
import { link } from "./places.js";
import { Status } from "./runs.js";
import { decideTerm } from "./terms.js";
import { listed, moment, named, say, sentence } from "./words.js";

const STANDS = ["APPROVED", "IN_REVIEW", "DRAFT", "REJECTED", "DEPRECATED"];
const OPEN = ["IN_REVIEW", "DRAFT"];

export function Glossary({ given }) {
  const stands = STANDS.includes(given.status) ? given.status : STANDS[0];
  const { items, total, loading, failure, again } = useAll(TERMS, { status: stands });
  const may = useMay();
  const [told, setTold] = useState(null);
  const [asked, setAsked] = useState(null);
  const done = (said) => (setTold({ said }), again());
  const add = async ({ name, definition, synonyms }) => {
    const others = synonyms.split(",").map((one) => one.trim()).filter(Boolean);
    const made = (await ask(ADD_TERM, { name: name.trim(), definition: definition.trim() || null, synonyms: others })).createGlossaryTerm;
    location.hash = link("find", { of: "glossary", status: "DRAFT" });
    done(say("glossary.added", { name: made.name }));
  };
  const approve = (one) => decideTerm(one, "APPROVE", null).then(() => done(say("terms.done", { verb: say("terms.APPROVE"), name: one.name })), (error) => setTold({ failure: error }));
  const remove = (one) =>
    setAsked({
      verb: say("glossary.delete"),
      noun: "terms.noun",
      about: one.name,
      told: say("glossary.deleteTold"),
      trial: oneOnly,
      carryOut: async () => {
        await ask(DELETE_TERM, { termId: one.id });
        again();
        return { said: say("glossary.deleted", { name: one.name }) };
      },
    });
  return html`
    <${Help} text=${say("glossary.lead")} />
    <form class="fields filter" onSubmit=${(event) => event.preventDefault()}>
      <${Choice} label=${say("triage.stands")} options=${STANDS.map((one) => [one, sentence(named("status", one))])} value=${stands} onChange=${(status) => (location.hash = link("find", { of: "glossary", status: status === STANDS[0] ? "" : status }))} />
    </form>
    <${Outcome} told=${told} />
    ${failure && html`<${Failed} failure=${failure} again=${again} />`}
    ${total === null && loading && html`<${Loading} what=${say("terms.fetching")} />`}
    ${total === 0 && html`<${Empty} title=${say("glossary.none")}>${say("glossary.none.next")}<//>`}
    <ul class="hits">
      ${items.map(
        (one) => html`<li key=${one.id} class="card">
          <div class="card-head"><strong>${one.displayName || one.name}</strong> <${Status} value=${one.status} /></div>
          <p>${one.definition || say("terms.undefined")}</p>
          <p class="quiet small">${[one.synonyms.length > 0 && say("terms.synonyms", { names: listed(one.synonyms) }), say("count.assets", { count: one.assetCount }), say("terms.by", { who: one.updatedBy, when: moment(one.updatedAt) })].filter(Boolean).join(" · ")}</p>
          <p class="acts">
            ${OPEN.includes(one.status) && may("CAN_MANAGE_METADATA") && html`<button type="button" class="quiet-button" aria-label=${say("rules.doOf", { verb: say("terms.APPROVE"), name: one.name })} onClick=${() => approve(one)}>${say("terms.APPROVE")}</button>`}
            ${may("CAN_DELETE") && html`<button type="button" class="quiet-button" aria-label=${say("rules.doOf", { verb: say("glossary.delete"), name: one.name })} onClick=${() => remove(one)}>${say("glossary.delete")}</button>`}
          </p>
        </li>`,
      )}
    </ul>
    ${(total !== null || failure) && (may("CAN_CREATE_RESOURCES") ? html`<${Sending} title=${say("glossary.add")} verb=${say("projects.create")} send=${add} fields=${[["name", "text", "sources.name", true], ["definition", "text", "terms.definition", false], ["synonyms", "text", "glossary.synonyms", false]]} />` : html`<${Closed} needs=${["CAN_CREATE_RESOURCES"]} />`)}
    ${asked && html`<${Sure} asked=${asked} onEnd=${(came) => (came && setTold(came), setAsked(null))} />`}
  `;
}
