// Where one is: the part of the address behind its #, such as #/asset?uri=…&fqn=….
import { useLayoutEffect, useState } from "../vendor/preact-hooks.js";

function here() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const given = Object.fromEntries(new URLSearchParams(query));
  // Sources and servers were views of Runs: an address that somebody kept still leads there.
  if (path === "runs" && ["sources", "servers"].includes(given.of)) return { place: "sources", given: { ...given, of: given.of === "servers" ? "servers" : "" } };
  return { place: path || "find", given };
}

export function usePlace() {
  const [now, setNow] = useState(here);
  // An effect would begin to listen only after the page is seen: what moves on in between would be lost.
  useLayoutEffect(() => {
    const moved = () => setNow(here());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  return now;
}

export function link(place, given = {}) {
  const kept = Object.entries(given).filter(([, value]) => value);
  return `#/${place}${kept.length ? "?" + new URLSearchParams(kept) : ""}`;
}

// The address says where one is without another step back.
export const settle = (place, given) => history.replaceState(history.state, "", link(place, given));

// The parts of a dotted name; a part with a dot in it stands in quotes.
export const parts = (fqn) => fqn.match(/"(?:[^"]|"")*"|[^.]+/g) ?? [];
export const bare = (part) => (part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part);
export const part = (name) => (/[."]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
export const above = (fqn) => parts(fqn).slice(0, -1).join(".");

// The table that a dotted name is or lies in; what lies above tables is told as it is.
export const tableOf = (fqn) => parts(fqn).slice(0, 4).join(".");

// Asks a search for whatever lies below a dotted name, at any depth.
export const below = (fqn) => `fully_qualified_name:${fqn.replace(/[^\p{L}\p{N}_.]/gu, "\\$&")}.*`;
