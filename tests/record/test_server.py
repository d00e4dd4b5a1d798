"""How a server is named."""

from __future__ import annotations

import pytest

from harness.errors import SetupError, UsageError
from harness.record.server import Server, Upstream, quoted, upstream_from_url


@pytest.mark.parametrize(
    ("url", "upstream"),
    [
        ("mysql://me:pw@db.example:4000/", Upstream("db.example", 4000, "me", "pw")),
        ("mysql://me@127.0.0.1", Upstream("127.0.0.1", 3306, "me", "")),
        ("mysql://a%40b:p%2F%3A@[::1]:1/", Upstream("::1", 1, "a@b", "p/:")),
    ],
)
def test_urls_name_server_and_user(url: str, upstream: Upstream) -> None:
    """Default port, percent signs and IPv6 are understood; the password is never shown."""
    found = upstream_from_url(url)
    assert found == upstream
    assert not upstream.password or upstream.password not in str(found)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:3306",
        "postgres://me@h/",
        "mysql://h/",
        "mysql://me@/",
        "mysql://me@h:port/",
        "mysql://me@h:99999/",
        "mysql://me@h/shop",
        "mysql://me@h/?ssl=1",
        "mysql://[me@h",
    ],
)
def test_other_urls_are_refused(url: str) -> None:
    """Each says what a URL looks like."""
    with pytest.raises(UsageError, match="--upstream") as caught:
        upstream_from_url(url)
    assert "mysql://user:password@host:port/" in str(caught.value)


def test_names_are_quoted() -> None:
    """A back quote inside a name cannot end it."""
    assert quoted("a`b") == "`a``b`"


@pytest.mark.services
def test_a_server_that_cannot_be_used_is_named(upstream: Upstream) -> None:
    """A wrong password and a closed port: the address is shown, the password is not."""
    for wrong in (
        Upstream(upstream.host, upstream.port, upstream.user, "not-the-password"),
        Upstream(upstream.host, 1, upstream.user, "not-the-password"),
    ):
        with pytest.raises(
            SetupError, match="cannot use the database server mysql://harness@"
        ) as caught:
            Server(wrong)
        assert "not-the-password" not in str(caught.value)
