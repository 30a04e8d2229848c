"""The stand-in for a kind whose extension is gone or broken: its watches fail with the reason; what is stored stays."""

from __future__ import annotations

from typing import Any

from driftline.errors import BadRule
from driftline.kinds.kind import Rules, Traits


class AnyRules(Rules, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """Rules of a kind that is not there; nobody reads them."""


class MissingKind:
    """A kind that reads nothing."""

    version = 0
    rules = AnyRules
    traits = Traits()

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self._reason = reason

    def check_rules(self, rules: Any) -> None:
        """Rules are kept as they are."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise BadRule(f"the kind {self.name} is not there: {self._reason}", hint="run: driftline doctor")

    requests = read = combine = canonical = judge = pack = unpack = _refuse
