// Starts GraphiQL on the endpoint that the page names; every request carries the token and project of the bar above.
"use strict";

(() => {
  const place = document.getElementById("explorer");
  const notice = document.getElementById("notice");
  const examples = JSON.parse(place.dataset.examples);
  const element = React.createElement;
  const url = place.dataset.graphql;
  const MOST_EVENTS = 200;

  const plain = GraphiQL.createFetcher({
    url,
    enableIncrementalDelivery: false,
    fetch: (address, options) =>
      fetch(address, { ...options, headers: { ...window.stoa.headers(), ...options.headers } }),
  });

  async function fetcher(request, options) {
    if (isSubscription(request)) return follow(request, options?.headers);
    if (request.operationName !== "IntrospectionQuery") return plain(request, options);
    try {
      const answer = await plain(request, options);
      tellSchema(answer?.data ? null : answer);
      return answer;
    } catch (error) {
      tellSchema({ errors: [{ message: "The server gave no answer." }] });
      throw error;
    }
  }

  // Without the schema there is neither documentation nor completion, and the page says why.
  function tellSchema(failed) {
    notice.hidden = !failed;
    if (!failed) return;
    const { message, extensions } = failed.errors?.[0] ?? { message: "The server gave no schema." };
    const newcomer = extensions?.code === "UNAUTHENTICATED" && !window.stoa.headers().Authorization;
    notice.classList.toggle("calm", newcomer);
    if (newcomer) {
      notice.textContent =
        "You are not signed in. Paste a token into the field above; a development server prints one: " +
        "stoa token --user ann --org acme";
      return;
    }
    const code = extensions?.code ? ` (${extensions.code})` : "";
    notice.textContent =
      `No documentation and no completion here, because the schema could not be read: ${message}${code} ` +
      "Requests can be written and run all the same.";
  }

  function isSubscription({ query, operationName }) {
    let document;
    try {
      document = GraphiQL.GraphQL.parse(query);
    } catch {
      return false; // the server says what is wrong with it
    }
    const operations = document.definitions.filter((one) => one.kind === "OperationDefinition");
    const chosen = operations.find((one) => one.name?.value === operationName) ?? operations[0];
    return chosen?.operation === "subscription";
  }

  // Events come over SSE, which takes the same headers as every other request. The newest is shown first, and what the
  // earlier ones said below it.
  function follow(request, headers) {
    const client = graphqlSse.createClient({
      url,
      headers: { ...window.stoa.headers(), ...headers },
      retryAttempts: 0,
    });
    const events = client.iterate(request);
    const earlier = [];
    let over = false;
    const shown = (event) => {
      const value = earlier.length ? { ...event, earlier: [...earlier] } : event;
      if (event.data) earlier.unshift(event.data);
      earlier.length = Math.min(earlier.length, MOST_EVENTS);
      return value;
    };
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      async next() {
        if (over) return { done: true, value: undefined };
        try {
          const { value, done } = await events.next();
          if (done) return this.return();
          return { done: false, value: shown(value) };
        } catch (failure) {
          await this.return();
          return { done: false, value: shown(await told(failure)) };
        }
      },
      async return() {
        over = true;
        await events.return();
        client.dispose();
        return { done: true, value: undefined };
      },
    };
  }

  // A stream that is refused before it begins is answered with the envelope, which names the code.
  async function told(failure) {
    const body = await failure.response?.json?.().catch(() => null);
    return body?.errors ? { errors: body.errors } : { errors: [{ message: failure.message ?? String(failure) }] };
  }

  function Icon() {
    const lines = ["M4 5h16", "M4 10h10", "M4 15h16", "M4 20h8"].map((d) => element("path", { key: d, d }));
    const look = { fill: "none", stroke: "currentColor", strokeWidth: 1.8, strokeLinecap: "round" };
    return element("svg", { viewBox: "0 0 24 24", "aria-hidden": true, ...look }, lines);
  }

  // Each example opens in a tab of its own, and nothing runs until somebody asks for it.
  function Examples() {
    const editor = GraphiQL.React.useEditorContext({ nonNull: true });
    const open = ({ query, variables }) => {
      editor.addTab();
      setTimeout(() => {
        editor.variableEditor?.setValue(variables);
        editor.queryEditor?.setValue(query);
        editor.queryEditor?.setCursor(0, 0);
        place.querySelector(".graphiql-sessions")?.scrollIntoView();
      });
    };
    const one = (example) =>
      element(
        "li",
        { key: example.title },
        element(
          "button",
          { type: "button", onClick: () => open(example) },
          element("strong", null, example.title),
          example.note && element("span", null, example.note),
        ),
      );
    return element(
      "section",
      { className: "examples", "aria-label": "Examples" },
      element("h1", null, "Examples"),
      examples.map((group) => [
        element("h2", { key: group.title }, group.title),
        element("ul", { key: group.title + "*" }, group.examples.map(one)),
      ]),
    );
  }

  const builder = GraphiQLPluginExplorer.explorerPlugin();
  const samples = { title: "Examples", icon: Icon, content: Examples };
  const root = ReactDOM.createRoot(place);
  const linked = fromAddress();
  let { operationName } = linked; // of several operations, the one that a link names is run
  let visit = 0;
  let properties = {};

  // What a link brings along.
  function fromAddress() {
    const given = new URLSearchParams(location.search);
    if (!given.get("query")) return {};
    return {
      query: given.get("query"),
      variables: given.get("variables") || undefined,
      operationName: given.get("operationName") || undefined,
    };
  }

  // Once the text is another than the link's, the operation is chosen at each run, as it is without a link.
  function onEditQuery(query) {
    if (operationName === undefined || query === linked.query) return;
    operationName = undefined;
    render();
  }

  // The examples are open for somebody who is here for the first time, where there is room for them.
  function firstVisit() {
    return innerWidth > 900 && localStorage.getItem("graphiql:visiblePlugin") === null;
  }

  function render() {
    root.render(React.createElement(GraphiQL, { ...properties, operationName }));
  }

  // A new key starts the explorer anew, so that the graph is read again as the person who has just signed in. What the
  // link brought is not opened again.
  function draw() {
    properties = {
      ...(visit === 0 && linked),
      ...(firstVisit() && { visiblePlugin: samples }),
      key: visit++,
      fetcher,
      plugins: [samples, builder],
      defaultQuery: place.dataset.query,
      defaultEditorToolsVisibility: "variables",
      isHeadersEditorEnabled: true,
      shouldPersistHeaders: false,
      inputValueDeprecation: true,
      schemaDescription: true,
      onEditQuery,
    };
    render();
  }

  window.stoa.onChange(draw);
  draw();
})();
