"""Profiling: one unit measures one table; when all are measured, further units look for the keys between them.

A unit only reads. What it found is written in the transaction that closes it, under an id made of the run and the
table, so that a run measures each table once however often a unit is begun.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Final

from persistence.jobs.port import JobError
from persistence.queries.profiles import profile_id
from persistence.queries.source_facts import read_facts, table_names
from persistence.store import UnitOfWork
from resolvers.data_readiness.report_building import REPORT
from resolvers.data_readiness.runs.executor import RunUnit, RunWork, Write
from resolvers.data_readiness.runs.parameters import parameters_of
from resolvers.data_readiness.runs.reading import (
    MOST_TABLES,
    facts_of,
    gone,
    require_columns,
    tables_of,
    use_source,
    use_table,
)
from resolvers.data_readiness.runs.recognizing import quoted_values, some_rows, suggested, write_suggested
from resolvers.data_readiness.runs.sampling import sample_size
from resolvers.engines.profiling import SAMPLE_ROWS, Header, NoStatistics, profile_table
from resolvers.engines.profiling.references import ProfiledTable, foreign_keys
from schema.data_readiness.profile import ForeignKeyCandidate, ProfileTier, TableProfile
from schema.data_readiness.source import Sample, Source
from schema.identifiers import Fqn

TABLES_PER_UNIT: Final = 20
"""Tables whose foreign keys one unit looks for."""

MOST_TARGETS: Final = 1_000
"""Tables of a connection that keys are looked for in; those of the same schema come first."""

EVERY_SECONDS: Final = 0.5
"""How often a unit shows how far it is."""

MOST_ROWS: Final = 1_000_000
"""Rows of a sample that a run can ask for and get."""


class Profiling(RunWork):
    """One run of profiling."""

    when_failed = "; the other tables are profiled"
    reporter = REPORT

    async def units(self) -> Sequence[RunUnit]:
        """One unit per table, then the keys between the tables. Raises JobError when there is no table."""
        tables = await tables_of(self)
        measured = [RunUnit(fqn, {"step": "measure", "tables": [fqn], "resource_uri": uri}) for fqn, uri in tables]
        if self._tier is ProfileTier.STATISTICS:
            return measured
        related: list[RunUnit] = []
        for uri in sorted({uri for _, uri in tables}):
            names = [fqn for fqn, of in tables if of == uri]
            for start in range(0, len(names), TABLES_PER_UNIT):
                some = names[start : start + TABLES_PER_UNIT]
                label = f"Keys between tables: {some[0]}" + (f" and {len(some) - 1} more" if len(some) > 1 else "")
                related.append(RunUnit(label, {"step": "relate", "tables": some, "resource_uri": uri}, 1, follows=True))
        return [*measured, *related]

    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Measure a table, or look for the foreign keys of some."""
        return await (self._measure(arguments) if arguments["step"] == "measure" else self._relate(arguments))

    @property
    def _tier(self) -> ProfileTier:
        return parameters_of(self.run).tier or ProfileTier.SAMPLE

    async def _measure(self, arguments: Mapping[str, Any]) -> Write:
        [fqn] = arguments["tables"]
        found = await facts_of(self.ctx, [fqn])
        if not found:
            raise gone(fqn)
        [facts] = found
        header = Header(profile_id(self.scope, self.run.id, fqn), self.run.id, self.ctx.now())
        began = time.monotonic()

        def read(source: Source) -> tuple[TableProfile, Sample]:
            rows = SAMPLE_ROWS
            if self._tier is ProfileTier.STATISTICS:  # which reads nothing, so nothing is counted for it
                of_table = profile_table(source, facts, header, tier=self._tier, rows=rows, progress=told)
                return of_table, quoted_values(of_table)
            rows = sample_size(self.run, source, facts, usual=SAMPLE_ROWS, most=MOST_ROWS)
            of_table = profile_table(source, facts, header, tier=self._tier, rows=rows, progress=told)
            return of_table, some_rows(source, facts, rows) if facts.columns else Sample((), (), True)

        with _Teller(lambda done, of: self.progress(arguments, done, of)) as told:
            try:
                profile, sample = await use_table(self.ctx, facts, read)
            except NoStatistics as error:
                raise JobError(str(error)) from None
            await told.settled()
        await require_columns(self.ctx, facts, profile)
        # In the transaction that shows the profile, so that no value is ever shown before it was recognised.
        tags, prints = await asyncio.to_thread(suggested, facts, sample, self.ctx.now())
        seconds = round(time.monotonic() - began, 3)

        def write(uow: UnitOfWork) -> dict[str, int]:
            # The moment of writing, and not one before: what was the latest at a time must stay it.
            done = profile.model_copy(update={"measured_at": self.ctx.now(), "duration_seconds": seconds})
            uow.table_profiles.record(self.scope, [done])
            write_suggested(uow, self.scope, facts, tags, prints, run_id=self.run.id, now=self.ctx.now())
            return {"tables": 1, "columns": len(done.columns), "rows": done.row_count}

        return write

    async def _relate(self, arguments: Mapping[str, Any]) -> Write:
        uri, fqns = arguments["resource_uri"], list(arguments["tables"])
        tables = await self.ctx.store.read(lambda uow: self._known(uow, uri, fqns))
        mine = [one for one in tables if one.facts.fqn in fqns and one.profile is not None]
        unread: set[str] = set()

        def read(source: Source) -> dict[str, list[ForeignKeyCandidate]]:
            return {
                one.facts.fqn: foreign_keys(source, one, [other for other in tables if other is not one], unread)
                for one in mine
            }

        found = await use_source(self.ctx, uri, read) if mine else {}

        def write(uow: UnitOfWork) -> dict[str, int]:
            for fqn, keys in found.items():
                uow.table_profiles.set_foreign_keys(self.scope, profile_id(self.scope, self.run.id, fqn), keys)
            told = {"foreign_keys": sum(len(keys) for keys in found.values())}
            return told | ({"tables_unread": len(unread)} if unread else {})

        return write

    def _known(self, uow: UnitOfWork, uri: str, fqns: Sequence[str]) -> list[ProfiledTable]:
        """Some tables as the run has measured them, and what is known of the other tables of their connection."""
        near = {Fqn.parse(fqn).parts[:3] for fqn in fqns}
        service = Fqn.parse(fqns[0]).parts[0]
        others = [
            fqn
            for fqn, of in table_names(uow.connection, self.scope, [service], MOST_TABLES)
            if of == uri and fqn not in fqns and len(Fqn.parse(fqn).parts) == 4
        ]
        others.sort(key=lambda fqn: (Fqn.parse(fqn).parts[:3] not in near, fqn))
        others = others[:MOST_TARGETS]
        measured = uow.table_profiles.latest(self.scope, fqns, run_id=self.run.id)
        keys = uow.table_profiles.keys_of(self.scope, others)
        known = read_facts(uow.connection, self.scope, [*fqns, *others])
        return [
            ProfiledTable(facts, measured.get(facts.fqn) or keys.get(facts.fqn)) for facts in known if facts.columns
        ]


class _Teller:
    """Carries how far a unit is from the thread that reads to the store, now and then, one message at a time."""

    def __init__(self, tell: Callable[[int, int | None], Coroutine[Any, Any, None]]) -> None:
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._sent: Future[None] | None = None
        self._latest: tuple[int, int | None] | None = None
        self._at = 0.0
        self._open = True

    def __enter__(self) -> "_Teller":
        return self

    def __exit__(self, *_: object) -> None:
        self._open = False

    def __call__(self, done: int, total: int | None) -> None:
        """Tell it, unless something was told just now; called from the thread."""
        self._latest = (done, total)
        now = time.monotonic()
        if self._open and now - self._at >= EVERY_SECONDS and (self._sent is None or self._sent.done()):
            self._at, self._latest = now, None
            self._sent = asyncio.run_coroutine_threadsafe(self._tell(done, total), self._loop)

    async def settled(self) -> None:
        """Wait for what was told, and tell what came last."""
        self._open = False
        if self._sent is not None:
            await asyncio.wrap_future(self._sent)
        if self._latest is not None:
            await self._tell(*self._latest)
