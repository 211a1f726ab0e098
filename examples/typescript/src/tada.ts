/** The graph typed by gql.tada, with nothing generated but the schema's types; the run is followed over WebSocket. */
import { type ResultOf, type TadaDocumentNode, initGraphQLTada } from 'gql.tada';
import { print } from 'graphql';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import type { introspection } from './generated/graphql-env.js';
import { Refused, send } from './graphql.js';
import { headers, key, shop, url } from './settings.js';

const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; JSON: unknown; Long: number; UUID: string; Upload: Blob };
}>();

let project: string | undefined;

/** Send a document; the data of its answer, of the type that the document has. Throws Refused. */
async function ask<Result, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  return (await send({ query: print(document), variables }, project)) as Result;
}

const Organizations = graphql(`
  query {
    organizations {
      items {
        id
      }
    }
  }
`);
const CreateProject = graphql(`
  mutation ($project: ProjectCreate!) {
    createProject(project: $project) {
      id
    }
  }
`);
const Connect = graphql(`
  mutation ($connection: DataConnectionCreate!) {
    createDataConnection(connection: $connection) {
      name
      status
      resourceUri
    }
  }
`);
const Configure = graphql(`
  mutation ($configuration: WorkflowConfigurationCreate!) {
    createWorkflowConfiguration(configuration: $configuration) {
      id
    }
  }
`);
const Trigger = graphql(`
  mutation ($configurationId: UUID!) {
    triggerRun(configurationId: $configurationId, run: {}) {
      id
    }
  }
`);
const Follow = graphql(`
  subscription ($configurationId: UUID!, $runId: UUID!) {
    runProgress(configurationId: $configurationId, runId: $runId) {
      status
      tasks {
        name
        status
      }
    }
  }
`);
const Search = graphql(`
  query ($q: String!) {
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

const wanted = { project: { name: `Shop ${key}` } };
project = (await ask(CreateProject, wanted)).createProject.id;
console.log('project: created');

const { createDataConnection: connection } = await ask(Connect, {
  connection: { name: 'Shop files', connectionType: 'NFS', filesystemConfig: { path: shop } },
});
console.log(`connection: ${connection.name}, ${connection.status}`);

const { createWorkflowConfiguration: configuration } = await ask(Configure, {
  configuration: {
    name: 'Read the shop',
    workflowType: 'SERVICE_INGESTION',
    config: { resource_uri: connection.resourceUri },
  },
});
const { triggerRun: run } = await ask(Trigger, { configurationId: configuration.id });

const socket = createClient({
  url: `${url.replace(/^http/, 'ws')}/graphql`,
  webSocketImpl: WebSocket,
  connectionParams: { ...headers, 'X-Project-ID': project },
  retryAttempts: 0,
});
type Progress = ResultOf<typeof Follow>;
let last: Progress['runProgress'] | undefined;
for await (const event of socket.iterate<Progress>({
  query: print(Follow),
  variables: { configurationId: configuration.id, runId: run.id },
})) {
  if (event.errors !== undefined) throw new Error(event.errors[0]?.message);
  last = event.data?.runProgress;
}
await socket.dispose();
console.log(`run: ${last?.status.toLowerCase()}, ${last?.tasks.length} tasks`);

const { searchMetadata: found } = await ask(Search, { q: 'orders' });
console.log(`search: ${found.total} table, ${found.items[0]?.name} with ${found.items[0]?.columnCount} columns`);

try {
  await ask(CreateProject, wanted);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.log('error:', error.code);
}
