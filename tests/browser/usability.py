"""What makes a page hard to use: unlabelled fields, faint words, broken headings, text that runs out of the screen."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

_FLAWS = Path(__file__).with_name("looks.js").read_text(encoding="utf-8")


def flaws(page: Page) -> list[str]:
    """What is wrong with the page as it is shown now."""
    found: list[str] = page.evaluate(_FLAWS)
    return found
