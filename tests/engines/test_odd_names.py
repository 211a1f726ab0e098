"""Names that no one would choose: whatever a source calls its tables and columns, the engines have an answer."""

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.quality.twins import drafts_for, loaded
from resolvers.engines.describing.columns import column_offers
from resolvers.engines.describing.containers import Container, container_offers
from resolvers.engines.describing.known import DescribedTable, Surroundings, Term
from resolvers.engines.describing.tables import table_offers
from resolvers.engines.describing.terms import column_matches, glossary_of, table_matches
from resolvers.engines.recognition import fingerprint, recognize
from schema.data_readiness.source import ColumnFacts, Sample, TableFacts
from schema.identifiers import Fqn
from tests.world import Clock

ODD: Final = (
    "_", "__", "😀", "🚀 speed", "€", "100%", "!!", "-", " ", "\u200b", "e\u0301", "\u0301", "前名", "العمر", "ß", "İ",
    "ﬁ", "1", "2024", "is", "has has", "is_", "id", "_id", "by", "no of", "number of", "___date___", "date_",
    "valid from", "from", "a.b", 'a"b', "a`b", "a\nb", "x" * 1000, "aB" * 400, "_" * 500, "dim_", "stg_stg", "v1",
)  # fmt: skip
KINDS: Final = ("INTEGER", "TEXT", "DATE", "BOOLEAN", "DECIMAL(9,2)", "", None)
NAMES: Final = st.one_of(st.sampled_from(ODD), st.text(min_size=1, max_size=12))


def table(name: str, columns: dict[str, str | None], **given: bool) -> TableFacts:
    """A table of odd names; each column refers to the table itself where `referring` is given."""
    fqn = Fqn.of("svc", "db", "app", name)
    refers = (str(fqn), next(iter(columns), "")) if given.get("referring") else None
    made = tuple(
        ColumnFacts(
            str(fqn.child(one)), one, at, kind, references=refers,
            is_primary_key=given.get("keyed", False), is_unique=given.get("keyed", False),
        )
        for at, (one, kind) in enumerate(columns.items())
    )  # fmt: skip
    return TableFacts(str(fqn), "data:o:p:svc", "db", "app", name, made)


@settings(max_examples=20)
@given(NAMES, st.dictionaries(NAMES, st.sampled_from(KINDS), max_size=8), st.booleans(), st.booleans())
def test_tables_of_odd_names_are_described_and_tagged(
    name: str, columns: dict[str, str | None], keyed: bool, referring: bool
) -> None:
    facts = table(name, columns, keyed=keyed, referring=referring)
    schema = str(Fqn.parse(facts.fqn).parent)
    around = Surroundings(
        siblings={schema: [name, *columns]}, referrers={facts.fqn: [(facts.fqn, one, one) for one in columns]}
    )
    of = DescribedTable(facts, None, around)
    terms = glossary_of([Term(one, one, (one,), "What it is.", True) for one in (name, *columns)], {})
    offers = [*table_offers(of), *container_offers(Container("schema", name, [name, *columns], 0, {name: 2}))]
    table_matches(of, terms)
    for column in facts.columns:
        offers += column_offers(of, column)
        column_matches(of, column, terms)
    assert all(offer.value.strip() for offer in offers)
    for rows in ((), tuple((f"{at} {name}"[:40],) * len(columns) for at in range(12))):
        sample = Sample(tuple(columns), rows, True)
        assert set(recognize(facts, sample, Clock()())) == set(columns)
        assert all(fingerprint(column, sample) for column in facts.columns)


@pytest.mark.parametrize("rows", [0, 1, 60])
def test_rules_are_drawn_up_for_columns_of_odd_names(rows: int) -> None:
    names = list({one.casefold(): one for one in ODD if "\n" not in one}.values())
    values = [[f"{at % 7}" if place % 2 else f"{place}-{at}" for place in range(len(names))] for at in range(rows)]
    with loaded(names, values, ["VARCHAR"] * len(names)) as known:
        drafts = drafts_for(known, Clock()())
    assert len({draft.key for draft in drafts}) == len(drafts)
    assert bool(drafts) == bool(rows)
