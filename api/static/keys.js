// Only comfort: keyboard shortcuts, and the sheet that tells them. They can be switched off (WCAG 2.1.4).
"use strict";

const sheet = document.querySelector("#keys");
const switched = document.querySelector("#keys-on");
let first = ""; // the first key of two
let forgotten = 0;

const isOn = () => localStorage.getItem("keys") !== "off";
const isTyping = (target) => target.closest?.("input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select, [contenteditable]");

/** Move the focus along the rows of a list, the matches of an answer, or the revisions of a history. */
function step(by) {
  const rows = [...document.querySelectorAll("main :is(.rows .title, .nearby .title, .best h2 a, .candidate > summary, .asked a.button)")].filter((one) => one.checkVisibility());
  if (!rows.length) return;
  const at = rows.indexOf(document.activeElement);
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

function go(row) {
  const wanted = row.dataset.target;
  if (!wanted) location.assign(row.href);
  else if (wanted === "next" || wanted === "previous") step(wanted === "next" ? 1 : -1);
  else {
    const found = [...document.querySelectorAll(wanted)].find((one) => one.checkVisibility());
    if (found?.matches("a, button")) found.click();
    else found?.focus();
  }
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
  if (sheet.open && event.key !== "?") return;
  if (!isOn()) return;
  const keys = first ? `${first} ${event.key}` : event.key;
  first = "";
  clearTimeout(forgotten);
  if (keys === "?") {
    event.preventDefault();
    switched.checked = isOn();
    if (sheet.open) sheet.close();
    else sheet.showModal();
    return;
  }
  const row = sheet.querySelector(`[data-keys="${CSS.escape(keys)}"]`);
  if (row) {
    event.preventDefault();
    go(row);
  } else if (sheet.querySelector(`[data-keys^="${CSS.escape(keys)} "]`)) {
    first = event.key;
    forgotten = setTimeout(() => { first = ""; }, 1_500);
  }
});
switched.addEventListener("change", () => {
  if (switched.checked) localStorage.removeItem("keys");
  else localStorage.setItem("keys", "off");
});

// The sheet has a button at the foot of each page, for whoever does not guess the key.
const opener = document.createElement("button");
opener.type = "button";
opener.className = "opener";
opener.textContent = sheet.querySelector("h2").textContent;
opener.addEventListener("click", () => {
  switched.checked = isOn();
  sheet.showModal();
});
document.querySelector(".foot").after(opener);
