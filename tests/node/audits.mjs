// Runs every audit of graphql-http against a server: `node audits.mjs URL TOKEN`. Prints one JSON line per audit.
import { serverAudits } from 'graphql-http';

const [url, token] = process.argv.slice(2);

const fetchFn = (address, init = {}) =>
  fetch(address, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });

for (const audit of serverAudits({ url, fetchFn })) {
  const { id, name, status, reason } = await audit.fn();
  console.log(JSON.stringify({ id, name, status, reason: reason ?? null }));
}
