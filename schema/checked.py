"""Reading a document and checking it, in bounded work.

The library's checks compare fields with each other and look for words that were meant, so a short text could keep it
busy for seconds. What a document may be is told here first by walking it once: its length, its shape, its numbers.
Only then the library checks it, stops at the first few faults, and gives up on one whose fields it would have to
compare too often. One document is checked at a time, so that the rest of the server has its turn between any two.
"""

import asyncio
import math
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from functools import lru_cache
from typing import Any, Final
from weakref import WeakKeyDictionary

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    NoSchemaIntrospectionCustomRule,
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


class CheckedDocuments:
    """Parses documents and checks them; those that were found right are remembered by their text."""

    def __init__(self, settings: GraphSettings) -> None:
        self._settings = settings
        self._parse = lru_cache(settings.graphql_cache_size)(self._parsed)
        self._right: OrderedDict[tuple[int, str], GraphQLSchema] = OrderedDict()
        self._estimates: OrderedDict[tuple[int, str, str | None], tuple[Estimate, GraphQLSchema]] = OrderedDict()
        self._rules = (*_RULES, *(() if settings.graphql_introspection else (NoSchemaIntrospectionCustomRule,)))
        self.turns, self.schema_turns = LoopLocks(), LoopLocks()
        """Under which one document is worked on, and one question about the schema answered."""

    def parsed(self, text: str) -> DocumentNode:
        """Parse a document. Raises ValidationError or GraphQLError."""
        most = self._settings.graphql_max_document
        if len(text) > most:
            raise ValidationError(
                f"This document has {len(text)} characters; {most} is the bound. Send long values as variables.",
                field="query",
                limit=most,
            )
        return self._parse(text)

    def errors(self, schema: GraphQLSchema, text: str, document: DocumentNode) -> list[GraphQLError]:
        """Return what is wrong with a document; none when it may be carried out."""
        key = (id(schema), text)
        if key in self._right:
            self._right.move_to_end(key)
            return []
        settings = self._settings
        errors = _numbers(document) or shape_errors(
            document, max_depth=settings.graphql_max_depth, max_aliases=settings.graphql_max_aliases
        )
        if not errors:
            errors = [_told(error) for error in validate(schema, document, self._rules, max_errors=MOST_FAULTS)]
        if not errors:
            self._right[key] = schema  # kept, so that its identity cannot be used again
            while len(self._right) > settings.graphql_cache_size:
                self._right.popitem(last=False)
        return errors

    def estimate(
        self, schema: GraphQLSchema, text: str, name: str | None, estimated: Callable[[], Estimate]
    ) -> Estimate:
        """The cost of an operation of a document that was found right; told once where variables do not matter."""
        key = (id(schema), text, name)
        known = self._estimates.get(key)
        if known is not None:
            self._estimates.move_to_end(key)
            return known[0]
        found = estimated()
        if found.constant and (id(schema), text) in self._right:
            self._estimates[key] = found, schema  # kept, so that its identity cannot be used again
            while len(self._estimates) > self._settings.graphql_cache_size:
                self._estimates.popitem(last=False)
        return found

    def _parsed(self, text: str) -> DocumentNode:
        return parse(text, max_tokens=self._settings.graphql_max_tokens)


class CheckDocument(SchemaExtension):
    """Parses and checks the document of one request in its turn."""

    def __init__(self, documents: CheckedDocuments) -> None:
        self._documents = documents

    async def on_parse(self) -> AsyncIterator[None]:
        """Parse, unless there is nothing to parse, which the library tells."""
        context = self.execution_context
        if context.query:
            async with self._documents.turns():
                context.graphql_document = self._documents.parsed(context.query)
        yield

    async def on_validate(self) -> AsyncIterator[None]:
        """Check."""
        context = self.execution_context
        assert context.query is not None
        assert context.graphql_document is not None
        async with self._documents.turns():
            context.pre_execution_errors = self._documents.errors(
                context.schema._schema, context.query, context.graphql_document
            )
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
