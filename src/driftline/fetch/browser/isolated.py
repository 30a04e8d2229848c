"""Our own functions on a page, in a world of their own: the page shares its document, and none of its scripts' objects.

In the page's own world a page may replace what a function calls (`slice`, `outerHTML`), and answer with more than any limit.
"""

from __future__ import annotations

from typing import Any, Final

from playwright.async_api import Error, Page

_WORLD: Final = "driftline"


async def evaluate(page: Page, function: str, argument: object = None) -> Any:
    """What a function gives for a page's document; raises Playwright's Error."""
    line = await page.context.new_cdp_session(page)
    frame = (await line.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    world = await line.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": _WORLD})
    called = {
        "functionDeclaration": function,
        "executionContextId": world["executionContextId"],
        "arguments": [{"value": argument}],
        "returnByValue": True,
    }
    answer = await line.send("Runtime.callFunctionOn", called)
    await line.detach()  # not after a failure: a page that hangs does not answer that either, and its sessions end with it
    if "exceptionDetails" in answer:
        raise Error("the page does not let itself be read")
    return answer["result"].get("value")
