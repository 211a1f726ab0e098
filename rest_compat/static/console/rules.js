// The rules of a table: what is expected of it, what became of each, and the way to write one by hand.
import { useState } from "../vendor/preact-hooks.js";

import { oneOnly, Outcome, Sure } from "./decide.js";
import { RULES } from "./documents.js";
import { ask } from "./graph.js";
import { CHANGE_RULE, DELETE_RULE } from "./inbox-documents.js";
import { Closed, useMay } from "./may.js";
import { useAll } from "./pages.js";
import { Empty, English, Failed, html, Loading, NotShown, Told } from "./parts.js";
import { parts } from "./places.js";
import { Severity, Short, Where, worst } from "./quality.js";
import { RuleForm } from "./rule-form.js";
import { named, say, wordsOfRule } from "./words.js";

const MOST = 300;
const FIRST = 3;
// What a person may make of a rule, by where it stands.
const MOVES = { PROPOSED: ["ACTIVE", "REJECTED"], ACTIVE: ["DISABLED"], DISABLED: ["ACTIVE", "REJECTED"], REJECTED: ["ACTIVE"] };
const RESTING = ["DISABLED", "REJECTED"];
const WAITING = "PROPOSED";

export function Rules({ fqn, columns }) {
  const { items, total, loading, failure, again } = useAll(RULES, { fqn }, MOST);
  const may = useMay();
  const [asked, setAsked] = useState(null);
  const [told, setTold] = useState(null);
  const title = say("quality.rules");
  const standing = items.filter((one) => one.state !== WAITING && !RESTING.includes(one.state)).sort(worst);
  const waiting = items.filter((one) => one.state === WAITING).sort(worst);
  const resting = items.filter((one) => RESTING.includes(one.state)).sort(worst);
  const move = (rule, state) =>
    ask(CHANGE_RULE, { ruleId: rule.id, state }).then(
      () => (setTold({ said: say(`rules.${state}.done`, { name: rule.name }) }), again()),
      (error) => setTold({ failure: error }),
    );
  const remove = (rule) =>
    setAsked({
      verb: say("rules.delete"),
      noun: "count.rules",
      about: wordsOfRule(rule),
      told: say("rules.deleteTold"),
      trial: oneOnly,
      carryOut: async () => {
        await ask(DELETE_RULE, { ruleId: rule.id });
        again();
        return { said: say("rules.deleted", { name: rule.name }) };
      },
    });
  const line = (one) => html`<${Rule} key=${one.id} one=${one} may=${may} onMove=${move} onDelete=${remove} />`;
  return html`
    <section class="part" id="rules" aria-label=${title}>
      <h2>${title}</h2>
      ${failure && html`<${Failed} failure=${failure} again=${again} />`}
      ${total === null && loading && html`<${Loading} />`}
      ${total === 0 && html`<${Empty} title=${say("quality.noRules")}>${say("quality.noRules.next")}<//>`}
      <${Outcome} told=${told} />
      ${standing.length > 0 && html`<${Short} items=${standing} first=${FIRST}>${line}<//>`}
      ${waiting.length > 0 && html`<details class="more"><summary>${say("rules.waiting", { count: waiting.length })}</summary><ul class="plain rows">${waiting.map(line)}</ul></details>`}
      ${resting.length > 0 && html`<details class="more"><summary>${say("rules.resting", { count: resting.length })}</summary><ul class="plain rows">${resting.map(line)}</ul></details>`}
      <${NotShown} count=${(total ?? 0) - items.length} />
      ${items.length > 0 && !may("CAN_WRITE") && html`<${Closed} needs=${["CAN_WRITE"]} />`}
      ${may("CAN_CREATE_RESOURCES") && html`<${RuleForm} fqn=${fqn} columns=${columns} onMade=${(rule) => (setTold({ said: say("rules.made", { name: rule.name }) }), again())} />`}
      ${asked && html`<${Sure} asked=${asked} onEnd=${(came) => (came && setTold(came), setAsked(null))} />`}
    </section>
  `;
}

function Rule({ one, may, onMove, onDelete }) {
  const moves = may("CAN_WRITE") ? MOVES[one.state] : [];
  const words = wordsOfRule(one);
  return html`<li class="rule">
    <span><${Severity} value=${one.severity} /> <${Where} members=${[{ column: parts(one.assetFqn)[4] }]} name=${words} /> <strong><${English} own=${words !== one.inWords && words !== one.name}><${Told} text=${words} /><//></strong> <span class="kind">${named("rule", one.state)}</span>
    ${one.description && (one.origin === "PERSON" || words === one.name) && html`<span class="quiet line">${one.origin === "PERSON" ? one.description : html`<${English}>${one.description}<//>`}</span>`}</span>
    ${moves.length > 0 && html`<span class="row-acts">
      ${moves.map((state) => html`<button key=${state} type="button" class="quiet-button" aria-label=${say("rules.doOf", { verb: verbOf(one, state), name: one.name })} onClick=${() => onMove(one, state)}>${verbOf(one, state)}</button>`)}
      ${one.origin === "PERSON" && may("CAN_DELETE") && html`<button type="button" class="quiet-button" aria-label=${say("rules.doOf", { verb: say("rules.delete"), name: one.name })} onClick=${() => onDelete(one)}>${say("rules.delete")}</button>`}
    </span>`}
  </li>`;
}

// A rule that was rejected is taken back, one that was switched off is switched on, one that waits is approved.
const verbOf = (one, state) => say(state === "ACTIVE" ? `rules.from.${one.state}` : `rules.to.${state}`);
