"""Each way in which a database cannot be used has its own kind and sentence, and none of them tells the password."""

import io
import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlglot import parse_one

from persistence.connectors.core.base import Connector, ConnectorError
from tests.persistence.connectors.sql_support import (
    SENTINEL,
    Refusing,
    Unknown,
    listening,
    opened,
    self_signed,
)
from tests.support.mariadb import MariadbServer, NoMariadb, running_mariadb
from tests.support.needs import missing
from tests.support.postgres import NoPostgres, PostgresServer, free_port, running_postgres

TRUSTED_NAME = "db.example"
PAIR = self_signed(TRUSTED_NAME)
OTHER_PAIR = self_signed("another.example")
Opener = Callable[..., Connector]


@pytest.fixture(scope="module", autouse=True)
def everything_logged() -> Iterator[io.StringIO]:
    """All that any logger says during these tests, at its most talkative."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield written
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture(params=["postgres", "mysql", "redshift"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def tls_postgres() -> Iterator[PostgresServer]:
    try:
        with running_postgres(certificate=PAIR) as server:
            yield server
    except NoPostgres as error:
        missing(
            f"PostgreSQL with TLS ({error})",
            "install Debian's postgresql, or put an initdb on PATH whose postgres was built with OpenSSL",
        )


@pytest.fixture(scope="module")
def tls_mariadb() -> Iterator[MariadbServer]:
    try:
        with running_mariadb(certificate=PAIR) as server:
            yield server
    except NoMariadb as error:
        missing(f"MariaDB ({error})", "run .ci/install-mariadb")


@pytest.fixture
def server(kind: str, request: pytest.FixtureRequest) -> Any:
    """A server without TLS."""
    return request.getfixturevalue("mariadb_server" if kind == "mysql" else "postgres_server")


@pytest.fixture
def tls_server(kind: str, request: pytest.FixtureRequest) -> Any:
    """A server with a certificate for TRUSTED_NAME that it signed itself."""
    return request.getfixturevalue("tls_mariadb" if kind == "mysql" else "tls_postgres")


def database_of(kind: str) -> str | None:
    return None if kind == "mysql" else "postgres"


def failure(
    kind: str,
    *,
    port: int = 5,
    user: str = "nobody-here",
    password: str = SENTINEL,
    outbound: Any = None,
    connect_timeout: float = 5,
    logged: io.StringIO,
    **config: Any,
) -> ConnectorError:
    """Verify, expect it to fail, and look for the password in all that can be read afterwards."""
    whole = {"host": TRUSTED_NAME, "port": port, "database": database_of(kind)} | config
    source = opened(
        kind, whole, {"username": user, "password": password}, outbound=outbound, connect_timeout=connect_timeout
    )
    with source, pytest.raises(ConnectorError) as raised:
        source.verify()
    error = raised.value
    if outbound is None:  # a policy's refusal may hang on: it is safe by definition
        assert error.__cause__ is None
        assert error.__context__ is None
    told = [
        str(error),
        repr(error),
        error.reason,
        repr(source),
        "".join(traceback.format_exception(error)),
        logged.getvalue(),
    ]
    logging.getLogger("stoa").error("verification failed", exc_info=error)
    told.append(logged.getvalue())
    assert not any(SENTINEL in text or "S3ntinel" in text for text in told)
    assert error.reason.endswith((".", ")", "'"))
    return error


def test_a_wrong_password_is_an_authentication_failure_that_names_the_user(
    kind: str, server: Any, everything_logged: io.StringIO
) -> None:
    error = failure(kind, port=server.port, user=server.user, logged=everything_logged)
    assert error.kind == "authentication"
    assert server.user in error.reason


def test_an_unknown_user_is_an_authentication_failure(kind: str, server: Any, everything_logged: io.StringIO) -> None:
    assert failure(kind, port=server.port, logged=everything_logged).kind == "authentication"


def test_a_missing_password_is_an_authentication_failure(
    kind: str, server: Any, everything_logged: io.StringIO
) -> None:
    error = failure(kind, port=server.port, user=server.user, password="", logged=everything_logged)
    assert error.kind == "authentication"


def test_an_unknown_database_is_named(kind: str, server: Any, everything_logged: io.StringIO) -> None:
    login = {"user": server.user, "password": server.password}
    error = failure(kind, port=server.port, database="no_such_db", logged=everything_logged, **login)
    assert error.kind == "not_found"
    assert "no_such_db" in error.reason
    assert server.password not in str(error)


def test_a_database_that_the_user_may_not_use_is_a_permission_failure(
    kind: str, server: Any, everything_logged: io.StringIO
) -> None:
    if kind == "mysql":
        name = server.create_database()
        server.execute(
            "create user if not exists 'guest'@'%' identified by 'guest-password'",
        )
        error = failure(
            kind, port=server.port, user="guest", password="guest-password", database=name, logged=everything_logged
        )
        server.drop_database(name)
    else:
        url = server.create_database()
        name = url.rsplit("/", 1)[1]
        server.execute(f"revoke connect on database {name} from public")
        server.execute(f"create role guest_{name} login password 'guest-password'")
        error = failure(
            kind,
            port=server.port,
            user=f"guest_{name}",
            password="guest-password",
            database=name,
            logged=everything_logged,
        )
        server.execute(f"drop role guest_{name}")
        server.drop_database(url)
    assert error.kind == "permission"
    assert name in error.reason


def test_a_port_where_nothing_listens_is_unreachable(kind: str, everything_logged: io.StringIO) -> None:
    port = free_port()
    error = failure(kind, port=port, logged=everything_logged)
    assert error.kind == "unreachable"
    assert str(port) in error.reason


def test_an_unknown_host_name_is_unreachable(kind: str, everything_logged: io.StringIO) -> None:
    error = failure(kind, outbound=Unknown(), logged=everything_logged)
    assert error.kind == "unreachable"
    assert TRUSTED_NAME in error.reason


def test_a_refused_address_passes_on_the_policys_sentence(kind: str, everything_logged: io.StringIO) -> None:
    error = failure(kind, outbound=Refusing(), logged=everything_logged)
    assert error.kind == "refused_address"
    assert "private address" in error.reason


@pytest.mark.parametrize("host", ["/var/run/postgresql", "/tmp"])
def test_a_socket_is_refused_by_a_policy_that_does_not_allow_it(host: str, everything_logged: io.StringIO) -> None:
    error = failure("postgres", host=host, outbound=Refusing(), logged=everything_logged)
    assert error.kind == "refused_address"


def test_tls_that_the_server_does_not_offer_is_a_tls_failure(
    kind: str, server: Any, everything_logged: io.StringIO
) -> None:
    login = {"user": server.user, "password": SENTINEL}
    error = failure(kind, port=server.port, ssl_mode="require", logged=everything_logged, **login)
    assert error.kind == "tls"
    assert "does not offer TLS" in error.reason


@pytest.mark.parametrize("ssl_mode", ["verify-ca", "verify-full"])
def test_a_certificate_that_nobody_trusted_signed_is_a_tls_failure(
    kind: str, tls_server: Any, ssl_mode: str, everything_logged: io.StringIO
) -> None:
    error = failure(kind, port=tls_server.port, ssl_mode=ssl_mode, logged=everything_logged)
    assert error.kind == "tls"
    assert "options.ssl_ca" in error.reason


def test_a_certificate_for_another_name_is_a_tls_failure(
    kind: str, tls_server: Any, everything_logged: io.StringIO
) -> None:
    options = {"ssl_ca": PAIR[0].decode()}
    settings = {"port": tls_server.port, "ssl_mode": "verify-full", "options": options}
    assert failure(kind, host="evil.example", logged=everything_logged, **settings).kind == "tls"


def test_a_wrong_authority_is_a_tls_failure(kind: str, tls_server: Any, everything_logged: io.StringIO) -> None:
    options = {"ssl_ca": OTHER_PAIR[0].decode()}
    error = failure(kind, port=tls_server.port, ssl_mode="verify-ca", options=options, logged=everything_logged)
    assert error.kind == "tls"


def test_an_authority_that_is_no_certificate_is_a_config_failure(kind: str, everything_logged: io.StringIO) -> None:
    error = failure(kind, ssl_mode="verify-full", options={"ssl_ca": "nonsense"}, logged=everything_logged)
    assert error.kind == "bad_config"


@pytest.mark.parametrize(
    ("ssl_mode", "host", "trust"),
    [("require", "other.example", False), ("verify-ca", "other.example", True), ("verify-full", TRUSTED_NAME, True)],
)
def test_each_tls_mode_connects_when_its_conditions_hold(
    kind: str, tls_server: Any, ssl_mode: str, host: str, trust: bool
) -> None:
    config = {
        "host": host,
        "port": tls_server.port,
        "database": database_of(kind),
        "ssl_mode": ssl_mode,
        "options": {"ssl_ca": PAIR[0].decode()} if trust else {},
    }
    with opened(kind, config, {"username": tls_server.user, "password": tls_server.password}) as source:
        if kind != "redshift":  # a PostgreSQL has none of the views that Redshift's verification asks for
            assert source.verify().message.startswith("Connected")
        question = (
            "show status like 'Ssl_cipher'"
            if kind == "mysql"
            else "select ssl from pg_stat_ssl where pid = pg_backend_pid()"
        )
        ((*_, answer),) = source._rows(question, {})  # type: ignore[attr-defined]
        assert answer


def test_whole_tables_are_read_over_tls_too(tls_postgres: PostgresServer) -> None:
    config = {"host": "other.example", "port": tls_postgres.port, "database": "postgres", "ssl_mode": "require"}
    login = {"username": tls_postgres.user, "password": tls_postgres.password}
    tls_postgres.execute("create table many as select n, repeat('ä', n % 50) as t from generate_series(1, 20000) n")
    query = parse_one('select n, t from "public"."many" order by n', dialect="postgres")
    with opened("postgres", config, login) as connector, connector.source() as source:
        rows = [row for batch in source.arrow_batches(query) or () for row in batch.to_pylist()]
    assert rows == [{"n": n, "t": "ä" * (n % 50)} for n in range(1, 20_001)]


def test_a_server_that_never_answers_is_a_timeout(kind: str, everything_logged: io.StringIO) -> None:
    with listening() as port:
        error = failure(kind, port=port, connect_timeout=0.5, logged=everything_logged)
    assert error.kind == "timeout"
    assert str(port) in error.reason


def test_a_server_that_drips_bytes_for_ever_is_a_timeout(kind: str, everything_logged: io.StringIO) -> None:
    # For MySQL: the header of a long packet, then one byte at a time, each within any time-out of its own.
    with listening(b"\xff\xff\x00\x00" if kind == "mysql" else b"", drip=0.1) as port:
        error = failure(kind, port=port, connect_timeout=1, logged=everything_logged)
    assert error.kind in ("timeout", "unreachable", "failed")
    if kind == "mysql":
        assert error.kind == "timeout"


@pytest.mark.parametrize("greeting", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"SSH-2.0-OpenSSH_9\r\n"])
def test_something_that_is_no_database_is_said_to_be_none(
    kind: str, greeting: bytes, everything_logged: io.StringIO
) -> None:
    with listening(greeting, hang_up=True) as port:
        error = failure(kind, port=port, logged=everything_logged)
    assert error.kind in ("unreachable", "failed")
    assert str(port) in error.reason


@pytest.mark.parametrize(
    ("missing_kind", "module", "credentials"),
    [("mysql", "pymysql", {"username": "u", "password": SENTINEL})],
)
def test_a_driver_that_is_not_installed_says_how_to_install_it(
    missing_kind: str, module: str, credentials: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    source = opened(missing_kind, {"host": "h"}, credentials)
    with pytest.raises(ConnectorError) as raised:
        source.verify()
    assert raised.value.kind == "missing_extra"
    assert f"pip install 'stoa-platform[{missing_kind}]'" in raised.value.reason
    assert SENTINEL not in "".join(traceback.format_exception(raised.value))


def test_a_server_may_not_talk_the_client_into_sending_the_password_in_the_clear(
    everything_logged: io.StringIO,
) -> None:
    greeting = b"\x0a5.7.1\x00\x01\x00\x00\x0012345678\x00\x0f\xa2\x21\x02\x00\x08\x00\x15" + b"\x00" * 10
    greeting += b"123456789012\x00mysql_clear_password\x00"
    switch = b"\xfemysql_clear_password\x00"
    frames = len(greeting).to_bytes(3, "little") + b"\x00" + greeting
    frames += len(switch).to_bytes(3, "little") + b"\x02" + switch
    with listening(frames) as port:
        error = failure("mysql", port=port, database=None, logged=everything_logged)
    assert error.kind == "tls"
    assert "in the clear" in error.reason
