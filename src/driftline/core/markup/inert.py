"""A stored page as it looked, made inert: nothing of it runs, asks for anything or leads anywhere."""

from __future__ import annotations

from typing import Final

from selectolax.lexbor import LexborHTMLParser

from driftline.core.markup.depth import too_deep

_GONE: Final = "script, iframe, frame, frameset, object, embed, applet, link, meta, base, portal, template, audio, video, track"
_ASKS: Final = frozenset(
    "src srcset href action formaction poster background ping data xlink:href imagesrcset manifest codebase archive classid "
    "cite longdesc lowsrc dynsrc usemap profile autofocus srcdoc target download nonce integrity".split()
)
_LARGEST: Final = 5 * 1024 * 1024  # characters: what a browser shows in good time
_CHARSET: Final = '<meta charset="utf-8">'


def inert(source: str) -> str | None:
    """The page without scripts, requests and links; None where it cannot be shown in good time.

    The answer that carries it forbids the same by its policy; this is so that nothing depends on one of the two.
    """
    if len(source) > _LARGEST or too_deep(source.encode("utf-8", "replace")):
        return None
    tree = LexborHTMLParser(source)
    for node in tree.css(_GONE):
        node.decompose()
    for node in tree.css("*"):
        attributes = node.attributes
        for name, value in list(attributes.items()):
            lowered = name.lower()
            if lowered.startswith("on") or (lowered in _ASKS and not _shows_itself(node.tag, lowered, value)):
                del node.attrs[name]
    html = tree.html or ""
    head = html.find("<head>")
    return f"<!doctype html>{html[: head + 6]}{_CHARSET}{html[head + 6 :]}" if head >= 0 else f"<!doctype html>{_CHARSET}{html}"


def _shows_itself(tag: str | None, name: str, value: str | None) -> bool:
    """Whether a picture is its own address."""
    return tag == "img" and name == "src" and (value or "")[:11].lower() == "data:image/"
