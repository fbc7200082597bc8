// Only comfort: the write-up as a form, as Markdown, or as both, and beside it what readers will see of it while somebody writes.
"use strict";

const look = document.querySelector("#look");
const fields = document.querySelector("#fields");
const boxes = [...fields.querySelectorAll("[data-part]")];
const dirty = new Set(); // what was typed in the form and are not in the text yet
let waiting = 0;
let asked = 0;

/** Show the form, the Markdown, or both; the choice is remembered. */
function view(name) {
  fields.hidden = name === "markdown";
  document.querySelector("#markdown").hidden = name === "fields";
  writing.querySelector(".panes").classList.toggle("both", name === "both");
  for (const button of writing.querySelectorAll("[data-view]")) button.setAttribute("aria-pressed", button.dataset.view === name);
}

/** Ask for the same page with what is typed: its preview, and the text with what was typed in the form. */
async function preview() {
  const number = ++asked;
  const sent = box.value;
  const going = new Map(boxes.filter((one) => dirty.has(one)).map((one) => [one, one.value]));
  const data = new FormData(writing);
  data.set("do", "check");
  const answer = await fetch(writing.action, { method: "POST", body: new URLSearchParams(data), headers: { "X-Page-Part": "main" } })
    .then((one) => (one.ok ? one.text() : null), () => null);
  if (number !== asked) return; // an older answer that came late
  if (answer === null) { // busy, or away: it is asked again
    waiting = setTimeout(preview, 5_000);
    return;
  }
  const page = new DOMParser().parseFromString(answer, "text/html");
  if (going.size) {
    if (box.value !== sent) return preview(); // typed in both: the form goes into the newer text
    box.value = page.querySelector("#writeup-text").value;
    for (const [one, value] of going) if (one.value === value) dirty.delete(one);
  }
  for (const one of boxes) {
    const { value } = page.querySelector(`#${one.id}`);
    if (dirty.has(one) || one === document.activeElement || one.value === value) continue;
    one.value = value;
    one.scrollLeft = 0; // the caret is at the end: the beginning of each line would be out of sight
  }
  for (const one of page.querySelectorAll(".saves button")) writing.querySelector(`.saves [value="${one.value}"]`)?.setAttribute("class", one.className);
  const open = [...look.querySelectorAll("details")].map((one) => one.open);
  const understood = document.adoptNode(page.querySelector("#look"));
  look.replaceChildren(...understood.childNodes);
  look.querySelectorAll("details").forEach((one, at) => { one.open = open[at] ?? one.open; });
  if ("again" in understood.dataset) waiting = setTimeout(preview, 5_000); // too busy to search for what is known
}

function soon() {
  clearTimeout(waiting);
  waiting = setTimeout(preview, 400);
}

if (writing) {
  for (const one of boxes) one.addEventListener("input", () => dirty.add(one));
  writing.addEventListener("formdata", ({ formData }) => {
    for (const one of dirty) formData.set(`part.${one.dataset.part}`, one.value);
  });
  writing.addEventListener("input", (event) => { if (!event.isComposing) soon(); });
  writing.addEventListener("compositionend", soon);
  for (const button of writing.querySelectorAll("[data-view]")) {
    button.addEventListener("click", () => {
      localStorage.setItem("view", button.dataset.view);
      view(button.dataset.view);
    });
  }
  writing.querySelector(".views").hidden = false;
  writing.classList.add("ready");
  view(writing.dataset.start ?? localStorage.getItem("view") ?? "fields");
  for (const one of boxes) if (one.value !== one.defaultValue) dirty.add(one);
  if (dirty.size || box.value !== box.defaultValue) writing.dispatchEvent(new Event("input")); // typed before this script was there
  else if (box.value.includes("title: ") && box.value.split("\n")[1] !== "title: ") preview();
}
