// Composes subgraphs into a supergraph: JSON [{name, url, sdl}] comes in on standard input, and JSON goes out with
// what @apollo/composition says of them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { composeServices } = require("@apollo/composition");
const { parse } = require("graphql");

const services = JSON.parse(readFileSync(0, "utf8"));
const composed = composeServices(services.map(({ name, url, sdl }) => ({ name, url, typeDefs: parse(sdl) })));
process.stdout.write(
  JSON.stringify({
    errors: (composed.errors ?? []).map((error) => ({ code: error.extensions?.code, message: error.message })),
    hints: (composed.hints ?? []).map((hint) => ({ code: hint.definition.code, message: hint.message })),
    supergraph: composed.supergraphSdl ?? null,
    version: require("@apollo/composition/package.json").version,
  }),
);
