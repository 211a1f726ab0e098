// The token and the project that the pages send. Both live in this tab's sessionStorage and nowhere else; what outlives
// the tab is the language that somebody chose.
//
// A link may carry them behind its # (`/explorer#token=...&project=...`): that part of an address is never sent to a
// server, and it is removed from the address bar at once, so neither history nor a copied address holds it.
"use strict";

window.stoa = (() => {
  const TOKEN = "stoa.token";
  const PROJECT = "stoa.project";
  const NAMES = "stoa.projects";
  const LANGUAGE = "stoa.language";
  const listeners = [];

  const read = (key) => sessionStorage.getItem(key) || "";
  const write = (key, value) => (value ? sessionStorage.setItem(key, value) : sessionStorage.removeItem(key));

  function takeFromAddress() {
    // The console names its place before a question mark: `#/find?q=...&token=...`.
    const [, place, query] = location.hash.slice(1).match(/^(\/[^?]*\??)?(.*)$/s);
    const given = new URLSearchParams(query);
    if (!given.has("token") && !given.has("project")) return false;
    if (given.has("token")) write(TOKEN, clean(given.get("token")));
    if (given.has("project")) write(PROJECT, given.get("project").trim());
    given.delete("token");
    given.delete("project");
    const rest = (place ?? "") + given.toString();
    history.replaceState(history.state, "", location.pathname + location.search + (rest ? "#" + rest : ""));
    return true;
  }

  // People paste the whole header as often as the token alone.
  function clean(text) {
    return text.trim().replace(/^authorization:\s*/i, "").replace(/^bearer\s+/i, "").replace(/\s+/g, "");
  }

  // What the token says of itself, unchecked: only to show whose it is. The server checks it.
  function claims(token) {
    try {
      const part = token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/");
      const bytes = Uint8Array.from(atob(part), (letter) => letter.charCodeAt(0));
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      return null;
    }
  }

  // What projects are called, as far as somebody has looked: { id: name }.
  const names = () => JSON.parse(read(NAMES) || "{}");
  const nameProjects = (projects) => write(NAMES, JSON.stringify(Object.fromEntries(projects.map(({ id, name }) => [id, name]))));

  // Asks for the projects by their names once somebody is about to pick one. A server of one service has none of them.
  async function learnProjects() {
    if (!read(TOKEN)) return;
    const root = document.querySelector(".bar .brand").getAttribute("href");
    const query = "query BarProjects { projectsConnection(first: 100) { nodes { id name } } }";
    const sent = { Authorization: headers().Authorization, "Content-Type": "application/json" };
    const answer = await fetch(root + "graphql", { method: "POST", headers: sent, body: JSON.stringify({ query }) }).then((one) => one.json(), () => null);
    const found = answer?.data?.projectsConnection.nodes;
    if (!found) return;
    nameProjects(found);
    const options = found.map(({ name }) => Object.assign(document.createElement("option"), { value: name }));
    document.getElementById("projects").replaceChildren(...options);
  }

  function headers() {
    const sent = {};
    if (read(TOKEN)) sent.Authorization = "Bearer " + read(TOKEN);
    if (read(PROJECT)) sent["X-Project-ID"] = read(PROJECT);
    return sent;
  }

  // Who the token says that its bearer is, and until when: { person, user, place, until }; null without a token that can be read.
  function bearer() {
    const said = claims(read(TOKEN));
    if (!said) return null;
    const person = said.name || said.preferred_username || said.sub || "";
    const place = said.organization_id || said.org_id || said.organization || "";
    return { person, user: said.sub || "", place, until: said.exp ? new Date(said.exp * 1000) : null };
  }

  function describe() {
    const who = document.getElementById("who");
    const token = read(TOKEN);
    who.className = "";
    if (!token) {
      who.textContent = "not signed in";
      return;
    }
    const said = claims(token);
    if (!said) {
      who.textContent = "this is not a token";
      who.className = "wrong";
      return;
    }
    const name = said.preferred_username || said.sub || "somebody";
    const place = said.organization_id || said.org_id || said.organization;
    const person = place ? name + " at " + place : name;
    const left = said.exp ? said.exp * 1000 - Date.now() : Infinity;
    if (left <= 0) {
      who.textContent = "the token of " + person + " has expired";
      who.className = "wrong";
      return;
    }
    who.textContent = person + (said.exp ? ", until " + moment(new Date(said.exp * 1000)) : "");
    // Timers hold at most 2^31 - 1 milliseconds, and a token that lives longer needs no watching.
    clearTimeout(describe.timer);
    if (left < 2147483647) describe.timer = setTimeout(describe, left + 500);
  }

  function moment(when) {
    const today = when.toDateString() === new Date().toDateString();
    return today ? when.toLocaleTimeString() : when.toLocaleDateString();
  }

  // A page without the form, such as the console, shows all that by itself.
  function show() {
    if (!document.getElementById("session")) return;
    document.getElementById("token").value = read(TOKEN);
    const project = document.getElementById("project");
    project.value = names()[read(PROJECT)] ?? read(PROJECT);
    project.title = read(PROJECT);
    describe();
  }

  function changed() {
    show();
    for (const listener of listeners) listener();
  }

  takeFromAddress();
  document.addEventListener("DOMContentLoaded", () => {
    show();
    const form = document.getElementById("session");
    if (!form) return;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      document.activeElement.blur();
    });
    form.addEventListener("change", () => {
      write(TOKEN, clean(document.getElementById("token").value));
      const typed = document.getElementById("project").value.trim();
      write(PROJECT, Object.keys(names()).find((id) => names()[id] === typed) ?? typed);
      changed();
    });
    document.getElementById("project").addEventListener("focus", learnProjects, { once: true });
  });
  window.addEventListener("hashchange", () => takeFromAddress() && changed());

  // What a page does for a person who picks a project by its name, or leaves.
  function setProject(id) {
    write(PROJECT, id);
    changed();
  }

  function setToken(text) {
    write(TOKEN, clean(text));
    changed();
  }

  function signOut() {
    write(TOKEN, "");
    write(PROJECT, "");
    write(NAMES, "");
    changed();
  }

  // The language that somebody chose instead of the browser's. It is no secret, and is kept for the next visit.
  const language = () => localStorage.getItem(LANGUAGE) || "";
  const setLanguage = (name) => localStorage.setItem(LANGUAGE, name);

  return { headers, bearer, setToken, setProject, nameProjects, signOut, language, setLanguage, onChange: (listener) => listeners.push(listener) };
})();
