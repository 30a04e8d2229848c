"""Pictures of a page: fields of passwords and everything that was filled from a secret are covered."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Final

from playwright.async_api import Error, Locator, Page

from driftline.fetch.browser import isolated

_TAKES_FOR: Final = 8_000  # milliseconds
_GRACE: Final = 2.0  # seconds after which a picture that ignores its deadline is given up
_COVER: Final = "#808080"
MAX_HEIGHT: Final = 12_000  # pixels of a whole page
MAX_WIDTH: Final = 4_000
WIDTH: Final = 1280
HEIGHT: Final = 900
_SIZE: Final = """() => {
  const root = document.documentElement;
  return [Math.max(root.scrollWidth, innerWidth), Math.max(root.scrollHeight, innerHeight)];
}"""
_COVERED_FROM: Final = 4  # characters of a secret that is looked for on the page


async def take_picture(
    page: Page, *, secrets: Iterable[str] = (), covered: Iterable[Locator] = (), whole: bool = False, of: str | None = None
) -> bytes | None:
    """A PNG of what is visible, of the whole page, or of one element; None if the page does not let itself be painted."""
    mask = [page.locator("input[type=password]"), *covered]
    mask += [page.get_by_text(secret) for secret in secrets if len(secret) >= _COVERED_FROM]
    options: dict[str, Any] = {
        "mask": mask,
        "mask_color": _COVER,
        "animations": "disabled",
        "caret": "hide",
        "scale": "css",
        "timeout": _TAKES_FOR,
    }
    try:
        async with asyncio.timeout(_TAKES_FOR / 1000 + _GRACE):  # a page whose script never ends does not let itself be masked
            if of is not None:
                return await page.locator(of).first.screenshot(**options)
            if not whole:
                return await page.screenshot(**options)
            width, height = await isolated.evaluate(page, _SIZE)
            if height > MAX_HEIGHT or width > MAX_WIDTH:
                clip = {"width": WIDTH if width > MAX_WIDTH else width, "height": min(height, MAX_HEIGHT)}
                options["clip"] = {"x": 0, "y": 0, **clip}
            return await page.screenshot(full_page=True, **options)
    except (Error, TimeoutError):
        return None
