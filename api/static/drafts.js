// What is typed into the editor is kept: by the service as a private draft, and in this browser until the service has it.
"use strict";

const writing = document.querySelector("#writeup");
const box = document.querySelector("#writeup-text");
const told = document.querySelector("#kept");
const tab = crypto.getRandomValues(new Uint32Array(4)).join("-");
const local = `draft:${writing?.elements.namedItem("id")?.value ?? ""}`;
let isSending = false; // the form itself is on its way
let isKeeping = false;
let isUnsaved = false; // something was typed that the service has not
let later = 0;

const hidden = (name) => writing.elements.namedItem(name);

/** Remember that something was typed; the service gets it when the hand rests. */
function typed() {
  isUnsaved = true;
  const copy = new FormData(writing);
  localStorage.setItem(local, JSON.stringify(Object.fromEntries([...copy].filter(([name]) => name === "text" || name.startsWith("part.") || ["draft", "seen"].includes(name)))));
  later ||= setTimeout(keep, 1_000);
}

/** Send what is typed. What is typed meanwhile is sent afterwards; what cannot be sent is tried again. */
async function keep({ isLast = false } = {}) {
  clearTimeout(later);
  later = 0;
  if (!("keeps" in writing.dataset) || !isUnsaved || isSending || (isKeeping && !isLast)) return;
  isKeeping = true;
  isUnsaved = false;
  const data = new FormData(writing);
  data.set("tab", tab);
  const answer = await fetch(`/drafts${location.search}`, { method: "POST", body: new URLSearchParams(data), keepalive: isLast }).catch(() => null);
  isKeeping = false;
  if (answer?.ok) {
    const { draft, seen } = await answer.json();
    hidden("draft").value = draft;
    hidden("seen").value = seen;
    say("", `${writing.dataset.saved} · ${new Date().toLocaleTimeString(document.documentElement.lang)}`);
    if (!isUnsaved) localStorage.removeItem(local);
    else later ||= setTimeout(keep, 1_000);
    history.replaceState(null, "", `/write?draft=${draft}&lang=${document.documentElement.lang.slice(0, 2)}`);
    return;
  }
  isUnsaved = true;
  if (answer?.status === 422) return say("problem", writing.dataset.long);
  const isLogin = [401, 403].includes(answer?.status);
  if (isLogin && (await renewed())) return keep();
  say("problem", isLogin ? writing.dataset.login : writing.dataset.lost);
  later ||= setTimeout(keep, 5_000);
}

/** Whether somebody has logged in meanwhile: the form then carries the token of the new session. */
async function renewed() {
  const page = await fetch("/write", { headers: { "X-Page-Part": "main" } }).then((one) => (one.ok ? one.text() : ""), () => "");
  const token = new DOMParser().parseFromString(page, "text/html").querySelector("#writeup [name=csrf]")?.value;
  const own = hidden("csrf");
  if (!token || !own || own.value === token) return false;
  own.value = token;
  return true;
}

function say(kind, text) {
  if (!told) return;
  told.className = kind;
  told.textContent = text;
}

writing?.addEventListener("input", typed);
writing?.addEventListener("submit", (event) => {
  isSending = true;
  if (event.submitter?.value !== "check") localStorage.setItem("draft-sent", local); // page.js forgets it once it is saved
});
addEventListener("online", () => writing && keep());
addEventListener("pageshow", () => { isSending = false; });
document.addEventListener("visibilitychange", () => {
  if (writing && document.visibilityState === "hidden") keep({ isLast: true });
});
addEventListener("beforeunload", (event) => {
  if (writing && (isUnsaved || isKeeping) && !isSending) event.preventDefault();
});

/** A line above the box: take the kept text, or forget it. */
function offer(copy) {
  const line = writing.parentNode.parentNode.insertBefore(document.createElement("p"), writing.parentNode);
  line.className = "offer";
  line.setAttribute("role", "status");
  for (const same of document.querySelectorAll(".offers .offer")) same.hidden = same.dataset.draft === copy.draft;
  line.append(`${writing.dataset.kept} `);
  for (const [label, take] of [[writing.dataset.take, true], [writing.dataset.forget, false]]) {
    const button = line.appendChild(document.createElement("button"));
    button.type = "button";
    button.className = "plain";
    button.textContent = label;
    button.addEventListener("click", () => {
      if (take) bring(copy);
      else localStorage.removeItem(local);
      line.remove();
    });
  }
}

function bring(copy) {
  for (const name of ["draft", "seen"]) hidden(name).value = copy[name] ?? "";
  box.value = copy.text;
  for (const part of writing.querySelectorAll("[data-part]")) {
    const text = copy[`part.${part.dataset.part}`];
    if (text === undefined) continue;
    part.value = text;
    part.dispatchEvent(new Event("input", { bubbles: true }));
  }
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

const copy = writing && JSON.parse(localStorage.getItem(local) ?? "null");
const isOther = copy && (copy.text !== box.value || Object.keys(copy).some((name) => name.startsWith("part.")));
// After a save that failed the box has what was typed, and perhaps what somebody else saved: an older copy beside it would confuse.
if (isOther && box.value === box.defaultValue && !("holds" in writing.dataset)) offer(copy);
const drawn = writing ? [box, ...writing.querySelectorAll("input[data-part], textarea[data-part]")] : [];
if (drawn.some((one) => one.value !== one.defaultValue)) typed(); // before this script was there
