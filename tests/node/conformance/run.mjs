// Runs the conformance suite against a server that wants a token, which the suite cannot send:
// node run.mjs PORT URL TOKEN ARGUMENTS... The suite speaks to this port, and what it says goes on with the token.
import { spawn } from "node:child_process";
import { createServer, request } from "node:http";

const [port, url, token, ...further] = process.argv.slice(2);
const target = new URL(url);

const proxy = createServer((asked, answer) => {
  const headers = { ...asked.headers, authorization: `Bearer ${token}` };
  const onward = request({ host: target.hostname, port: target.port, path: asked.url, method: asked.method, headers });
  onward.on("response", (got) => {
    answer.writeHead(got.statusCode, got.headers);
    got.pipe(answer);
  });
  onward.on("error", () => answer.destroy());
  asked.pipe(onward);
});

proxy.listen(Number(port), "127.0.0.1", () => {
  const suite = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
  const address = `http://localhost:${port}${target.pathname}`;
  const run = spawn(process.execPath, [suite, "server", "--url", address, ...further], { stdio: "inherit" });
  run.on("exit", (code) => process.exit(code ?? 1));
});
