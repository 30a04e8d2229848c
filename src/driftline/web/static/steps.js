// Steps in the form of a watch: a row each, with what the step needs; without scripts they are lines of text.
"use strict";
const SELECTOR = "CSS, text=... or role=...";
// By step: what it is called, and its fields with their labels; `?` marks one that may be empty.
const STEPS = {
  click: ["Click", { on: SELECTOR }],
  fill: ["Fill in", { on: SELECTOR, "value?": "Text, or {{secret:name}}" }],
  select: ["Choose", { on: SELECTOR, value: "Entry" }],
  check: ["Tick", { on: SELECTOR }],
  press: ["Press a key", { key: "Enter, Control+A", "on?": `In: ${SELECTOR}` }],
  wait_for: ["Wait for", { "on?": SELECTOR, "text?": "or a text", "ms?": "or milliseconds" }],
  dismiss: ["Close cookie banner", {}],
  scroll: ["Scroll", { "on?": `To: ${SELECTOR}; empty: to the end` }],
  hover: ["Hover", { on: SELECTOR }],
  goto: ["Open address", { url: "https://..." }],
  frame: ["Work in frame", { "on?": `${SELECTOR}; empty: the page again` }],
  stop_if: ["Stop if there is", { "on?": SELECTOR, "text?": "or a text" }],
  screenshot: ["Take a picture", {}],
  evaluate: ["Run a script", { script: "JavaScript" }],
};
for (const place of document.querySelectorAll("[data-step-rows]")) {
  if (!place.dataset.known) continue; // a line is wrong: it is shown as it was typed
  const lines = place.querySelector("textarea");
  const hint = lines.parentElement.querySelector(".hint");
  const list = document.createElement("ol");
  list.className = "step-rows";
  const make = (tag, values, ...inside) => {
    const made = Object.assign(document.createElement(tag), values);
    made.append(...inside);
    return made;
  };
  // What the form sends: a line of JSON a step, which says every step exactly.
  const write = () => {
    const steps = [...list.children].map((row) => {
      const step = { ...row.kept, do: row.querySelector("select").value };
      for (const field of row.querySelectorAll("input[data-field]")) {
        const name = field.dataset.field;
        if (field.value !== "" || !field.dataset.optional || name === "value") {
          step[name] = name === "ms" ? Number(field.value) : field.value;
        }
      }
      return JSON.stringify(step);
    });
    lines.value = steps.join("\n");
    lines.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const fill = (row, step) => {
    const fields = row.querySelector(".step-fields");
    fields.replaceChildren();
    for (const [written, label] of Object.entries(STEPS[step.do][1])) {
      const name = written.replace("?", "");
      const field = make("input", { placeholder: label, spellcheck: false, autocomplete: "off", value: step[name] ?? "" });
      field.setAttribute("aria-label", `${STEPS[step.do][0]}: ${label}`);
      field.dataset.field = name;
      if (written.endsWith("?")) field.dataset.optional = "yes";
      if (name === "ms") field.inputMode = "numeric";
      field.addEventListener("change", write);
      fields.append(field);
    }
  };
  const button = (words, shown, act) => {
    const made = make("button", { type: "button", className: "plain", textContent: shown, title: words });
    made.setAttribute("aria-label", words);
    made.addEventListener("click", () => { act(); write(); });
    return made;
  };
  const add = (step) => {
    const { timeout_for, optional } = step;
    const row = make("li", { kept: { ...(timeout_for && { timeout_for }), ...(optional && { optional }), ...(step.times && { times: step.times }) } });
    const choice = make("select", { ariaLabel: "Step" }, ...Object.entries(STEPS).map(([name, [words]]) => new Option(words, name)));
    choice.value = step.do;
    choice.addEventListener("change", () => {
      delete row.kept.times; // of a scroll alone
      const known = Object.fromEntries([...row.querySelectorAll("input")].map((field) => [field.dataset.field, field.value]));
      fill(row, { ...known, do: choice.value });
      write();
    });
    row.append(
      choice,
      make("div", { className: "step-fields" }),
      make("div", { className: "step-tools" },
        button("Move up", "↑", () => row.previousElementSibling?.before(row)),
        button("Move down", "↓", () => row.nextElementSibling?.after(row)),
        button("Remove this step", "✕", () => row.remove())),
    );
    fill(row, step);
    list.append(row);
    return row;
  };
  for (const step of JSON.parse(place.dataset.known)) add(step);
  lines.hidden = true;
  if (hint) hint.textContent = "Done in the browser before the page is read, from top to bottom.";
  lines.after(list);
  const more = make("button", { type: "button", textContent: "Add a step" });
  more.addEventListener("click", () => add({ do: "click" }).querySelector("select").focus());
  place.querySelector(".actions").prepend(more);
  lines.form.addEventListener("submit", () => { if (list.children.length || lines.value) write(); });
}
