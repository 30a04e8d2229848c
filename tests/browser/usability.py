"""What makes a page hard to use: unlabelled fields, faint words, broken headings, text that runs out of the screen."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from playwright.sync_api import Page

_FLAWS = Path(__file__).with_name("looks.js").read_text(encoding="utf-8")

_AXE = files("axe_playwright_python").joinpath("axe.min.js")
_RUN_AXE = """async () => (await axe.run(document, {resultTypes: ["violations"]})).violations.map(
  (one) => `axe: ${one.id}: ${one.nodes.length} times, as in ${one.nodes[0].html.slice(0, 120)}`)"""


def flaws(page: Page) -> list[str]:
    """What is wrong with the page as it is shown now."""
    found: list[str] = page.evaluate(_FLAWS)
    return found


def axe_violations(page: Page) -> list[str]:
    """What axe-core finds on the page as it is shown now."""
    page.evaluate(_AXE.read_text(encoding="utf-8"))  # evaluated by the debugger: the page's own policy lets no script in
    found: list[str] = page.evaluate(_RUN_AXE)
    return found
