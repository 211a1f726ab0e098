// What an organization holds beside its data: projects, secrets whose values are never shown, and limits.
import { useState } from "../vendor/preact-hooks.js";

import { ask } from "./graph.js";
import { ADD_PROJECT, DELETE_SECRET, KEEP_SECRET, LIMITS, MY_PROJECTS, SECRETS } from "./place-documents.js";
import { Closed, ORGANIZATION, useMay } from "./may.js";
import { Empty, Failed, Help, html, Loading, NotShown, settled, useAnswer } from "./parts.js";
import { link } from "./places.js";
import { moment, say } from "./words.js";

const LIMITED = ["reads", "writes", "bulk", "anonymous"];

// A form of a few fields that sends them once: { fields: [[name, type, key of its title, needed]], verb, send(given) }.
export function Sending({ title, fields, verb, send, children }) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState(null);
  async function submit(event) {
    event.preventDefault();
    const form = event.target;
    const given = Object.fromEntries(new FormData(form));
    setBusy(true);
    setFailure(null);
    try {
      await send(given, form);
      form.reset();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  }
  return html`
    <section class="part" aria-label=${title}>
      <h2>${title}</h2>
      <form class=${children ? "fields stacked" : "fields"} onSubmit=${submit}>
        ${children}
        ${fields.map(([name, type, key, needed]) => html`<label key=${name}>${say(key)}${type === "lines" ? html`<textarea name=${name} rows="2" required=${needed} maxlength="10000"></textarea>` : html`<input name=${name} type=${type} required=${needed} maxlength=${type === "password" ? 65536 : 255} autocomplete=${type === "password" ? "new-password" : "off"} spellcheck=${false} />`}</label>`)}
        <button type="submit" disabled=${busy}>${verb}</button>
      </form>
      ${failure && html`<${Failed} failure=${failure} />`}
    </section>
  `;
}

function Answered({ answer, children }) {
  const { data, failure, again } = answer;
  if (failure) return html`<${Failed} failure=${failure} again=${again} />`;
  return data ? children(data) : html`<${Loading} />`;
}

export function Projects() {
  const may = useMay(ORGANIZATION);
  const answer = useAnswer(MY_PROJECTS, {}, { anywhere: true });
  const now = window.stoa.headers()["X-Project-ID"];
  const open = (id) => {
    window.stoa.setProject(id);
    location.hash = link("find");
  };
  return html`
    <${Help} text=${say("projects.lead")} />
    <${Answered} answer=${answer}>
      ${({ projects }) => html`
        <ul class="hits">
          ${projects.nodes.map(
            (one) => html`<li key=${one.id} class="card">
              <div class="card-head"><strong>${one.name}</strong>${one.id === now && html` <span class="status completed">${say("projects.current")}</span>`}</div>
              ${one.description && html`<p>${one.description}</p>`}
              <p class="quiet small">${say("projects.created", { when: moment(one.createdAt), who: one.createdBy })}</p>
              ${one.id !== now && html`<p class="acts"><button type="button" class="quiet-button" onClick=${() => open(one.id)}>${say("projects.open")}</button></p>`}
            </li>`,
          )}
        </ul>
        <${NotShown} count=${projects.totalCount - projects.nodes.length} />
      `}
    <//>
    ${settled(answer) && (may("CAN_MANAGE_PROJECTS") ? html`<${AddProject} onMade=${answer.again} />` : html`<${Closed} needs=${["CAN_MANAGE_PROJECTS"]} />`)}
  `;
}

// Tells the list of projects beside every place that there is one more.
export const ADDED = "stoa:project-added";

export function AddProject({ onMade }) {
  const add = async ({ name, description }) => {
    const made = await ask(ADD_PROJECT, { name: name.trim(), description: description.trim() || null }, { anywhere: true });
    onMade(made.createProject.id);
    dispatchEvent(new Event(ADDED));
  };
  return html`<${Sending} title=${say("projects.add")} verb=${say("projects.create")} send=${add} fields=${[["name", "text", "sources.name", true], ["description", "text", "projects.description", false]]} />`;
}

export function Secrets() {
  const may = useMay();
  const reads = may("CAN_READ_SECRETS");
  const answer = useAnswer(SECRETS, may.known && reads ? {} : undefined);
  const [told, setTold] = useState("");
  const [failure, setFailure] = useState(null);
  const keep = async ({ name, value, description }) => {
    const secret = { name: name.trim(), value, description: description.trim() || null };
    setTold(say("secrets.kept", { name: (await ask(KEEP_SECRET, { secret })).createProjectSecret.name }));
    answer.again();
  };
  const remove = (name) => ask(DELETE_SECRET, { name }).then(() => (setTold(""), answer.again()), setFailure);
  return html`
    <${Help} text=${say("secrets.lead")} />
    ${told && html`<p class="outcome" role="status">${told}</p>`}
    ${failure && html`<${Failed} failure=${failure} />`}
    ${!reads && html`<${Closed} needs=${["CAN_READ_SECRETS"]} />`}
    ${reads && html`<${Answered} answer=${answer}>
      ${({ projectSecrets }) => html`
        ${!projectSecrets.nodes.length && html`<${Empty} icon="closed" title=${say("secrets.none")}>${say("secrets.none.next")}<//>`}
        <ul class="hits">
          ${projectSecrets.nodes.map(
            (one) => html`<li key=${one.name} class="card">
              <div class="card-head"><strong>${one.name}</strong> <span class="quiet" aria-hidden="true">••••••••</span></div>
              ${one.description && html`<p>${one.description}</p>`}
              <p class="quiet small">${say("secrets.changed", { when: moment(one.updatedAt), who: one.updatedBy })}</p>
              ${may("CAN_MANAGE_SECRETS") && html`<p class="acts"><button type="button" class="quiet-button" onClick=${() => remove(one.name)}>${say("secrets.delete")}</button></p>`}
            </li>`,
          )}
        </ul>
        <${NotShown} count=${projectSecrets.totalCount - projectSecrets.nodes.length} />
      `}
    <//>`}
    ${(!reads || settled(answer)) && may("CAN_MANAGE_SECRETS") && html`<${Sending} title=${say("secrets.add")} verb=${say("secrets.create")} send=${keep} fields=${[["name", "text", "secrets.name", true], ["value", "password", "secrets.value", true], ["description", "text", "projects.description", false]]} />`}
  `;
}

export function Limits() {
  const projects = useAnswer(MY_PROJECTS, {}, { anywhere: true });
  const orgId = projects.data?.projects.nodes[0]?.organizationId;
  const limits = useAnswer(LIMITS, orgId && { orgId });
  return html`
    <${Help} text=${say("limits.lead")} />
    ${projects.failure && html`<${Failed} failure=${projects.failure} again=${projects.again} />`}
    ${!projects.failure && html`<${Answered} answer=${limits}>
      ${({ rateLimits }) => html`<dl class="figures">${LIMITED.map((name) => html`<div key=${name}><dt>${say(`limits.${name}`)}</dt><dd>${say("limits.perMinute", { count: rateLimits[name] })}</dd></div>`)}</dl>`}
    <//>`}
  `;
}
