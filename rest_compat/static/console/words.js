// What the console says. Texts of its places stand beside their markup; what several places say stands here.

const SIGN_IN =
  "Open a link that signs you in, as `make demo` prints one, or paste a token into the field above. A development " +
  "server prints one: `stoa token --user NAME --org ORGANIZATION`";

const FAILURES = {
  OFFLINE: ["The server cannot be reached", "Check that it runs and that you are connected, then try again."],
  UNAUTHENTICATED: ["You are not signed in", SIGN_IN],
  TOKEN_EXPIRED: ["Your token has expired", SIGN_IN],
  TOKEN_INVALID: ["This token is not accepted", SIGN_IN],
  TOKEN_MALFORMED: ["This is not a token", SIGN_IN],
  FORBIDDEN: ["You may not see this", "Ask an owner of the project to let you, or pick another project above."],
  PROJECT_ACCESS_DENIED: ["You may not see this project", "Pick another project above, or ask its owner to let you in."],
  ORG_ACCESS_DENIED: ["You may not see this organization", "Sign in with a token of an organization that is yours."],
  RESOURCE_NOT_FOUND: ["This is not here", "It may have been removed, or belong to another project: look for it in Find."],
  SEARCH_QUERY_INVALID: ["This search cannot be read", "Use plain words, or close what was opened: quotes and parentheses."],
  RATE_LIMIT_EXCEEDED: ["Too many requests", "Wait a minute, then try again."],
  QUOTA_EXCEEDED: ["A limit of this deployment is reached", "Wait until what runs has ended, or ask an operator."],
  UPSTREAM_UNAVAILABLE: ["A source does not answer", "Check the data connection, then try again."],
  SERVICE_STARTING: ["The server is starting", "Try again in a moment."],
  GRAPHQL_VALIDATION_FAILED: ["This server's graph lacks this", "Open the console of a server with all services."],
};

const REFUSALS = new Set(["FORBIDDEN", "PROJECT_ACCESS_DENIED", "ORG_ACCESS_DENIED"]);

// A failure as a person reads it: a heading, what the server said, what to do next.
export function inWords(failure) {
  const [title, next] = FAILURES[failure.code] ?? ["That did not work", "Try again. If it stays so, tell an operator."];
  const { code, message, requestId } = failure;
  const signedOut = code === "UNAUTHENTICATED" || code.startsWith("TOKEN_");
  return { title, next, said: message, code, id: requestId, refused: REFUSALS.has(code), signedOut };
}

const language = navigator.language;
const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
const moments = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

export const number = (value) => numbers.format(value);
export const short = (value) => whole.format(value);
export const percent = (share) => percents.format(share);
export const moment = (text) => (text ? moments.format(new Date(text)) : "");
export const counted = (count, one, many) => `${numbers.format(count)} ${count === 1 ? one : many}`;

// OPEN_ENDED becomes "open ended".
export const plain = (name) => (name ?? "").toLowerCase().replaceAll("_", " ");

// As a heading begins.
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// A kind of work, as people say it.
export const work = (type) => plain(type).replace(/\bdq\b/, "data quality").replace(/\bpii\b/, "personal data");

// Whether a run goes on.
export const isOpen = (status) => status === "PENDING" || status === "RUNNING";

// How long a run or a task took, or has taken so far.
export function lasted({ startedAt, completedAt, status }) {
  if (!startedAt || (!completedAt && !isOpen(status))) return "";
  const seconds = Math.max(0, (completedAt ? new Date(completedAt) : new Date()) - new Date(startedAt)) / 1000;
  if (seconds < 60) return `${numbers.format(seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds))} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
