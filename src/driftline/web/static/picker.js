// Elements outlined on the picture of a page; a click proposes the selector of the smallest one under it.
"use strict";
const frame = document.querySelector("[data-pick]");
if (frame) {
  const shown = outlined(frame);
  shown.elements = JSON.parse(document.querySelector("[data-outlines]").textContent);
  const field = document.getElementById("part");
  const words = document.querySelector("[data-words]");
  const versions = document.querySelector("[data-versions]");
  frame.addEventListener("click", async (event) => {
    const one = shown.under(event);
    if (!one) return;
    shown.choose(one);
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
