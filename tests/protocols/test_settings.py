"""Every setting of a reference page changes what is sent, or the page says why it does not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest

from harness.codecs.ticdc.settings import FILE_KEYS
from harness.contracts import Setting
from harness.engine.mutation.prepared import Prepared
from harness.mutants.parts import Parts
from harness.protocols import PROTOCOLS
from harness.sources.tidb.config_keys import KEYS
from tests.protocols.sending import Sender, name_of, values_of
from tests.protocols.setting_trials import TRIALS, Trial

ROWS = {(name, row.name): row for name in TRIALS for row in PROTOCOLS[name].settings}
IDLE = Trial()
# What a setting without effect may not be without.
NEEDED = {"vitess.gtid": {"vitess.shard": "0"}}
_URI_NAMES = {file: uri for uri, file in FILE_KEYS.items()}


def _trial(protocol: str, name: str) -> Trial:
    return TRIALS[protocol][_URI_NAMES.get(name, name)]


def _effective() -> list[tuple[str, str]]:
    return [place for place, row in ROWS.items() if not row.without_effect and not row.refused]


@pytest.fixture(scope="module")
def send(tmp_path_factory: pytest.TempPathFactory) -> Sender:
    """What sends logs."""
    return Sender(tmp_path_factory.mktemp("settings"))


@pytest.mark.parametrize(("protocol", "name"), _effective())
def test_a_setting_changes_what_is_sent(send: Sender, protocol: str, name: str) -> None:
    """Each value that a page lists is taken, and its log differs from the default's."""
    row, trial = ROWS[protocol, name], _trial(protocol, name)
    key = name_of(row)
    base = {other: value for other, value in trial.base.items() if other != key}
    before = send(protocol, trial, {**base, **_given(trial, key)})
    for value in values_of(row, trial):
        after = send(protocol, trial, {**base, key: value})
        assert after != before, f"{key}: {value!r} changes nothing"
        assert isinstance(after, str) is trial.refuses, after


@pytest.mark.parametrize(("protocol", "name"), _effective())
def test_what_is_sent_is_read(send: Sender, protocol: str, name: str) -> None:
    """Whatever is set, the right consumer's answer is what is expected, in every dialect."""
    row, trial = ROWS[protocol, name], _trial(protocol, name)
    dialects = PROTOCOLS[protocol].codec.dialects
    for dialect, value in product(dialects, values_of(row, trial)):
        send(protocol, trial, {**trial.base, name_of(row): value}, dialect)
        if send.made is not None:
            verdict = Prepared(send.made, range(1)).verdict(Parts(), 0)
            assert not verdict.findings, (value, verdict.findings[0].message)


def _given(trial: Trial, key: str) -> Mapping[str, Any]:
    """Return the base's own value of the setting; else it is left out, which is the default."""
    return {key: trial.base[key]} if key in trial.base else {}


@pytest.mark.parametrize(
    ("protocol", "name"), [place for place, row in ROWS.items() if row.without_effect]
)
def test_a_setting_without_effect_has_none(send: Sender, protocol: str, name: str) -> None:
    """What a page calls without effect is taken, whatever it says, and changes nothing."""
    row = ROWS[protocol, name]
    before = send(protocol, IDLE, {})
    assert not isinstance(before, str), before
    for value in _any_values(row):
        assert send(protocol, IDLE, {name_of(row): value, **NEEDED.get(name, {})}) == before


def _any_values(row: Setting) -> list[Any]:
    """Return values of a row's form."""
    if " | " in row.values:
        return [value for value in values_of(row, Trial()) if value != "VGTID"]
    return [7] if row.values[:1].isdigit() or row.values[:2] == "-1" else ["a"]


def test_a_refused_setting_says_why(send: Sender) -> None:
    """What a page calls refused is refused with the page's reason."""
    refused = {place: row for place, row in ROWS.items() if row.refused}
    assert refused
    for (protocol, name), row in refused.items():
        assert row.refused in str(send(protocol, IDLE, {name: "a"}))


def test_every_setting_has_its_trial() -> None:
    """No setting with an effect is without a trial, and no trial without its setting."""
    tried = {(protocol, name) for protocol, trials in TRIALS.items() for name in trials}
    named = {(protocol, _URI_NAMES.get(name, name)) for protocol, name in _effective()}
    assert tried == named


def test_the_two_names_of_a_setting() -> None:
    """The codecs and the source agree which key of the file is which parameter of the URI."""
    known = {name: key.name for name, key in KEYS.items() if key.name}
    assert known == {**_URI_NAMES, "sink.content-compatible": "only-output-updated-columns"}


@pytest.mark.parametrize(("uri", "file"), sorted(FILE_KEYS.items()))
def test_a_key_of_the_file_is_its_parameter(send: Sender, uri: str, file: str) -> None:
    """A key of the file does what its parameter does, below it, but for a zero and a false."""
    protocol = "avro" if uri in TRIALS["avro"] else "open"
    trial = _trial(protocol, uri)
    (value, *_) = values_of(ROWS[protocol, uri], trial)
    base, default = trial.base, ROWS[protocol, uri].default
    other = default if isinstance(value, str) else json.loads(default)
    there = send(protocol, trial, {**base, uri: value})
    assert send(protocol, trial, {**base, file: value}) == there
    assert send(protocol, trial, {**base, uri: value, file: other}) == there
    if value is True:
        assert send(protocol, trial, {**base, uri: False, file: True}) == there
