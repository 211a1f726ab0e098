// Signs a person in at the provider of OpenID Connect that this server trusts, by the authorization code flow with PKCE.
// What is known between the way there and the way back lives in this tab's session storage, and is used once.
import { GraphFailure } from "./graph.js";

const UNDER_WAY = "stoa.sign-in";
const root = document.getElementById("console");

// The provider: { issuer, client, scope, resource }; null where tokens are only pasted or brought by a link.
export function offered() {
  return root.dataset.signIn ? JSON.parse(root.dataset.signIn) : null;
}

const here = () => location.origin + location.pathname;
const refused = (message) => new GraphFailure({ code: "SIGN_IN_FAILED", message });

function base64(bytes) {
  return btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

const random = () => base64(crypto.getRandomValues(new Uint8Array(32)));

// A provider says who it is itself, or the code would be handed to somebody else.
async function discovered({ issuer }) {
  let found;
  try {
    found = await (await fetch(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`)).json();
  } catch {
    throw refused("");
  }
  if (found.issuer !== issuer) throw refused(String(found.issuer));
  return found;
}

// Leaves this page for the provider's, which comes back to it.
export async function signIn() {
  const provider = offered();
  const { authorization_endpoint: address } = await discovered(provider);
  const state = random();
  const verifier = random();
  sessionStorage.setItem(UNDER_WAY, JSON.stringify({ state, verifier, place: location.hash }));
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const asked = new URL(address);
  const said = {
    response_type: "code",
    client_id: provider.client,
    redirect_uri: here(),
    scope: provider.scope,
    state,
    code_challenge: base64(digest),
    code_challenge_method: "S256",
    ...(provider.resource && { resource: provider.resource }),
  };
  for (const [name, value] of Object.entries(said)) asked.searchParams.set(name, value);
  location.assign(asked);
}

// Where a provider has sent somebody back: takes the code for a token. Throws GraphFailure when there is none to be had.
export async function comeBack() {
  const provider = offered();
  const given = new URLSearchParams(location.search);
  if (!provider || !given.has("state")) return;
  const kept = JSON.parse(sessionStorage.getItem(UNDER_WAY) ?? "null");
  sessionStorage.removeItem(UNDER_WAY);
  // Neither history nor a copied address keeps the code.
  history.replaceState(history.state, "", location.pathname + (kept?.place || location.hash));
  if (kept?.state !== given.get("state")) throw refused("state");
  if (given.has("iss") && given.get("iss") !== provider.issuer) throw refused("iss");
  if (!given.has("code")) throw refused(given.get("error_description") ?? given.get("error") ?? "");
  const { token_endpoint: address } = await discovered(provider);
  const form = {
    grant_type: "authorization_code",
    code: given.get("code"),
    redirect_uri: here(),
    client_id: provider.client,
    code_verifier: kept.verifier,
    ...(provider.resource && { resource: provider.resource }),
  };
  let answer;
  try {
    answer = await (await fetch(address, { method: "POST", body: new URLSearchParams(form) })).json();
  } catch {
    throw refused("");
  }
  if (!answer.access_token) throw refused(answer.error_description ?? answer.error ?? "");
  window.stoa.setToken(answer.access_token);
}
