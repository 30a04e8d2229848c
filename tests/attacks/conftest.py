"""What several attacks are tried on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.attacks.awake import Server, running
from tests.services import Services


@pytest.fixture(scope="package", params=["sqlite", "postgres"])
def server(request: pytest.FixtureRequest, services: Services, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server on each database."""
    folder = tmp_path_factory.mktemp("awake")
    if request.param == "sqlite":
        with running(services.migrated_file(folder / "driftline.db"), folder) as found:
            yield found
    else:
        postgres = request.getfixturevalue("postgres")
        with services.migrated_database(postgres) as database, running(database, folder) as found:
            yield found
