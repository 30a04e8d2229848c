"""Changes as a feed: of the org, of a watch, of a tag, for whoever holds its address."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from tests.web_server import WebServer

from driftline.engine.editing.watch_input import WatchInput

ENTRY = "{http://www.w3.org/2005/Atom}entry"


def entries(server: WebServer, secret: str, query: str = "") -> int:
    answer = server.client.get(f"/api/v1/feeds/{secret}/changes.atom{query}")
    assert answer.status_code == 200, answer.text
    return len(ET.fromstring(answer.text).findall(ENTRY))


def test_a_feed_can_be_narrowed_to_a_watch_or_a_tag(server: WebServer) -> None:
    tenant = server.tenant
    secret = tenant.token_for(tenant.owner, ["feed"])
    watch_inputs = [
        WatchInput(url=f"http://{name}.example/", kind="catalog", name=name, tags=(name,)) for name in ("lamps", "chairs")
    ]
    lamps, chairs = tenant.app.add([tenant.app.draft(watch_input) for watch_input in watch_inputs])
    for price in ("10", "12", "14"):
        tenant.push(lamps.id, price)
    for price in ("10", "12"):
        tenant.push(chairs.id, price)
    both, of_lamps, of_chairs = (entries(server, secret, query) for query in ("", f"?watch={lamps.id}", "?tag=chairs"))
    assert both == of_lamps + of_chairs
    assert of_lamps > of_chairs > 0
    assert entries(server, secret, "?tag=tables") == 0
