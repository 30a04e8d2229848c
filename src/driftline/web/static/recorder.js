// Steps by clicking and typing on the picture of a page: each is done in the browser at once, and the page shown anew.
"use strict";
const recorder = document.querySelector("[data-recorder]");
if (recorder) {
  const form = recorder.closest("form");
  const lines = form.querySelector("[data-lines]");
  const list = recorder.querySelector("[data-steps]");
  const status = recorder.querySelector("[data-status]");
  const ask = recorder.querySelector("[data-ask]");
  const frame = recorder.querySelector("[data-pick]");
  const own = recorder.querySelector("[data-own]");
  const page = outlined(frame);
  let busy = false;

  const say = (text, bad) => {
    status.textContent = text;
    status.classList.toggle("field-error", Boolean(bad));
  };
  const image = (data, words) => {
    const made = document.createElement("img");
    made.src = `data:image/png;base64,${data}`;
    made.alt = words;
    return made;
  };
  const add = (row) => {
    const entry = document.createElement("li");
    const failed = row.outcome === "failed";
    entry.className = failed ? "failed" : "";
    const text = document.createElement("code");
    text.textContent = row.step;
    const how = document.createElement("p");
    how.className = failed ? "field-error" : "small soft";
    how.textContent = failed ? `Failed: ${row.reason}` : `${row.outcome === "done" ? "Done" : "Skipped"}, ${row.seconds} s`;
    entry.append(text, how);
    if (row.picture) entry.append(image(row.picture, `The page after: ${row.step}`));
    for (const old of list.querySelectorAll(".failed")) old.remove();
    list.append(entry);
    if (!failed) lines.value += (lines.value ? "\n" : "") + row.step;
    return failed ? how.textContent : "";
  };
  const show = (answer) => {
    let failed = "";
    for (const row of answer.steps) failed = add(row);
    if (answer.picture) {
      page.picture.src = `data:image/png;base64,${answer.picture}`;
      page.elements = answer.outlines;
      frame.hidden = false;
    }
    page.choose(null);
    ask.hidden = true;
    say(answer.problem || failed || "Click on the page, or type a step.", answer.problem || failed);
  };
  const wait = (waiting) => {
    busy = waiting;
    recorder.setAttribute("aria-busy", String(waiting));
    for (const button of recorder.querySelectorAll("button")) button.disabled = waiting;
  };
  const perform = async (step) => {
    if (busy) return;
    wait(true);
    say("Doing it in the browser…");
    const sent = new URLSearchParams({ step: typeof step === "string" ? step : JSON.stringify(step) });
    const headers = { "x-csrf-token": form.querySelector("[name=_csrf]").value };
    try {
      const answer = await fetch("/record/step", { method: "POST", body: sent, headers });
      if (answer.ok) show(await answer.json());
      else say("It could not be done. Reload the page and try again.", true);
    } catch {
      say("The server does not answer. Try again.", true);
    }
    wait(false);
  };
  // A position among siblings breaks easily; what an element says is better.
  const target = (one) => one.selector.includes(":nth-of-type") && !one.control && one.text && one.text.length <= 40
    && !one.text.includes("\n") ? `text=${JSON.stringify(one.text)}` : one.selector;
  const question = (one, inside, does) => {
    ask.hidden = false;
    say("Fill in the field, or click elsewhere.");
    ask.querySelector("[data-asked]").textContent = one.control === "secret"
      ? `Secret for ${one.text}` : one.control === "select" ? `Choose in ${one.text}` : `Type into ${one.text}`;
    const place = ask.querySelector("[data-answer]");
    place.replaceChildren(inside);
    inside.id = "answer";
    inside.setAttribute("aria-labelledby", "asked");
    inside.focus();
    ask.querySelector("[data-fill]").onclick = () => perform(
      { do: does, on: target(one), value: inside.value });
    inside.onkeydown = (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      ask.querySelector("[data-fill]").click();
    };
  };
  frame.addEventListener("click", (event) => {
    const one = page.under(event);
    if (!one || busy) return;
    page.choose(one);
    ask.hidden = true;
    if (one.control === "fill") {
      const field = document.createElement("input");
      field.autocomplete = "off";
      question(one, field, "fill");
    } else if (one.control === "secret") {
      const names = JSON.parse(recorder.dataset.secrets);
      const field = document.createElement("select");
      for (const name of names) field.add(new Option(name, `{{secret:${name}}}`));
      if (names.length) question(one, field, "fill");
      else say("Passwords are kept as secrets. Store it under Settings, Secrets, then choose it here.", true);
    } else if (one.control === "select") {
      const field = document.createElement("select");
      for (const choice of one.choices) field.add(new Option(choice));
      question(one, field, "select");
    } else perform({ do: one.control === "check" ? "check" : "click", on: target(one) });
  });
  for (const button of recorder.querySelectorAll("[data-do]")) {
    button.addEventListener("click", () => perform(button.dataset.do));
  }
  recorder.querySelector("[data-add]").addEventListener("click", async () => {
    if (!own.value.trim()) return;
    const before = lines.value;
    await perform(own.value.trim());
    if (lines.value !== before) own.value = "";
  });
  own.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    recorder.querySelector("[data-add]").click();
  });
  recorder.querySelector("[data-undo]").addEventListener("click", () => {
    lines.value = lines.value.split("\n").slice(0, -1).join("\n"); // the form is sent, and the others are done again
  });
  show(JSON.parse(document.querySelector("[data-shown]").textContent));
}
