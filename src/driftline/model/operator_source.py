"""Sources that only the operator can name, in the settings: files, folders, commands, mailboxes, repositories."""

from __future__ import annotations

from typing import Final

import msgspec

SCHEME: Final = "source"  # a watch has the address source://NAME
ALL_ORGS: Final = "*"


class OperatorSource(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One of `file`, `folder`, `command`, `imap` and `git`, and the orgs that may watch it."""

    orgs: tuple[str, ...]  # names; "*": all of them
    file: str = ""  # path
    folder: str = ""  # path
    command: tuple[str, ...] = ()  # the program and its arguments; no shell
    imap: str = ""  # imaps://user@host/FOLDER
    password: str = ""  # of the mailbox
    git: str = ""  # path of a repository
    ref: str = "HEAD"  # a branch, tag or commit of it

    @property
    def forms(self) -> list[str]:
        """Which of the five it is; exactly one, or it is invalid."""
        return [name for name in ("file", "folder", "command", "imap", "git") if getattr(self, name)]

    def may_be_read_by(self, org: str | None) -> bool:
        """Whether the operator allowed it to an org, by its name."""
        return ALL_ORGS in self.orgs or (org is not None and org in self.orgs)
