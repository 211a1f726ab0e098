// Access: who may do what with the project or one of its sources, why, and what would change it.
import { useEffect, useState } from "../vendor/preact-hooks.js";

import { Audit } from "./audit.js";
import { ACCESS, GRANT, HOLDERS, REVOKE } from "./documents.js";
import { oneOnly, Sure } from "./decide.js";
import { ask } from "./graph.js";
import { Limits, Projects, Secrets } from "./holdings.js";
import { Closed, typeOf, useMay } from "./may.js";
import { Failed, Heading, Help, html, Loading, NotShown, Part, settled, useAnswer, useTyped, Views } from "./parts.js";
import { link, settle } from "./places.js";
import { HELD } from "./server-documents.js";
import { Tokens } from "./tokens.js";
import { Webhooks } from "./webhooks.js";
import { named, say, sentence } from "./words.js";

const PERMISSIONS = ["CAN_READ", "CAN_READ_METADATA", "CAN_WRITE", "CAN_MANAGE_METADATA", "CAN_EXECUTE", "CAN_DELETE", "CAN_SHARE", "CAN_READ_SECRETS", "CAN_MANAGE_SECRETS"];
const ON_PROJECT = ["VIEWER", "OPERATOR", "DEVELOPER", "ADMIN", "OWNER"];
const ON_ONE = ["VIEWER", "OPERATOR", "DEVELOPER", "OWNER"]; // source or server
const OF = { "": Permissions, projects: Projects, secrets: Secrets, tokens: Tokens, webhooks: Webhooks, limits: Limits, audit: Audit };
const MOST_WAYS = 4;

// Names of objects, as people know them.
function inNames(text, names) {
  const told = Object.entries(names).reduce((before, [object, name]) => before.replaceAll(object, name), text);
  return told.replaceAll("_", " ").replaceAll("user:", "").replace(/group:(\S+)/g, (_, name) => say("access.group", { name }));
}

export function Access({ given }) {
  const now = given.of in OF ? given.of : "";
  const Of = OF[now];
  return html`
    <${Heading} title=${say("place.access")}>${say("place.access")}<//>
    <${Views} label=${say("access.views")} now=${now} views=${["permissions", "projects", "secrets", "tokens", "webhooks", "limits", "audit"].map((name) => [name in OF ? name : "", say(`access.${name}`), link("access", { of: name in OF ? name : "" })])} />
    <${Of} given=${given} />
  `;
}

function Permissions({ given }) {
  const project = window.stoa.headers()["X-Project-ID"];
  const sources = useAnswer(HELD, {});
  const on = given.on ?? "";
  const [user, setUser] = useState(given.user ?? "");
  const asked = useTyped(user);
  useEffect(() => setUser(given.user ?? ""), [given.user]);
  useEffect(() => settle("access", { on, user: asked }), [asked]);
  const type = on ? typeOf(on) : "project";
  const id = on || project;
  const answer = useAnswer(ACCESS, { resourceType: type.toUpperCase(), resourceId: id, user: asked || null });
  const may = useMay(on || undefined);
  const shares = may("CAN_SHARE");
  const holders = useAnswer(HOLDERS, may.known && shares ? { resourceType: type.toUpperCase(), resourceId: id } : undefined);
  const names = { [`project:${project}`]: say("access.theProject") };
  const held = [...(sources.data?.dataConnections.nodes ?? []), ...(sources.data?.registeredServers.nodes ?? [])];
  for (const one of held) names[`${typeOf(one.resourceUri)}:${one.resourceUri}`] = one.name;
  return html`
    <${Help} text=${say("access.lead")} />
    <form class="fields" onSubmit=${(event) => event.preventDefault()}>
      <label>${say("access.with")}
        <select value=${on} onChange=${(event) => (location.hash = link("access", { on: event.target.value, user: asked }))}>
          <option value="" selected=${!on}>${say("access.project")}</option>
          ${on && !sources.data && html`<option value=${on} selected>${on}</option>`}
          ${held.map((one) => html`<option key=${one.resourceUri} value=${one.resourceUri} selected=${one.resourceUri === on}>${one.name}</option>`)}
        </select>
      </label>
      <label>${say("access.who")} <input value=${user} autocomplete="off" spellcheck=${false} placeholder=${say("access.you")} onInput=${(event) => setUser(event.target.value)} /></label>
    </form>
    ${sources.failure && html`<${Failed} failure=${sources.failure} again=${sources.again} />`}
    ${answer.failure && html`<${Failed} failure=${answer.failure} again=${answer.again} />`}
    ${!answer.data && answer.loading && html`<${Loading} what=${say("access.looking")} />`}
    ${answer.data &&
    html`<ul class="plain rows permissions" aria-label=${say("access.mayOf", { who: asked || say("access.you") })}>
      ${PERMISSIONS.map((name) => html`<${May} key=${name} title=${say(`permission.${name}`)} found=${answer.data[name]} names=${names} />`)}
    </ul>`}
    ${settled(answer) && !shares && html`<${Closed} needs=${["CAN_SHARE"]} on=${on} />`}
    ${settled(answer, holders) && shares && html`<${Roles} key=${id} type=${type} id=${id} on=${on} user=${asked} holders=${holders} onChange=${() => (answer.again(), holders.again())} />`}
  `;
}

function May({ title, found: { allowed, chain, grants }, names }) {
  const ways = allowed ? chain : grants.slice(0, MOST_WAYS).map(granted);
  return html`
    <li>
      <span class=${allowed ? "status completed" : "status"} role="img" aria-label=${say(allowed ? "access.yes" : "access.no")} title=${say(allowed ? "access.yes" : "access.no")}>${allowed ? "✓" : "✗"}</span>
      ${ways.length ? html`<details class="more"><summary title=${say(allowed ? "access.why" : "access.whatWould")}>${title}</summary>
        <ul class="why" aria-label=${say(allowed ? "access.why" : "access.whatWould")}>${ways.map((way) => html`<li key=${way}>${inNames(way, names)}</li>`)}</ul>
      </details>` : html`<span>${title}</span>`}
    </li>
  `;
}

// "project:1#viewer@user:bob" is a grant as the graph writes it; what needs several at once joins them.
function granted(text) {
  return text.split(" and ").map((one) => one.replace(/^(.*)#(\w+)@(.*)$/, (_, what, role, who) => say("access.as", { who, role, what }))).join(say("access.and"));
}

// Who was given a role on it; a name leads to what they may do with it.
const Holders = ({ answer, on, onTake }) => html`
  <${Part} title=${say("access.holders")} answer=${answer}>
    ${({ roleHoldersConnection: { nodes, totalCount } }) => html`
      ${totalCount === 0 && html`<p class="quiet">${say("access.nobody")}</p>`}
      <ul class="plain rows holders">
        ${nodes.map(
          ({ userOrGroup, isGroup, relation }) => html`<li key=${`${isGroup} ${userOrGroup} ${relation}`}>
            <span>${isGroup ? sentence(say("access.group", { name: userOrGroup })) : html`<a href=${link("access", { on, user: userOrGroup })}>${userOrGroup}</a>`}</span>
            <span class="kind">${named("role", relation)}</span>
            <button type="button" class="bare-button cross" title=${say("access.take")} aria-label=${say("rules.doOf", { verb: say("access.take"), name: `${named("role", relation)}, ${userOrGroup}` })} onClick=${() => onTake({ userOrGroup, isGroup, relation })}>×</button>
          </li>`,
        )}
      </ul>
      <${NotShown} count=${totalCount - nodes.length} />
    `}
  <//>
`;

function Roles({ type, id, on, user, holders, onChange }) {
  const [who, setWho] = useState(user);
  const [isGroup, setGroup] = useState(false);
  const [role, setRole] = useState("VIEWER");
  const [told, setTold] = useState(null);
  const [asked, setAsked] = useState(null);
  useEffect(() => setWho(user), [user]);
  async function change(document, holder) {
    const grant = { ...holder, resourceType: type.toUpperCase(), resourceId: id };
    const [done] = Object.values(await ask(document, { grant }));
    onChange();
    return { said: done.message };
  }
  const give = () => change(GRANT, { userOrGroup: who.trim(), relation: role, isGroup }).then(setTold, (failure) => setTold({ failure }));
  function take(holder) {
    const own = !holder.isGroup && holder.userOrGroup === window.stoa.bearer()?.person;
    setAsked({
      verb: say("access.take"),
      noun: "count.roles",
      about: say("access.takeAbout", { who: holder.isGroup ? say("access.group", { name: holder.userOrGroup }) : holder.userOrGroup, role: named("role", holder.relation) }),
      told: own ? say("access.takeOwn") : "",
      trial: oneOnly,
      carryOut: () => change(REVOKE, holder),
    });
  }
  return html`
    <${Holders} answer=${holders} on=${on} onTake=${take} />
    <section class="part" aria-label=${say("access.roles")}>
      <h2>${say("access.roles")}</h2>
      <form
        class="fields"
        onSubmit=${(event) => {
          event.preventDefault();
          give();
        }}
      >
        <label>${say("access.userOrGroup")} <input required value=${who} autocomplete="off" spellcheck=${false} onInput=${(event) => setWho(event.target.value)} /></label>
        <label class="check"><input type="checkbox" checked=${isGroup} onChange=${(event) => setGroup(event.target.checked)} /> ${say("access.isGroup")}</label>
        <label>${say("access.role")} <select value=${role} onChange=${(event) => setRole(event.target.value)}>${(on ? ON_ONE : ON_PROJECT).map((one) => html`<option key=${one} value=${one}>${say(`role.${one}`)}</option>`)}</select></label>
        <button type="submit" disabled=${!who.trim()}>${say("access.give")}</button>
      </form>
      ${told?.said && html`<p class="outcome" role="status">${told.said}</p>`}
      ${told?.failure && html`<${Failed} failure=${told.failure} />`}
      ${asked && html`<${Sure} asked=${asked} onEnd=${(came) => (came && setTold(came), setAsked(null))} />`}
    </section>
  `;
}
