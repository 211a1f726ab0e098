"""Personal data that lineage carries: a column that is another one by its value holds what that one holds."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from persistence.queries.lineage import Node
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.data_readiness.levels import decided_personal_data
from resolvers.engines.lineage import reach
from resolvers.engines.recognition import TagFinding
from schema.data_readiness.classification import CATEGORIES, ClassificationKind
from schema.data_readiness.source import TableFacts
from schema.identifiers import Fqn
from schema.utils.lineage_kind import LineageSubtype

RIGHT: Final = 0.95
"""How often an edge of lineage is right, as measured by the oracle (`docs/quality.md`, lineage), rounded down."""

MOST_STEPS: Final = 20
MOST_EDGES: Final = 10_000
"""Edges that are read for one table. A column that more would lead to is left to the recognisers."""

_PII: Final = CATEGORIES[ClassificationKind.PII]


def passed_on(uow: UnitOfWork, scope: Scope, facts: TableFacts) -> dict[str, list[TagFinding]]:
    """The personal data of a table's columns that lineage leads to: column → findings.

    Followed are edges that pass the value as it is. What was only suggested somewhere is not passed on: it would come
    back from there as evidence for itself.
    """
    origins = _origins(uow, scope, facts)
    decided = decided_personal_data(uow, scope, sorted({fqn for of in origins.values() for fqn in of}))
    found: dict[str, list[TagFinding]] = {}
    for column, of in origins.items():
        best: dict[str, TagFinding] = {}
        for fqn, steps in of.items():
            for tag, confidence in decided.get(fqn, {}).items():
                sure = round(confidence * RIGHT**steps, 4)
                if tag not in best or best[tag].confidence < sure:
                    best[tag] = TagFinding(tag, sure, (_evidence(tag, fqn, sure),))
        if best:
            found[column] = [best[tag] for tag in sorted(best)]
    return found


def with_passed_on(
    found: Mapping[str, Sequence[TagFinding]], passed: Mapping[str, Sequence[TagFinding]]
) -> dict[str, list[TagFinding]]:
    """Return what was recognised in the columns of a table, together with what lineage brings to them."""
    both = {column: list(some) for column, some in found.items()}
    for column, some in passed.items():
        own = {one.tag: at for at, one in enumerate(both.setdefault(column, []))}
        for one in some:
            if one.tag not in own:
                both[column].append(one)
                continue
            known = both[column][own[one.tag]]
            sure = max(known.confidence, one.confidence)
            both[column][own[one.tag]] = TagFinding(one.tag, sure, (*known.evidence, *one.evidence))
    return both


def _origins(uow: UnitOfWork, scope: Scope, facts: TableFacts) -> dict[str, dict[str, int]]:
    """For each column the FQNs of those whose value it is, with the number of edges to them."""
    start = {(facts.fqn, column.name) for column in facts.columns}
    before: dict[Node, set[Node]] = {}
    asked: set[str] = set()
    waiting = {facts.fqn}
    for _ in range(MOST_STEPS):
        edges = uow.lineage.edges_at(scope, waiting, upstream=True, at=None, most=MOST_EDGES) if waiting else []
        asked |= waiting
        waiting = set()
        for one in edges:
            edge = one.edge
            if edge.subtype is LineageSubtype.IDENTITY and edge.from_column and edge.to_column:
                before.setdefault((edge.to_table, edge.to_column), set()).add((edge.from_table, edge.from_column))
                waiting.add(edge.from_table)
        waiting -= asked
    found = {name: _reached((table, name), before) for table, name in start}
    return {name: of for name, of in sorted(found.items()) if of}


def _reached(start: Node, before: Mapping[Node, Iterable[Node]]) -> dict[str, int]:
    found = reach(start, lambda node: sorted(before.get((node[0], node[1] or ""), ())), deepest=MOST_STEPS)
    return {str(Fqn.parse(table).child(column)): steps for (table, column), steps in found.nodes.items() if column}


def _evidence(tag: str, fqn: str, sure: float) -> Mapping[str, Any]:
    return {
        "recognizer": "lineage",
        "source": "lineage",
        "weight": sure,
        "reason": f"By lineage it is the value of {fqn}, which is tagged {_PII}.{tag}.",
    }
