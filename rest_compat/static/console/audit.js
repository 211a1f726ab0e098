// The audit log: who did what to what in the organization, and who was refused, the latest first.
import { useEffect, useState } from "../vendor/preact-hooks.js";

import { Closed, ORGANIZATION, useMay } from "./may.js";
import { useAll } from "./pages.js";
import { Empty, Failed, html, Loading, useTyped } from "./parts.js";
import { AUDIT } from "./place-documents.js";
import { link, settle } from "./places.js";
import { moment, named, plain, say, sentence } from "./words.js";

const NEEDS = "CAN_MANAGE_USERS";
const FIRST = 50;
// What operations are called by, as what was done; the name of another one is told as it is.
const DEEDS = ["create", "update", "delete", "set", "add", "remove", "import", "export", "upload", "decide", "verify", "trigger", "cancel", "retry", "replay", "grant", "revoke", "rotate"];
const OUTCOMES = ["ALLOWED", "REFUSED"];

export function Audit({ given }) {
  const may = useMay(ORGANIZATION);
  if (!may.known) return html`<${Loading} />`;
  return may(NEEDS) ? html`<${Log} given=${given} />` : html`<p class="lead">${say("audit.lead")}</p><${Closed} needs=${[NEEDS]} />`;
}

function Log({ given }) {
  const [user, setUser] = useState(given.user ?? "");
  const asked = useTyped(user);
  const [most, setMost] = useState(FIRST);
  const outcome = OUTCOMES.includes(given.outcome) ? given.outcome : "";
  useEffect(() => {
    settle("access", { of: "audit", user: asked, outcome });
    setMost(FIRST);
  }, [asked, outcome]);
  const { items, total, loading, failure, again } = useAll(AUDIT, { userId: asked || null, outcome: outcome || null }, most);
  const left = (total ?? 0) - items.length;
  const choose = (event) => (location.hash = link("access", { of: "audit", user: asked, outcome: event.target.value }));
  return html`
    <p class="lead">${say("audit.lead")}</p>
    <form class="fields" onSubmit=${(event) => event.preventDefault()}>
      <label>${say("access.who")} <input value=${user} autocomplete="off" spellcheck=${false} placeholder=${say("audit.anybody")} onInput=${(event) => setUser(event.target.value)} /></label>
      <label>${say("audit.outcome")}
        <select value=${outcome} onChange=${choose}>
          <option value="" selected=${!outcome}>${say("audit.any")}</option>
          ${OUTCOMES.map((one) => html`<option key=${one} value=${one} selected=${one === outcome}>${sentence(named("outcome", one))}</option>`)}
        </select>
      </label>
    </form>
    ${failure && html`<${Failed} failure=${failure} again=${again} />`}
    ${!failure && total === null && html`<${Loading} />`}
    ${total === 0 && html`<${Empty} icon="access" title=${say("audit.none")}>${say("audit.none.next")}<//>`}
    ${total > 0 && html`<p class="quiet count" role="status">${say("count.entries", { count: total })}</p>`}
    <ul class="plain rows audit">${items.map((entry) => html`<${Line} key=${entry.id} entry=${entry} />`)}</ul>
    ${left > 0 && html`<button type="button" class="quiet-button" disabled=${loading} onClick=${() => setMost(most + FIRST)}>${say("runs.more", { count: Math.min(FIRST, left) })}</button>`}
  `;
}

// What a call was about: names first, then what the permission was asked on; nothing twice.
function about({ objectType, objectId, resultId, arguments: names }) {
  const known = [objectType, objectId, resultId, false];
  const told = Object.entries(names).filter(([, value]) => !known.includes(value)).map(([name, value]) => `${plain(name)}: ${value}`);
  const here = objectId === window.stoa.headers()["X-Project-ID"];
  const on = here ? say("access.theProject") : objectType && objectId !== resultId ? `${plain(objectType)} ${objectId}` : "";
  return [resultId, ...told, on].filter(Boolean);
}

function deed(operation) {
  const [verb, ...what] = operation.split("_");
  return DEEDS.includes(verb) && what.length ? say(`deed.${verb}`, { what: what.join(" ") }) : plain(operation);
}

const Line = ({ entry, fields = entry.changedFields.filter((name) => !(name in entry.arguments)) }) => html`
  <li>
    <span class="deed"><strong>${entry.userId}</strong> ${deed(entry.operation)}</span>
    ${entry.outcome !== "ALLOWED" && html`<span class="status failed">${named("outcome", entry.outcome)}</span>`}
    <span class="quiet line">${[moment(entry.occurredAt), named("door", entry.door), ...about(entry), fields.length > 0 && say("audit.fields", { fields: fields.map(plain).join(", ") })].filter(Boolean).join(" · ")}</span>
  </li>
`;
