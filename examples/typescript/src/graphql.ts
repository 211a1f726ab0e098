/** One request to the graph, and what a refused one is. */
import { headers, url } from './settings.js';

/** A request's answer with errors: the code is one of the catalogue's, the same as over REST. */
export class Refused extends Error {
  constructor(
    readonly code: unknown,
    message: string,
  ) {
    super(message);
  }
}

export interface Sent {
  /** The document; empty where `extensions` names it by its hash. */
  query: string;
  variables?: unknown;
  extensions?: { idempotencyKey?: string; persistedQuery?: { version: 1; sha256Hash: string } };
}

/** Send a document; the data of its answer. Throws Refused. */
export async function send(sent: Sent, project?: string): Promise<unknown> {
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      ...headers,
      ...(project === undefined ? {} : { 'X-Project-ID': project }),
      'Content-Type': 'application/json',
      Accept: 'application/graphql-response+json',
    },
    body: JSON.stringify(sent),
  });
  const { data, errors } = (await answer.json()) as {
    data?: unknown;
    errors?: [{ message: string; extensions?: { code?: unknown } }];
  };
  if (errors !== undefined) throw new Refused(errors[0].extensions?.code, errors[0].message);
  return data;
}
