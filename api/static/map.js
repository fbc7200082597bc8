// Only comfort: the map is moved and zoomed, and a dot tells its title at once. Without it, dots are links with titles.
// `isOn` is of keys.js.
"use strict";

const frame = document.querySelector("#map");
const drawing = frame?.querySelector("svg");
const whole = drawing?.viewBox.baseVal;
const [wide, high] = whole ? [whole.width, whole.height] : [0, 0];
let from = null; // where a drag began
let isDragged = false;

/** Zoom by a factor around a point of the drawing. */
function zoom(factor, x = whole.x + whole.width / 2, y = whole.y + whole.height / 2) {
  const width = Math.min(wide, Math.max(wide / 30, whole.width * factor));
  const ratio = width / whole.width;
  move(x - (x - whole.x) * ratio, y - (y - whole.y) * ratio, width);
}

function move(x, y, width = whole.width) {
  whole.width = width;
  whole.height = (width * high) / wide;
  whole.x = Math.min(wide - whole.width, Math.max(0, x));
  whole.y = Math.min(high - whole.height, Math.max(0, y));
  for (const dot of drawing.querySelectorAll("circle")) dot.setAttribute("r", Math.max(0.8, (5 * whole.width) / wide));
}

const all = () => move(0, 0, wide);
const point = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());

function tell(event) {
  const dot = event.target.closest?.("a");
  told.hidden = !dot;
  if (!dot) return;
  told.textContent = dot.querySelector("title").textContent;
  const box = frame.getBoundingClientRect();
  told.style.left = `${Math.min(event.clientX - box.left + 12, box.width - told.offsetWidth - 4)}px`;
  told.style.top = `${event.clientY - box.top + 14}px`;
}

const told = document.createElement("p");
if (drawing) {
  told.className = "told";
  told.hidden = true;
  frame.append(told);
  const bar = frame.appendChild(document.createElement("div"));
  bar.className = "bar";
  for (const [sign, name, act] of [["+", frame.dataset.in, () => zoom(0.6)], ["−", frame.dataset.out, () => zoom(1 / 0.6)], ["⤢", frame.dataset.all, all]]) {
    const button = bar.appendChild(document.createElement("button"));
    button.type = "button";
    button.className = "plain";
    button.textContent = sign;
    button.title = name;
    button.setAttribute("aria-label", name);
    button.addEventListener("click", act);
  }
  const help = document.createElement("p");
  help.className = "hint";
  help.textContent = frame.dataset.help;
  frame.after(help);

  drawing.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page is scrolled
    event.preventDefault();
    const { x, y } = point(event);
    zoom(event.deltaY < 0 ? 0.8 : 1.25, x, y);
  }, { passive: false });
  drawing.addEventListener("pointerdown", (event) => { from = { x: event.clientX, y: event.clientY, left: whole.x, top: whole.y }; isDragged = false; });
  addEventListener("pointermove", (event) => {
    if (!from) return tell(event);
    const scale = whole.width / drawing.clientWidth;
    isDragged ||= Math.hypot(event.clientX - from.x, event.clientY - from.y) > 4;
    if (isDragged) move(from.left - (event.clientX - from.x) * scale, from.top - (event.clientY - from.y) * scale);
  });
  addEventListener("pointerup", () => { from = null; });
  drawing.addEventListener("click", (event) => { if (isDragged) event.preventDefault(); });
  drawing.addEventListener("dragstart", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (!isOn() || event.target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey) return;
    const act = { "+": () => zoom(0.6), "-": () => zoom(1 / 0.6), 0: all }[event.key];
    act?.();
  });
}
