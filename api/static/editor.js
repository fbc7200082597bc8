// Only comfort: while somebody writes, what is known that may be the same ("Check" tells it, too), and what was typed outlives the tab.
"use strict";

const writing = document.querySelector("#writeup");
const box = document.querySelector("#writeup-text");
const panel = document.querySelector("#similar");
let waiting = 0;
let asked = 0;

async function look() {
  const number = ++asked;
  const own = writing.elements.namedItem("id")?.value;
  const lang = document.documentElement.lang;
  const headers = { "Content-Type": "text/markdown", "Accept-Language": lang, "X-CSRF-Token": writing.elements.namedItem("csrf")?.value ?? "" };
  const query = own ? `?k=3&but=${encodeURIComponent(own)}` : "?k=3";
  const answer = await fetch(`/v1/incidents/similar${query}`, { method: "POST", headers, body: box.value })
    .then((response) => (response.ok ? response.json() : null), () => null);
  if (number !== asked) return; // an older answer that came late
  const matches = answer && answer.verdict !== "unknown" ? answer.matches : [];
  panel.replaceChildren();
  panel.hidden = matches.length === 0;
  if (panel.hidden) return;
  const heading = panel.appendChild(document.createElement("h2"));
  heading.textContent = writing.dataset.similar;
  const list = panel.appendChild(document.createElement("ul"));
  for (const match of matches) {
    const link = list.appendChild(document.createElement("li")).appendChild(document.createElement("a"));
    link.textContent = `${match.incident.title} (${Math.min(99, Math.max(1, Math.round(100 * match.probability)))} %)`;
    link.href = `/incidents/${encodeURIComponent(match.incident.id)}`;
    link.target = "_blank"; // what was typed stays in this one
    link.rel = "noopener";
  }
}

box?.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(look, 800);
});
if (box && box.value !== box.defaultValue) look(); // typed before this script came, or kept by the browser

// What is typed is kept in this browser until it is saved or forgotten, or its writer logs out.
const draft = `draft:${writing?.elements.namedItem("id")?.value ?? ""}`;
let isSending = false;

box?.addEventListener("input", () => localStorage.setItem(draft, box.value));
writing?.addEventListener("submit", (event) => {
  isSending = true;
  if (event.submitter?.value !== "check") localStorage.setItem("draft-sent", draft); // page.js forgets it once it is saved
});
addEventListener("beforeunload", (event) => {
  if (box && !isSending && box.value !== box.defaultValue) event.preventDefault();
});

const kept = localStorage.getItem(draft);
if (box && kept && kept !== box.value && box.value === box.defaultValue) offer(kept);

/** A line above the box: take the kept text, or forget it. */
function offer(text) {
  const line = writing.parentNode.insertBefore(document.createElement("p"), writing);
  line.className = "offer";
  line.setAttribute("role", "status");
  line.append(`${writing.dataset.kept} `);
  for (const [label, take] of [[writing.dataset.take, true], [writing.dataset.forget, false]]) {
    const button = line.appendChild(document.createElement("button"));
    button.type = "button";
    button.className = "plain";
    button.textContent = label;
    button.addEventListener("click", () => {
      if (take) box.value = text;
      else localStorage.removeItem(draft);
      line.remove();
      box.focus();
    });
  }
}
