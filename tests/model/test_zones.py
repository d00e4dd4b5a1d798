"""TIMESTAMPs by the clocks of zones."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdc_spark.wire.zones import in_utc
from harness.model.zones import from_utc, named_zone, repeated, to_utc
from harness.protocols.ticdc import ZONES

NAMES = ("Asia/Kolkata", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "UTC")
FIRST, LAST = map(datetime.fromisoformat, ("1970-01-01T00:00:01", "2038-01-19T03:14:07"))
MOMENTS = st.datetimes(FIRST, LAST).map(str)


@given(st.sampled_from(NAMES), MOMENTS)
def test_a_moment_comes_back_unless_the_clock_shows_it_twice(name: str, moment: str) -> None:
    """What a clock shows says which moment it was, but for the hours that are repeated."""
    zone = named_zone(name)
    shown = from_utc(zone)(moment)
    again = zone is not None and repeated(moment, zone)
    assert to_utc(zone)(shown) == moment or again
    assert (in_utc(name) or str)(shown) == to_utc(zone)(shown)


@pytest.mark.parametrize("moment", ["2024-10-27 00:30:00", "2024-10-27 01:30:00.5"])
def test_both_moments_of_a_repeated_hour_are_known(moment: str) -> None:
    """In Berlin 00:30 and 01:30 of UTC both were 02:30 when summer time ended in 2024."""
    zone = named_zone("Europe/Berlin")
    assert zone is not None
    assert from_utc(zone)(moment).startswith("2024-10-27 02:30:00")
    assert repeated(moment, zone)
    assert not repeated("2024-03-31 01:30:00", zone)  # an hour is skipped there, none is repeated


@pytest.mark.parametrize("text", ["0000-00-00 00:00:00", "2024-00-10 00:00:00", ""])
def test_what_is_no_moment_stays(text: str) -> None:
    """A date of zeros is the same in every zone."""
    zone = named_zone("Asia/Kolkata")
    assert from_utc(zone)(text) == to_utc(zone)(text) == text
    assert (in_utc("Asia/Kolkata") or str)(text) == text


@pytest.mark.parametrize("settings", ZONES, ids=str)
def test_zones_that_are_drawn_repeat_nothing(settings: dict[str, str]) -> None:
    """No day of a TIMESTAMP's range has a moment that such a clock shows twice."""
    zone = named_zone(settings["tz"])
    assert zone is not None
    days = (LAST - FIRST).days
    offsets = [
        (FIRST + timedelta(days=number)).replace(tzinfo=zone).utcoffset() or timedelta()
        for number in range(days)
    ]
    assert all(before <= after for before, after in pairwise(offsets))
