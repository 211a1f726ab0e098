// PostGraphile as its authors recommend it: the newest preset, production mode, nothing explained, a pool as large as
// the other servers'.
import { makePgService } from "postgraphile/adaptors/pg";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";

const { DATABASE_URL: connectionString, PORT, CONNECTIONS } = process.env;

export default {
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString, schemas: ["public"], poolConfig: { max: Number(CONNECTIONS) } })],
  grafserv: { port: Number(PORT), host: "127.0.0.1", watch: false },
  grafast: { explain: false },
};
