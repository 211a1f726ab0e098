// A real provider of OpenID Connect that runs here: node provider.mjs PORT REDIRECT_ADDRESS. Anybody may sign in by any
// name; the access token is a JWT for the resource that was asked for, with the organization `acme`.
import Provider from "oidc-provider";

const [port, redirect] = process.argv.slice(2);
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: "stoa-console",
      token_endpoint_auth_method: "none",
      application_type: "native", // which may be sent back to a loopback address without TLS
      redirect_uris: [redirect],
      grant_types: ["authorization_code"],
      response_types: ["code"],
    },
  ],
  pkce: { required: () => true },
  clientBasedCORS: (_context, origin) => origin === new URL(redirect).origin,
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  extraTokenClaims: () => ({ org_id: "acme" }),
  features: {
    devInteractions: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({ scope: "", audience: "stoa", accessTokenTTL: 600, accessTokenFormat: "jwt" }),
      useGrantedResource: () => true,
    },
  },
  cookies: { keys: ["a key of the tests"] },
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
