"""A check follows tuples whose user is of a type that leads further, and of no other: each type costs a look."""

from auth.model import platform_model


def test_only_types_that_a_relation_accepts_lead_further() -> None:
    model = platform_model()
    accepted = {
        one.type
        for relations in model.types.values()
        for relation in relations.values()
        for one in relation.restrictions
    }
    assert set(model.node_types) == {name for name in accepted if model.types.get(name)}
    assert "project" in model.node_types
    assert "artifact" not in model.node_types
    assert "user" not in model.node_types
