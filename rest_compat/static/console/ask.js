// Ask: a question in words, its answer as it comes, and what is asked after it.
import { useEffect, useRef, useState } from "../vendor/preact-hooks.js";

import { ASK, BEGIN_SESSION, SESSION_TURNS, SESSIONS } from "./documents.js";
import { ask } from "./graph.js";
import { Closed, useMay } from "./may.js";
import { Memories } from "./memories.js";
import { Empty, Failed, Heading, Help, html, Loading, settled, useAnswer, Views } from "./parts.js";
import { SUGGESTED } from "./place-documents.js";
import { link, settle } from "./places.js";
import { Turn } from "./turn.js";
import { moment, pieces, say } from "./words.js";

const LONGEST_TITLE = 80;

const AskViews = ({ now }) => html`<${Views} label=${say("place.ask")} now=${now} views=${[["", say("ask.questions"), link("ask")], ["memories", say("ask.memories"), link("ask", { of: "memories" })]]} />`;

export function Ask({ given }) {
  if (given.of !== "memories") return html`<${Questions} given=${given} />`;
  return html`<${Heading} title=${say("ask.memories")}>${say("place.ask")}<//><${AskViews} now="memories" /><${Memories} />`;
}

function Questions({ given }) {
  const [session, setSession] = useState(given.session);
  const [turns, setTurns] = useState(null);
  const [text, setText] = useState(given.q ?? (given.about ? say("ask.about", { name: given.about }) : ""));
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState(null);
  const may = useMay();
  const field = useRef();
  const own = useRef(given.session); // a session begun here has its turns already

  useEffect(() => {
    if (given.session === own.current) return;
    own.current = given.session;
    setSession(given.session);
    setTurns(null);
    setFailure(null);
  }, [given.session]);
  useEffect(() => field.current?.focus(), [session]);

  // Before there is a table there is nothing to ask, and with the first of them there is an example.
  const suggested = useAnswer(SUGGESTED, {});
  const tables = suggested.data?.searchMetadata.nodes;
  const earlier = useAnswer(SESSION_TURNS, session && turns === null ? { sessionId: session } : undefined);
  const shown = turns ?? (session && earlier.data ? fromBefore(earlier.data.turns.nodes) : []);

  async function send(message, readingId = null) {
    if (!message.trim() || busy) return;
    setBusy(true);
    setFailure(null);
    try {
      let sessionId = session;
      if (!sessionId) {
        const title = message.length > LONGEST_TITLE ? message.slice(0, LONGEST_TITLE - 1) + "…" : message;
        sessionId = (await ask(BEGIN_SESSION, { title })).createChatSession.sessionId;
        own.current = sessionId;
        setSession(sessionId);
        settle("ask", { session: sessionId });
      }
      const { turnId, taskId } = (await ask(ASK, { sessionId, message, readingId })).createTurn;
      setTurns([...shown, { turnId, taskId, question: message, live: true }]);
      setText("");
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
      field.current?.focus();
    }
  }

  return html`
    <div class="ask-head"><${Heading} title=${say("place.ask")}>${say("place.ask")}<//>${session && html`<a class="button quiet-button" href=${link("ask")}>${say("ask.new")}</a>`}</div>
    ${!session && html`<${AskViews} now="" /><${Help} text=${say("ask.lead")} />`}
    ${earlier.failure && !turns && session && html`<${Failed} failure=${earlier.failure} again=${earlier.again} />`}
    ${session && !turns && earlier.loading && html`<${Loading} what=${say("ask.opening")} />`}
    <ol class="turns">
      ${shown.map(
        (turn, at) => html`<${Turn} key=${turn.turnId} session=${session} turn=${turn} last=${at === shown.length - 1} followed=${shown[at + 1]?.question} onPick=${may("CAN_EXECUTE") ? (reading) => send(reading.text, reading.id) : null} />`,
      )}
    </ol>
    ${failure && html`<${Failed} failure=${failure} />`}
    ${!may("CAN_EXECUTE") && html`<${Closed} needs=${["CAN_EXECUTE"]} />`}
    ${tables?.length === 0 && !session && html`<${Empty} icon="database" title=${say("find.empty")}>${pieces("ask.empty.next", { connect: html`<a href=${link("sources")}>${say("find.empty.connect")}</a>` })}<//>`}
    ${may("CAN_EXECUTE") && (session || tables?.length !== 0) && html`<form
      class="composer"
      onSubmit=${(event) => {
        event.preventDefault();
        send(text);
      }}
    >
      <label class="hidden" for="question">${say("ask.yours")}</label>
      <textarea
        id="question" ref=${field} rows="2" maxlength="10000" value=${text}
        placeholder=${shown.length ? say("ask.next") : tables?.length ? say("ask.about", { name: tables[0].name.replaceAll("_", " ") }) : ""}
        onInput=${(event) => setText(event.target.value)}
        onKeyDown=${(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send(text);
        }}
      ></textarea>
      <button type="submit" disabled=${busy || !text.trim()}>${say(busy ? "ask.asking" : "ask.do")}</button>
    </form>`}
    ${!session && html`${may("CAN_EXECUTE") && html`<${Suggestions} items=${tables ?? []} onPick=${send} />`}${settled(suggested) && html`<${Conversations} />`}`}
  `;
}

// What may be asked of this project, for who does not know yet: an overview with examples, and its first tables by name.
function Suggestions({ items, onPick }) {
  if (!items.length) return null;
  return html`
    <section class="suggestions" aria-label=${say("ask.try")}>
      <h2>${say("ask.try")}</h2>
      ${[say("ask.try.what"), ...items.map(({ name }) => say("ask.try.count", { name: name.replaceAll("_", " ") }))].map((text) => html`<button key=${text} type="button" class="quiet-button" onClick=${() => onPick(text)}>${text}</button>`)}
    </section>
  `;
}

function fromBefore(items) {
  return [...items].reverse().map(({ turnId, messages }) => ({
    turnId,
    question: messages.find((one) => one.role === "USER")?.content ?? "",
  }));
}

function Conversations() {
  const { data, failure, again } = useAnswer(SESSIONS, {});
  if (failure) return html`<${Failed} failure=${failure} again=${again} />`;
  if (!data) return html`<${Loading} />`;
  const { nodes } = data.chatSessions;
  return html`
    <section class="part" aria-label=${say("ask.conversations")}>
      <h2>${say("ask.conversations")}</h2>
      ${nodes.length === 0 && html`<${Empty} icon="ask" title=${say("ask.none")}>${say("ask.none.next")}<//>`}
      <ul class="plain rows">
        ${nodes.map(
          (one) => html`<li key=${one.sessionId}>
            <a href=${link("ask", { session: one.sessionId })}>${one.title || say("ask.untitled")}</a>
            <span class="quiet line">${say("count.questions", { count: one.turnCount })}, ${moment(one.updatedAt)}</span>
          </li>`,
        )}
      </ul>
    </section>
  `;
}
