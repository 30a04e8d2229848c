"""Law 12 as a test: nobody but `fetch` opens a connection to a place that a user chose."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from tests.sources import nodes, parsed

CLIENTS = frozenset(
    "aiohttp socket http.client urllib.request urllib3 requests httpx httpcore pycurl ftplib telnetlib smtplib aiosmtplib "
    "poplib imaplib socketserver websockets apprise playwright aio_pika psycopg obstore".split()
)
# Who may, and what: the operator's own endpoints, serving, and the parts behind the checking proxy.
MAY: dict[str, frozenset[str]] = {
    "fetch": CLIENTS,
    "store": frozenset({"psycopg", "obstore"}),
    "bus": frozenset({"aio_pika"}),
    "deliver/channels/smtp.py": frozenset({"aiosmtplib", "smtplib"}),
    "deliver/channels/apprise_child.py": frozenset({"apprise", "requests"}),  # a process that reaches the checking proxy alone
    "web": frozenset({"socket"}),
}
OPENERS = frozenset(
    {"open_connection", "create_connection", "open_unix_connection", "create_datagram_endpoint", "sock_connect"}
)


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in {
            "import_module",
            "__import__",
        }:
            yield from (str(argument.value) for argument in node.args if isinstance(argument, ast.Constant))


def _clients(tree: ast.AST) -> set[str]:
    names = {name for name in _imported(tree) if not f"{name}.".startswith("aiohttp.web.")}  # which only serves
    if "socket" in names and _used(tree, "socket") == {"gethostname"}:
        names.discard("socket")  # the machine's name opens nothing
    return {client for client in CLIENTS if any(f"{name}.".startswith(f"{client}.") for name in names)}


def _used(tree: ast.AST, module: str) -> set[str]:
    return {
        node.attr
        for node in nodes(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == module
    }


def _opened(tree: ast.AST) -> set[str]:
    return {node.attr for node in nodes(tree) if isinstance(node, ast.Attribute) and node.attr in OPENERS}


def _allowed(path: str) -> frozenset[str]:
    return frozenset().union(*(may for place, may in MAY.items() if path == place or path.startswith(f"{place}/")))


def test_no_module_but_fetch_imports_an_http_or_socket_library() -> None:
    strays = {
        file: sorted(clients) for file, tree in parsed().items() if (clients := _clients(tree) - _allowed(file.as_posix()))
    }
    assert strays == {}


def test_no_module_but_fetch_opens_a_connection_through_the_event_loop() -> None:
    strays = {file: sorted(opened) for file, tree in parsed().items() if file.parts[0] != "fetch" and (opened := _opened(tree))}
    assert strays == {}


@pytest.mark.parametrize(
    "text",
    [
        "import requests",
        "import http.client",
        "from http import client",
        "from urllib import request as r",
        "import urllib.request",
        "from aiohttp.client import ClientSession",
        "def f():\n    import httpx",
        "import importlib\nimportlib.import_module('socket')",
        "__import__('aiohttp')",
        "from aiohttp import web, ClientSession",
        "import socket\nsocket.gethostname(), socket.socket()",
        "from socket import create_connection",
    ],
)
def test_the_lint_sees_every_way_to_import(text: str) -> None:
    assert _clients(ast.parse(text))


@pytest.mark.parametrize(
    "text",
    [
        "from urllib.parse import urlsplit",
        "import http",
        "from driftline.fetch import http",
        "from aiohttp import web",
        "from aiohttp.web import Application",
        "import socket\nsocket.gethostname()",
    ],
)
def test_the_lint_leaves_the_harmless_alone(text: str) -> None:
    assert not _clients(ast.parse(text))
