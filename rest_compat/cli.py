"""Commands: stoa serve · worker · migrate · bootstrap · repair-access · token · mcp · audit · rotate-keys, and others.

Each command imports what it uses when it is called, so that none waits for what only another one needs.
"""

import asyncio
import contextlib
import functools
import gc
import logging
import os
import signal
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

if TYPE_CHECKING:
    from rest_compat.settings import Settings


@contextlib.contextmanager
def _loading() -> Iterator[None]:
    """Import without the collector: what modules make stays, so that a walk through it finds nothing to give back."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _settings(**given: Any) -> "Settings":
    """The settings of the environment, with what the command line names over them. Exits with a clear sentence.

    A variable that is one or two letters away from a setting ends the command: it would otherwise run on another
    store, or open a door, that nobody meant. Other strangers are only named, since some belong to other programs.
    """
    with _loading():
        from rest_compat.settings import settings_of, strangers

    for name, near in strangers(os.environ).items():
        if near is not None:
            raise click.ClickException(f"{name} is no setting. Did you mean {near}? Rename it, or unset it.")
        click.echo(f"Warning: {name} is no setting and does nothing. `stoa serve --help` lists them.", err=True)
    try:
        return settings_of({name: value for name, value in given.items() if value is not None})
    except ValueError as error:
        raise click.ClickException("The settings are not valid.\n  " + str(error).replace("\n", "\n  ")) from None


def _settings_help() -> str:
    with _loading():
        from rest_compat.settings import setting_lines

    lines = ["Settings (environment variables):", ""]
    for line in setting_lines():
        lines.append(f"  {line.variable}" + (f"  [{line.default}]" if line.default else ""))
        lines.append(f"      {line.description}")
    return "\n".join(lines)


class _WithSettings(click.Command):
    """A command whose help ends with every setting."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the settings."""
        formatter.write("\n" + _settings_help() + "\n")


def _quietly(settings: "Settings") -> None:
    """Leave a short command's failure to its own sentence; the log speaks where STOA_LOG_LEVEL is DEBUG."""
    if settings.log_level != "DEBUG":
        logging.getLogger().addHandler(logging.NullHandler())  # otherwise Python prints warnings, tracebacks and all
        return
    from rest_compat.logs import set_up_logs

    set_up_logs(settings.log_format, settings.log_level)


_ELSEWHERE = "Settings are environment variables; `stoa serve --help` lists them."

_data = click.option("--data", type=click.Path(path_type=Path), help="Data folder (STOA_DATA).")


@click.group()
@click.version_option(package_name="stoa-platform")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Stoa: a governed catalog of your databases, as one GraphQL graph and a documented REST contract."""
    if ctx.invoked_subcommand != "snapshot":  # it writes sources, which others may read
        # For this command alone: the process may be a caller's that goes on.
        ctx.call_on_close(functools.partial(os.umask, os.umask(0o077)))


@main.command(cls=_WithSettings)
@click.option("--host", help="Address to listen on (STOA_HOST).")
@click.option("--port", type=int, help="Port to listen on; 0 takes a free one (STOA_PORT).")
@_data
@click.option(
    "--service", help="Serve one service alone: governance, assets, utils, talk2data, data-readiness or search."
)
@click.option("--processes", type=int, help="Processes that serve, on PostgreSQL (STOA_PROCESSES).")
@click.option("--user", help="Print a link that signs this user in to the console, for a day; needs --org.")
@click.option("--org", help="The organization of --user.")
def serve(
    host: str | None,
    port: int | None,
    data: Path | None,
    service: str | None,
    processes: int | None,
    user: str | None,
    org: str | None,
) -> None:
    """Serve the API. Needs nothing but this package; everything else is a setting."""
    if (user is None) != (org is None):
        raise click.ClickException("--user and --org belong together: whom does the link sign in, and where?")
    settings = _settings(host=host, port=port, data=data, processes=processes)
    on_ready = None
    if user is not None and org is not None:
        token = _development_token(settings, user, org, ttl=timedelta(days=1))
        on_ready = functools.partial(_show_link, user, token)
    with _loading():
        from rest_compat.processes import run_processes
        from rest_compat.server import run_server
    with _clear_failures():
        if settings.processes > 1:
            if on_ready is not None:
                on_ready(f"http://{settings.host}:{settings.port}")
            sys.exit(run_processes(settings, service=service))
        sys.exit(run_server(settings, service=service, on_ready=on_ready))


def _show_link(user: str, token: str, address: str) -> None:
    """Print the link that signs a user in; the part behind the # never reaches a server."""
    click.echo(f"This link signs {user} in: {address}/#token={token}")


@main.command(cls=_WithSettings)
@_data
def worker(data: Path | None) -> None:
    """Run jobs, without serving the API. On PostgreSQL, as many of these as you like share the work."""
    with _loading():
        from rest_compat.app import Parts
        from rest_compat.logs import set_up_logs

    settings = _settings(data=data)
    set_up_logs(settings.log_format, settings.log_level)

    async def run() -> None:
        parts = Parts(settings, apart=True)
        await parts.open(executes=True)
        click.echo("The worker is ready.", err=True)
        stop = asyncio.Event()
        for name in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(name, stop.set)
        await stop.wait()
        await parts.close()

    with _clear_failures():
        asyncio.run(run())


@main.command(epilog=_ELSEWHERE)
@_data
@click.option("--down", is_flag=True, help="Take the store back to nothing instead. What it holds is lost.")
def migrate(data: Path | None, down: bool) -> None:
    """Bring the store's tables up to date."""
    with _loading():
        from persistence.migrations.run import downgrade, upgrade

    settings = _settings(data=data)
    _quietly(settings)
    with _clear_failures():
        (downgrade if down else upgrade)(settings.resolved_database_url)
    click.echo("The store is empty now." if down else "The store is up to date.")


@main.command(epilog=_ELSEWHERE)
@click.option("--org", required=True, help="Id of the organization.")
@click.option("--owner", required=True, help="User id (the token's sub) of its owner.")
@click.option("--name", help="Its display name; the id when left out.")
@_data
def bootstrap(org: str, owner: str, name: str | None, data: Path | None) -> None:
    """Create an organization with its owner and its group mapping. Running it again changes nothing."""
    from schema.identifiers import ORGANIZATION_ID

    if not ORGANIZATION_ID.fullmatch(org):
        raise click.ClickException("--org must be letters, digits, dots, hyphens and underscores, at most 64.")
    from auth.caller import is_reserved

    if not owner.strip() or is_reserved(owner):
        raise click.ClickException("--owner must be a user id; those that start with `stoa:` are the platform's own.")
    with _loading():
        from rest_compat.setup import bootstrap_organization

    settings = _settings(data=data)
    _quietly(settings)

    def warn(sentence: str) -> None:
        click.echo(f"Warning: {sentence}", err=True)

    with _clear_failures():
        created = asyncio.run(bootstrap_organization(settings, org, owner, name or org, warn=warn))
    click.echo(f"Organization {org} {'was created' if created else 'stands'}; {owner} is its owner.")


@main.command("repair-access", epilog=_ELSEWHERE)
@click.option("--org", help="Id of the organization; every one when left out.")
@_data
def repair_access(org: str | None, data: Path | None) -> None:
    """Give back to its organization what nobody can reach any more. Running it again changes nothing.

    An organization that is left without an owner gets one by `stoa bootstrap`.
    """
    with _loading():
        from rest_compat.setup import repair_organizations

    settings = _settings(data=data)
    _quietly(settings)
    with _clear_failures():
        for organization, repaired in asyncio.run(repair_organizations(settings, org)):
            for item in repaired:
                click.echo(f"{item.resource_type} {item.resource_id}: {item.holder} is its {item.relation} again")
            click.echo(f"Organization {organization}: {len(repaired) or 'nothing'} to repair.")


@main.command(epilog=_ELSEWHERE)
@click.option("--user", required=True, help="User id; becomes the token's sub.")
@click.option("--org", required=True, help="Organization id; becomes org_id.")
@click.option("--project", help="Project id; becomes project_id.")
@click.option("--group", "groups", multiple=True, help="A group of the user; give it again for more.")
@click.option("--ttl", type=click.IntRange(1, 86_400), default=3600, show_default=True, help="Life in seconds.")
@click.option("--scope", help="What the token is for; with stoa:read alone it only reads.")
@_data
def token(
    user: str, org: str, project: str | None, groups: tuple[str, ...], ttl: int, scope: str | None, data: Path | None
) -> None:
    """Print a token of the development issuer, and nothing else."""
    about = {"project": project, "groups": groups, "ttl": timedelta(seconds=ttl), "scope": scope}
    click.echo(_development_token(_settings(data=data), user, org, **about))


def _development_token(settings: "Settings", user: str, org: str, **about: Any) -> str:
    """A token of the development issuer. Exits with a sentence where another issuer's tokens count."""
    from auth.caller import is_reserved
    from auth.issuer import DevelopmentIssuer

    if is_reserved(user):
        raise click.ClickException("--user must not start with `stoa:`: those users are the platform's own.")
    if settings.issuer is not None:
        raise click.ClickException("STOA_ISSUER is set: ask that provider for tokens. Unset it to issue your own.")
    with _clear_failures():
        return DevelopmentIssuer(settings.data).issue(user, org, **about)


_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@main.command(epilog=_ELSEWHERE)
@click.option("--url", default="http://127.0.0.1:8000", show_default=True, help="The server.")
@click.option("--read", is_flag=True, help="Open only what reads.")
@click.option("--project", help="Project to work in, unless a call names one.")
@click.option(
    "--token-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="File with the access token."
)
@click.option("--user", help="User id, for a token of the development issuer instead; the server is on this machine.")
@click.option("--org", help="Organization id, for the same.")
@_data
def mcp(
    url: str,
    read: bool,
    project: str | None,
    token_file: Path | None,
    user: str | None,
    org: str | None,
    data: Path | None,
) -> None:
    """Carry an agent's messages (Model Context Protocol) between its pipes and a server that runs."""
    from urllib.parse import urlsplit

    with _loading():
        from auth.issuer import DevelopmentIssuer
        from rest_compat.mcp.stdio import over_pipes

    if token_file is not None:

        def token() -> str:
            return token_file.read_text().strip()  # anew for each message: tokens run out and are renewed

    elif user and org:
        if urlsplit(url).hostname not in _LOOPBACK:
            raise click.ClickException("A token of the development issuer is sent to this machine alone: --token-file.")
        settings = _settings(data=data)
        if settings.issuer is not None:
            raise click.ClickException("STOA_ISSUER is set: give a token of that provider by --token-file.")
        issuer = DevelopmentIssuer(settings.data)

        def token() -> str:
            return issuer.issue(user, org, project=project, groups=(), ttl=timedelta(minutes=5))

    else:
        raise click.ClickException("Name who calls: --token-file, or --user and --org for a development token.")
    with _clear_failures():
        asyncio.run(over_pipes(f"{url.rstrip('/')}/mcp{'/read' if read else ''}", token, project))


@main.group(epilog=_ELSEWHERE)
def audit() -> None:
    """Show whether an organization's audit log is whole, or write it to a file."""


@audit.command("verify", epilog=_ELSEWHERE)
@click.option("--org", help="Id of the organization; every one when left out.")
@click.option("--known", help="An end that was noted earlier, SEQUENCE:HASH, which must still be in the log of --org.")
@_data
def audit_verify(org: str | None, known: str | None, data: Path | None) -> None:
    """Walk through the chain of entries. Exits with status 1 where one was changed or is missing.

    Note the end that it prints somewhere else: given as --known later, it shows that nothing was cut off since.
    """
    if known is not None and org is None:
        raise click.ClickException("--known belongs to the log of one organization: name it with --org.")
    with _loading():
        from rest_compat.audit_commands import verify_logs

    settings = _settings(data=data)
    _quietly(settings)
    with _clear_failures():
        found = asyncio.run(verify_logs(settings, org, known))
    for one in found:
        if one.broken is None:
            click.echo(f"{one.organization_id}: whole, {one.entries} entries, end {one.entries}:{one.last_hash}")
        else:
            click.echo(f"{one.organization_id}: BROKEN: {one.broken}; {one.entries} entries before it are whole")
    if not found:
        click.echo("No organization has an audit log yet.")
    if any(one.broken is not None for one in found):
        sys.exit(1)


_moment = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"])


@audit.command("export", epilog=_ELSEWHERE)
@click.option("--org", required=True, help="Id of the organization.")
@click.option("--since", type=_moment, help="Only entries of this moment or later, in UTC.")
@click.option("--until", type=_moment, help="Only entries before this moment, in UTC.")
@click.option("--user", help="Only what this user called.")
@click.option("--operation", help="Only calls of this operation, such as grant_permission.")
@click.option("--outcome", type=click.Choice(["allowed", "refused"]), help="Only what was allowed, or refused.")
@click.option("--format", "kind", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True)
@click.option("--output", type=click.File("w", encoding="utf-8", atomic=True), default="-", help="File to write.")
@_data
def audit_export(
    org: str,
    since: datetime | None,
    until: datetime | None,
    user: str | None,
    operation: str | None,
    outcome: str | None,
    kind: str,
    output: TextIO,
    data: Path | None,
) -> None:
    """Write the log of an organization, the oldest entry first."""
    with _loading():
        from rest_compat.audit_commands import exported_lines

    settings = _settings(data=data)
    _quietly(settings)
    lines = exported_lines(
        settings,
        org,
        as_csv=kind == "csv",
        since=since and since.replace(tzinfo=UTC),
        until=until and until.replace(tzinfo=UTC),
        user_id=user,
        operation=operation,
        outcome=outcome,
    )

    async def write() -> None:
        async for line in lines:
            output.write(line)

    with _clear_failures():
        asyncio.run(write())


@main.command("rotate-keys", epilog=_ELSEWHERE)
@click.option("--drop-old", is_flag=True, help="Forget the former keys once nothing is sealed with them.")
@_data
def rotate_keys(drop_old: bool, data: Path | None) -> None:
    """Seal every stored secret with a new key. It can be stopped and run again at any time.

    With STOA_SECRET_KEYS, put a new id:key pair first in it, restart every process, then run this.
    """
    with _loading():
        from rest_compat.setup import rotate_secrets

    settings = _settings(data=data)
    _quietly(settings)
    with _clear_failures():
        sealed, dropped = asyncio.run(rotate_secrets(settings, drop_old=drop_old))
    click.echo(f"Sealed {sealed} secrets with the active key; dropped {dropped} former keys.")
    if settings.secret_keys is not None:
        click.echo("Only the first key of STOA_SECRET_KEYS is in use now: the others may be taken out of it.")


@main.command()
@click.option("--check", is_flag=True, help="Write nothing; exit with status 1 when something is out of date.")
def snapshot(check: bool) -> None:
    """Rewrite schema.graphql, the OpenAPI documents, and the pages of docs/ that are made from code."""
    with _loading():
        from rest_compat.setup import snapshots

    stale = []
    for path, content in snapshots():
        if not path.exists() or path.read_text() != content:
            stale.append(path)
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)
    for path in stale:
        click.echo(f"{'out of date' if check else 'wrote'}: {path.name}")
    if check and stale:
        sys.exit(1)
    if not stale:
        click.echo("Every snapshot is current.")


@main.command()
@click.option(
    "--source", help="Address of your own database: postgresql://user:password@host/name, mysql://…, or a folder."
)
@click.option("--no-serve", is_flag=True, help="End after the searches instead of serving.")
@click.option("--port", type=int, default=8000, show_default=True, help="Port to serve on; 0 takes a free one.")
@click.option("--data", type=click.Path(path_type=Path), help="Data folder; a new temporary one when left out.")
def demo(source: str | None, no_serve: bool, port: int, data: Path | None) -> None:
    """Connect real data, ingest it into the catalog, search it, and serve it."""
    with _loading():
        from rest_compat.demo import run_demo

    with _clear_failures():
        sys.exit(run_demo(source=source, serve=not no_serve, port=port, data=data))


@contextlib.contextmanager
def _clear_failures() -> Iterator[None]:
    """Show a failure that is meant to be read as a sentence, without a traceback."""
    try:
        yield
    except Exception as error:
        from rest_compat.errors import is_clear, sentence

        if not is_clear(error):
            raise
        raise click.ClickException(sentence(error)) from error
