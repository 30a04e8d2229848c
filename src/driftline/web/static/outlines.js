// The elements of a page over its picture: which one is under the pointer, and boxes around them.
"use strict";
const outlined = (frame) => {
  const picture = frame.querySelector("img");
  const scale = () => picture.clientWidth / (picture.naturalWidth || 1);
  const box = (name) => {
    const made = document.createElement("div");
    made.className = name;
    made.hidden = true;
    frame.append(made);
    return made;
  };
  const lay = (made, one) => {
    made.hidden = !one;
    if (!one) return;
    for (const [side, value] of [["left", one.x], ["top", one.y], ["width", one.width], ["height", one.height]]) {
      made.style[side] = `${value * scale()}px`;
    }
  };
  const found = { picture, elements: [] };
  // The smallest element there.
  found.under = (event) => {
    const at = picture.getBoundingClientRect();
    const x = (event.clientX - at.left) / scale();
    const y = (event.clientY - at.top) / scale();
    let best = null;
    for (const one of found.elements) {
      if (x < one.x || y < one.y || x > one.x + one.width || y > one.y + one.height) continue;
      if (!best || one.width * one.height <= best.width * best.height) best = one;
    }
    return best;
  };
  const hovered = box("pick-over");
  const chosen = box("pick-chosen");
  found.choose = (one) => lay(chosen, one);
  frame.addEventListener("mousemove", (event) => lay(hovered, found.under(event)));
  frame.addEventListener("mouseleave", () => lay(hovered, null));
  return found;
};
