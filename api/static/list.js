// Only comfort: the list follows what is typed. Without it, Enter does the same.
"use strict";

const findForm = document.querySelector("#find");
const findBox = document.querySelector("#find-text");
let waiting = 0;
let asked = 0;

async function find() {
  const number = ++asked;
  const query = new URLSearchParams(new FormData(findForm));
  if (!findBox.value.trim()) query.delete("text");
  const answer = await fetch(`/incidents?${query}`, { headers: { "X-Page-Part": "main" } }).catch(() => null);
  if (!answer?.ok || number !== asked) return; // an older answer that came late, or none: Enter asks again
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (number !== asked) return;
  for (const part of ["#browse", ".tongue"]) document.querySelector(part).replaceWith(document.adoptNode(page.querySelector(part)));
  history.replaceState(null, "", `/incidents?${query}`);
}

findBox?.addEventListener("input", (event) => {
  clearTimeout(waiting);
  if (!event.isComposing) waiting = setTimeout(find, 250); // not in the middle of a Chinese word
});
findBox?.addEventListener("compositionend", () => { waiting = setTimeout(find, 250); });
