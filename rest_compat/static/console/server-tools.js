// The tools of a registered server: what differs from what was approved, the approval, and calling one of them.
import { useState } from "../vendor/preact-hooks.js";

import { ask } from "./graph.js";
import { holds } from "./may.js";
import { useAll } from "./pages.js";
import { English, Failed, html, Loading, NotShown } from "./parts.js";
import { APPROVE_TOOLS, CALL_TOOL, CALLS, TOOLS } from "./server-documents.js";
import { moment, named, number, say } from "./words.js";

const MOST = 500; // as many as a server may have
const MOST_CALLS = 50;
const MOST_FIELDS = 30;
const SHORT_HASH = 12;
const ORDER = ["CHANGED", "ADDED", "REMOVED", "APPROVED"];
const byName = (one) => one.name;

// What waits for an approval is shown at once; what stands is opened.
export function Tools(props) {
  const waits = props.server.status !== "ACTIVE";
  const [open, setOpen] = useState(waits);
  return html`<details class="more" open=${open} onToggle=${(event) => setOpen(event.target.open)}>
    <summary>${say(waits ? "servers.look" : "servers.tools")}</summary>
    ${open && html`<${List} ...${props} />`}
  </details>`;
}

function List({ server, again, onTold }) {
  const { items, total, loading, failure, again: anew } = useAll(TOOLS, { resourceUri: server.resourceUri }, MOST, byName);
  const [busy, setBusy] = useState(false);
  const [like, setLike] = useState("");
  if (failure) return html`<${Failed} failure=${failure} again=${anew} />`;
  if (total === null || loading) return html`<${Loading} />`;
  const waits = server.status !== "ACTIVE";
  // The hash is older than what is shown or of the same reading, so nothing that came in between is approved.
  const approve = () => {
    setBusy(true);
    ask(APPROVE_TOOLS, { resourceUri: server.resourceUri, sha256: server.seenSha256 })
      .then(({ approveRegisteredServerTools: { toolCount } }) => onTold({ said: say("servers.canBeCalled", { count: toolCount }) }), (problem) => onTold({ failure: problem }))
      .finally(() => (setBusy(false), again()));
  };
  // The server has another list of tools now, which the list above does not know of yet.
  const changed = ({ message }) => (onTold({ trouble: message }), again());
  const calls = !waits && server.enabled && holds(server.permissions, ["CAN_EXECUTE"]);
  const sorted = [...items].sort((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
  const shown = sorted.filter(({ name, description }) => `${name} ${description ?? ""}`.toLowerCase().includes(like.toLowerCase()));
  return html`
    ${total > 8 && html`<p class="fields"><label>${say("servers.like")}<input type="search" value=${like} onInput=${(event) => setLike(event.target.value.trim())} /></label></p>`}
    <ul class="plain rows tools">${shown.map((tool) => html`<${Tool} key=${tool.name} tool=${tool} server=${server} calls=${calls} onChanged=${changed} />`)}</ul>
    <${NotShown} count=${total - items.length} />
    ${waits && holds(server.permissions, ["CAN_WRITE"]) && html`<p class="after"><button type="button" disabled=${busy} onClick=${approve}>${say("servers.approve")}</button> <span class="quiet small">${say("servers.hash")} <code title=${server.seenSha256}>${server.seenSha256.slice(0, SHORT_HASH)}…</code></span></p>`}
  `;
}

function Tool({ tool, server, calls, onChanged }) {
  const [open, setOpen] = useState(false);
  const { name, state, description } = tool;
  return html`
    <li>
      <div class="rule"><span><strong>${name}</strong> ${state !== "APPROVED" && html`<span class=${`status ${state === "REMOVED" ? "failed" : "running"}`}>${named("tool", state)}</span>`}${description && html`<span class="quiet line about">${description}</span>`}</span>
        ${calls && html`<span class="row-acts"><button type="button" class="quiet-button" aria-expanded=${String(open)} aria-label=${say("rules.doOf", { verb: say("servers.call"), name })} onClick=${() => setOpen(!open)}>${say("servers.call")}</button></span>`}
      </div>
      ${state === "CHANGED" && html`<${Differences} before=${tool.approvedDefinition} now=${tool.definition} name=${name} />`}
      ${["ADDED", "REMOVED"].includes(state) && html`<details class="more"><summary>${say("servers.definition")}</summary><pre tabindex="0">${JSON.stringify(tool.definition, null, 2)}</pre></details>`}
      ${open && html`<${Call} tool=${tool} server=${server} onChanged=${onChanged} />`}
    </li>
  `;
}

// Every value of a definition by the way that leads to it.
function leaves(value, way = [], found = new Map()) {
  const inner = value !== null && typeof value === "object" ? Object.entries(value) : [];
  if (!inner.length) found.set(way.join("."), typeof value === "string" ? value : JSON.stringify(value));
  for (const [key, one] of inner) leaves(one, [...way, key], found);
  return found;
}

function Differences({ before, now, name }) {
  const [was, is] = [leaves(before), leaves(now)];
  const ways = [...new Set([...was.keys(), ...is.keys()])].filter((way) => was.get(way) !== is.get(way));
  return html`<div class="wide" tabindex="0" role="region" aria-label=${say("servers.differs", { name })}>
    <table class="compared">
      <thead><tr>${["field", "was", "is"].map((head) => html`<th key=${head} scope="col">${say(`asset.versions.${head}`)}</th>`)}</tr></thead>
      <tbody>${ways.map((way) => html`<tr key=${way}><th scope="row"><code>${way}</code></th><td class="gone">${was.get(way) ?? "–"}</td><td class="come">${is.get(way) ?? "–"}</td></tr>`)}</tbody>
    </table>
  </div>`;
}

const SIMPLE = { string: "text", integer: "number", number: "number", boolean: "boolean" };

// A field for each argument that is one value, also of those that an API takes in its path and query;
// whatever has more parts is written as JSON.
export function fieldsOf(schema, way = []) {
  const needed = schema.required ?? [];
  return Object.entries(schema.properties ?? {}).flatMap(([key, one]) => {
    const here = [...way, key];
    const is = typeof one === "object" && one !== null ? one : {};
    if (!way.length && is.type === "object" && is.properties && key !== "body") return fieldsOf(is, here);
    const options = Array.isArray(is.enum) && is.enum.every((value) => typeof value === "string") ? is.enum : null;
    return [{ way: here, type: options ? "choice" : (SIMPLE[is.type] ?? "json"), options, needed: needed.includes(key), about: typeof is.description === "string" ? is.description : "" }];
  });
}

// What was filled in, as the tool takes it. Throws where JSON cannot be read.
export function argumentsOf(fields, form) {
  const given = {};
  for (const { way, type } of fields) {
    const text = form.get(way.join("."));
    if (text === null || text === "") continue;
    const inner = way.slice(0, -1).reduce((place, key) => (place[key] ??= {}), given);
    inner[way.at(-1)] = { number: Number, boolean: (one) => one === "true", json: JSON.parse }[type]?.(text) ?? text;
  }
  return given;
}

function Call({ tool, server, onChanged }) {
  const [state, setState] = useState({});
  const fields = fieldsOf(tool.inputSchema).slice(0, MOST_FIELDS);
  async function send(event) {
    event.preventDefault();
    let given;
    try {
      given = argumentsOf(fields, new FormData(event.target));
    } catch (problem) {
      return setState({ unread: problem.message });
    }
    setState({ busy: true });
    try {
      setState({ answer: (await ask(CALL_TOOL, { resourceUri: server.resourceUri, call: { tool: tool.name, arguments: given } })).callRegisteredServer });
    } catch (failure) {
      setState({ failure });
      if (failure.code === "VERSION_CONFLICT") onChanged(failure);
    }
  }
  const choice = (name, needed, options) => html`<select name=${name} required=${needed}>${["", ...options].map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select>`;
  const field = ({ way, type, options, needed, about }) => {
    const name = way.join(".");
    return html`<label key=${name} title=${about}>${name}
      ${type === "choice" ? choice(name, needed, options) : type === "boolean" ? choice(name, needed, ["true", "false"]) : type === "json" ? html`<textarea name=${name} rows="3" required=${needed} spellcheck=${false} placeholder=${say("servers.json")}></textarea>` : html`<input name=${name} type=${type} step="any" required=${needed} autocomplete="off" spellcheck=${false} />`}
    </label>`;
  };
  return html`
    <form class="fields stacked" onSubmit=${send}>
      ${fields.map(field)}
      <button type="submit" disabled=${state.busy}>${say(state.busy ? "servers.calling" : "servers.call")}</button>
    </form>
    ${state.unread && html`<p class="trouble" role="alert">${say("servers.noJson")} ${state.unread}</p>`}
    ${state.failure && html`<${Failed} failure=${state.failure} />`}
    ${state.answer && html`<${Answer} answer=${state.answer} />`}
  `;
}

// Texts as texts, everything else as JSON.
function shownOf({ content }) {
  const texts = Array.isArray(content?.content) && content.content.every((one) => one.type === "text") ? content.content.map((one) => one.text) : null;
  return texts?.length ? texts.join("\n\n") : JSON.stringify(content, null, 2);
}

const Answer = ({ answer }) => html`
  <p class="outcome" role="status"><span class=${`status ${answer.outcome === "ANSWERED" ? "completed" : "failed"}`}>${named("call", answer.outcome)}</span> <span class="quiet small">${say("servers.took", { ms: number(answer.milliseconds) })}</span></p>
  ${answer.error && html`<p class="trouble"><${English}>${answer.error}<//></p>`}
  ${answer.content !== null && html`<pre tabindex="0">${shownOf(answer)}</pre><p class="quiet small">${say("servers.notice")}</p>`}
`;

export function Calls({ server }) {
  const [open, setOpen] = useState(false);
  return html`<details class="more" onToggle=${(event) => setOpen(event.target.open)}><summary>${say("servers.calls")}</summary>${open && html`<${Log} server=${server} />`}</details>`;
}

function Log({ server }) {
  const { items, total, loading, failure, again } = useAll(CALLS, { resourceUri: server.resourceUri }, MOST_CALLS);
  if (failure) return html`<${Failed} failure=${failure} again=${again} />`;
  if (total === null && loading) return html`<${Loading} />`;
  return html`
    ${total === 0 && html`<p class="quiet">${say("webhooks.noDeliveries")}</p>`}
    <ul class="plain rows">
      ${items.map(
        (one) => html`<li key=${one.id}>
          <span class=${`status ${{ ANSWERED: "completed", RUNNING: "running" }[one.outcome] ?? "failed"}`}>${named("call", one.outcome)}</span> ${one.tool}
          <span class="quiet line">${[one.calledBy, moment(one.createdAt), one.milliseconds !== null && say("servers.took", { ms: number(one.milliseconds) })].filter(Boolean).join(" · ")}</span>
          ${one.error && html`<span class="line trouble"><${English}>${one.error}<//></span>`}
        </li>`,
      )}
    </ul>
    <button type="button" class="quiet-button" onClick=${again}>${say("webhooks.again")}</button>
  `;
}
