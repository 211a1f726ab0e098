// Follows a run with the clients of front ends: `node follow.mjs ws|sse URL TOKEN PROJECT CONFIGURATION RUN`.
// Prints one JSON line per event, and `{"complete": true}` or `{"error": ...}` at the end.
import { createClient as createSocketClient } from 'graphql-ws';
import { createClient as createEventClient } from 'graphql-sse';
import WebSocket from 'ws';

const [kind, url, token, project, configurationId, runId] = process.argv.slice(2);
const headers = { authorization: `Bearer ${token}`, 'x-project-id': project };

const client =
  kind === 'ws'
    ? createSocketClient({
        url: url.replace('http', 'ws'),
        webSocketImpl: WebSocket,
        connectionParams: headers,
        retryAttempts: 0,
      })
    : createEventClient({ url, headers, retryAttempts: 0 });

const query = `subscription Follow($configurationId: UUID!, $runId: UUID!) {
  runProgress(configurationId: $configurationId, runId: $runId) { id status tasks { name status } }
}`;

await new Promise((resolve) =>
  client.subscribe(
    { query, variables: { configurationId, runId } },
    {
      next: (event) => console.log(JSON.stringify(event)),
      complete: () => resolve(console.log(JSON.stringify({ complete: true }))),
      error: (error) =>
        resolve(
          console.log(
            JSON.stringify({ error: { code: error.code, reason: error.reason, message: error.message, all: error } }),
          ),
        ),
    },
  ),
);
await client.dispose();
