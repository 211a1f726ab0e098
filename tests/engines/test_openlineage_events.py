"""Events of OpenLineage: which columns they tell of, in the words of old and new versions, and what is no event."""

from typing import Any

import pytest

from resolvers.engines.lineage.handed_in import Refused
from resolvers.engines.lineage.openlineage import MOST_OUTPUTS, Dataset, NamedEdge, read_event
from schema.utils.lineage_kind import LineageSubtype

JOB = {"namespace": "nights", "name": "totals"}
STORE = "postgres://db:5432"
ORDERS = Dataset(STORE, "d.s.orders")


def named(field: str, *done: dict[str, Any], name: str = "d.s.orders") -> dict[str, Any]:
    """A field of an input, and what is done to it."""
    told = {"namespace": STORE, "name": name, "field": field}
    return told | {"transformations": list(done)} if done else told


def output(facet: Any, name: str = "d.s.totals") -> dict[str, Any]:
    """An output, with what it says of its columns."""
    return {"namespace": STORE, "name": name, "facets": {"columnLineage": facet}}


def test_fields_and_datasets_tell_how_they_depend() -> None:
    total = named("amount", {"type": "DIRECT", "subtype": "AGGREGATION"}, {"type": "indirect", "subtype": "sort"})
    facet = {
        "fields": {"total": {"inputFields": [total]}, "who": {"inputFields": [named("email")]}},
        "dataset": [named("paid", {"type": "INDIRECT", "subtype": "FILTER", "masking": False})],
    }
    event = read_event(
        JOB | {"facets": {"sql": {"query": "select 1"}}}, [{"namespace": STORE, "name": "x"}], [output(facet)]
    )
    assert (event.job, event.sql, event.inputs) == ("nights/totals", "select 1", (Dataset(STORE, "x"),))
    [one] = event.outputs
    assert one.edges == (
        NamedEdge("total", ORDERS, "amount", LineageSubtype.AGGREGATION),
        NamedEdge("total", ORDERS, "amount", LineageSubtype.SORT),
        NamedEdge("who", ORDERS, "email", LineageSubtype.TRANSFORMATION),
        NamedEdge("", ORDERS, "paid", LineageSubtype.FILTER),
    )


def test_the_words_of_the_first_versions_are_understood() -> None:
    fields = {
        "same": {
            "inputFields": [named("a")],
            "transformationType": "IDENTITY",
            "transformationDescription": "as it is",
        },
        "hidden": {"inputFields": [named("a")], "transformationType": "MASKED"},
    }
    [one] = read_event(JOB, [], [output({"fields": fields})]).outputs
    assert one.edges is not None
    assert [edge.subtype for edge in one.edges] == [LineageSubtype.IDENTITY, LineageSubtype.TRANSFORMATION]


def test_what_the_specification_does_not_have_is_named_and_makes_no_edge() -> None:
    done = [{"type": "DIRECT", "subtype": "GUESSED"}, {"type": "INDIRECT"}, 7, {"type": ["x"]}]
    [one] = read_event(JOB, [], [output({"fields": {"total": {"inputFields": [named("a", *done)]}}})]).outputs
    assert one.edges == ()
    assert one.unknown == ("DIRECT GUESSED", "INDIRECT", "NONE", "['X']")


@pytest.mark.parametrize("facets", [{}, {"columnLineage": {}}, {"columnLineage": 7}, None])
def test_an_output_without_the_facet_says_nothing_of_its_columns(facets: Any) -> None:
    [one] = read_event(JOB, [], [{"namespace": STORE, "name": "t", "facets": facets}]).outputs
    assert one.edges is None


@pytest.mark.parametrize(
    ("job", "outputs", "where"),
    [
        ({}, [], "job.namespace"),
        ({"namespace": "n", "name": ""}, [], "job.name"),
        (JOB, [7], "outputs.0"),
        (JOB, [{"namespace": STORE, "name": "x" * 1001}], "outputs.0.name"),
        (JOB, [output({"fields": {"a": {"inputFields": 7}}})], "outputs.0.facets.columnLineage.fields"),
        (JOB, [output({"fields": {"a": {"inputFields": [{}]}}})], "outputs.0.facets.columnLineage.fields.a.namespace"),
        (JOB, [output({"fields": {}, "dataset": [named("")]})], "outputs.0.facets.columnLineage.dataset.field"),
        (JOB, [output({"fields": {}})] * (MOST_OUTPUTS + 1), "outputs"),
    ],
)
def test_what_is_no_event_is_refused_by_its_place(job: Any, outputs: Any, where: str) -> None:
    with pytest.raises(Refused) as refused:
        read_event(job, [], outputs)
    assert refused.value.field == where
