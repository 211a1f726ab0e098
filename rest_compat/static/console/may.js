// What the caller may do, so that nothing is offered that would be refused: why it is not stands in its place.
import { useEffect, useState } from "../vendor/preact-hooks.js";

import { MAY } from "./documents.js";
import { ask } from "./graph.js";
import { html } from "./parts.js";
import { link } from "./places.js";
import { listed, pieces, say } from "./words.js";

const LASTS = 60_000;
const kept = new Map();

// The type of a resource that roles are given on, by the beginning of its address.
const TYPES = { mcp: "mcp_server", api: "api_server" };
export const typeOf = (uri) => TYPES[uri.split(":")[0]] ?? "data_connection";

// On what: the project, the whole organization, or one source or server by its address.
export const ORGANIZATION = "organization";

function permissionsOn(on) {
  const key = JSON.stringify([window.stoa.headers(), on]);
  const found = kept.get(key);
  if (found && Date.now() - found.at < LASTS) return found.permissions;
  const named = on && on !== ORGANIZATION ? { resourceType: typeOf(on).toUpperCase(), resourceId: on } : {};
  const permissions = ask(MAY, named, { anywhere: on === ORGANIZATION }).then(({ viewer }) => viewer.permissions);
  kept.set(key, { at: Date.now(), permissions });
  permissions.catch(() => kept.delete(key));
  return permissions;
}

// Answers whether all of some permissions are there; `known` is whether that is known. Until then, and where it cannot
// be, it is taken for so: the server decides.
export function useMay(on) {
  const [found, setFound] = useState({ known: false });
  useEffect(() => {
    let left = false;
    setFound({ known: false });
    const told = (permissions) => left || setFound({ permissions, known: true });
    permissionsOn(on).then(told, () => told());
    return () => void (left = true);
  }, [on]);
  return Object.assign((...needed) => holds(found.permissions, needed), { known: found.known });
}

export const holds = (permissions, needed) => !permissions || needed.every((one) => permissions.includes(one));

// What stands in the place of a thing that one may not do.
export const Closed = ({ needs, on }) => html`
  <p class="quiet small closed">${pieces("may.lacks", { what: listed(needs.map((one) => say("may.quoted", { name: say(`permission.${one}`) }))), access: html`<a href=${link("access", { on })}>${say("may.access")}</a>` })}</p>
`;
