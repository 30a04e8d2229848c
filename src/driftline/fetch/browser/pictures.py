"""Pictures of a page: fields of passwords and everything that was filled from a secret are covered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from playwright.async_api import Error, Locator, Page

_TAKES_FOR: Final = 8_000  # milliseconds
_COVER: Final = "#808080"
MAX_HEIGHT: Final = 12_000  # pixels of a whole page
WIDTH: Final = 1280
HEIGHT: Final = 900
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
        if of is not None:
            return await page.locator(of).first.screenshot(**options)
        if whole:
            height = await page.evaluate("() => Math.max(document.documentElement.scrollHeight, innerHeight)")
            if height > MAX_HEIGHT:
                width = await page.evaluate("() => innerWidth")
                options["clip"] = {"x": 0, "y": 0, "width": width, "height": MAX_HEIGHT}
            return await page.screenshot(full_page=True, **options)
        return await page.screenshot(**options)
    except Error:
        return None
