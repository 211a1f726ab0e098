// Verifies one delivery by the official library of Standard Webhooks: node verify_webhook.mjs FILE
// The file has {secret, headers, body}. Fails as well where a body that was changed passes.
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const { secret, headers, body } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const webhook = new Webhook(secret);
const event = webhook.verify(body, headers);
let refused = false;
try {
  webhook.verify(body.replace("{", "{ "), headers);
} catch {
  refused = true;
}
if (!refused) throw new Error("a body that was changed passes");
console.log(JSON.stringify(event));
