() => {
  const found = [];
  const seen = (element) => {
    const box = element.getBoundingClientRect();
    return element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && box.width > 1 && box.height > 1;
  };
  const rgba = (text) => {
    const parts = text.match(/[\d.]+/g).map(Number);
    return [parts[0], parts[1], parts[2], parts[3] ?? 1];
  };
  const over = (top, below) => top.slice(0, 3).map((value, index) => value * top[3] + below[index] * (1 - top[3]));
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const light = ([red, green, blue]) => {
    const linear = [red, green, blue].map((value) => { const part = value / 255; return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const contrast = (one, other) => { const [high, low] = [light(one), light(other)].sort((a, b) => b - a); return (high + 0.05) / (low + 0.05); };

  for (const field of document.querySelectorAll("input:not([type=hidden]), select, textarea")) {
    if (!seen(field)) continue;
    const named = field.labels?.length || field.getAttribute("aria-label") || field.getAttribute("aria-labelledby");
    if (!named) found.push(`no label: ${field.outerHTML.slice(0, 90)}`);
  }
  for (const link of document.querySelectorAll("a, button")) {
    if (seen(link) && !link.innerText.trim() && !link.getAttribute("aria-label")) found.push(`no words: ${link.outerHTML.slice(0, 90)}`);
  }
  for (const image of document.querySelectorAll("img:not([alt]), svg:not([aria-hidden]):not([aria-label])")) found.push(`no words: ${image.outerHTML.slice(0, 60)}`);
  const titles = [...document.querySelectorAll("h1, h2, h3")].filter(seen);
  if (titles.filter((title) => title.tagName === "H1").length !== 1) found.push("not exactly one h1");
  if (!document.documentElement.lang) found.push("no language");
  if (!document.querySelector("main")) found.push("no main");
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) found.push(`an id twice: ${ids.filter((id, place) => ids.indexOf(id) !== place)}`);

  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const told = new Set();
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !seen(element) || element.closest(".out, .skip, svg, option")) continue;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const measured = contrast(over(rgba(style.color), ground(element)), ground(element));
    const mark = `${element.tagName}.${element.className}`;
    if (measured < (large ? 3 : 4.5) && !told.has(mark)) { told.add(mark); found.push(`faint ${measured.toFixed(2)}: ${mark} "${node.data.trim().slice(0, 30)}"`); }
    if (size < 11) found.push(`tiny ${size}px: "${node.data.trim().slice(0, 30)}"`);
  }
  const over_by = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (over_by > 0) {
    const wide = [...document.querySelectorAll("main *")].find((element) => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest(".scroll, .tabs, .out"));
    found.push(`the page is ${over_by}px too wide: ${wide?.outerHTML.slice(0, 90)}`);
  }
  if ([...document.querySelectorAll("[tabindex]")].some((element) => element.tabIndex > 0)) found.push("the focus order is forced");
  return found;
}
