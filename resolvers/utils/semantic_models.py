"""Operations on semantic models of other tools: take one in as memories, and write memories out as one."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from auth.rate_limit import CallKind
from persistence.queries.chat_knowledge import tables_of_connection
from persistence.queries.knowledge import content_hash
from persistence.queries.source_facts import read_facts
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.engines.documents import NotUnderstood, UnreadableDocument
from resolvers.engines.semantics.exporting import FAMILY, Writing, writing_of
from resolvers.engines.semantics.model import ModelMemory, Taken
from resolvers.engines.semantics.odcs_writing import write_semantic_contract
from resolvers.engines.semantics.ossie_writing import write_ossie
from resolvers.engines.semantics.reading import understood
from resolvers.operation import operation, require
from resolvers.utils.context_packs import PackId
from resolvers.utils.lineage_telling import dialect_of
from resolvers.utils.memories import added_memory
from resolvers.utils.memory_lifecycle import Action, as_shown, move
from resolvers.utils.metadata import Uri
from schema.data_readiness.source import TableFacts
from schema.errors import ValidationError
from schema.governance.permission import Permission
from schema.identifiers import Fqn
from schema.utils.memory import Memory, MemoryReplacement, MemorySourceInput, MemoryStatus
from schema.utils.semantic_model import (
    MOST_SHOWN,
    SemanticExportFormat,
    SemanticModelExported,
    SemanticModelImport,
    SemanticModelImported,
    SemanticNote,
)

MOST_TABLES: Final = 20_000
"""Tables of a connection whose names are looked at."""
MOST_NAMED: Final = 500
"""Tables of a connection that a file or a pack may speak of."""
MOST_OF_PACK: Final = 5000
"""Memories of a pack that are looked at."""


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.BULK)
async def import_semantic_model(ctx: Context, *, model: SemanticModelImport) -> SemanticModelImported:
    """Take a semantic model in as memories of a pack: measures (`kpi`), joins, and words (`glossary`).

    Tables and columns are found by their names in the catalog of one connection, whose metadata the caller reads. What
    was not understood, what the guard refuses and what the planner of questions could not use becomes no memory, and is
    told with the reason. A thing that a model told otherwise before is archived, unless somebody has changed it since.
    """
    uri, now = model.resource_uri, ctx.now()
    await require(ctx, Permission.CAN_READ_METADATA, "data_connection", uri)
    mentioned = model.text.casefold()

    def known(uow: UnitOfWork) -> tuple[list[TableFacts], str]:
        fqns = tables_of_connection(uow.connection, ctx.scope, uri, MOST_TABLES)
        wanted = _named_in(mentioned, fqns, "text")
        return read_facts(uow.connection, ctx.scope, wanted), dialect_of(uow, ctx.scope, uri)

    tables, dialect = await ctx.store.read(known)
    try:
        # A large file takes a while, in which no transaction waits.
        taken = await asyncio.to_thread(understood, model.text, model.format, tables, dialect)
    except UnreadableDocument as why:
        raise ValidationError(str(why), status=422, field="text") from None
    return await ctx.store.write(lambda uow: _Keeping(ctx, uow, model, taken, now).kept())


@operation(needs=Permission.CAN_READ)
async def export_semantic_model(
    ctx: Context, *, pack_id: PackId, resource_uri: Uri, format: SemanticExportFormat
) -> SemanticModelExported:
    """Write the active memories of a pack as a semantic model of one connection, whose metadata the caller reads.

    Apache Ossie takes measures, joins and words; a data contract of ODCS 3.1 has no words for measures. What the format
    cannot say is named in `dropped`.
    """
    await require(ctx, Permission.CAN_READ_METADATA, "data_connection", resource_uri)

    def read(uow: UnitOfWork) -> tuple[str, list[Memory], list[TableFacts]]:
        pack = uow.context_packs.get(ctx.scope, str(pack_id))
        memories = _of_pack(ctx, uow, pack.id, ctx.now(), "pack_id")
        fqns = tables_of_connection(uow.connection, ctx.scope, resource_uri, MOST_TABLES)
        said = "\n".join(f"{one.content} {one.asset_fqn}" for one in memories).casefold()
        wanted = _named_in(said, fqns, "pack_id")
        return pack.name, memories, read_facts(uow.connection, ctx.scope, wanted)

    def work(name: str, memories: list[Memory], tables: list[TableFacts]) -> tuple[str, int, Writing]:
        made = writing_of(sorted(memories, key=lambda one: (one.memory_type, one.name, one.id)), tables)
        if format is SemanticExportFormat.OSSIE:
            return (*write_ossie(made, name), made)
        return (*write_semantic_contract(made, str(pack_id), name), made)

    text, many, made = await asyncio.to_thread(work, *await ctx.store.read(read))
    return SemanticModelExported(format=format, text=text, memories=many, dropped=_notes(made.not_understood))


def _named_in(text: str, fqns: Sequence[str], field: str) -> list[str]:
    """The tables whose names stand in a text of small letters."""
    wanted = [fqn for fqn in fqns if Fqn.parse(fqn).parts[-1].casefold() in text]
    if len(wanted) > MOST_NAMED:
        raise ValidationError(
            f"It names {len(wanted)} tables of the connection, and at most {MOST_NAMED} are looked at. Split it.",
            status=422,
            field=field,
        )
    return wanted


@dataclass(slots=True)
class _Keeping:
    """One import into one pack, in one transaction."""

    ctx: Context
    uow: UnitOfWork
    model: SemanticModelImport
    taken: Taken
    now: datetime
    created: int = 0
    ended: int = 0
    found: list[Memory] = field(default_factory=list)

    def kept(self) -> SemanticModelImported:
        """Keep the memories, and archive what the model has told otherwise."""
        pack = str(self.model.context_pack_id)
        standing = self._standing(_of_pack(self.ctx, self.uow, pack, self.now, "context_pack_id"))
        for told in self.taken.memories:
            before = standing.get(told.key, [])
            hashed = content_hash(told.kind, told.content, told.asset_fqn)
            others = [one for one in before if content_hash(one.memory_type, one.content, one.asset_fqn) != hashed]
            changed = next((one for one in others if one.version > 1), None)
            if changed is not None:
                self.taken.miss(told.key, f"Somebody has changed the memory {changed.name!r} since, and it stays.")
                continue
            for one in others:
                self._end(one)
            self._keep(told, pack)
        return SemanticModelImported(
            format=self.model.format,
            created=self.created,
            kept=len(self.found) - self.created,
            ended=self.ended,
            memories=self.found[:MOST_SHOWN],
            dropped=_notes(self.taken.not_understood),
        )

    def _family(self) -> dict[str, str]:
        models = ", ".join(self.taken.models)[:1000]
        return {"format": self.model.format.value, "resource_uri": self.model.resource_uri, "model": models}

    def _standing(self, memories: Sequence[Memory]) -> dict[str, list[Memory]]:
        """The active memories that the model has told before, by what they are in it."""
        family, found = self._family(), dict[str, list[Memory]]()
        for one in memories:
            of = one.meta_data.get(FAMILY)
            if isinstance(of, Mapping) and all(of.get(name) == value for name, value in family.items()):
                found.setdefault(str(of.get("key")), []).append(one)
        return found

    def _keep(self, told: ModelMemory, pack: str) -> None:
        about: dict[str, Any] = self._family() | {"key": told.key}
        if told.kept:
            about["kept"] = dict(told.kept)
        memory = MemoryReplacement(
            name=told.name,
            content=told.content,
            memory_type=told.kind,
            asset_fqn=told.asset_fqn,
            source=MemorySourceInput(type=self.model.format.value),
            meta_data={FAMILY: about},
        )
        kept = added_memory(self.ctx, self.uow, pack, memory, self.now)
        if kept._created:
            self.created += 1
        elif kept.status is MemoryStatus.ARCHIVED:
            moved = move(kept, Action.REACTIVATE)
            values = {"status": moved.to, "reactivated_at": self.now, "updated_at": self.now, "expires_at": None}
            kept = self.uow.memories.change(self.ctx.scope, kept.id, values, expected=kept._revision)
            self.created += 1
        self.found.append(as_shown(kept, self.now))

    def _end(self, one: Memory) -> None:
        moved = move(one, Action.ARCHIVE)
        values = {"status": moved.to, "archived_at": self.now, "updated_at": self.now}
        self.uow.memories.change(self.ctx.scope, one.id, values, expected=one._revision)
        self.ended += 1


def _of_pack(ctx: Context, uow: UnitOfWork, pack_id: str, now: datetime, field: str) -> list[Memory]:
    """The active memories of a pack."""
    found = uow.memories.listed(
        ctx.scope, now=now, status=MemoryStatus.ACTIVE, offset=0, limit=MOST_OF_PACK, context_pack_id=pack_id
    )
    if found.total > MOST_OF_PACK:
        raise ValidationError(
            f"The pack has {found.total} memories, and of {MOST_OF_PACK} at most a model is made. Use another pack.",
            status=422,
            field=field,
        )
    return list(found.items)


def _notes(found: Sequence[NotUnderstood]) -> list[SemanticNote]:
    return [SemanticNote(where=one.where, reason=one.reason) for one in found]
