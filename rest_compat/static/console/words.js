// What the console says, in the language of the browser or the one that was chosen. All texts stand in `texts/`, one
// file a language; numbers, moments and plurals are written as the language writes them.

const LANGUAGES = { en: "English", de: "Deutsch" };
const FALLBACK = "en";
const known = (tag) => Object.keys(LANGUAGES).find((name) => tag?.toLowerCase().split("-")[0] === name);
const wished = [window.stoa.language(), ...navigator.languages];
const language = wished.map(known).find(Boolean) ?? FALLBACK;
// An English browser of Britain writes days as Britain does; a language that was chosen has no country.
const region = wished.find((tag) => known(tag) === language && tag.includes("-")) ?? language;

const { default: texts } = await import(`./texts/${language}.js`);
document.documentElement.lang = language;

export const languages = { all: LANGUAGES, now: language };

export function setLanguage(name) {
  window.stoa.setLanguage(name);
  location.reload(); // every text of the page is another one then
}

const numbers = new Intl.NumberFormat(region, { maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat(region, { notation: "compact", maximumFractionDigits: 1 });
const percents = new Intl.NumberFormat(region, { style: "percent", maximumFractionDigits: 1 });
const moments = new Intl.DateTimeFormat(region, { dateStyle: "medium", timeStyle: "short" });
const hours = new Intl.DateTimeFormat(region, { timeStyle: "short" });
const plurals = new Intl.PluralRules(language);
const lists = new Intl.ListFormat(language, { type: "conjunction" });
const spans = { second: unit("second"), minute: unit("minute"), hour: unit("hour") };

function unit(name) {
  return new Intl.NumberFormat(region, { style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits: 1 });
}

export const number = (value) => numbers.format(value);
export const short = (value) => whole.format(value);
// What is nearly whole is not called whole.
export const percent = (share) => percents.format(share < 1 ? Math.min(share, 0.999) : share);
export const moment = (text) => (text ? moments.format(new Date(text)) : "");
export const hour = (date) => hours.format(date);
export const listed = (list) => lists.format(list.map(String));
export const days = (style) => new Intl.DateTimeFormat(region, { ...style, timeZone: "UTC" });

function template(key, given) {
  const found = texts[key];
  if (found === undefined) return key;
  return typeof found === "string" ? found : (found[plurals.select(Number(given.count))] ?? found.other);
}

const filled = (value) => (typeof value === "number" ? number(value) : (value ?? ""));

// The text of a key, with what is given in the places of its {names}; `count` chooses among the forms of a plural.
export const say = (key, given = {}) => template(key, given).replace(/\{(\w+)\}/g, (_, name) => filled(given[name]));

// The same as a list of pieces, for what is given as markup.
export const pieces = (key, given = {}) =>
  template(key, given).split(/\{(\w+)\}/).map((part, at) => (at % 2 ? (typeof given[part] === "object" ? given[part] : String(filled(given[part]))) : part));

// OPEN_ENDED becomes "open ended".
export const plain = (name) => (name ?? "").toLowerCase().replaceAll("_", " ");

// A value of the graph as people say it, such as `named("status", "RUNNING")`; one without a text is told as it is.
export const named = (group, value) => texts[`${group}.${value}`] ?? plain(value);

// As a heading begins.
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// A kind of work, and a figure of its outcome, as people say them.
export const work = (type) => texts[`work.${type}`] ?? plain(type).replace(/\bdq\b/, say("word.quality")).replace(/\bpii\b/, say("word.personal"));

// What the platform says of a rule, or in another language than its own what can be put together here; values stay out.
export function wordsOfRule(rule) {
  const [part] = ["validValues", "pattern", "format", "minimum", "maximum"].filter((name) => rule.metric === "invalidValues" && name in rule.arguments);
  const told = `words.${part ?? rule.metric}`;
  const breach = texts[told];
  const most = Number(rule.threshold?.[0] ?? 0);
  const plain_ = rule.threshold?.length === 1 && ["MUST_BE", "MUST_BE_LESS_OR_EQUAL_TO"].includes(rule.operator) && (!most || rule.operator !== "MUST_BE");
  if (language === FALLBACK || !breach || !plain_) return rule.inWords || rule.name;
  const key = !most ? "words.none" : rule.unit === "PERCENT" ? "words.percent" : "words.atMost";
  const names = rule.arguments.properties ?? rule.arguments.columns ?? [rule.assetFqn.split(".").slice(4).join(".")];
  return say(key, { most: number(most), breach: say(told, { columns: listed(names.filter(Boolean).map((name) => `\`${name}\``)) }) });
}

const REFUSALS = new Set(["FORBIDDEN", "PROJECT_ACCESS_DENIED", "ORG_ACCESS_DENIED"]);

// A failure as a person reads it: a heading, what the server said, what to do next.
export function inWords({ code, message, requestId }) {
  const signedOut = code === "UNAUTHENTICATED" || code.startsWith("TOKEN_");
  const has = `failure.${code}` in texts;
  const title = say(has ? `failure.${code}` : "failure.other");
  const next = say(signedOut ? "failure.signIn" : has ? `failure.${code}.next` : "failure.other.next");
  return { title, next, said: message, code, id: requestId, refused: REFUSALS.has(code), signedOut };
}

// Whether a run goes on.
export const isOpen = (status) => status === "PENDING" || status === "RUNNING";

// How long a run or a task took, or has taken so far.
export function lasted({ startedAt, completedAt, status }) {
  if (!startedAt || (!completedAt && !isOpen(status))) return "";
  const seconds = Math.max(0, (completedAt ? new Date(completedAt) : new Date()) - new Date(startedAt)) / 1000;
  return lasting(seconds);
}

// A span of seconds, as people say it.
export function lasting(seconds) {
  if (seconds < 60) return spans.second.format(seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds));
  const [whole_, unit_, part, rest] = seconds < 3600 ? [60, "minute", 1, "second"] : [3600, "hour", 60, "minute"];
  return `${spans[unit_].format(Math.floor(seconds / whole_))} ${spans[rest].format(Math.round((seconds % whole_) / part))}`;
}
