"""Reading a document and checking it, in bounded work.

The library's checks compare fields with each other and look for words that were meant, so a short text could keep it
busy for seconds. What a document may be is told here first by walking it once: its length, its shape, its numbers.
Only then the library checks it, stops at the first few faults, and gives up on one whose fields it would have to
compare too often. One document is checked at a time, so that the rest of the server has its turn between any two.
"""

import asyncio
import math
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    NoSchemaIntrospectionCustomRule,
    OperationDefinitionNode,
    TokenKind,
    parse,
    specified_rules,
    validate,
)
from graphql.validation.rules import overlapping_fields_can_be_merged as overlapping
from strawberry.extensions import SchemaExtension
from strawberry.schema.validation_rules.maybe_null import MaybeNullValidationRule
from strawberry.schema.validation_rules.one_of import OneOfInputValidationRule

from schema.cost import Estimate
from schema.errors import ValidationError
from schema.graph_bounds import GraphSettings
from schema.shape import shape_errors

MOST_FAULTS: Final = 5
"""How many faults of a document are told; each takes the library up to some milliseconds."""
MOST_WORK: Final = 33_000
"""How often fields are compared that would stand under one name; fragments of 30 components come to some thousands."""
MOST_DIGITS: Final = 400
"""Of a number in a document: no number of JSON has more."""
_ABORTED: Final = "Validation aborted."
_RULES: Final = (*specified_rules, MaybeNullValidationRule, OneOfInputValidationRule)

overlapping.MAX_COMPLEXITY_BUDGET = MOST_WORK  # read by the rule when it starts


class LoopLocks:
    """One lock for each event loop."""

    def __init__(self) -> None:
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    def __call__(self) -> asyncio.Lock:
        """The lock of the loop that runs."""
        return self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())


class Judged(NamedTuple):
    """What is found out of one operation of a document before it runs."""

    operation: OperationDefinitionNode
    estimate: Estimate
    costs: Mapping[str, int]
    """How many calls of each kind its root fields are."""
    calls: int
    catalog_only: bool
    """Whether the whole answer is made of the catalog alone."""


class CheckedDocuments:
    """Parses documents and checks them; those that were found right are remembered by their text."""

    def __init__(self, settings: GraphSettings) -> None:
        self._settings = settings
        self._parsed: OrderedDict[str, DocumentNode] = OrderedDict()
        self._right: OrderedDict[tuple[int, str], GraphQLSchema] = OrderedDict()
        self._judged: OrderedDict[tuple[int, str, str | None], tuple[Judged, GraphQLSchema]] = OrderedDict()
        self._rules = (*_RULES, *(() if settings.graphql_introspection else (NoSchemaIntrospectionCustomRule,)))
        self.turns, self.schema_turns = LoopLocks(), LoopLocks()
        """Under which one document is worked on, and one question about the schema answered."""

    def known(self, text: str) -> DocumentNode | None:
        """Return a document that was parsed before and is remembered."""
        found = self._parsed.get(text)
        if found is not None:
            self._parsed.move_to_end(text)
        return found

    def parsed(self, text: str) -> DocumentNode:
        """Parse a document. Raises ValidationError or GraphQLError."""
        found = self.known(text)
        if found is not None:
            return found
        most = self._settings.graphql_max_document
        if len(text) > most:
            raise ValidationError(
                f"This document has {len(text)} characters; {most} is the bound. Send long values as variables.",
                field="query",
                limit=most,
            )
        found = self._parsed[text] = parse(text, max_tokens=self._settings.graphql_max_tokens)
        self._bound(self._parsed)
        return found

    def is_right(self, schema: GraphQLSchema, text: str) -> bool:
        """Return whether a document was found right before, and that is remembered."""
        key = (id(schema), text)
        if key not in self._right:
            return False
        self._right.move_to_end(key)
        return True

    def errors(self, schema: GraphQLSchema, text: str, document: DocumentNode) -> list[GraphQLError]:
        """Return what is wrong with a document; none when it may be carried out."""
        if self.is_right(schema, text):
            return []
        settings = self._settings
        errors = _numbers(document) or shape_errors(
            document, max_depth=settings.graphql_max_depth, max_aliases=settings.graphql_max_aliases
        )
        if not errors:
            errors = [_told(error) for error in validate(schema, document, self._rules, max_errors=MOST_FAULTS)]
        if not errors:
            self._right[id(schema), text] = schema  # kept, so that its identity cannot be used again
            self._bound(self._right)
        return errors

    def judged(self, schema: GraphQLSchema, text: str, name: str | None) -> Judged | None:
        """Return what was found out of an operation before, where its variables do not matter."""
        key = (id(schema), text, name)
        known = self._judged.get(key)
        if known is None:
            return None
        self._judged.move_to_end(key)
        return known[0]

    def judge(self, schema: GraphQLSchema, text: str, name: str | None, judged: Judged) -> None:
        """Remember what was found out of an operation of a document that was found right."""
        if judged.estimate.constant and (id(schema), text) in self._right:
            self._judged[id(schema), text, name] = judged, schema  # kept, so that its identity cannot be used again
            self._bound(self._judged)

    def _bound(self, kept: OrderedDict[Any, Any]) -> None:
        while len(kept) > self._settings.graphql_cache_size:
            kept.popitem(last=False)


class CheckDocument(SchemaExtension):
    """Parses and checks the document of one request in its turn."""

    def __init__(self, documents: CheckedDocuments) -> None:
        self._documents = documents

    async def on_parse(self) -> AsyncIterator[None]:
        """Parse, unless there is nothing to parse, which the library tells."""
        context = self.execution_context
        if context.query and (known := self._documents.known(context.query)) is not None:
            context.graphql_document = known
        elif context.query:
            async with self._documents.turns():
                context.graphql_document = self._documents.parsed(context.query)
        yield

    async def on_validate(self) -> AsyncIterator[None]:
        """Check."""
        context = self.execution_context
        assert context.query is not None
        assert context.graphql_document is not None
        schema = context.schema._schema
        if self._documents.is_right(schema, context.query):
            context.pre_execution_errors = []
        else:
            async with self._documents.turns():
                context.pre_execution_errors = self._documents.errors(schema, context.query, context.graphql_document)
        yield


def _numbers(document: DocumentNode) -> list[GraphQLError]:
    """The first number that no number of JSON can be."""
    for token in _tokens(document):
        if token.kind is TokenKind.FLOAT and not math.isfinite(float(token.value)):
            return [_of_number("This number is larger than any that can be kept. Send a smaller one.")]
        if token.kind is TokenKind.INT and len(token.value) > MOST_DIGITS:
            return [_of_number(f"A number has {MOST_DIGITS} digits at most.")]
    return []


def _of_number(message: str) -> GraphQLError:
    return GraphQLError("", original_error=ValidationError(message, field="query"))


def _tokens(document: DocumentNode) -> Iterator[Any]:
    token: Any = document.loc.start_token if document.loc is not None else None
    while token is not None:
        yield token
        token = token.next


def _told(error: GraphQLError) -> GraphQLError:
    """An error of the library; where it gave up it does not say why."""
    if error.message != _ABORTED:
        return error
    return GraphQLError(
        "This document takes too long to check: too many of its fields stand under the same name. Ask for each field "
        "once, and spread fewer fragments over the same object."
    )
