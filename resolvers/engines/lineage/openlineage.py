"""Events of OpenLineage: which columns of a job's outputs depend on which of its inputs.

Read is what the specification calls the facet `columnLineage` of an output, and where a job has one output that has
none, the facet `sql` of the job. That a job reads one table and writes another says nothing of columns or rows, so it
makes no edge.

Source: https://openlineage.io/spec/2-0-2/OpenLineage.json, and its facets.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from resolvers.engines.lineage.handed_in import Refused, mapping
from schema.utils.lineage_kind import LineageSubtype, type_of

MOST_OUTPUTS: Final = 1000
"""Outputs of one event."""
LONGEST_NAME: Final = 1000
MOST_NAMED: Final = 50_000
"""Fields that the outputs of one event name as what they depend on."""

HAPPENED: Final = frozenset({None, "COMPLETE", "RUNNING"})
"""The kinds of event whose outputs are written as it says; an event of a job that does not run has none."""

_SUBTYPES: Final = {(type_of(one).value, one.value): one for one in LineageSubtype if one is not LineageSubtype.ROWS}


@dataclass(frozen=True, slots=True, order=True)
class Dataset:
    """A table, as OpenLineage names it: the address of a store, and a dotted name in it."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class NamedEdge:
    """One column of an output depends on a field of an input; `column` is empty where its rows as a whole do."""

    column: str
    of: Dataset
    field: str
    subtype: LineageSubtype


@dataclass(frozen=True, slots=True)
class Output:
    """A table that a job writes."""

    dataset: Dataset
    edges: tuple[NamedEdge, ...] | None
    """None where the event does not tell of its columns."""
    unknown: tuple[str, ...]
    """Transformations that the specification does not have."""


@dataclass(frozen=True, slots=True)
class Event:
    """What an event tells of lineage."""

    job: str
    """Its namespace and its name."""
    sql: str | None
    inputs: tuple[Dataset, ...]
    outputs: tuple[Output, ...]


def read_event(job: Mapping[str, Any], inputs: Iterable[Any], outputs: Iterable[Any]) -> Event:
    """Return what an event tells. Raises Refused."""
    listed = list(outputs)
    if len(listed) > MOST_OUTPUTS:
        raise Refused("outputs", f"The event has {len(listed)} outputs. At most {MOST_OUTPUTS} are read.")
    named = _dataset(job, "job")
    read = _each_once(_output(one, f"outputs.{at}") for at, one in enumerate(listed))
    if sum(len(one.edges or ()) for one in read) > MOST_NAMED:
        raise Refused("outputs", f"The outputs name more than {MOST_NAMED} fields that they depend on.")
    sql = mapping(mapping(job, "facets"), "sql").get("query")
    return Event(
        f"{named.namespace}/{named.name}",
        sql if isinstance(sql, str) and sql.strip() else None,
        tuple(_dataset(one, f"inputs.{at}") for at, one in enumerate(inputs)),
        read,
    )


def _output(told: Any, where: str) -> Output:
    dataset = _dataset(told, where)
    facet = mapping(mapping(told, "facets"), "columnLineage")
    fields = facet.get("fields")
    if not isinstance(fields, dict):
        return Output(dataset, None, ())
    where = f"{where}.facets.columnLineage"
    edges: dict[NamedEdge, None] = {}
    unknown: dict[str, None] = {}
    for column in fields:
        older = mapping(fields, column).get("transformationType")
        for field in _listed(mapping(fields, column).get("inputFields"), f"{where}.fields"):
            _take(column, field, older, f"{where}.fields.{column[:200]}", edges, unknown)
    for field in _listed(facet.get("dataset"), f"{where}.dataset"):
        _take("", field, None, f"{where}.dataset", edges, unknown)
    return Output(dataset, tuple(edges), tuple(unknown))


def _each_once(outputs: Iterable[Output]) -> tuple[Output, ...]:
    """The outputs, with all that is told of one table in one of them."""
    found: dict[Dataset, Output] = {}
    for one in outputs:
        other = found.get(one.dataset)
        if other is not None:
            told = [edges for edges in (other.edges, one.edges) if edges is not None]
            edges = tuple(dict.fromkeys(edge for some in told for edge in some)) if told else None
            one = Output(one.dataset, edges, tuple(dict.fromkeys((*other.unknown, *one.unknown))))
        found[one.dataset] = one
    return tuple(found.values())


def _take(
    column: str, field: Any, older: Any, where: str, edges: dict[NamedEdge, None], unknown: dict[str, None]
) -> None:
    """Add what one named field says."""
    of = _dataset(field, where)
    name = _text(field.get("field"), f"{where}.field")
    for kind, subtype in _transformations(field, older):
        found = _SUBTYPES.get((kind, subtype or ("TRANSFORMATION" if kind == "DIRECT" else "")))
        if found is None:
            unknown[f"{kind} {subtype}".strip()[:100]] = None
        else:
            edges[NamedEdge(column, of, name, found)] = None


def _transformations(field: Mapping[str, Any], older: Any) -> Iterator[tuple[str, str]]:
    """Type and subtype of what is done to a field.

    Where nothing is said of it, or in the words of the specification's first versions, values pass by the edge; only
    IDENTITY says that they stay as they are.
    """
    told = field.get("transformations")
    if not isinstance(told, list) or not told:
        yield "DIRECT", "IDENTITY" if older == "IDENTITY" else ""
        return
    for one in told:
        kind, subtype = (one.get(part) if isinstance(one, dict) else None for part in ("type", "subtype"))
        yield str(kind)[:100].upper(), subtype[:100].upper() if isinstance(subtype, str) else ""


def _dataset(told: Any, where: str) -> Dataset:
    if not isinstance(told, dict):
        raise Refused(where, "It is an object with a namespace and a name.")
    return Dataset(_text(told.get("namespace"), f"{where}.namespace"), _text(told.get("name"), f"{where}.name"))


def _text(told: Any, where: str) -> str:
    if not isinstance(told, str) or not 0 < len(told) <= LONGEST_NAME:
        raise Refused(where, f"It is a text of 1 to {LONGEST_NAME} characters.")
    return told


def _listed(told: Any, where: str) -> list[Any]:
    if told is None:
        return []
    if not isinstance(told, list):
        raise Refused(where, "It is a list of fields.")
    return told
