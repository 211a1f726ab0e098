"""A small catalog, and a language model for tests of drafting that answers in the process what a test lets it say."""

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import orjson

from resolvers.engines.describing.known import Term
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind
from resolvers.engines.nl2sql.model import Asked, ColumnKey, Knowledge, Lookup
from resolvers.engines.nl2sql.plan import Literal
from schema.data_readiness.profile import ColumnProfile, TableProfile
from schema.data_readiness.source import ColumnFacts, TableFacts
from schema.identifiers import join_fqn
from schema.talk2data.language_model import Prompt, Said, Usage
from schema.utils.memory import Memory

NOW = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)


def table(name: str, *columns: str, schema: str = "sales", database: str = "main", **given: Any) -> TableFacts:
    """A table. A column is written `name TYPE`, with `pk`, `pii` or `> table.column` behind it."""
    facts = []
    for place, written in enumerate(columns, 1):
        words, _, refers = written.partition(" > ")
        column, kind, *marks = words.split(" ")
        target = refers.partition(".")
        facts.append(
            ColumnFacts(
                join_fqn(["shop", database, schema, name, column]),
                column,
                place,
                kind,
                is_primary_key="pk" in marks,
                references=(join_fqn(["shop", database, schema, target[0]]), target[2]) if refers else None,
                is_pii_tagged="pii" in marks,
            )
        )
    return TableFacts(
        join_fqn(["shop", database, schema, name]),
        "data_connection:acme:shop:db",
        database,
        schema,
        name,
        tuple(facts),
        **given,
    )


def describe(facts: TableFacts, column: str, words: str) -> TableFacts:
    """The table with a comment on a column; on itself when the column is empty."""
    if not column:
        return replace(facts, description=words)
    columns = [replace(one, description=words) if one.name == column else one for one in facts.columns]
    return replace(facts, columns=tuple(columns))


def profile(facts: TableFacts, **values: Sequence[str]) -> TableProfile:
    """A profile with the values of some columns."""
    columns = [
        ColumnProfile.model_construct(
            name=name,
            row_count=100,
            null_count=0,
            distinct_count=len(held),
            minimum=min(held),
            maximum=max(held),
            top_values=[_Value(value) for value in held],
            masked=False,
        )
        for name, held in values.items()
    ]
    return TableProfile.model_construct(row_count=100, columns=columns)


class _Value:
    def __init__(self, value: str) -> None:
        self.value, self.count = value, 1


CUSTOMERS = table(
    "customers", "id INTEGER pk", "name VARCHAR pii", "email VARCHAR pii", "country VARCHAR", "score INTEGER"
)
ORDERS = table(
    "orders", "id INTEGER pk", "customer_id INTEGER > customers.id", "status VARCHAR", "total NUMERIC", "placed_on DATE"
)
PRODUCTS = table("products", "id INTEGER pk", "title VARCHAR", "price NUMERIC")
SALARIES = table("salaries", "id INTEGER pk", "person VARCHAR pii", "amount NUMERIC")
TABLES = (CUSTOMERS, ORDERS, PRODUCTS, SALARIES)


def known(*tables: TableFacts, **given: Any) -> Knowledge:
    """Return what a drafter may know of the shop, or of some tables."""
    if not tables:
        profiles = {
            CUSTOMERS.fqn: profile(
                CUSTOMERS, name=["Zuzana Quagga"], email=["zuzana@quagga.example"], country=["Norway", "Chile"]
            ),
            ORDERS.fqn: profile(ORDERS, status=["open", "shipped"], placed_on=["2024-01-01", "2025-12-31"]),
            SALARIES.fqn: profile(SALARIES, person=["Zuzana Quagga"], amount=["91234"]),
        }
        given = {"profiles": profiles} | given
    return Knowledge(tables or TABLES, **given)


def memory(id_: str, kind: str, says: dict[str, Any], **given: Any) -> Memory:
    """A memory."""
    values: dict[str, Any] = {
        "id": id_, "name": id_, "organization_id": "acme", "project_id": "shop", "context_pack_id": "pack",
        "version": 1,
        "content": says, "memory_type": kind, "source": {"type": None}, "classification": {}, "meta_data": {},
        "quality": {
            "validation_status": "validated", "confidence_score": None, "validated_by": None, "validated_at": None
        },
        "access": {"count": 0, "last_accessed": None, "success_count": 0, "failure_count": 0, "success_rate": None},
        "status": "active", "pinned": False, "created_at": NOW, "updated_at": NOW, "asset_fqn": None,
        "content_url": None, "search_text": None, "superseded_by": None, "supersedes": None, "pinned_at": None,
        "unpinned_at": None, "archived_at": None, "deleted_at": None, "superseded_at": None, "reactivated_at": None,
        "expires_at": None,
    }  # fmt: skip
    return Memory.model_validate(values | given)


def term(name: str, definition: str, *others: str) -> Term:
    """A word of the glossary."""
    return Term(f"term-{name}", name, (name, *others), definition, True)


def asked(text: str = "How many orders are open?", **given: Any) -> Asked:
    """A question."""
    return Asked(text, NOW, **given)


def by_name(asked: Asked, known: Knowledge, lookup: Lookup) -> Linked:
    """Links a question to tables, columns and values whose names stand in it."""
    text = asked.text.casefold()
    mentions = []
    for facts in known.tables:
        if facts.name.casefold() in text:
            mentions.append(Mention(0, 1, MentionKind.TABLE, 1.0, "name", table=facts.fqn))
        profiled = known.profiles.get(facts.fqn)
        figures: dict[str, Any] = {one.name: one for one in profiled.columns} if profiled else {}
        for column in facts.columns:
            key = ColumnKey(facts.fqn, column.name)
            if column.name.casefold() in text:
                mentions.append(Mention(0, 1, MentionKind.COLUMN, 1.0, "name", column=key))
            for one in figures[column.name].top_values if column.name in figures else ():
                if one.value.casefold() in text:
                    value = (Literal("text", one.value),)
                    mentions.append(Mention(0, 1, MentionKind.VALUE, 1.0, "value", column=key, values=value))
    return Linked(asked.text, (), tuple(mentions))


def answer(sql: str | None = None, **given: Any) -> str:
    """An answer of the shape that is asked for."""
    fields: dict[str, Any] = {
        "sql": sql, "reading": "Orders that are open, counted.", "confidence": None, "needs_clarification": False,
        "readings": [], "cannot": None, "notes": [],
    }  # fmt: skip
    return orjson.dumps(fields | given).decode()


class Mind:
    """A model that says what a function makes of the prompt, or one text after the other."""

    name = "scripted/mind"

    def __init__(self, *says: str | Exception | Callable[[Prompt], str]) -> None:
        self.says = list(says)
        self.prompts: list[Prompt] = []

    async def ask(self, prompt: Prompt) -> Said:
        """The next answer; the last one again and again."""
        self.prompts.append(prompt)
        next_ = self.says.pop(0) if len(self.says) > 1 else self.says[0]
        if isinstance(next_, Exception):
            raise next_
        return Said(next_(prompt) if callable(next_) else next_, Usage(100, 10))

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Said, None]:
        """The same in one piece."""
        said = await self.ask(prompt)
        yield said.text
        yield said

    @property
    def told(self) -> str:
        """Everything that the model was ever told."""
        return "\n".join(message.content for prompt in self.prompts for message in prompt.messages)
