// Only comfort: each route of the API description can be tried, as whoever is logged in here.
"use strict";

/** The form of a route: its parameters, a body, and what came back. */
function form(route) {
  const { method, path } = route.dataset;
  const made = route.appendChild(document.createElement("form"));
  made.className = "plain-form try";
  for (const row of route.querySelectorAll("tr[data-name]")) {
    const label = made.appendChild(document.createElement("label"));
    label.textContent = row.dataset.name;
    const input = label.appendChild(document.createElement("input"));
    input.type = "text";
    input.name = row.dataset.name;
    input.dataset.in = row.dataset.in;
  }
  let body;
  if (route.querySelector(".example") || method === "POST" || method === "PUT") {
    const label = made.appendChild(document.createElement("label"));
    label.textContent = "JSON";
    body = label.appendChild(document.createElement("textarea"));
    body.rows = 5;
    body.spellcheck = false;
    body.value = route.querySelector(".example")?.textContent ?? "";
  }
  const button = made.appendChild(document.createElement("p")).appendChild(document.createElement("button"));
  button.textContent = route.closest("[data-try]").dataset.try;
  const told = made.appendChild(document.createElement("div"));
  told.setAttribute("role", "status");
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    send(made, method, path, body?.value, told);
  });
}

async function send(made, method, path, body, told) {
  const values = { path: [], query: [], header: [] };
  for (const input of made.querySelectorAll("input")) if (input.value) values[input.dataset.in].push([input.name, input.value]);
  const filled = values.path.reduce((text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)), path);
  const headers = { ...Object.fromEntries(values.header), "X-CSRF-Token": document.querySelector("[name=csrf]")?.value ?? "" };
  if (body) headers["Content-Type"] = "application/json";
  told.textContent = made.closest("[data-waits]").dataset.waits;
  const query = new URLSearchParams(values.query).toString();
  const answer = await fetch(query ? `${filled}?${query}` : filled, { method, headers, body: body || undefined }).catch((error) => error);
  const text = answer instanceof Error ? answer.message : await answer.text();
  told.replaceChildren();
  const status = told.appendChild(document.createElement("p"));
  status.textContent = answer.status ? `${answer.status} ${answer.statusText}` : "";
  const shown = told.appendChild(document.createElement("pre"));
  shown.className = "shell";
  shown.tabIndex = 0;
  shown.textContent = pretty(text).slice(0, 100_000);
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 1);
  } catch {
    return text;
  }
}

for (const route of document.querySelectorAll(".route")) {
  route.addEventListener("toggle", () => { if (route.open && !route.querySelector("form")) form(route); });
  if (route.open || location.hash === `#${route.id}`) route.open = true;
}
