// Access: who may do what with the project or one of its sources, why, and what would change it.
import { useEffect, useState } from "../vendor/preact-hooks.js";

import { ACCESS, CONNECTIONS, GRANT, REVOKE } from "./documents.js";
import { ask } from "./graph.js";
import { Failed, Heading, html, Loading, useAnswer } from "./parts.js";
import { link, settle } from "./places.js";

const PERMISSIONS = {
  CAN_READ: "See it and its data",
  CAN_READ_METADATA: "See what the catalog says of it",
  CAN_WRITE: "Change its settings",
  CAN_MANAGE_METADATA: "Change what the catalog says, decide proposals",
  CAN_EXECUTE: "Start runs and ask questions",
  CAN_DELETE: "Delete it",
  CAN_SHARE: "Give others access",
  CAN_READ_SECRETS: "See its secrets",
  CAN_MANAGE_SECRETS: "Change its secrets",
};
const ROLES = { project: ["VIEWER", "OPERATOR", "DEVELOPER", "ADMIN", "OWNER"], data_connection: ["VIEWER", "OPERATOR", "DEVELOPER", "OWNER"] };
const MOST_WAYS = 4;
const PAUSE = 400;
const titled = (name) => name[0] + name.slice(1).toLowerCase();

// Names of objects, as people know them.
function inNames(text, names) {
  return Object.entries(names).reduce((before, [object, name]) => before.replaceAll(object, name), text).replaceAll("_", " ").replaceAll("user:", "").replaceAll("group:", "the group ");
}

export function Access({ given }) {
  const project = window.stoa.headers()["X-Project-ID"];
  const sources = useAnswer(CONNECTIONS, {});
  const on = given.on ?? "";
  const [user, setUser] = useState(given.user ?? "");
  const [asked, setAsked] = useState(user);
  useEffect(() => {
    const later = setTimeout(() => setAsked(user.trim()), PAUSE);
    return () => clearTimeout(later);
  }, [user]);
  useEffect(() => setUser(given.user ?? ""), [given.user]);
  useEffect(() => settle("access", { on, user: asked }), [asked]);
  const type = on ? "data_connection" : "project";
  const id = on || project;
  const answer = useAnswer(ACCESS, { resourceType: type.toUpperCase(), resourceId: id, user: asked || null });
  const names = { [`project:${project}`]: "the project" };
  for (const one of sources.data?.dataConnections.items ?? []) names[`data_connection:${one.resourceUri}`] = one.name;
  return html`
    <${Heading} title="Access">Access<//>
    <p class="lead">Who may do what, and why.</p>
    <form class="fields" onSubmit=${(event) => event.preventDefault()}>
      <label>With
        <select value=${on} onChange=${(event) => (location.hash = link("access", { on: event.target.value, user: asked }))}>
          <option value="" selected=${!on}>The project</option>
          ${on && !sources.data && html`<option value=${on} selected>${on}</option>`}
          ${(sources.data?.dataConnections.items ?? []).map((one) => html`<option key=${one.resourceUri} value=${one.resourceUri} selected=${one.resourceUri === on}>${one.name}</option>`)}
        </select>
      </label>
      <label>Who <input value=${user} autocomplete="off" spellcheck=${false} placeholder="you" onInput=${(event) => setUser(event.target.value)} /></label>
    </form>
    ${sources.failure && html`<${Failed} failure=${sources.failure} again=${sources.again} />`}
    ${answer.failure && html`<${Failed} failure=${answer.failure} again=${answer.again} />`}
    ${!answer.data && answer.loading && html`<${Loading} what="Looking it up" />`}
    ${answer.data &&
    html`<ul class="plain rows permissions" aria-label=${`What ${asked || "you"} may do`}>
      ${Object.entries(PERMISSIONS).map(([name, title]) => html`<${May} key=${name} title=${title} found=${answer.data[name]} names=${names} />`)}
    </ul>`}
    <${Roles} key=${id} type=${type} id=${id} user=${asked} onChange=${answer.again} />
  `;
}

function May({ title, found: { allowed, chain, grants }, names }) {
  const ways = allowed ? chain : grants.slice(0, MOST_WAYS).map(granted);
  return html`
    <li>
      <span class=${allowed ? "status completed" : "status"}>${allowed ? "yes" : "no"}</span> ${title}
      ${ways.length > 0 &&
      html`<details class="more"><summary>${allowed ? "Why" : "What would allow it"}</summary>
        <ul class="why">${ways.map((way) => html`<li key=${way}>${inNames(way, names)}</li>`)}</ul>
      </details>`}
    </li>
  `;
}

// "project:1#viewer@user:bob" is a grant as the graph writes it; what needs several at once joins them.
function granted(text) {
  return text.split(" and ").map((one) => one.replace(/^(.*)#(\w+)@(.*)$/, "$3 as $2 of $1")).join(", and ");
}

function Roles({ type, id, user, onChange }) {
  const [who, setWho] = useState(user);
  const [isGroup, setGroup] = useState(false);
  const [role, setRole] = useState("VIEWER");
  const [told, setTold] = useState(null);
  useEffect(() => setWho(user), [user]);
  async function change(document) {
    const grant = { userOrGroup: who.trim(), relation: role, resourceType: type.toUpperCase(), resourceId: id, isGroup };
    try {
      const [done] = Object.values(await ask(document, { grant }));
      setTold({ said: done.message });
      onChange();
    } catch (failure) {
      setTold({ failure });
    }
  }
  return html`
    <section class="part" aria-label="Roles">
      <h2>Give or take a role</h2>
      <form
        class="fields"
        onSubmit=${(event) => {
          event.preventDefault();
          change(GRANT);
        }}
      >
        <label>User or group <input required value=${who} autocomplete="off" spellcheck=${false} onInput=${(event) => setWho(event.target.value)} /></label>
        <label class="check"><input type="checkbox" checked=${isGroup} onChange=${(event) => setGroup(event.target.checked)} /> a group</label>
        <label>Role <select value=${role} onChange=${(event) => setRole(event.target.value)}>${ROLES[type].map((one) => html`<option key=${one} value=${one}>${titled(one)}</option>`)}</select></label>
        <button type="submit" disabled=${!who.trim()}>Give</button>
        <button type="button" class="quiet-button" disabled=${!who.trim()} onClick=${() => change(REVOKE)}>Take away</button>
      </form>
      ${told?.said && html`<p class="outcome" role="status">${told.said}</p>`}
      ${told?.failure && html`<${Failed} failure=${told.failure} />`}
    </section>
  `;
}
