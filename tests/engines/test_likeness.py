"""Which proposals are alike: the same said of other assets, and nothing else."""

from typing import Any

import pytest

from resolvers.engines.likeness import likeness
from schema.data_readiness.proposal import ProposalKind

RULE, TEXT = ProposalKind.RULE, ProposalKind.DESCRIPTION


def rule(description: str, metric: str = "duplicateValues", **arguments: Any) -> dict[str, Any]:
    """A rule as it is proposed."""
    return {"metric": metric, "description": description, "arguments": arguments}


@pytest.mark.parametrize(
    ("kind", "one", "other", "says"),
    [
        (
            TEXT, ("c.d.s.orders.region", "Region of the order. It is missing in about 61 % of the rows."),
            ("c.d.s.staff.area_code", "Area code of the staff. No value occurs twice."), "{name} of the {name}. …",
        ),
        (
            TEXT, ("c.d.s.items", "Each row is an item, identified by `item_id`. `lines` refers to it."),
            ("c.d.s.shops", "Each row is a shop, identified by `id`."), "Each row is a {name}, identified by ….",
        ),
        (
            TEXT, ("c.d.s.orders.shop_id", "Refers to the shop (`shops.shop_id`)."),
            ("c.d.s.lines.order", "Refers to the purchase order (`orders.id`)."), "Refers to ….",
        ),
        (
            RULE, ("c.d.s.t.id", rule("No two rows have the same id.", properties=["id"])),
            ("c.d.s.u", rule("No two rows have the same a and b_c.", properties=["a", "b_c"])),
            "duplicateValues: No two rows have the same ….",
        ),
        (
            ProposalKind.PII_TAG, ("c.d.s.t.mail", {"tag_fqn": "PII.Email"}), ("c.d.s.u", {"tag_fqn": "PII.Email"}),
            "PII.Email",
        ),
        (
            ProposalKind.DISPLAY_NAME, ("c.d.s.t.qty", "Quantity"), ("c.d.s.u.qty", "Quantity"), "qty: Quantity",
        ),
    ],
)  # fmt: skip
def test_what_differs_in_names_and_figures_alone_is_alike(
    kind: ProposalKind, one: tuple[str, Any], other: tuple[str, Any], says: str
) -> None:
    first, second = likeness(one[0], kind, one[1]), likeness(other[0], kind, other[1])
    assert first.key == second.key
    assert first.says.removesuffix(" …") == says.removesuffix(" …")
    assert len(first.key) <= 64


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        (TEXT, "When the order was shipped.", "Whether the order was shipped."),
        (TEXT, "Who buys from us.", "Whom we buy from."),
        (RULE, rule("It is not negative.", "invalidValues"), rule("It is not negative.", "outlierValues")),
        (ProposalKind.PII_TAG, {"tag_fqn": "PII.Email"}, {"tag_fqn": "PII.PersonName"}),
        (ProposalKind.DISPLAY_NAME, "Quantity", "Quality"),
    ],
)
def test_what_says_something_else_is_not_alike(kind: ProposalKind, one: Any, other: Any) -> None:
    assert likeness("c.d.s.t.qty", kind, one).key != likeness("c.d.s.t.qty", kind, other).key


def test_to_write_over_words_is_another_thing_than_to_fill_a_gap() -> None:
    filled, over = (likeness("c.d.s.t", TEXT, "What was sold.", words) for words in (None, "Sales."))
    assert (filled.says, filled.key != over.key) == (over.says, True)
