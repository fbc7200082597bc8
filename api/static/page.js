// Only comfort: without it the page does all the same things.
"use strict";

const form = document.querySelector("form.ask");
form?.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});

for (const fix of document.querySelectorAll("[data-copy]")) {
  const section = fix.querySelectorAll(".section .prose"); // it holds what was quoted of it
  const prose = [...(section.length ? section : fix.querySelectorAll(".prose"))];
  const heading = fix.querySelector("h2, h3");
  if (!prose.length || !heading || !navigator.clipboard) continue;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = fix.dataset.copy;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(prose.map((part) => part.innerText || part.textContent).join("\n\n"));
    button.textContent = fix.dataset.copied;
    setTimeout(() => { button.textContent = fix.dataset.copy; }, 1500);
  });
  heading.append(button);
}
