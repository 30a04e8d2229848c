"""The command `driftline` with all its commands."""

from __future__ import annotations

from driftline.cli.accounts import channels, delivery, orgs, users, vault
from driftline.cli.demo import command as demo
from driftline.cli.entry import app_of
from driftline.cli.results import changes, feeds, history, noise, prices, runs, search
from driftline.cli.services import agent, doctor, mcp, serve
from driftline.cli.watching import apply, checks, compare, conditions, edit, pages, steps, tags, watches

_MODULES = (
    watches,
    edit,
    conditions,
    apply,
    checks,
    pages,
    steps,
    changes,
    history,
    search,
    runs,
    feeds,
    compare,
    noise,
    prices,
    doctor,
    demo,
    delivery,
    serve,
    agent,
    mcp,
)

app = app_of(
    [command for module in _MODULES for command in module.COMMANDS],
    orgs.GROUPS | users.GROUPS | channels.GROUPS | tags.GROUPS | vault.GROUPS | serve.GROUPS | agent.GROUPS,
)
