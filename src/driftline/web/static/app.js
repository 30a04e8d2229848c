// The dashboard reads well without this file; with it, changes arrive by themselves, times stay true, and a URL is looked at
// as soon as it is pasted. No libraries, nothing from elsewhere.
"use strict";

const MINUTE = 60, HOUR = 3600, DAY = 86400;

function ago(seconds) {
  const past = seconds >= 0, away = Math.abs(seconds);
  const say = (count, unit) => {
    const words = `${count} ${unit}${count === 1 ? "" : "s"}`;
    return past ? `${words} ago` : `in ${words}`;
  };
  if (away < 45) return past ? "just now" : "in a moment";
  if (away < 45 * MINUTE) return say(Math.max(1, Math.round(away / MINUTE)), "minute");
  if (away < 22 * HOUR) return say(Math.max(1, Math.round(away / HOUR)), "hour");
  return say(Math.max(1, Math.round(away / DAY)), "day");
}

function freshenTimes() {
  for (const time of document.querySelectorAll("time[data-relative]")) {
    const seconds = (Date.now() - Date.parse(time.dateTime)) / 1000;
    if (Math.abs(seconds) < 30 * DAY) time.textContent = ago(seconds);
  }
}

// Fragments come from our own server, where every text in them was escaped.
async function fragment(url, options) {
  const answer = await fetch(url, { headers: { "x-fragment": "1" }, ...options });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html").body;
}

function follow(feed) {
  const light = document.querySelector("[data-live]");
  const word = light.querySelector("[data-live-word]");
  const source = new EventSource(feed.dataset.stream);
  light.hidden = false;
  source.onopen = () => { light.classList.add("on"); word.textContent = "Live"; };
  source.onerror = () => { light.classList.remove("on"); word.textContent = "Reconnecting"; };
  source.addEventListener("change", async (event) => {
    const { id } = JSON.parse(event.data);
    if (document.getElementById(`change-${id}`)) return;
    try {
      const card = (await fragment(`/changes/${id}/card${location.search}`)).querySelector("li");
      if (!card || document.getElementById(card.id)) return;
      card.querySelector(".change").classList.add("fresh");
      document.querySelector("[data-empty]")?.remove();
      const today = document.querySelector("[data-today]");
      today.hidden = false;
      today.querySelector("ul").prepend(document.importNode(card, true));
      document.querySelector("[data-announce]").textContent = card.querySelector(".title").textContent;
    } catch (refused) {
      word.textContent = "Reload to see new changes";
    }
  });
  addEventListener("pagehide", () => source.close());
}

function previewing(form) {
  const place = document.querySelector("[data-preview]");
  const url = form.elements.namedItem("url");
  const fills = form.hasAttribute("data-fills"); // a new watch: kind and name follow what was found
  const looks = [...form.querySelectorAll("[data-looks]")];
  const wantedNow = () => looks.map((field) => (field.type === "radio" && !field.checked ? "" : field.value)).join("\n");
  const say = (text) => place.replaceChildren(Object.assign(document.createElement("p"), { className: "soft pad", textContent: text }));
  let asked = fills ? "" : wantedNow(), soon = 0;
  // After a moment, and not when the form is being sent: a page that moves under the pointer swallows the click.
  const lookSoon = () => { clearTimeout(soon); soon = setTimeout(look, 300); };
  form.addEventListener("submit", () => clearTimeout(soon));
  async function look() {
    const wanted = wantedNow();
    if (wanted === asked || !url.validity.valid || !url.value) return;
    asked = wanted;
    place.setAttribute("aria-busy", "true");
    say("Loading the page…");
    try {
      const body = await fragment(form.dataset.previews, { method: "POST", body: new URLSearchParams(new FormData(form)) });
      if (wanted !== asked) return;
      place.replaceChildren(...body.childNodes);
      if (fills) fill();
    } catch (refused) {
      say("No preview: the page could not be loaded. You can still save the watch.");
    } finally {
      place.removeAttribute("aria-busy");
    }
  }
  function fill() {
    const suggested = place.querySelector("[data-kind]")?.dataset.kind;
    const kind = form.querySelector(`input[name="kind"][value="${suggested}"]`);
    if (kind && form.dataset.kindChosen !== "yes") { kind.checked = true; asked = wantedNow(); }
    const title = place.querySelector("[data-title]")?.dataset.title;
    const name = form.elements.namedItem("name");
    if (title && (!name.value || name.dataset.filled === "yes")) { name.value = title; name.dataset.filled = "yes"; }
  }
  form.elements.namedItem("name").addEventListener("input", (event) => { event.target.dataset.filled = "no"; });
  for (const field of looks) {
    field.addEventListener("change", () => { if (field.type === "radio") form.dataset.kindChosen = "yes"; lookSoon(); });
  }
  url.addEventListener("paste", lookSoon);
  if (fills && url.value && !place.querySelector("[data-kind]")) look();
}

// What a template becomes, as it is typed.
function sampling(form) {
  const place = document.querySelector("[data-sampled]");
  let soon = 0, typed = 0;
  form.addEventListener("input", () => {
    clearTimeout(soon);
    const mine = ++typed;
    soon = setTimeout(async () => {
      try {
        const body = await fragment(form.dataset.sample, { method: "POST", body: new URLSearchParams(new FormData(form)) });
        if (mine === typed) place.replaceChildren(...body.childNodes);
      } catch (refused) { /* the button shows it */ }
    }, 250);
  });
}

function bulk(table) {
  const all = table.querySelector("[data-all]");
  const ticks = () => [...table.querySelectorAll('input[name="id"]')];
  all.parentElement.hidden = false;
  all.addEventListener("change", () => ticks().forEach((tick) => { tick.checked = all.checked; }));
}

// A check that was asked for: said while it runs, and its result shown as soon as it is there. Changes show themselves.
function watching(line) {
  const asked = new URL(location.href).searchParams.get("done");
  let leaving = false; // whoever clicked a link is not called back
  addEventListener("beforeunload", () => { leaving = true; });
  const again = (words) => {
    if (leaving) return;
    sessionStorage.setItem("driftline-said", words);
    location.reload();
  };
  const said = sessionStorage.getItem("driftline-said");
  if (said) { sessionStorage.removeItem("driftline-said"); line.textContent = said; line.hidden = false; }
  if (asked === "checking" || asked === "added" || asked === "added_unheard") {
    const started = Date.now();
    line.hidden = false;
    line.textContent = "Checking…";
    const look = async () => {
      try {
        const answer = await fetch(line.dataset.check);
        const watch = answer.ok ? await answer.json() : null;
        if (watch && watch.checked_at && Date.parse(watch.checked_at) !== Date.parse(line.dataset.checked || 0)) {
          again(watch.failures ? "Checked: it failed. The reason is below." : watch.outcome === "changed" ? "Checked: it changed." : watch.outcome === "baseline" ? "Checked: the first version is stored." : "Checked: no changes.");
          return;
        }
      } catch (refused) { /* the server is busy: ask again */ }
      const seconds = Math.round((Date.now() - started) / 1000);
      line.textContent = `Checking… ${seconds} s`;
      if (seconds < 180) setTimeout(look, 1000);
      else line.textContent = "The check has not ended yet. Is a worker running?";
    };
    setTimeout(look, 500);
  }
  if (!line.dataset.watch) return;
  const source = new EventSource("/api/v1/changes/stream");
  source.addEventListener("change", (event) => { if (JSON.parse(event.data).watch === line.dataset.watch) again("It changed just now."); });
  addEventListener("pagehide", () => source.close());
}

// What was just done is said once: not again when the page is loaded anew, or kept as a bookmark.
function sayOnce() {
  const address = new URL(location.href);
  if (!address.searchParams.has("done")) return;
  address.searchParams.delete("done");
  history.replaceState(history.state, "", address);
}

function init() {
  const line = document.querySelector("[data-check]");
  if (line) watching(line);
  sayOnce();
  freshenTimes();
  setInterval(freshenTimes, 30000);
  for (const tabs of document.querySelectorAll(".tabs")) { // on a phone the row is longer than the screen
    const here = tabs.querySelector("[aria-current]");
    if (here) tabs.scrollLeft = here.offsetLeft - tabs.offsetLeft - 40;
  }
  const feed = document.querySelector("[data-stream]");
  if (feed) follow(feed);
  const watch = document.querySelector("form[data-previews]");
  if (watch) previewing(watch);
  const written = document.querySelector("form[data-sample]");
  if (written) sampling(written);
  const list = document.querySelector("[data-bulk]");
  if (list) bulk(list);
  for (const select of document.querySelectorAll("[data-submit]")) select.addEventListener("change", () => select.form.requestSubmit());
  for (const slider of document.querySelectorAll("[data-output]")) {
    slider.addEventListener("input", () => { slider.form.querySelector("output").value = slider.value; });
  }
  for (const form of document.querySelectorAll("form[data-sure]")) {
    form.addEventListener("submit", (event) => { if (!confirm(form.dataset.sure)) event.preventDefault(); });
  }
}

init();
