"""The elements of a page with where they are, and for each a selector that will still find it tomorrow."""

from __future__ import annotations

from typing import Final

# By id, test id, name or role, then by a class that no other element has, then by the structure below such an element; a
# position among siblings is the last resort. Names that programs generate (digits, hashes) are not used. A page that would take
# longer than the given milliseconds (elements thousands deep) gets what was found until then.
OUTLINE: Final = """
([limit, controls, milliseconds]) => {
  const until = performance.now() + milliseconds;
  const longest = 1000;
  const made = (name) => name.length > 80
    || /\\d{3,}|^(css|sc|jsx|svelte)-|__\\w{5,}$|[a-z]\\d[a-z]|\\d[a-z]\\d|[:\\[\\]\\/]/i.test(name);
  const alone = (selector) => { try { return document.querySelectorAll(selector).length === 1 } catch { return false } };
  const quoted = (text) => '"' + text.replace(/["\\\\]/g, '\\\\$&') + '"';
  const own = (one) => {
    const tag = one.localName;
    if (one.id && !made(one.id)) return '#' + CSS.escape(one.id);
    for (const name of ['data-testid', 'data-test', 'itemprop', 'name', 'aria-label', 'role']) {
      const value = one.getAttribute(name);
      if (value && value.length < 80 && alone(`${tag}[${name}=${quoted(value)}]`)) return `${tag}[${name}=${quoted(value)}]`;
    }
    for (const name of one.classList) {
      if (!made(name) && alone(`${tag}.${CSS.escape(name)}`)) return `${tag}.${CSS.escape(name)}`;
    }
    if (['main', 'article', 'h1', 'table', 'form', 'nav', 'header', 'footer'].includes(tag) && alone(tag)) return tag;
    return null;
  };
  const step = (one) => {
    const names = [...one.classList].filter((name) => !made(name)).slice(0, 2);
    return one.localName + names.map((name) => '.' + CSS.escape(name)).join('');
  };
  const robust = (one) => {
    let path = '';
    for (let at = one; at && at !== document.documentElement; at = at.parentElement) {
      if (path.length > longest || performance.now() > until) return null;
      const found = own(at);
      if (found) {
        const whole = path ? `${found} ${path}` : found;
        if (alone(whole)) return whole;
      }
      path = path ? `${step(at)} > ${path}` : step(at);
      if (alone(path)) return path;
    }
    const same = [...one.parentElement.children].filter((other) => other.localName === one.localName);
    const base = one.parentElement === document.body ? 'body' : robust(one.parentElement);
    return base && `${base} > ${one.localName}:nth-of-type(${same.indexOf(one) + 1})`;
  };
  const typed = new Set('text search email url tel number date time month week datetime-local'.split(' '));
  const control = (one) => {
    if (!controls) return '';
    if (one.localName === 'select') return 'select';
    if (one.localName === 'textarea' || one.isContentEditable) return 'fill';
    if (one.localName !== 'input') return '';
    if (one.type === 'password') return 'secret';
    return typed.has(one.type) ? 'fill' : one.type === 'checkbox' || one.type === 'radio' ? 'check' : 'click';
  };
  const named = (one) => (one.labels && one.labels[0] ? one.labels[0].innerText : '') || one.getAttribute('aria-label')
    || one.placeholder || (one.type === 'submit' || one.type === 'button' ? one.value : '') || one.name || one.localName;
  const label = (option) => option.label.trim().slice(0, 120);
  const found = [];
  const skipped = new Set('script style noscript br b i em strong path option'.split(' '));
  for (const one of document.body.getElementsByTagName('*')) {
    if (found.length >= limit || performance.now() > until) break;
    if (skipped.has(one.localName) || one.closest('svg') && one.localName !== 'svg') continue;
    const box = one.getBoundingClientRect();
    const use = control(one);
    const text = (use ? named(one) : controls && one.getAttribute('aria-label') || one.innerText || '').trim();
    if (box.width < 8 || box.height < 8 || !text || !one.checkVisibility()) continue;
    const selector = robust(one);
    if (!selector || selector.length > longest) continue;
    found.push({x: Math.round(box.x + scrollX), y: Math.round(box.y + scrollY), width: Math.round(box.width),
      height: Math.round(box.height), selector, text: text.slice(0, 120),
      control: use, choices: use === 'select' ? [...one.options].slice(0, 50).map(label) : []});
  }
  return found;
}
"""
ELEMENTS_AT_MOST: Final = 600
LOOKED_FOR: Final = 3_000  # milliseconds
