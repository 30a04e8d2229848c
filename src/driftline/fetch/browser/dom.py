"""What is taken of a page in the browser: its DOM as HTML, with open shadow roots and frames of the same origin in place."""

from __future__ import annotations

from typing import Final

# A page without shadow roots and frames is written out by the browser itself. Else a copy is made in a document that runs
# nothing: a shadow root stands in its host, what is slotted in its slot, a frame's body in a <div> where the frame was.
TAKE: Final = """
(limit) => {
  const everything = document.getElementsByTagName('*');
  if (everything.length > 500000) return null;
  let flat = true;
  for (const one of everything) {
    if (one.shadowRoot || one.localName === 'iframe' || one.localName === 'frame') { flat = false; break; }
  }
  const html = flat ? document.documentElement.outerHTML : (() => {
    const target = document.implementation.createHTMLDocument('');
    const inner = (frame) => {
      try { return frame.contentDocument && frame.contentDocument.body; } catch { return null; }
    };
    const copied = (node) => {
      if (node.nodeType !== Node.ELEMENT_NODE) return target.importNode(node, true);
      const body = node.localName === 'iframe' || node.localName === 'frame' ? inner(node) : null;
      const copy = body ? target.createElement('div') : target.importNode(node, false);
      const slotted = node.localName === 'slot' && node.assignedNodes ? node.assignedNodes() : [];
      const children = body ? [...body.childNodes]
        : node.shadowRoot ? [...node.shadowRoot.childNodes].filter((one) => one.localName !== 'style')
        : slotted.length ? slotted : [...node.childNodes];
      for (const child of children) copy.append(copied(child));
      return copy;
    };
    return copied(document.documentElement).outerHTML;
  })();
  return html.length > limit ? null : '<!DOCTYPE html>' + html;
}
"""
