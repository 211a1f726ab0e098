/**
 * The scenario in the graph, typed by GraphQL Code Generator; the run is followed over server-sent events.
 *
 * With STOA_SEND_HASHES=1 every document is named by its hash instead of sent. The server knows it then from
 * `src/generated/graphql/persisted-documents.json`, by STOA_GRAPHQL_TRUSTED_DOCUMENTS.
 */
import type { ResultOf } from '@graphql-typed-document-node/core';
import { createClient } from 'graphql-sse';
import { graphql } from './generated/graphql/index.js';
import type { TypedDocumentString } from './generated/graphql/graphql.js';
import { Refused, send, type Sent } from './graphql.js';
import { headers, key, shop, url } from './settings.js';

const byHash = process.env['STOA_SEND_HASHES'] === '1';
let project: string | undefined;

/** What is sent for a document. */
function request<Result, Variables>(document: TypedDocumentString<Result, Variables>, variables: Variables): Sent {
  const hash: unknown = document.__meta__?.['hash'];
  return byHash && typeof hash === 'string'
    ? { query: '', variables, extensions: { persistedQuery: { version: 1, sha256Hash: hash.slice('sha256:'.length) } } }
    : { query: document.toString(), variables };
}

/** Its answer, of the type that the generator found. */
async function ask<Result, Variables>(
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
  idempotencyKey?: string,
): Promise<Result> {
  const sent = request(document, variables);
  if (idempotencyKey !== undefined) sent.extensions = { ...sent.extensions, idempotencyKey };
  return (await send(sent, project)) as Result;
}

const Organizations = graphql(`
  query Organizations {
    organizations {
      items {
        id
        projects {
          name
        }
      }
    }
  }
`);
const CreateProject = graphql(`
  mutation CreateProject($project: ProjectCreate!) {
    createProject(project: $project) {
      id
    }
  }
`);
const Connect = graphql(`
  mutation Connect($connection: DataConnectionCreate!) {
    createDataConnection(connection: $connection) {
      resourceUri
    }
  }
`);
const Verify = graphql(`
  mutation Verify($resourceUri: String!) {
    verifyDataConnection(resourceUri: $resourceUri) {
      success
    }
  }
`);
const Connection = graphql(`
  query Connection($resourceUri: String!) {
    dataConnection(resourceUri: $resourceUri) {
      name
      status
    }
  }
`);
const Remember = graphql(`
  mutation Remember($memory: MemoryCreate!) {
    createMemory(memory: $memory) {
      id
    }
  }
`);
const CreatePack = graphql(`
  mutation CreatePack($pack: ContextPackCreate!) {
    createContextPack(pack: $pack) {
      id
    }
  }
`);
const Memories = graphql(`
  query Memories($contextPackId: UUID!) {
    memories(contextPackId: $contextPackId) {
      total
    }
  }
`);
const Configure = graphql(`
  mutation Configure($configuration: WorkflowConfigurationCreate!) {
    createWorkflowConfiguration(configuration: $configuration) {
      id
    }
  }
`);
const Trigger = graphql(`
  mutation Trigger($configurationId: UUID!) {
    triggerRun(configurationId: $configurationId, run: {}) {
      id
    }
  }
`);
const Follow = graphql(`
  subscription Follow($configurationId: UUID!, $runId: UUID!) {
    runProgress(configurationId: $configurationId, runId: $runId) {
      status
    }
  }
`);
const Search = graphql(`
  query Search($q: String!) {
    searchMetadata(q: $q, assetType: TABLE) {
      total
      items {
        name
        columnCount
      }
    }
  }
`);

const { organizations } = await ask(Organizations, {});
console.log('organization:', organizations.items[0]?.id);

// The same key twice: the second request answers what the first one did.
const wanted = { project: { name: `Shop ${key}` } };
const created = await ask(CreateProject, wanted, key);
const again = await ask(CreateProject, wanted, key);
if (again.createProject.id !== created.createProject.id) throw new Error('There are two projects.');
project = created.createProject.id;
console.log('project: created once by two requests');

const { createDataConnection: connected } = await ask(Connect, {
  connection: { name: 'Shop files', connectionType: 'NFS', typedConfig: { nfs: { path: shop } } },
});
const { resourceUri } = connected;
await ask(Verify, { resourceUri });
const { dataConnection: connection } = await ask(Connection, { resourceUri });
console.log(`connection: ${connection.name}, ${connection.status}`);

const { createContextPack: pack } = await ask(CreatePack, { pack: { name: 'Shop', packType: 'PROJECT' } });
const memory = {
  contextPackId: pack.id,
  name: 'Totals',
  memoryType: 'FACT' as const,
  content: { type: 'text', text: 'Totals are in euros.' },
};
const first = await ask(Remember, { memory });
const second = await ask(Remember, { memory });
if (second.createMemory.id !== first.createMemory.id) throw new Error('There are two memories.');
const { memories } = await ask(Memories, { contextPackId: pack.id });
console.log(`memory: Totals, added twice, stored ${memories.total} time`);

const { createWorkflowConfiguration: configuration } = await ask(Configure, {
  configuration: {
    name: 'Read the shop',
    workflowType: 'SERVICE_INGESTION',
    config: { resource_uri: resourceUri },
  },
});
const { triggerRun: run } = await ask(Trigger, { configurationId: configuration.id });

const events = createClient({
  url: `${url}/graphql`,
  headers: { ...headers, 'X-Project-ID': project },
  retryAttempts: 0,
});
let status: string | undefined;
const follow = request(Follow, { configurationId: configuration.id, runId: run.id });
for await (const event of events.iterate<ResultOf<typeof Follow>>({
  query: follow.query,
  variables: { configurationId: configuration.id, runId: run.id },
  ...(follow.extensions === undefined ? {} : { extensions: follow.extensions }),
})) {
  if (event.errors !== undefined) throw new Error(event.errors[0]?.message);
  status = event.data?.runProgress.status;
}
events.dispose();
console.log('run:', status?.toLowerCase());

const { searchMetadata: found } = await ask(Search, { q: 'orders' });
const table = found.items[0];
console.log(`search: ${found.total} table, ${table?.name} with ${table?.columnCount} columns`);

try {
  await ask(CreateProject, wanted);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.log('error:', error.code);
}
