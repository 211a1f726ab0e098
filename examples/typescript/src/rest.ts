/** The scenario over REST, typed by the published OpenAPI documents. Needs STOA_URL and STOA_TOKEN. */
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import { headers, key, shop, url } from './settings.js';
import type { paths as Assets } from './generated/assets.js';
import type { paths as DataReadiness } from './generated/data-readiness.js';
import type { paths as Governance } from './generated/governance.js';
import type { paths as Utils } from './generated/utils.js';

/** What every documented error holds. */
interface Failure {
  error: { code: string; message: string };
}

/** An answer that is one of the documented errors. */
class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** What was asked for. Throws Refused otherwise. */
function got<T>(answer: { data?: T; error?: Failure }): T {
  if (answer.data === undefined) {
    const { code, message } = answer.error?.error ?? { code: 'UNDOCUMENTED', message: 'There is no body.' };
    throw new Refused(code, message);
  }
  return answer.data;
}

const client = createClient<Governance & Assets & Utils & DataReadiness>({ baseUrl: url, headers });

const organizations = got(await client.GET('/governance/organizations'));
console.log('organization:', organizations.data[0]?.id);

// The same Idempotency-Key twice: the second request answers what the first one did.
const wanted = { params: { header: { 'Idempotency-Key': key } }, body: { name: `Shop ${key}` } };
const project = got(await client.POST('/governance/projects', wanted));
const again = got(await client.POST('/governance/projects', wanted));
if (again.id !== project.id) throw new Error('There are two projects.');
console.log('project: created once by two requests');
client.use({
  onRequest({ request }) {
    request.headers.set('X-Project-ID', project.id);
  },
});

const { resource_uri } = got(
  await client.POST('/assets/data', {
    body: { name: 'Shop files', connection_type: 'nfs', filesystem_config: { path: shop } },
  }),
);
got(await client.POST('/assets/data/{resource_uri}/verify', { params: { path: { resource_uri } } }));
const connection = got(await client.GET('/assets/data/{resource_uri}', { params: { path: { resource_uri } } }));
console.log(`connection: ${connection.name}, ${connection.status}`);

const pack = got(await client.POST('/utils/context-packs', { body: { name: 'Shop', pack_type: 'project' } }));
const memory = {
  context_pack_id: pack.id,
  name: 'Totals',
  memory_type: 'fact' as const,
  content: { type: 'text', text: 'Totals are in euros.' },
};
const first = got(await client.POST('/utils/memories', { body: memory }));
const second = got(await client.POST('/utils/memories', { body: memory }));
if (second.id !== first.id) throw new Error('There are two memories.');
const memories = got(await client.GET('/utils/memories', { params: { query: { context_pack_id: pack.id } } }));
console.log(`memory: Totals, added twice, stored ${memories.pagination.total_items} time`);

const orders = await readFile(`${shop}/orders.csv`);

/** The upload is a form; the documents have its bytes as text of the format `binary`. */
async function upload(): Promise<string> {
  const uploaded = await client.POST('/assets/files', {
    body: { key: 'orders.csv', name: 'Orders', file: 'orders.csv' },
    bodySerializer({ key, name, file }) {
      const form = new FormData();
      form.set('key', key);
      form.set('name', name);
      form.set('file', new Blob([orders], { type: 'text/csv' }), file);
      return form;
    },
  });
  return got(uploaded).resource_uri;
}

const down = got(
  await client.GET('/assets/files/{resource_uri}/download', {
    params: { path: { resource_uri: await upload() } },
    parseAs: 'arrayBuffer',
  }),
);
if (!orders.equals(Buffer.from(down))) throw new Error('The bytes differ.');
console.log(`file: orders.csv, ${down.byteLength} bytes up and the same bytes down`);

const configuration = got(
  await client.POST('/data-readiness/workflows', {
    body: { name: 'Read the shop', workflow_type: 'service-ingestion', config: { resource_uri } },
  }),
);
const started = got(
  await client.POST('/data-readiness/workflows/{configuration_id}/runs', {
    params: { path: { configuration_id: configuration.id } },
    body: {},
  }),
);
let status = started.status;
while (status === 'pending' || status === 'running') {
  await wait(200);
  const run = await client.GET('/data-readiness/workflows/{configuration_id}/runs/{run_id}', {
    params: { path: { configuration_id: configuration.id, run_id: started.id } },
  });
  status = got(run).status;
}
console.log('run:', status);

const found = got(
  await client.GET('/utils/search/metadata', {
    params: { header: { 'X-Project-ID': project.id }, query: { q: 'orders', asset_type: 'table' } },
  }),
);
const table = found.results[0];
console.log(`search: ${found.pagination.total} table, ${table?.name} with ${table?.column_count} columns`);

try {
  await upload();
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.log('error:', error.code);
}
