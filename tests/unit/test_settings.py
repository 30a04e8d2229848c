"""The only reader of the environment and of driftline.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftline.errors import BadSetting
from driftline.settings import in_ci, load


def test_with_nothing_set_the_database_is_a_file_in_the_users_data_folder(tmp_path: Path) -> None:
    assert load({"XDG_DATA_HOME": "/data"}, folder=tmp_path).db == "sqlite:////data/driftline/driftline.db"
    assert load({"HOME": "/home/me"}, folder=tmp_path).db == "sqlite:////home/me/.local/share/driftline/driftline.db"


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "driftline.toml").write_text('concurrency = 7\nper_host = 3\nallow_hosts = ["10.0.0.0/8"]\n')
    settings = load({"DRIFTLINE_CONCURRENCY": "9", "HOME": "/h"}, folder=tmp_path)
    assert (settings.concurrency, settings.per_host, settings.allow_hosts) == (9, 3, ("10.0.0.0/8",))


def test_a_setting_that_is_gone_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "driftline.toml").write_text('journal = "/var/lib/driftline"\n')
    plain = load({"HOME": "/h"}, folder=tmp_path / "elsewhere")
    assert load({"DRIFTLINE_JOURNAL": "/var/lib/driftline", "HOME": "/h"}, folder=tmp_path) == plain


def test_allowed_hosts_are_separated_by_commas(tmp_path: Path) -> None:
    assert load({"DRIFTLINE_ALLOW_HOSTS": "127.0.0.1, localhost", "HOME": "/h"}, folder=tmp_path).allow_hosts == (
        "127.0.0.1",
        "localhost",
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DRIFTLINE_CONCURENCY", "9"),
        ("DRIFTLINE_CONCURRENCY", "many"),
        ("DRIFTLINE_CONCURRENCY", "0"),
        ("DRIFTLINE_DB", "mysql://x"),
        ("DRIFTLINE_LOG", "loud"),
        ("DRIFTLINE_CONFIG", "nowhere.toml"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(name: str, value: str, tmp_path: Path) -> None:
    with pytest.raises(BadSetting):
        load({name: value, "HOME": "/h"}, folder=tmp_path)


@pytest.mark.parametrize("text", ["concurrency = ", 'colour = "red"', "concurrency = -1"])
def test_a_file_that_makes_no_sense_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "driftline.toml").write_text(text)
    with pytest.raises(BadSetting):
        load({"HOME": "/h"}, folder=tmp_path)


@pytest.mark.parametrize(
    ("given", "alone"), [({}, False), ({"CI": "false"}, False), ({"CI": "true"}, True), ({"CI": "1"}, True)]
)
def test_a_build_machine_is_known_by_its_variable(given: dict[str, str], alone: bool) -> None:
    assert in_ci(given) is alone
