// Starts GraphiQL on the endpoint that the page names; every request carries the token and project of the bar above.
"use strict";

(() => {
  const place = document.getElementById("explorer");
  const fetcher = GraphiQL.createFetcher({
    url: place.dataset.graphql,
    fetch: (address, options) =>
      fetch(address, { ...options, headers: { ...window.stoa.headers(), ...options.headers } }),
  });
  const explorer = GraphiQLPluginExplorer.explorerPlugin();
  const root = ReactDOM.createRoot(place);
  let visit = 0;

  // A new key starts the explorer anew, so that the graph is read again as the person who has just signed in.
  function draw() {
    root.render(
      React.createElement(GraphiQL, {
        key: visit++,
        fetcher,
        plugins: [explorer],
        defaultQuery: place.dataset.query,
        defaultEditorToolsVisibility: false,
        isHeadersEditorEnabled: true,
        shouldPersistHeaders: false,
        inputValueDeprecation: true,
        schemaDescription: true,
      }),
    );
  }

  window.stoa.onChange(draw);
  draw();
})();
