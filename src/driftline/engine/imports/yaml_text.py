"""Reads YAML from untrusted files: plain values only, within limits."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

from driftline.errors import BadFile

MAX_BYTES: Final = 2 * 1024 * 1024  # bytes of a file: a few seconds of reading
_NODES_AT_MOST: Final = 100_000  # values as written: four seconds of reading
_MAX_VALUES: Final = 500_000  # values with aliases expanded, long texts counting more than once
_MERGED_AT_MOST: Final = 10_000  # keys of one mapping, with those merged by `<<`


# YAML 1.1 would read 2026-02-28 as a date, and 20:30 as the number 1230.
_AS_WRITTEN: Final = ("tag:yaml.org,2002:str", re.compile(r"[0-9]{1,4}(?:[-:][0-9]{1,2}){1,2}(?:[Tt \t].*)?$"))


class _Loader(yaml.SafeLoader):
    """Plain values only, dates and times as text. Aliases share their value at no cost; `<<` copies keys."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - the library's own table, with ours in front
        letter: [_AS_WRITTEN, *resolvers] if letter and letter in "0123456789" else resolvers
        for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    nodes = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.nodes += 1
        if self.nodes > _NODES_AT_MOST:
            raise yaml.composer.ComposerError(None, None, f"more than {_NODES_AT_MOST:,} values", None)
        return super().compose_node(parent, index)

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        super().flatten_mapping(node)
        if len(node.value) > _MERGED_AT_MOST:
            raise yaml.constructor.ConstructorError(None, None, "a mapping has too many keys", node.start_mark)


def read_yaml(data: bytes) -> list[Any]:
    """Every document of a file; raises BadFile if it is not YAML, or expands too far."""
    if len(data) > MAX_BYTES:
        raise BadFile("the file is too large", size=len(data), hint=f"YAML of {MAX_BYTES // 1024**2} MiB at most")
    try:
        documents = list(yaml.load_all(data, _Loader))
    except (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        # The library lets through what its constructors meet: a month 13, a number of 5,000 digits, `!!bool perhaps`.
        raise BadFile("not YAML", problem=" ".join(str(error).split())[:300]) from None
    _check_expanded_size(documents)
    return documents


def _check_expanded_size(documents: list[Any]) -> None:
    """Refuse aliases that expand too far: a few hundred bytes can mean terabytes."""
    budget = _MAX_VALUES
    waiting: list[Any] = [documents]
    while waiting:
        value = waiting.pop()
        budget -= 1 + len(value) // 16 if isinstance(value, str | bytes) else 1
        budget -= len(value) if isinstance(value, dict | list | tuple | set) else 0
        if budget < 0:
            raise BadFile("aliases repeat too much", hint="write the file without them")
        if isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list | tuple | set):
            waiting += value
