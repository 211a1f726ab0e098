// How far a table can be trusted: its score, what is wrong with it, and the rules that find out.
import { RULES, SCORE, VIOLATIONS } from "./documents.js";
import { Empty, html, Part, useAnswer } from "./parts.js";
import { counted, moment, number, percent, plain } from "./words.js";

const FIRST = 6;
const ORDER = ["CRITICAL", "HIGH", "MEDIUM", "LOW"];
const worst = (one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity);
const Severity = ({ value }) => html`<span class=${`severity ${value.toLowerCase()}`}>${plain(value)}</span>`;

// How many points of a hundred it went up or down.
function changed(change) {
  const points = 100 * Number(change?.difference ?? 0);
  if (!points) return "";
  return ` ${points > 0 ? "+" : "−"}${number(Math.abs(points))} points since the assessment before`;
}

// The first of a long list, and the rest for who asks for it.
function Short({ items, total, children }) {
  const rest = items.slice(FIRST);
  const missing = total - items.length;
  return html`
    <ul class="plain rows">${items.slice(0, FIRST).map(children)}</ul>
    ${rest.length > 0 && html`<details class="more"><summary>${counted(rest.length, "more", "more")}</summary><ul class="plain rows">${rest.map(children)}</ul></details>`}
    ${missing > 0 && html`<p class="quiet">${counted(missing, "more is", "more are")} not shown.</p>`}
  `;
}

export function Score({ fqn }) {
  const answer = useAnswer(SCORE, { fqn });
  return html`
    <${Part} title="Score" answer=${answer}>
      ${({ scorecard }) => {
        if (scorecard.overallScore == null) return html`<${Empty} title="Not assessed yet">An assessment of data quality gives the table a score.<//>`;
        return html`
          <p class="score"><strong>${percent(scorecard.overallScore)}</strong><span class="quiet">${changed(scorecard.change)}</span></p>
          <ul class="dimensions">
            ${scorecard.dimensions.filter((one) => one.score != null).map(
              (one) => html`<li key=${one.dimensionId} title=${`${number(one.numerator)} of ${number(one.denominator)}`}>
                <span>${one.displayName || one.name}</span>
                <meter min="0" max="1" value=${one.score} aria-label=${one.displayName || one.name}></meter>
                <span class="figure">${percent(one.score)}</span>
              </li>`,
            )}
          </ul>
        `;
      }}
    <//>
  `;
}

export function Violations({ fqn }) {
  const answer = useAnswer(VIOLATIONS, { fqn });
  return html`
    <${Part} title="Open violations" answer=${answer}>
      ${({ violations }) => {
        if (!violations.total) return html`<${Empty} title="None open">Nothing that was looked for is wrong.<//>`;
        return html`
          <${Short} items=${[...violations.items].sort(worst)} total=${violations.total}>
            ${(one) => html`<li key=${one.id}>
              <${Severity} value=${one.severity} /> <strong>${one.displayName || plain(one.name)}</strong>
              ${one.column && !one.name.includes(one.column) && html` <code>${one.column}</code>`}
              <span class="quiet line">${counted(one.seenCount, "time", "times")} seen, last ${moment(one.lastSeenAt)}</span>
            </li>`}
          <//>
        `;
      }}
    <//>
  `;
}

export function Rules({ fqn }) {
  const answer = useAnswer(RULES, { fqn });
  return html`
    <${Part} title="Rules" answer=${answer}>
      ${({ qualityRules }) => {
        if (!qualityRules.total) return html`<${Empty} title="No rules">An enrichment proposes some from what it measures.<//>`;
        return html`
          <${Short} items=${[...qualityRules.items].sort(worst)} total=${qualityRules.total}>
            ${(one) => html`<li key=${one.id}>
              <${Severity} value=${one.severity} /> <strong>${one.name}</strong> <span class="kind">${plain(one.state)}</span>
              ${one.description && html`<span class="quiet line">${one.description}</span>`}
            </li>`}
          <//>
        `;
      }}
    <//>
  `;
}
