// Changing a source: its name, where it is, what of it is read; credentials are entered again or stay.
import { useState } from "../vendor/preact-hooks.js";

import { ask } from "./graph.js";
import { Failed, html } from "./parts.js";
import { CHANGE_SOURCE, VERIFY } from "./place-documents.js";
import { Field, filled, KINDS } from "./source-kinds.js";
import { say } from "./words.js";

const SECTIONS = ["databaseConfig", "storageConfig", "filesystemConfig"];
const SELECTS = ["POSTGRES"]; // whose tables lie in schemas of one database
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

// What is read of a database, one a line: a schema, or a table of one.
const linesOf = (selected) => (selected ?? []).flatMap((one) => one.schemas ?? []).flatMap((one) => (one.tables?.length || one.views?.length ? [...(one.tables ?? []), ...(one.views ?? [])].map((name) => `${one.schema_name}.${name}`) : [one.schema_name])).join("\n");

function selectedOf(text, database, before) {
  const views = new Set((before ?? []).flatMap((one) => one.schemas ?? []).flatMap((one) => (one.views ?? []).map((name) => `${one.schema_name}.${name}`)));
  const schemas = new Map();
  for (const line of text.split("\n").map((one) => one.trim()).filter(Boolean)) {
    const [schema, ...rest] = line.split(".");
    if (!schemas.has(schema)) schemas.set(schema, { schema_name: schema, tables: [], views: [] });
    if (rest.length) schemas.get(schema)[views.has(line) ? "views" : "tables"].push(rest.join("."));
  }
  return schemas.size ? [{ database_name: database, schemas: [...schemas.values()] }] : [];
}

export function Edit({ source, onChanged }) {
  const [open, setOpen] = useState(false);
  return html`<details class="more" open=${open} onToggle=${(event) => setOpen(event.target.open)}><summary>${say("sources.change")}</summary>${open && html`<${Fields} source=${source} onChanged=${() => (setOpen(false), onChanged())} />`}</details>`;
}

function Fields({ source, onChanged }) {
  const [state, setState] = useState({});
  const kind = KINDS[source.connectionType];
  const section = SECTIONS.find((name) => source[name]);
  const stands = source[section] ?? {};
  const selects = SELECTS.includes(source.connectionType);
  // What stands and is not asked about here stays; what is emptied goes.
  function changesOf(form) {
    const changes = { name: form.get("name").trim(), description: form.get("description").trim() || null };
    if (!kind) return changes;
    const config = { ...stands };
    for (const [name] of kind.config) delete config[snake(name)];
    Object.assign(config, Object.fromEntries(Object.entries(filled(kind.config, form)).map(([name, value]) => [snake(name), value])));
    if (selects) config.selected_tables = selectedOf(form.get("selected"), config.database, stands.selected_tables);
    if (JSON.stringify(sorted(config)) !== JSON.stringify(sorted(stands))) changes[section] = config;
    const credentials = Object.entries(filled(kind.credentials ?? [], form));
    if (credentials.length) changes.credentials = Object.fromEntries(credentials.map(([name, value]) => [snake(name), value]));
    return changes;
  }
  async function change(event) {
    event.preventDefault();
    setState({ busy: true });
    try {
      const changes = changesOf(new FormData(event.target));
      await ask(CHANGE_SOURCE, { resourceUri: source.resourceUri, changes });
      if (section in changes || changes.credentials) await ask(VERIFY, { resourceUri: source.resourceUri }).catch(() => null);
      onChanged();
    } catch (failure) {
      setState({ failure });
    }
  }
  return html`
    <form class="fields stacked" onSubmit=${change}>
      <${Field} one=${["name", "text", "name", true]} value=${source.name} />
      <${Field} one=${["description", "text", "description"]} value=${source.description ?? ""} />
      ${kind?.config.map((one) => html`<${Field} key=${one[0]} one=${one} value=${stands[snake(one[0])] ?? ""} />`)}
      ${selects && html`<label>${say("sources.selected")}<textarea name="selected" rows="3" spellcheck=${false} value=${linesOf(stands.selected_tables)}></textarea></label>`}
      ${kind?.credentials?.map((one) => html`<${Field} key=${one[0]} one=${one} value="" />`)}
      <button type="submit" disabled=${Boolean(state.busy)}>${say(state.busy ? "sources.changing" : "sources.keep")}</button>
    </form>
    ${kind?.credentials && html`<p class="quiet small">${say("sources.credentialsStay")}</p>`}
    ${!kind && html`<p class="quiet small">${say("sources.otherConfig")}</p>`}
    ${state.failure && html`<${Failed} failure=${state.failure} />`}
  `;
}

const sorted = (config) => Object.entries(config).filter(([, value]) => value !== null && !(Array.isArray(value) && !value.length)).sort(([one], [other]) => (one < other ? -1 : 1));
