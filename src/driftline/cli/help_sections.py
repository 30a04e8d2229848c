"""`driftline --help`: the commands by what one wants to do, each with its whole first sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from typer.core import TyperGroup

# In this order; a command that stands in none of them is listed at the end. Marked: a name that is a gone word elsewhere.
SECTIONS: Final[Mapping[str, str]] = {
    "Watches": "add set tag list pages check steps pause resume rm rebaseline import export apply",
    "Results": "changes show history search explain compare extract",
    "Noise and rules": "`masks` noise replay",
    "Shops, bookings, articles": "prices diff ingest just-opened available venues articles summarize",
    "Notifications": "condition channel subscribe subscriptions mute unsubscribe deliveries requeue deliver",
    "Services": "serve run agent mcp dead-letters demo doctor prune",
    "Users and access": "user org secret session token password sign-in-link openapi",
}


class SectionedGroup(TyperGroup):
    """Commands in sections."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """A list a section."""
        left = dict.fromkeys(self.list_commands(ctx))
        for title in SECTIONS:
            shown = [name for name in names_of(title) if name in left]
            self._write(ctx, formatter, title, shown)
            for name in shown:
                del left[name]
        self._write(ctx, formatter, "More", list(left))

    def _write(self, ctx: Any, formatter: Any, title: str, names: list[str]) -> None:
        found = ((name, self.get_command(ctx, name)) for name in names)
        rows = [(name, first_sentence(command.help or "")) for name, command in found if command and not command.hidden]
        if rows:
            with formatter.section(title):
                formatter.write_dl(rows)


def names_of(title: str) -> list[str]:
    """The commands of a section."""
    return SECTIONS[title].replace("`", "").split()


def first_sentence(text: str) -> str:
    """The first sentence, whole."""
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    sentence, end, _ = paragraph.partition(". ")
    return f"{sentence}." if end else paragraph
