// Only comfort: without it the page does all the same things.
"use strict";

const MOST_IN_BOX = 200_000; // characters; longer pastes are sent as a file
const SOON = 300; // milliseconds within which most answers come: a page that fades and returns so soon only flickers
const shown = new Map(); // the pages of this tab by their number in its history: what Back brings again
let place = 0;

/** The parts of a page that its next page replaces. */
function parts() {
  return { title: document.title, nodes: [".tongue", "main", "footer"].map((one) => document.querySelector(one)) };
}

function show({ title, nodes }) {
  document.title = title;
  [".tongue", "main", "footer"].forEach((one, at) => document.querySelector(one).replaceWith(nodes[at]));
}

/** Ask for the next page and put its parts in place. What was typed stays in the box when there is no answer. */
async function swap(form, button) {
  const address = new URL(button?.hasAttribute("formaction") ? button.formAction : form.action);
  const body = new FormData(form, button);
  const main = document.querySelector("main");
  const fading = setTimeout(() => main.classList.add("is-waiting"), SOON);
  main.setAttribute("aria-busy", "true");
  const asked = fetch(address, { method: "POST", body, headers: { "X-Page-Part": "main" } });
  const isShare = form.id === "share";
  const isCopied = isShare && copyWhenThere(asked.then((made) => (made.ok ? made.url.split("?")[0] : Promise.reject(new Error()))));
  let page;
  let link = "";
  try {
    const response = await asked;
    if (isShare) link = new URL(response.url).pathname + new URL(response.url).search;
    page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (!response.ok) throw new Error(page.querySelector("main .verdict p, main [role=status]")?.textContent);
  } catch (error) {
    fail(error instanceof TypeError ? "" : error.message);
    return;
  } finally {
    clearTimeout(fading);
    main.classList.remove("is-waiting");
    main.removeAttribute("aria-busy");
  }
  const isSearch = form.id === "ask" || isShare;
  if (isSearch) shown.set(place, parts());
  show({ title: page.title, nodes: [".tongue", "main", "footer"].map((one) => document.adoptNode(page.querySelector(one))) });
  if (isSearch) history.pushState({ place: (place += 1) }, "", link || (document.querySelector("[data-address]")?.dataset.address ?? `/${address.search}`));
  furnish();
  const told = document.querySelector(".copied");
  if (isShare && told && (await isCopied)) told.textContent = told.dataset.copied;
  const at = isSearch ? null : document.querySelector(decodeURIComponent(address.hash) || null);
  if (at) at.scrollIntoView({ block: "nearest" });
  else scrollTo(0, 0);
  const head = at?.querySelector("[role=status]") ?? document.querySelector("h1");
  head.tabIndex = -1;
  head.focus({ preventScroll: true });
}

function fail(detail) {
  const form = document.querySelector("#ask");
  const line = form.querySelector(".failure") ?? form.insertBefore(document.createElement("p"), form.querySelector(".ask-row"));
  line.className = "failure";
  line.setAttribute("role", "alert");
  line.textContent = detail || form.dataset.lost;
  line.scrollIntoView({ block: "nearest" });
}

// Drafts of the editor: saved ones are forgotten, and all of them when their writer logs out.
if (new URLSearchParams(location.search).has("saved")) {
  localStorage.removeItem(localStorage.getItem("draft-sent"));
  localStorage.removeItem("draft-sent");
}
function forgetDrafts() {
  for (const key of Object.keys(localStorage)) if (key.startsWith("draft")) localStorage.removeItem(key);
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.matches(".who")) forgetDrafts();
  const button = event.submitter;
  const path = new URL(button?.hasAttribute("formaction") ? button.formAction : form.action).pathname;
  const isOurs = (form.id === "ask" && path === "/" && !button?.closest(".tongue")) || ["opinion", "share"].includes(form.id);
  if (!isOurs || event.defaultPrevented) return;
  event.preventDefault();
  swap(form, button);
});

addEventListener("popstate", (event) => {
  const wanted = event.state?.place ?? 0;
  shown.set(place, parts());
  place = wanted;
  if (shown.has(wanted)) show(shown.get(wanted));
  else location.reload();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.closest?.("form.ask")?.requestSubmit();
});

// A paste into the empty box, or a chosen file, is the question: nobody has to look for the button.
document.addEventListener("paste", (event) => {
  const box = event.target;
  if (box.id !== "text" || !box.closest("#ask") || box.selectionEnd - box.selectionStart < box.value.length) return;
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (text.length > MOST_IN_BOX) {
    event.preventDefault();
    sendAsFile(box, text);
  } else setTimeout(() => { if (box.value.trim()) box.form.requestSubmit(); });
});
document.addEventListener("change", (event) => {
  if (event.target.id === "file" && event.target.files[0]) askFile(event.target, event.target.files[0].name);
});

function askFile(input, name) {
  document.querySelector("#file-name").textContent = name;
  if (input.files[0].size > Number(input.dataset.most)) {
    input.value = ""; // it would be sent with the next question
    fail(input.dataset.large);
  } else input.form.requestSubmit();
}

/** Ask with a long text without showing it: a box with 5 MB of log stops the page for 3 s. */
function sendAsFile(box, text) {
  const { file: input } = box.form.elements;
  const held = new DataTransfer();
  held.items.add(new File([text], "pasted.log", { type: "text/plain" }));
  box.value = "";
  input.files = held.files;
  askFile(input, `${input.dataset.pasted} (${(input.files[0].size / 1e6).toFixed(1)} MB)`);
}

/** A text as it is read: items of numbered lists keep their numbers. */
function words(part) {
  const copy = part.cloneNode(true);
  for (const button of copy.querySelectorAll("button")) button.remove();
  for (const list of copy.querySelectorAll("ol")) {
    [...list.children].forEach((item, at) => item.prepend(`${list.start + at}. `));
  }
  part.after(copy); // innerText knows lines only of what is laid out
  const text = copy.innerText || copy.textContent;
  copy.remove();
  return text.trim();
}

const spoken = document.body.appendChild(document.createElement("p")); // what a screen reader says when something was copied
spoken.className = "sr";
spoken.setAttribute("role", "status");

/** A button that copies; it says so for a moment. */
function copier(label, done, copy) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = label;
  button.addEventListener("click", async () => {
    await copy();
    button.textContent = spoken.textContent = done;
    setTimeout(() => {
      button.textContent = label;
      spoken.textContent = "";
    }, 1500);
  });
  return button;
}

/** Copy a text that is still on its way: browsers allow it only where the click is. Whether it was copied. */
function copyWhenThere(coming) {
  coming.catch(() => {}); // `swap` says what went wrong
  if (!navigator.clipboard || !window.ClipboardItem) return false;
  const item = new ClipboardItem({ "text/plain": coming.then((text) => new Blob([text], { type: "text/plain" })) });
  return navigator.clipboard.write([item]).then(() => true, () => false);
}

const copyText = (text) => navigator.clipboard.writeText(text);

/** The answer as text with its looks: chats take over bold words, lists, code and links of it. */
function copyRich(best, markdown) {
  const htmlOf = (one) => {
    const copy = one.cloneNode(true);
    for (const button of copy.querySelectorAll("button")) button.remove();
    for (const link of copy.querySelectorAll("a[href^='/']")) link.setAttribute("href", link.href); // whole: it is read elsewhere
    return copy.innerHTML;
  };
  const part = (selector) => [best.querySelector(selector)].filter(Boolean).map(htmlOf).join("");
  const title = best.querySelector("h2 a");
  const head = document.createElement("p");
  const link = head.appendChild(document.createElement("a"));
  link.href = title.href;
  link.textContent = title.textContent;
  const fix = [...best.querySelectorAll(".fix > .prose")].map(htmlOf).join("");
  const name = (selector) => `<p><strong>${best.querySelector(selector).firstChild.textContent}</strong></p>`;
  const html = `<p><strong>${document.querySelector("h1").textContent}</strong></p>${head.outerHTML}${name(".cause h3")}${part(".cause .prose")}${name(".fix h3")}${fix}`;
  const kinds = { "text/html": html, "text/plain": markdown };
  const blobs = Object.entries(kinds).map(([kind, text]) => [kind, new Blob([text], { type: kind })]);
  return navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))]);
}

/** What only a script can do, added to the page that is shown. */
function furnish() {
  if (!navigator.clipboard) return;
  for (const fix of document.querySelectorAll("[data-copy]:not(.is-furnished)")) {
    fix.classList.add("is-furnished");
    const section = fix.querySelectorAll(".section .prose"); // it holds what was quoted of it
    const prose = [...(section.length ? section : fix.querySelectorAll(".prose"))];
    if (!prose.length) continue;
    fix.querySelector("h2, h3")?.append(copier(fix.dataset.copy, fix.dataset.copied, () => copyText(prose.map(words).join("\n\n"))));
  }
  for (const share of document.querySelectorAll(".share-copies[hidden]")) {
    const { markdown, link, copied, asMarkdown, asRich, asLink } = share.dataset;
    const whole = markdown.replaceAll("](/incidents/", `](${location.origin}/incidents/`);
    share.append(copier(asMarkdown, copied, () => copyText(whole)));
    if (window.ClipboardItem) share.append(copier(asRich, copied, () => copyRich(share.closest(".best"), whole)));
    if (link) share.append(copier(asLink, copied, () => copyText(location.origin + link)));
    share.hidden = false;
  }
  for (const code of document.querySelectorAll("main:not(:has(.look)) :is(.best, .candidate, .incident) :is(.prose, .traces) pre")) if (!code.closest(".code")) beside(code);
}

/** Put a block of code into a frame with a button that copies it. */
function beside(code) {
  const frame = document.createElement("div");
  frame.className = "code";
  const { code: label, copied } = document.body.dataset;
  const text = code.textContent.replace(/\n$/, "");
  const button = copier(label, copied, () => copyText(text));
  button.setAttribute("aria-label", `${label}: ${text.trim().split("\n", 1)[0].slice(0, 60)}`);
  code.replaceWith(frame);
  frame.append(code, button);
}
furnish();
