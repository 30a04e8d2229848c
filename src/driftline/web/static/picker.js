// Elements outlined on the picture of a page; a click proposes the selector of the smallest one under it.
"use strict";
const frame = document.querySelector("[data-pick]");
if (frame) {
  const outlines = JSON.parse(document.querySelector("[data-outlines]").textContent);
  const picture = frame.querySelector("img");
  const field = document.getElementById("part");
  const words = document.querySelector("[data-words]");
  const versions = document.querySelector("[data-versions]");
  const box = (name) => {
    const made = document.createElement("div");
    made.className = name;
    made.hidden = true;
    frame.append(made);
    return made;
  };
  const hovered = box("pick-over");
  const chosen = box("pick-chosen");
  const scale = () => picture.clientWidth / (picture.naturalWidth || 1);
  const lay = (made, one) => {
    made.hidden = !one;
    if (!one) return;
    for (const [side, value] of [["left", one.x], ["top", one.y], ["width", one.width], ["height", one.height]]) {
      made.style[side] = `${value * scale()}px`;
    }
  };
  const under = (event) => {
    const at = picture.getBoundingClientRect();
    const x = (event.clientX - at.left) / scale();
    const y = (event.clientY - at.top) / scale();
    let best = null;
    for (const one of outlines) {
      if (x < one.x || y < one.y || x > one.x + one.width || y > one.y + one.height) continue;
      if (!best || one.width * one.height <= best.width * best.height) best = one;
    }
    return best;
  };
  frame.addEventListener("mousemove", (event) => lay(hovered, under(event)));
  frame.addEventListener("mouseleave", () => lay(hovered, null));
  frame.addEventListener("click", async (event) => {
    const one = under(event);
    if (!one) return;
    lay(chosen, one);
    field.value = one.selector;
    words.textContent = `Now: ${one.text}`;
    versions.replaceChildren();
    if (!versions.dataset.tries) return;
    const answer = await fetch(`${versions.dataset.tries}?selector=${encodeURIComponent(one.selector)}`);
    if (!answer.ok || field.value !== one.selector) return;
    for (const found of await answer.json()) {
      const line = document.createElement("li");
      line.textContent = `Version ${found.version}: ${found.count ? found.text : "nothing matches"}`;
      versions.append(line);
    }
  });
}
