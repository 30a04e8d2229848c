// Pictures of a change: a slider, side by side, and one over the other; without scripts both are shown.
"use strict";
for (const section of document.querySelectorAll("[data-shots]")) {
  const frame = section.querySelector(".shots-frame");
  const range = section.querySelector("input[type=range]");
  const boxes = section.querySelector("[data-boxes]");
  if (!range) continue;
  const move = () => frame.style.setProperty("--cut", `${range.value}%`);
  range.addEventListener("input", move);
  boxes.addEventListener("change", () => frame.classList.toggle("no-boxes", !boxes.checked));
  for (const button of section.querySelectorAll("[data-show]")) {
    button.addEventListener("click", () => {
      frame.dataset.view = button.dataset.show;
      section.querySelector(".shots-range").hidden = button.dataset.show !== "slider";
      for (const other of section.querySelectorAll("[data-show]")) {
        other.setAttribute("aria-pressed", String(other === button));
      }
    });
  }
  move();
}
