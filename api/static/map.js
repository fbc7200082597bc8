// Only comfort: the map is moved and zoomed, and a dot tells its title at once. Without it, dots are links with titles.
// `isOn` is of keys.js.
"use strict";

const frame = document.querySelector("#map");
const drawing = frame?.querySelector("svg");
const whole = drawing?.viewBox.baseVal;
const isUpright = matchMedia("(max-width: 36rem)").matches; // on a phone the long side goes down: more room between dots
const [wide, high] = !whole ? [0, 0] : isUpright ? [whole.height, whole.width] : [whole.width, whole.height];
let from = null; // where a drag began
let isDragged = false;
const TAP = 22; // pixels around a finger in which a dot is meant

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
  drawing.style.setProperty("--dot", `${Math.max(0.8, (radius() * whole.width) / wide)}px`);
}

/** Dots of a small drawing are larger in it, or nobody sees them. */
const radius = () => 5 * Math.min(2, Math.max(1, 700 / drawing.clientWidth));

const zooms = { in: () => zoom(0.6), out: () => zoom(1 / 0.6), all: () => move(0, 0, wide) };
const point = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());

/** Show the title of a dot beside the pointer, inside the frame. */
function tell(dot, event) {
  label.hidden = !dot;
  if (!dot) return;
  label.textContent = dot.dataset.title;
  label.href = dot.getAttribute("href");
  const box = frame.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const isLow = y + 14 + label.offsetHeight > box.height;
  label.style.left = `${Math.max(4, Math.min(x + 12, box.width - label.offsetWidth - 4))}px`;
  label.style.top = `${isLow ? Math.max(4, y - 14 - label.offsetHeight) : y + 14}px`;
}

/** The dot that is nearest to a finger. */
function nearest(event) {
  const away = ([x, y]) => Math.hypot(x - event.clientX, y - event.clientY);
  const dots = [...drawing.querySelectorAll("a")].map((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    return [one, away([left + width / 2, top + height / 2])];
  });
  const [found, distance] = dots.reduce((best, one) => (one[1] < best[1] ? one : best), [null, Infinity]);
  return distance <= TAP ? found : null;
}

const label = document.createElement("a");
if (drawing) {
  label.className = "dot-title";
  label.hidden = true;
  label.tabIndex = -1; // the list is for the keyboard, and for who does not see the dots
  label.setAttribute("aria-hidden", "true");
  frame.append(label);
  for (const dot of drawing.querySelectorAll("a")) {
    const title = dot.querySelector("title");
    dot.dataset.title = title.textContent;
    title.remove(); // the browser would show it once more, over ours
  }
  if (isUpright) {
    for (const dot of drawing.querySelectorAll("circle")) {
      const [x, y] = [dot.getAttribute("cx"), dot.getAttribute("cy")];
      dot.setAttribute("cx", y);
      dot.setAttribute("cy", x);
    }
  }
  move(0, 0, wide);
  for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", zooms[button.dataset.zoom]);

  drawing.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page is scrolled
    event.preventDefault();
    const { x, y } = point(event);
    zoom(event.deltaY < 0 ? 0.8 : 1.25, x, y);
  }, { passive: false });
  drawing.addEventListener("pointerdown", (event) => { from = { x: event.clientX, y: event.clientY, left: whole.x, top: whole.y }; isDragged = false; });
  addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch" && !from) return;
    if (!from) return tell(event.target.closest?.(".map svg a"), event);
    const scale = whole.width / drawing.clientWidth;
    isDragged ||= Math.hypot(event.clientX - from.x, event.clientY - from.y) > 4;
    if (isDragged) move(from.left - (event.clientX - from.x) * scale, from.top - (event.clientY - from.y) * scale);
  });
  addEventListener("pointerup", () => { from = null; });
  drawing.addEventListener("click", (event) => {
    if (isDragged) event.preventDefault();
    else if (event.pointerType === "touch") { // dots are smaller than a finger: the first tap tells, a tap on the title opens
      event.preventDefault();
      tell(nearest(event), event);
    }
  });
  drawing.addEventListener("dragstart", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (!isOn() || event.target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey) return;
    zooms[{ "+": "in", "-": "out", 0: "all" }[event.key]]?.();
  });
}
