// Tags, the weighty first: what is personal, then how sensitive it is, then what people made up. What an engine says of
// data quality stands on nearly everything, so it waits until it is asked for.
import { useState } from "../vendor/preact-hooks.js";

import { html } from "./parts.js";
import { link } from "./places.js";
import { say } from "./words.js";

const ORDER = ["PII", "Sensitivity"];
const LATE = "DataQuality";
const family = ({ tagFqn }) => tagFqn.split(".")[0];
export const isLevel = (tag) => family(tag) === ORDER[1];
const weight = (tag) => {
  const at = ORDER.indexOf(family(tag));
  if (at >= 0) return at;
  return family(tag) === LATE ? ORDER.length + 1 : ORDER.length;
};

const looks = (tag) => (family(tag) === ORDER[0] ? "tag personal" : "tag");

// Where a tag stands by itself, it leads to all that have it.
const Tag = ({ tag, leads }) =>
  leads
    ? html`<a class=${looks(tag)} title=${tag.tagDescription} href=${link("find", { tag: tag.tagFqn })}>${tag.tagFqn}</a>`
    : html`<span class=${looks(tag)} title=${tag.tagDescription}>${tag.tagFqn}</span>`;

// The first tags, and how many more there are: by name for who points at them or, where it may be pressed, for all.
// How sensitive it is goes without saying where what it stands in is as sensitive.
export function Tags({ tags, within, most = 3, opens = false }) {
  const [open, setOpen] = useState(false);
  const said = new Set((within ?? []).filter(isLevel).map(({ tagFqn }) => tagFqn));
  const own = (tags ?? []).filter(({ tagFqn }) => !said.has(tagFqn));
  if (!own.length) return null;
  const sorted = [...own].sort((one, other) => weight(one) - weight(other));
  const first = sorted.filter((tag) => family(tag) !== LATE).slice(0, most);
  const shown = open ? sorted : first;
  const names = sorted.slice(first.length).map((tag) => tag.tagFqn).join(", ");
  const more = sorted.length - shown.length;
  return html`
    <span class="tags">
      ${shown.map((tag) => html`<${Tag} key=${tag.tagFqn} tag=${tag} leads=${opens} />`)}
      ${more > 0 && opens && html`<button type="button" class="tag" aria-label=${say("tags.show", { count: more, names })} onClick=${() => setOpen(true)}>+${more}</button>`}
      ${more > 0 && !opens && html`<span class="tag more-tags" title=${names} role="note" aria-label=${say("tags.and", { names })}>+${more}</span>`}
    </span>
  `;
}
