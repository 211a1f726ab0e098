// A token for development: the one of this tab, for whoever wants to ask the graph or REST from a program.
import { useState } from "../vendor/preact-hooks.js";

import { Help, html } from "./parts.js";
import { moment, say } from "./words.js";

export function Tokens() {
  const [told, setTold] = useState("");
  const { until, person, place } = window.stoa.bearer() ?? {};
  const headers = window.stoa.headers();
  const copy = () => navigator.clipboard.writeText(headers.Authorization.replace("Bearer ", "")).then(() => setTold(say("tokens.copied")), () => setTold(say("tokens.notCopied")));
  const example = `curl ${location.origin}${document.getElementById("console").dataset.graphql} \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -H "X-Project-ID: ${headers["X-Project-ID"] ?? ""}" \\\n  -H "Content-Type: application/json" \\\n  -d '{"query": "{ viewer { userId permissions } }"}'`;
  return html`
    <${Help} text=${say("tokens.lead")} />
    <div class="card">
      <p>${say("tokens.yours", { who: person, place })}${until && ` ${say("shell.until", { when: moment(until) })}.`}</p>
      <p class="acts"><button type="button" onClick=${copy}>${say("tokens.copy")}</button></p>
      ${told && html`<p class="outcome" role="status">${told}</p>`}
    </div>
    <h2 class="apart">${say("tokens.use")}</h2>
    <pre tabindex="0" role="region" aria-label=${say("tokens.use")}><code>${example}</code></pre>
    <p>${say("tokens.longer")}</p>
    <pre tabindex="0" role="region" aria-label=${say("tokens.command")}><code>stoa token --user NAME --org ORGANIZATION</code></pre>
  `;
}
