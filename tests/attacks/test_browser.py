"""Pages in the browser that try to reach what only this machine may; other ways are in tests/browser/test_rendering.py."""

from __future__ import annotations

from tests.attacks.loopback import Names, SetClock, reply, site

from driftline.fetch.browser.chromium import found
from driftline.fetch.browser.pool import ChromiumPool
from driftline.fetch.browser.renderer import Renderer
from driftline.fetch.egress import Egress
from driftline.model.fetch import Failed, Fetched, FetchOptions, Request

# The same origin throughout: only the address behind the name moves, which no browser can see through a proxy.
REBINDING = b"""<!doctype html><title>Weather</title><p id=said>Nothing yet</p><iframe src="/frame"></iframe><script>
const ways = [fetch('/steal').then(async (answer) => answer.status + await answer.text()), new Promise((_, fail) => {
  const socket = new WebSocket(`ws://${location.host}/socket`); socket.onerror = () => fail(new Error('refused')) })];
Promise.allSettled(ways).then((ended) => {
  said.className = 'done';
  said.textContent = ended.map((one) => one.status === 'fulfilled' ? one.value : 'refused').join(', ');
})</script>"""


async def test_a_name_that_moves_to_an_inside_address_while_a_page_is_open_reaches_nothing(chromium: str) -> None:
    names = Names({"rebinds.test": [["127.0.0.2"], ["127.0.0.1"]]})

    async with (
        site(reply(REBINDING, Content_Type="text/html"), host="127.0.0.2") as public,
        site(reply(b"secret"), port=public.port) as canary,
    ):
        pool = ChromiumPool(Egress(["127.0.0.2"]), path=found(chromium), upstreams={}, resolver=names)
        renderer = Renderer(pool, SetClock(), max_bytes=1_000_000)
        url = f"http://rebinds.test:{public.port}/"
        try:
            request = Request(url=url, options=FetchOptions(browser="always", wait_for=".done"))
            answer = await renderer.render(request, total_for=30.0)
            again = await renderer.render(request, total_for=30.0)
        finally:
            await pool.close()
        assert isinstance(answer, Fetched), answer
        assert b">403, refused<" in answer.body  # the proxy's own answer, and nothing else
        assert b"secret" not in answer.body
        assert isinstance(again, Failed)  # the next check finds the name inside
        assert len(names.asked) > 1
        assert canary.connections == 0
