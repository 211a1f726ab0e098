// Memories: what is known beside the catalog and is drawn on when questions are answered.
import { useState } from "../vendor/preact-hooks.js";

import { Choice, oneOnly, Outcome, Sure } from "./decide.js";
import { ask } from "./graph.js";
import { Sending } from "./holdings.js";
import { Closed, useMay } from "./may.js";
import { Models } from "./models.js";
import { useAll } from "./pages.js";
import { Empty, Failed, Help, html, Loading, settled, useAnswer } from "./parts.js";
import { ADD_MEMORY, ADD_PACK, DELETE_MEMORY, MEMORIES, PACKS, VALIDATE_MEMORY } from "./place-documents.js";
import { moment, named, plain, say, sentence } from "./words.js";

const VALIDATIONS = ["", "UNVALIDATED", "VALIDATED", "DISPUTED"];
// Kinds that a sentence is enough for; others have a form of their own and come through the API.
const KINDS = ["FACT", "INSTRUCTION", "PREFERENCE", "OBSERVATION"];
// What is known, as a sentence, or as the parts of its form that its name does not tell.
const textOf = ({ name, content }) => content.text ?? content.sentence ?? Object.entries(content).filter(([, value]) => value != null && value !== name).map(([part, value]) => `${plain(part)}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ");

export function Memories() {
  const [validation, setValidation] = useState("");
  const [kind, setKind] = useState(KINDS[0]);
  const list = useAll(MEMORIES, { validationStatus: validation || undefined }, 500);
  const packs = useAnswer(PACKS, {});
  const may = useMay();
  const [told, setTold] = useState(null);
  const [asked, setAsked] = useState(null);
  const done = (said) => (setTold({ said }), list.again());
  // What is said by hand goes to the newest pack of the project; the first thing that is said makes one.
  const [pack] = packs.data?.contextPacks.nodes ?? [];
  const packNeeded = async () => (pack ?? (await ask(ADD_PACK, { name: say("memories.pack") })).createContextPack).id;
  const add = async ({ name, text }) => {
    const contextPackId = await packNeeded();
    const made = (await ask(ADD_MEMORY, { name: name.trim(), content: { type: "text", text: text.trim() }, memoryType: kind, contextPackId })).createMemory;
    packs.again();
    done(say("memories.added", { name: made.name }));
  };
  const judge = (one, validationStatus) => ask(VALIDATE_MEMORY, { memoryId: one.id, validationStatus }).then(() => done(say(`memories.${validationStatus}.done`, { name: one.name })), (failure) => setTold({ failure }));
  const remove = (one) =>
    setAsked({
      verb: say("glossary.delete"),
      noun: "count.memories",
      about: one.name,
      told: say("memories.deleteTold"),
      trial: oneOnly,
      carryOut: async () => {
        await ask(DELETE_MEMORY, { memoryId: one.id });
        list.again();
        return { said: say("glossary.deleted", { name: one.name }) };
      },
    });
  return html`
    <${Help} text=${say("memories.lead")} />
    <form class="fields filter" onSubmit=${(event) => event.preventDefault()}>
      <${Choice} label=${say("memories.validation")} options=${VALIDATIONS.map((one) => [one, say(`memories.stands.${one}`)])} value=${validation} onChange=${setValidation} />
    </form>
    <${Outcome} told=${told} />
    ${list.failure && html`<${Failed} failure=${list.failure} again=${list.again} />`}
    ${list.total === null && list.loading && html`<${Loading} />`}
    ${list.total === 0 && html`<${Empty} icon="ask" title=${say("memories.none")}>${say("memories.none.next")}<//>`}
    <ul class="hits">
      ${list.items.map(
        (one) => html`<li key=${one.id} class="card">
          <div class="card-head"><strong>${one.name}</strong> <span class="kind">${named("memory", one.memoryType)}</span> <span class=${`status ${one.quality.validationStatus === "VALIDATED" ? "completed" : ""}`}>${say(`memories.stands.${one.quality.validationStatus}`).toLowerCase()}</span></div>
          <p class="memory">${textOf(one)}</p>
          <p class="quiet small">${[one.assetFqn, moment(one.updatedAt)].filter(Boolean).join(" · ")}</p>
          <p class="acts">
            ${may("CAN_WRITE") && ["VALIDATED", "DISPUTED"].filter((state) => state !== one.quality.validationStatus).map((state) => html`<button key=${state} type="button" class="quiet-button" aria-label=${say("rules.doOf", { verb: say(`memories.to.${state}`), name: one.name })} onClick=${() => judge(one, state)}>${say(`memories.to.${state}`)}</button>`)}
            ${may("CAN_DELETE") && html`<button type="button" class="quiet-button" aria-label=${say("rules.doOf", { verb: say("glossary.delete"), name: one.name })} onClick=${() => remove(one)}>${say("glossary.delete")}</button>`}
          </p>
        </li>`,
      )}
    </ul>
    ${(list.total !== null || list.failure) && (may("CAN_CREATE_RESOURCES") ? html`<${Sending} title=${say("memories.add")} verb=${say("projects.create")} send=${add} fields=${[["name", "text", "sources.name", true], ["text", "lines", "memories.text", true]]}>
      <label>${say("sources.kind")}<select value=${kind} onChange=${(event) => setKind(event.target.value)}>${KINDS.map((one) => html`<option key=${one} value=${one} selected=${one === kind}>${sentence(named("memory", one))}</option>`)}</select></label>
    <//>` : html`<${Closed} needs=${["CAN_CREATE_RESOURCES"]} />`)}
    ${settled(packs) && list.total !== null && may("CAN_CREATE_RESOURCES") && html`<${Models} pack=${pack} packNeeded=${packNeeded} onTaken=${() => (packs.again(), list.again())} />`}
    ${asked && html`<${Sure} asked=${asked} onEnd=${(came) => (came && setTold(came), setAsked(null))} />`}
  `;
}
