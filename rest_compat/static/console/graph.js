// The one way from the console to Stoa: the public graph, with the token and the project of this tab.

const url = document.getElementById("console").dataset.graphql;
const RETRIES = 5;

// Why the graph gave no answer: its code, what it said, and the id under which its log has the request.
export class GraphFailure extends Error {
  constructor({ code, message, requestId, field }) {
    super(message);
    this.code = code;
    this.requestId = requestId;
    this.field = field;
  }
}

function failureOf(errors, requestId) {
  const { message, extensions = {} } = errors[0];
  const { code = "INTERNAL_ERROR", request_id: id, details } = extensions;
  return new GraphFailure({ code, message, requestId: id ?? requestId, field: details?.field });
}

const offline = () => new GraphFailure({ code: "OFFLINE", message: "" });

// Answers with the data of one query or mutation. Throws GraphFailure; an abort is thrown as it is. What is asked
// anywhere is asked without the project, so that one that is not (or no longer) one's own does not stand in the way.
export async function ask(query, variables = {}, { signal, anywhere = false } = {}) {
  const headers = window.stoa.headers();
  if (anywhere) delete headers["X-Project-ID"];
  let response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ query, variables }),
      signal,
    });
  } catch (error) {
    throw error.name === "AbortError" ? error : offline();
  }
  const requestId = response.headers.get("X-Request-ID");
  const body = await response.json().catch(() => null);
  if (body?.errors?.length) throw failureOf(body.errors, requestId);
  if (body?.error) throw new GraphFailure({ ...body.error, requestId });
  if (!body?.data) throw new GraphFailure({ code: "INTERNAL_ERROR", message: "", requestId });
  return body.data;
}

// Hands each event of a subscription to `heard`, in order, until one was the last. A connection that is cut is taken up
// again, after the last event that was heard where events are numbered.
export async function follow(query, variables, heard, signal, isLast = (event) => event.final) {
  const numbered = query.includes("$lastEventId");
  let last = 0;
  for (let tries = 0; !signal.aborted; tries += 1) {
    const client = graphqlSse.createClient({ url, headers: window.stoa.headers(), retryAttempts: 0 });
    const events = client.iterate({ query, variables: numbered ? { ...variables, lastEventId: last } : variables });
    const leave = () => client.dispose();
    signal.addEventListener("abort", leave);
    try {
      for await (const { data, errors } of events) {
        if (errors?.length) throw failureOf(errors);
        const [event] = Object.values(data);
        last = event.sequence;
        tries = 0;
        heard(event);
        if (isLast(event)) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof GraphFailure) throw error;
      const body = await error.response?.json?.().catch(() => null);
      if (body?.errors?.length) throw failureOf(body.errors);
      if (tries >= RETRIES) throw offline();
    } finally {
      signal.removeEventListener("abort", leave);
      client.dispose();
    }
    if (tries >= RETRIES) throw offline();
    await new Promise((resolve) => setTimeout(resolve, 300 * 2 ** tries));
  }
}

// Saves a file whose address the graph has named. The token goes along as a header, which a plain link cannot send.
export async function save({ name, url: address }) {
  let response;
  try {
    response = await fetch(address, { headers: window.stoa.headers() });
  } catch {
    throw offline();
  }
  if (!response.ok) {
    const body = await response.json().catch(() => ({}));
    throw new GraphFailure({ code: "INTERNAL_ERROR", message: "", ...body.error });
  }
  keepAs(name, await response.blob());
}

// Hands what is here already to the person as a file.
export function keepAs(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
