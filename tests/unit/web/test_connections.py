"""Which connection makes room when there are too many."""

from __future__ import annotations

from driftline.web.connections import IdleConnections


class Connection:
    def __init__(self, waiting: IdleConnections, address: str = "203.0.113.1") -> None:
        self.waiting = waiting
        self.gone = False
        waiting.opened(self, address)

    def give_up(self) -> None:
        self.gone = True
        self.waiting.closed(self)


def test_the_one_that_waits_longest_makes_room_and_never_one_that_works() -> None:
    waiting = IdleConnections(16)
    working = Connection(waiting, "198.51.100.1")
    waiting.works(working)
    others = [Connection(waiting, f"198.51.100.{number}") for number in range(2, 18)]
    assert not working.gone
    assert [one.gone for one in others] == [True] + [False] * 15


def test_a_new_one_is_refused_where_all_others_work() -> None:
    waiting = IdleConnections(16)
    for number in range(16):
        waiting.works(Connection(waiting, f"198.51.100.{number}"))
    assert Connection(waiting, "203.0.113.9").gone


def test_one_address_takes_no_more_than_its_share_and_a_named_proxy_may() -> None:
    waiting = IdleConnections(160, trusted=frozenset({"192.0.2.1"}))
    crowd = [Connection(waiting) for _ in range(25)]
    assert sum(one.gone for one in crowd) == 5
    assert not any(Connection(waiting, "192.0.2.1").gone for _ in range(60))
