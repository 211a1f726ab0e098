// The gateway of the tests: a supergraph from a file, listening on this machine only, and the caller's own token and
// project passed on. It holds no credential of its own.
export const gatewayConfig = {
  supergraph: process.env.SUPERGRAPH,
  host: "127.0.0.1",
  port: Number(process.env.PORT),
  pollingInterval: 0,
  propagateHeaders: {
    fromClientToSubgraphs({ request }) {
      const passed = {};
      for (const name of ["authorization", "x-project-id", "idempotency-key"]) {
        const value = request.headers.get(name);
        if (value !== null) passed[name] = value;
      }
      return passed;
    },
  },
};
