// Inbox: what waits for a person to decide.
import { Heading, html, Views } from "./parts.js";
import { link } from "./places.js";
import { Proposals } from "./proposals.js";
import { Terms } from "./terms.js";
import { Triage } from "./triage.js";
import { say } from "./words.js";

const OF = { "": Proposals, violations: Triage, terms: Terms };

export function Inbox({ given }) {
  const now = given.of in OF ? given.of : "";
  const Of = OF[now];
  return html`
    <${Heading} title=${say("place.inbox")}>${say("place.inbox")}<//>
    <${Views} label=${say("inbox.what")} now=${now} views=${["proposals", "violations", "terms"].map((name) => [name in OF ? name : "", say(`inbox.${name}`), link("inbox", { of: name in OF ? name : "" })])} />
    <${Of} given=${given} />
  `;
}
