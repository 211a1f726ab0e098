// How far a table can be trusted: its score, what is wrong with it, and the rules that find out.
import { Ring } from "./overview.js";
import { Empty, English, html, NotShown, Part, Told } from "./parts.js";
import { listed, moment, named, number, percent, plain, say, sentence } from "./words.js";

const FIRST = 6;
const MOST_COLUMNS = 8;
const MASK = "***"; // stands in the place of a value that is personal data
// The metric of the standard scorecard that cells which look wrong are counted in.
const COUNTS_SUSPECTS = "plausible_values";
const MOST_KEPT = 5000; // suspect cells of a table
export const ORDER = ["CRITICAL", "HIGH", "MEDIUM", "LOW"];
export const worst = (one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity);
export const Severity = ({ value }) => html`<span class=${`severity ${value.toLowerCase()}`}>${named("severity", value)}</span>`;

// How many points of a hundred it went up or down.
function changed(change) {
  const points = 100 * Number(change?.difference ?? 0);
  if (!points) return "";
  return ` ${say(points > 0 ? "quality.up" : "quality.down", { points: number(Math.abs(points)) })}`;
}

// The first of a long list, and the rest for who asks for it.
export function Short({ items, total = items.length, first = FIRST, children }) {
  const rest = items.slice(first);
  return html`
    <ul class="plain rows">${items.slice(0, first).map(children)}</ul>
    ${rest.length > 0 && html`<details class="more"><summary>${say("part.more", { count: rest.length })}</summary><ul class="plain rows">${rest.map(children)}</ul></details>`}
    <${NotShown} count=${total - items.length} />
  `;
}

export function Score({ answer, suspects, cells }) {
  return html`
    <${Part} id="score" title=${say("quality.score")} answer=${answer}>
      ${({ scorecard }) => {
        if (scorecard.overallScore == null) return html`<${Empty} title=${say("quality.unassessed")} />`;
        return html`
          <p class="score"><${Ring} value=${scorecard.overallScore} wrong=${shareOf(suspects, cells)} size=${76} bare /><strong>${percent(scorecard.overallScore)}</strong><span class="quiet">${changed(scorecard.change)}</span></p>
          <${LooksWrong} suspects=${suspects} cells=${cells} dimensions=${scorecard.dimensions} />
          <ul class="dimensions">
            ${scorecard.dimensions.filter((one) => one.score != null).map(
              (one) => html`<li key=${one.dimensionId} title=${say("quality.of", { good: one.numerator, all: one.denominator })}>
                <span>${one.displayName || one.name}</span>
                <meter min="0" max="1" value=${one.score} aria-label=${one.displayName || one.name}></meter>
                <span class="figure">${percent(one.score)}</span>
              </li>`,
            )}
            <${Unmeasured} dimensions=${scorecard.dimensions} />
          </ul>
          <${Receipts} dimensions=${scorecard.dimensions} />
        `;
      }}
    <//>
  `;
}

// How many cells look wrong; of more than are kept, the assessment says how many there were.
export function suspectsOf({ totalCount, nodes: [{ suspectsInTable = 0 } = {}] = [] }) {
  return Math.max(totalCount, suspectsInTable > MOST_KEPT ? suspectsInTable : 0);
}
export const shareOf = (suspects, cells) => (cells ? Math.min(1, suspectsOf(suspects) / cells) : 0);

// What a score says nothing of, as long as no rule counts it.
function LooksWrong({ suspects, cells, dimensions }) {
  const share = shareOf(suspects, cells);
  const counted = dimensions.some((one) => one.metrics.some((metric) => metric.name === COUNTS_SUSPECTS && metric.denominator > 0));
  if (!share) return null;
  return html`<p class="wrong-cells">${say(counted ? "find.wrong" : "quality.uncounted", { share: percent(share) })}</p>`;
}

// The dimensions of the data that nothing measures yet.
function Unmeasured({ dimensions }) {
  const open = dimensions.filter((one) => one.assessmentType === "DATA_QUALITY" && one.score == null).map((one) => one.displayName || plain(one.name));
  return open.length > 0 && html`<li class="quiet unmeasured" title=${listed(open)}>${say("quality.unmeasured", { count: open.length })}</li>`;
}

// What a score is made of: each metric with what it counted and how much it weighs.
function Receipts({ dimensions }) {
  const metrics = dimensions.flatMap((one) => one.metrics.map((metric) => ({ ...metric, dimension: one.displayName || one.name, weight: one.weight })));
  if (!metrics.length) return null;
  const heads = ["metric", "good", "all", "weight", "score"];
  return html`
    <details class="more"><summary>${say("quality.receipts")}</summary>
      <div class="wide" tabindex="0" role="region" aria-label=${say("quality.receipts")}>
        <table>
          <thead><tr>${heads.map((head, at) => html`<th key=${head} scope="col" class=${at ? "figure" : undefined}>${say(`quality.receipts.${head}`)}</th>`)}</tr></thead>
          <tbody>${metrics.map(
            (one) => html`<tr key=${one.metricDefinitionId}>
              <th scope="row">${plain(one.name)} <span class="quiet line">${one.dimension}</span></th>
              <td class="figure">${number(one.numerator)}</td><td class="figure">${number(one.denominator)}</td>
              <td class="figure">${number(Number(one.weight))}</td><td class="figure">${one.score == null ? "–" : percent(one.score)}</td>
            </tr>`,
          )}</tbody>
        </table>
      </div>
    </details>
  `;
}

// What is wrong, as a sentence where a rule says it, else by the name of its kind; names stand between backticks.
export const wrongOf = (one) => one.inWords || one.displayName || sentence(plain(one.name));

// What is wrong in the same way with many columns is one line with their names.
export function alike(violations) {
  const groups = new Map();
  for (const one of violations) {
    const key = `${one.severity} ${wrongOf(one)}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((members) => ({ ...members[0], members }));
}

export function Where({ members, name }) {
  const columns = members.filter((one) => one.column && !name.includes(one.column)).map((one) => one.column);
  const rest = columns.slice(MOST_COLUMNS);
  const whole = columns.length > 0 && members.some((one) => !one.column);
  return html`${whole && html` <span class="quiet">${say("quality.table")}</span>`}
    ${columns.slice(0, MOST_COLUMNS).map((column) => html` <code key=${column}>${column}</code>`)}
    ${rest.length > 0 && html` <span class="quiet" title=${rest.join(", ")}>${say("quality.andColumns", { count: rest.length })}</span>`}`;
}

export function seen(members) {
  const often = Math.max(...members.map((one) => one.seenCount));
  const last = members.map((one) => one.lastSeenAt).sort().at(-1);
  return say(often > 1 ? "quality.seenOften" : "quality.seen", { count: often, when: moment(last) });
}

// What is wrong: first what to mend first, ranked by the platform, then what else is open.
export function Wrong({ answer }) {
  return html`
    <${Part} id="wrong" title=${say("quality.wrong")} answer=${answer}>
      ${({ actions, violations }) => {
        if (!violations.totalCount) return html`<${Empty} icon="done" title=${say("quality.none")}>${say("quality.none.next")}<//>`;
        const first = new Set(actions.nodes.map((one) => one.violationId));
        const others = violations.nodes.filter((one) => !first.has(one.id)).sort(worst);
        return html`
          <ol class="plain rows actions">
            ${actions.nodes.map((one) => html`<${Action} key=${one.violationId} one=${one} found=${violations.nodes.find(({ id }) => id === one.violationId)} />`)}
          </ol>
          ${others.length > 0 && html`<details class="more"><summary>${say("quality.less", { count: others.length })}</summary>
            <ul class="plain rows">${alike(others).map(
              (one) => html`<li key=${one.id}>
                <${Severity} value=${one.severity} /> <strong><${English}><${Told} text=${wrongOf(one)} /><//></strong>
                <${Where} members=${one.members} name=${one.inWords ? "" : one.displayName || one.name} />
                <span class="quiet line">${seen(one.members)}</span>
              </li>`,
            )}</ul>
          </details>`}
          <${NotShown} count=${violations.totalCount - violations.nodes.length} />
        `;
      }}
    <//>
  `;
}

// Where a rule says what is wrong, and in how many rows, the action is its example; one that is masked shows nothing.
const Action = ({ one, found }) => {
  const example = found?.inWords ? one.what : one.reason;
  return html`<li title=${found && sentence(seen([found]))}>
    <${Severity} value=${one.severity} />
    <span><${English}><strong><${Told} text=${found?.inWords || one.what} /></strong>${!example.includes(MASK) && html` <span class="quiet line"><${Told} text=${example} /></span>`}<//></span>
  </li>`;
};
