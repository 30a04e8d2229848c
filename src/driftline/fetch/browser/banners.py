"""Finds the button that closes a cookie banner, by its role and words."""

from __future__ import annotations

from typing import Final

from driftline.core.lexicon import folded

# The button is of an element that stands over the page, is a dialog, or is named after cookies; to refuse is preferred.
FIND: Final = """
(words) => {
  const named = /cookie|consent|gdpr|cmp|privacy|onetrust|didomi/i;
  const roots = [document];
  for (const one of document.querySelectorAll('*')) if (one.shadowRoot) roots.push(one.shadowRoot);
  const over = (node) => {
    for (let one = node; one && one !== document.body; one = one.parentElement || one.getRootNode().host) {
      if (one.nodeType !== Node.ELEMENT_NODE) continue;
      const role = one.getAttribute('role');
      if (role === 'dialog' || role === 'alertdialog' || one.localName === 'dialog') return true;
      if (named.test(one.id) || named.test(one.getAttribute('class') || '')) return true;
      const position = getComputedStyle(one).position;
      if (position === 'fixed' || position === 'sticky') return true;
    }
    return window !== window.top;
  };
  const buttons = roots.flatMap((root) =>
    [...root.querySelectorAll('button, [role=button], input[type=submit], input[type=button], a')]);
  const said = (one) => (one.innerText || one.value || one.getAttribute('aria-label') || '')
    .trim().toLowerCase().replace(/\\s+/g, ' ').slice(0, 80);
  for (const list of words) {
    for (const button of buttons) {
      const text = said(button);
      if (text && list.some((word) => text === word || (word.length > 8 && text.startsWith(word)))
          && button.getClientRects().length && over(button)) return button;
    }
  }
  return null;
}
"""


def button_words() -> list[list[str]]:
    """What such buttons say, in the order of preference: refuse, accept, close."""
    return [list(folded(concept)) for concept in ("banner.refuse", "banner.accept", "banner.close")]
