// The kinds of sources that can be connected and changed here, and the fields of their forms.
import { html } from "./parts.js";
import { say } from "./words.js";

// What each kind asks for: [field, type of its input, whether it must be filled]. `credentials` come after the rest.
const BASIC = [["username", "text", "user"], ["password", "password", "password"]];
const DATABASE = [["host", "text", "host", true], ["port", "number", "port"], ["database", "text", "database", true]];
export const KINDS = {
  POSTGRES: { config: DATABASE, credentials: BASIC },
  MYSQL: { config: DATABASE, credentials: BASIC },
  NFS: { config: [["path", "text", "path", true]] },
  MINIO: {
    config: [["bucket", "text", "bucket", true], ["endpointUrl", "url", "endpoint"]],
    credentials: [["accessKeyId", "text", "key"], ["secretAccessKey", "password", "secret"]],
  },
};

export const Field = ({ one: [name, type, title, needed], value }) => html`
  <label>${say(`sources.${title}`)}<input name=${name} type=${type} required=${Boolean(needed)} value=${value} autocomplete=${type === "password" ? "new-password" : "off"} spellcheck=${false} placeholder=${title === "port" ? say("sources.usual") : undefined} /></label>
`;

// Only what is filled is sent; numbers as numbers.
export function filled(fields, form) {
  const given = fields.map(([name, type]) => [name, String(form.get(name) ?? "").trim(), type]).filter(([, value]) => value);
  return Object.fromEntries(given.map(([name, value, type]) => [name, type === "number" ? Number(value) : value]));
}
