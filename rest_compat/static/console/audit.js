// The audit log: who did what to what in the organization, and who was refused, the latest first.
import { useEffect, useState } from "../vendor/preact-hooks.js";

import { Closed, ORGANIZATION, useMay } from "./may.js";
import { useAll } from "./pages.js";
import { Empty, Failed, Help, html, Loading, useTyped } from "./parts.js";
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
  return may(NEEDS) ? html`<${Log} given=${given} />` : html`<${Help} text=${say("audit.lead")} /><${Closed} needs=${[NEEDS]} />`;
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
    <${Help} text=${say("audit.lead")} />
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
  const on = here ? "" : objectType && objectId !== resultId ? `${plain(objectType)} ${objectId}` : "";
  return [resultId, ...told, on].filter(Boolean);
}

function deed(operation) {
  const [verb, ...what] = operation.split("_");
  return DEEDS.includes(verb) && what.length ? say(`deed.${verb}`, { what: what.join(" ") }) : plain(operation);
}

// What is only for programs: it is told to who opens a line.
const isId = (text) => /[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}$/i.test(text);
const bareOf = (text) => text.replace(/^\w+:[^:\s]+:[^:\s]+:/, ""); // an address of a resource ends in its name

function Line({ entry }) {
  const told = about(entry);
  const fields = entry.changedFields.filter((name) => !(name in entry.arguments)).map(plain).join(", ");
  const seen = [...new Set(told.filter((one) => !isId(one)).map(bareOf))];
  const all = [named("door", entry.door), ...told, fields && say("audit.fields", { fields })].filter(Boolean).join(" · ");
  return html`
    <li>
      <details class="more deed"><summary><strong>${entry.userId}</strong> ${deed(entry.operation)}${seen.length > 0 && html` <span class="quiet">${seen.join(" · ")}</span>`}</summary><p class="quiet small">${all}</p></details>
      ${entry.outcome !== "ALLOWED" && html`<span class="status failed">${named("outcome", entry.outcome)}</span>`}
      <span class="quiet small">${moment(entry.occurredAt)}</span>
    </li>
  `;
}
