"""`make screenshots`: the pages as people see them, small enough to be kept.

python -m tests.browser.pictures [--all FOLDER]   the README's pictures, or every page at both widths for looking at
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import ViewportSize
from tests.browser.local_site import LocalSite, a_month
from tests.browser.server import NARROW, WIDE, Visitor, browsing, serving
from tests.scripted import scripted_site
from tests.services import Found, Services

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


def pages_of(visitor: Visitor) -> dict[str, str]:
    """Name and path of everything there is to see."""
    page = visitor.go("/watches")
    watches = {
        link.inner_text(): link.get_attribute("href") or "" for link in page.locator("td.name a[href^='/watches/']").all()
    }
    page = visitor.go("/?type=content")
    change = page.locator("a.title").first.get_attribute("href") or ""
    page = visitor.go("/?type=price_decrease")
    price = page.locator("a.title").first.get_attribute("href") or ""
    page = visitor.go("/?type=new_product")
    page = visitor.go(page.locator("a.title").first.get_attribute("href") or "")
    run = page.get_by_role("link", name="Report and ignored differences").get_attribute("href") or ""
    page = visitor.go(price)
    item = page.get_by_role("link", name="Price history").get_attribute("href") or ""
    lamp, terms = watches["Tern desk lamp"], watches["Terms of service"]
    versions = f"/items/{_item_of(visitor, terms)}"
    page = visitor.go("/settings")
    channel = page.get_by_role("link", name="Templates").first.get_attribute("href") or ""
    page = visitor.go("/settings/subscriptions")
    subscription = page.get_by_role("link", name="Edit the subscription").first.get_attribute("href") or ""
    return {
        "changes": "/",
        "change": change,
        "change-split": f"{change}?view=split",
        "noise": f"{change}/noise",
        "price": price,
        "search": "/search?q=notice",
        "search-nothing": "/search",
        "watches": "/watches",
        "watch": lamp,
        "watch-history": f"{terms}?tab=history",
        "watch-checks": f"{lamp}?tab=checks",
        "watch-noise": f"{terms}?tab=noise",
        "watch-subscriptions": f"{lamp}?tab=subscriptions",
        "watch-rules": f"{lamp}?tab=rules",
        "watch-items": f"{watches['All lamps']}?tab=items",
        "watch-buckets": f"{watches['Tables for two']}?tab=buckets",
        "watch-trouble": watches["Press archive"],
        "version": f"{versions}/version?number=1",
        "version-changes": f"{versions}/version?number=2&view=split",
        "compare": f"{versions}/compare?from=1&to=2",
        "report": run,
        "product": item,
        "offers": f"{item}/offers",
        "prices": "/prices",
        "tags": "/tags",
        "tag": "/tag?name=shop",
        "opened": "/opened",
        "opened-all": "/opened?show=all",
        "venues": "/opened/venues",
        "articles": "/articles",
        "deliveries": "/deliveries",
        "dead-letters": "/deliveries?state=dead",
        "settings": "/settings",
        "settings-subscriptions": "/settings/subscriptions",
        "settings-subscription": subscription,
        "settings-templates": channel,
        "settings-feeds": "/settings/feeds",
        "settings-secrets": "/settings/secrets",
        "settings-tokens": "/settings?tab=tokens",
        "settings-plan": "/settings?tab=plan",
        "settings-people": "/settings?tab=people",
        "settings-you": "/settings?tab=you",
        "add": "/add",
        "nowhere": "/no/such/place",
        "missing": "/changes/00000000-0000-7000-8000-000000000009",
    }


def _item_of(visitor: Visitor, watch: str) -> str:
    """The item behind the history of a page."""
    link = visitor.go(f"{watch}?tab=history").locator("a[href*='/version?']").first.get_attribute("href") or ""
    return link.split("/")[2]


def main(folder: Path, *, everything: bool) -> None:
    """Take them."""
    folder.mkdir(parents=True, exist_ok=True)
    found = Services.open().chromium()
    if not isinstance(found, Found):
        sys.exit("there is no Chromium on this machine")
    with tempfile.TemporaryDirectory() as place, scripted_site() as site:
        database = f"sqlite:///{place}/driftline.db"
        local_site = LocalSite(site)
        a_month(database, local_site)
        with serving(database) as server, browsing(found.url) as browser:
            context = browser.new_context(viewport=WIDE)
            visitor = Visitor(context, server.url)
            visitor.page.goto(server.link)
            if everything:
                visitor.page.screenshot(path=folder / "sign-in.png")
            visitor.sign_in(server.link)
            seen = pages_of(visitor)
            if not everything:
                seen = {name: seen[name] for name in ("changes", "change-split", "watches", "product")}
            for name, path in seen.items():
                visitor.go(path)
                visitor.page.screenshot(path=folder / f"{name}.png", full_page=everything)
            if everything:
                for path in ("/shop", "/jobs"):
                    _look_at_add(visitor, local_site.url(path), folder / f"add{path.replace('/', '-')}.png")
                _shoot(visitor, NARROW, seen, folder, "phone")
                visitor.page.emulate_media(color_scheme="dark")
                _shoot(visitor, WIDE, seen, folder, "dark")
            else:
                visitor.page.set_viewport_size(NARROW)
                visitor.page.emulate_media(color_scheme="dark")
                visitor.go("/")
                visitor.page.screenshot(path=folder / "phone.png")
            if visitor.wrong:
                print("\n".join(visitor.wrong), file=sys.stderr)


def _shoot(visitor: Visitor, size: ViewportSize, seen: dict[str, str], folder: Path, mark: str) -> None:
    visitor.page.set_viewport_size(size)
    for name, path in seen.items():
        visitor.go(path)
        visitor.page.screenshot(path=folder / f"{name}-{mark}.png", full_page=True)


def _look_at_add(visitor: Visitor, url: str, path: Path) -> None:
    visitor.go("/add")
    visitor.page.get_by_label("Address").fill(url)
    visitor.page.get_by_label("Address").blur()
    visitor.page.locator("[data-kind]").wait_for()
    visitor.page.screenshot(path=path, full_page=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--all"]:
        main(Path(sys.argv[2]), everything=True)
    else:
        main(PICTURES, everything=False)
