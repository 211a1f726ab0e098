"""Personal data flows along lineage: a view of a tagged column is proposed the tag, though its values tell nothing."""

from typing import Any

import pytest

from resolvers.data_readiness.passed_on import RIGHT, with_passed_on
from resolvers.engines.recognition import TagFinding
from schema.data_readiness.workflow import WorkflowType
from tests.data_readiness.test_tagging import Tagger
from tests.support.ingestion import Bench, Source, bench, setting_overrides, shop, source

__all__ = ["bench", "setting_overrides", "shop", "source"]

pytestmark = pytest.mark.anyio

TABLES = """
    create table sales.base (id integer primary key, mark text, size integer);
    insert into sales.base select i, 'k' || i * 7, i % 5 from generate_series(1, 200) i;
    create view sales.near as select id as number, mark as label, upper(mark) as shouted, size from sales.base;
    create view sales.far as select label as "The.Label", count(*) as n from sales.near group by 1;
"""


async def tagger(bench: Bench, source: Source) -> Tagger:
    source.run(TABLES)
    source.may_read("sales")
    await bench.ingest()
    return Tagger(bench, source)


async def found_in(made: Tagger, *views: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The tags of columns of views after a run over each."""
    for view in views:
        await made.run(asset_fqn=f"{made.prefix}.{view}")
    return {key: one for key, one in (await made.tags(kind="pii")).items() if key[0] not in ("near", "far", "base")}


async def test_a_tag_that_stands_is_proposed_where_its_values_go(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    assert await found_in(made, "near", "far") == {}
    await made.set_tags("PII.Email", on=("base", "mark"))
    found = await found_in(made, "near", "far")
    assert set(found) == {("label", "PII.Email"), ('Label"', "PII.Email")}
    one = found["label", "PII.Email"]
    assert (one["state"], one["confidence"]) == ("suggested", RIGHT)
    assert [(told["recognizer"], told["source"]) for told in one["evidence"]] == [("lineage", "lineage")]
    assert f"{made.prefix}.base.mark" in one["evidence"][0]["reason"]
    far = next(two for two in found.values() if two is not one)
    assert far["confidence"] == round(RIGHT**2, 4), "two edges are less sure than one"


async def test_what_is_only_suggested_is_not_passed_on_and_what_went_is_withdrawn(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    await made.set_tags("PII.Email", on=("near", "label"))
    found = await found_in(made, "base", "far")
    assert {name for name, _ in found} & {"mark", "shouted"} == set(), "neither upstream nor what is worked out of it"
    assert [tag for _, tag in found] == ["PII.Email"], "of what is downstream alone"
    await made.set_tags(on=("near", "label"))
    assert await found_in(made, "far") == {}


async def test_the_level_of_sensitivity_follows(shop: Bench, source: Source) -> None:
    made = await tagger(shop, source)
    await made.set_tags("PII.Email", on=("base", "mark"))
    await found_in(made, "near")
    await made.run(WorkflowType.GENERATE_SENSITIVITY_TAGS, asset_fqn=f"{made.prefix}.near")
    levels = {name: tag for name, tag in await made.tags(kind="sensitivity")}
    assert levels["label"] != levels["shouted"] == "Sensitivity.Internal"


def test_evidence_of_both_kinds_stands_together() -> None:
    seen, told = ({"reason": "seen"},), ({"reason": "told"},)
    both = with_passed_on(
        {"a": [TagFinding("Email", 0.6, seen)], "b": [TagFinding("Phone", 0.9, seen)]},
        {
            "a": [TagFinding("Email", 0.95, told), TagFinding("Username", 0.95, told)],
            "c": [TagFinding("Email", 0.9, told)],
        },
    )
    assert both["a"] == [TagFinding("Email", 0.95, (*seen, *told)), TagFinding("Username", 0.95, told)]
    assert (both["b"], both["c"]) == ([TagFinding("Phone", 0.9, seen)], [TagFinding("Email", 0.9, told)])
