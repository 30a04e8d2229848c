"""Changes as a feed: of the org, of a watch, of a tag, for whoever holds its address."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from tests.offices import Office

from driftline.engine.drafting import Wish

ENTRY = "{http://www.w3.org/2005/Atom}entry"


def entries(office: Office, secret: str, query: str = "") -> int:
    answer = office.client.get(f"/api/v1/feeds/{secret}/changes.atom{query}")
    assert answer.status_code == 200, answer.text
    return len(ET.fromstring(answer.text).findall(ENTRY))


def test_a_feed_can_be_narrowed_to_a_watch_or_a_tag(office: Office) -> None:
    tenant = office.tenant
    secret = tenant.token_for(tenant.owner, ["feed"])
    wishes = [Wish(url=f"http://{name}.example/", kind="catalog", name=name, tags=(name,)) for name in ("lamps", "chairs")]
    lamps, chairs = tenant.app.add([tenant.app.draft(wish) for wish in wishes])
    for price in ("10", "12", "14"):
        tenant.push(lamps.id, price)
    for price in ("10", "12"):
        tenant.push(chairs.id, price)
    both, of_lamps, of_chairs = (entries(office, secret, query) for query in ("", f"?watch={lamps.id}", "?tag=chairs"))
    assert both == of_lamps + of_chairs
    assert of_lamps > of_chairs > 0
    assert entries(office, secret, "?tag=tables") == 0
