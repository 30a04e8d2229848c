"""What a request asks the database, to be asked again without the request around it."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from driftline.store.database import Database
from driftline.store.drivers import driver_for
from driftline.store.store import Store
from driftline.wiring import App


class _Asked(NamedTuple):
    statement: tuple[Any, ...]
    options: dict[str, Any]
    one: bool  # only the first row was wanted


class Heard:
    """Everything that was read while it was listening."""

    def __init__(self) -> None:
        self._asked: list[_Asked] = []

    def note(self, asked: _Asked) -> None:
        """One question."""
        self._asked.append(asked)

    def __len__(self) -> int:
        return len(self._asked)

    def take(self) -> Heard:
        """All until now; what comes is another's."""
        taken = Heard()
        taken._asked, self._asked = self._asked, []
        return taken

    def ask(self, database: Database) -> None:
        """All of it again in one transaction, the rows fetched and left as they are."""
        database.read_now(lambda tx: deque((self._fetched(tx.connection, one) for one in self._asked), maxlen=0))

    @staticmethod
    def _fetched(connection: Any, asked: _Asked) -> Any:
        cursor = connection.execute(*asked.statement, **asked.options)
        return cursor.fetchone() if asked.one else cursor.fetchall()


def overhear(app: App) -> Heard:
    """Listen to whatever this driftline asks from now on."""
    heard = Heard()
    app.store.close()
    app.store = Store(Database(_Driver(driver_for(app.settings.db), heard)))
    return heard


class _Driver:
    def __init__(self, driver: Any, heard: Heard) -> None:
        self._driver = driver
        self._heard = heard

    def connect(self) -> _Connection:
        return _Connection(self._driver.connect(), self._heard)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._driver, name)


class _Connection:
    def __init__(self, connection: Any, heard: Heard) -> None:
        self._connection = connection
        self._heard = heard

    def execute(self, *statement: Any, **options: Any) -> _Cursor:
        return _Cursor(self._connection.execute(*statement, **options), statement, options, self._heard)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


class _Cursor:
    def __init__(self, cursor: Any, statement: tuple[Any, ...], options: dict[str, Any], heard: Heard) -> None:
        self._cursor = cursor
        self._asked = statement, options
        self._heard = heard

    def fetchall(self) -> Any:
        self._heard.note(_Asked(*self._asked, one=False))
        return self._cursor.fetchall()

    def fetchone(self) -> Any:
        self._heard.note(_Asked(*self._asked, one=True))
        return self._cursor.fetchone()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)
