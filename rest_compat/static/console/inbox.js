// Inbox: what waits for a person to decide.
import { Heading, html } from "./parts.js";
import { link } from "./places.js";
import { Proposals } from "./proposals.js";
import { Triage } from "./triage.js";

export function Inbox({ given }) {
  const violations = given.of === "violations";
  return html`
    <${Heading} title="Inbox">Inbox<//>
    <nav class="kinds" aria-label="What waits">
      <a href=${link("inbox")} aria-current=${violations ? undefined : "page"}>Proposals</a>
      <a href=${link("inbox", { of: "violations" })} aria-current=${violations ? "page" : undefined}>Violations</a>
    </nav>
    ${violations ? html`<${Triage} given=${given} />` : html`<${Proposals} given=${given} />`}
  `;
}
