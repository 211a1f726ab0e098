"""The platform's model says exactly what the contract says, and the modelling language is read as it is written."""

from typing import Any

import pytest

from auth.dsl import ModelSyntaxError, model_version, parse
from auth.evaluator import Evaluator
from auth.model import Model, platform_model
from auth.permissions import ParentRelation, grantable, parents, permissions_of
from auth.relations import bare_id, group_subject, object_name, split_user, subject_of, user_subject
from schema.governance.permission import Permission, Relation, ResourceType
from tests.auth.cases.engines import tuples

MODEL = platform_model()
ORGANIZATION = "organization:acme"
PROJECT = "project:shop"
RESOURCES = [type_ for type_ in ResourceType if type_ not in (ResourceType.ORGANIZATION, ResourceType.PROJECT)]

EVERYTHING = set(Permission)
READS = {Permission.CAN_READ, Permission.CAN_READ_METADATA}
WRITES = {Permission.CAN_WRITE, Permission.CAN_MANAGE_METADATA}
RUNS = {Permission.CAN_EXECUTE}
CREATES = {Permission.CAN_CREATE_RESOURCES}
SECRETS = {Permission.CAN_READ_SECRETS, Permission.CAN_MANAGE_SECRETS}
OF_ORGANIZATION = {Permission.CAN_MANAGE_PROJECTS, Permission.CAN_MANAGE_USERS}
OF_PROJECT = EVERYTHING - OF_ORGANIZATION
OF_RESOURCE = OF_PROJECT - CREATES
WORKER_ON_PROJECT = {Permission.CAN_READ_SECRETS}

# Where a relation is held: what it confers there, on a project below it, and on a resource in that project.
MATRIX: dict[tuple[str, Relation], tuple[set[Permission], set[Permission], set[Permission]]] = {
    (ORGANIZATION, Relation.OWNER): (EVERYTHING, OF_PROJECT, OF_RESOURCE),
    (ORGANIZATION, Relation.ADMIN): (EVERYTHING, OF_PROJECT, OF_RESOURCE),
    (ORGANIZATION, Relation.MEMBER): (READS | {Permission.CAN_WRITE} | RUNS, READS, READS),
    (PROJECT, Relation.OWNER): (set(), OF_PROJECT, OF_RESOURCE),
    (PROJECT, Relation.ADMIN): (set(), OF_PROJECT, OF_RESOURCE),
    (PROJECT, Relation.DEVELOPER): (set(), READS | WRITES | RUNS | CREATES, READS | WRITES | RUNS),
    (PROJECT, Relation.OPERATOR): (set(), READS | RUNS, READS | RUNS),
    (PROJECT, Relation.VIEWER): (set(), READS, READS),
    (PROJECT, Relation.SERVICE_WORKER): (set(), WORKER_ON_PROJECT, WORKER_ON_PROJECT),
    ("resource", Relation.OWNER): (set(), set(), OF_RESOURCE),
    ("resource", Relation.DEVELOPER): (set(), set(), READS | WRITES | RUNS),
    ("resource", Relation.OPERATOR): (set(), set(), READS | RUNS),
    ("resource", Relation.VIEWER): (set(), set(), READS),
}


def held(evaluator: Evaluator, user: str, object_: str) -> set[Permission]:
    """Every permission that a user has on an object."""
    type_ = ResourceType(object_.partition(":")[0])
    return {one for one in permissions_of(MODEL, type_) if evaluator.holds(user, one, object_)}


@pytest.mark.parametrize("type_", RESOURCES)
@pytest.mark.parametrize(("where", "relation"), MATRIX)
@pytest.mark.parametrize("through_group", [False, True])
def test_a_relation_confers_exactly_what_the_contract_says(
    type_: ResourceType, where: str, relation: Relation, through_group: bool
) -> None:
    resource = f"{type_}:r"
    holder = "group:g#member" if through_group else "user:ann"
    evaluator = Evaluator(
        MODEL,
        tuples(
            f"{PROJECT}#organization@{ORGANIZATION}",
            f"project:sibling#organization@{ORGANIZATION}",
            f"{resource}#project@{PROJECT}",
            f"{type_}:sibling#project@{PROJECT}",
            f"{type_}:elsewhere#project@project:sibling",
            f"{resource if where == 'resource' else where}#{relation}@{holder}",
            "group:g#member@user:ann",
        ),
    )
    on_organization, on_project, on_resource = MATRIX[where, relation]
    if relation == Relation.SERVICE_WORKER and type_ == ResourceType.DATA_CONNECTION:
        on_resource = on_resource | RUNS
    assert held(evaluator, "user:ann", ORGANIZATION) == on_organization
    assert held(evaluator, "user:ann", PROJECT) == on_project
    assert held(evaluator, "user:ann", resource) == on_resource
    assert held(evaluator, "user:ann", f"{type_}:sibling") == (set() if where == "resource" else on_resource)
    assert held(evaluator, "user:ann", "project:sibling") == (on_project if where == ORGANIZATION else set())
    assert held(evaluator, "user:ann", f"{type_}:elsewhere") == (on_resource if where == ORGANIZATION else set())
    for stranger in ("user:eve", "group:h#member"):
        assert held(evaluator, stranger, resource) == held(evaluator, stranger, PROJECT) == set()


@pytest.mark.parametrize("type_", RESOURCES)
@pytest.mark.parametrize(("relation", "expected"), [("owner", OF_RESOURCE), ("admin", OF_RESOURCE), ("member", READS)])
def test_a_resource_without_a_project_belongs_to_the_whole_organization(
    type_: ResourceType, relation: str, expected: set[Permission]
) -> None:
    evaluator = Evaluator(
        MODEL,
        tuples(
            f"{type_}:r#organization@{ORGANIZATION}",
            f"{ORGANIZATION}#{relation}@user:ann",
            f"{PROJECT}#organization@{ORGANIZATION}",
            f"{PROJECT}#owner@user:bob",
        ),
    )
    assert held(evaluator, "user:ann", f"{type_}:r") == expected
    assert held(evaluator, "user:bob", f"{type_}:r") == set()


def test_the_python_names_are_the_names_of_the_model() -> None:
    assert set(MODEL.types) == {"user", "group", *ResourceType}
    spelled = {name for type_ in ResourceType for name in MODEL.types[type_]}
    assert spelled == {*Permission, *Relation, *ParentRelation}
    assert permissions_of(MODEL, ResourceType.ORGANIZATION) == EVERYTHING
    assert permissions_of(MODEL, ResourceType.PROJECT) == OF_PROJECT
    assert {permissions_of(MODEL, type_) for type_ in RESOURCES} == {frozenset(OF_RESOURCE)}


def test_relations_can_be_granted_where_the_contract_has_them() -> None:
    roles = {Relation.OWNER, Relation.DEVELOPER, Relation.OPERATOR, Relation.VIEWER}
    assert grantable(MODEL, ResourceType.ORGANIZATION) == {Relation.OWNER, Relation.ADMIN, Relation.MEMBER}
    assert grantable(MODEL, ResourceType.PROJECT) == roles | {Relation.ADMIN, Relation.SERVICE_WORKER}
    assert {grantable(MODEL, type_) for type_ in RESOURCES} == {frozenset(roles)}
    assert parents(MODEL, ResourceType.PROJECT) == {ParentRelation.ORGANIZATION: ResourceType.ORGANIZATION}
    assert parents(MODEL, ResourceType.ORGANIZATION) == {}
    for type_ in RESOURCES:
        assert parents(MODEL, type_) == {
            ParentRelation.ORGANIZATION: ResourceType.ORGANIZATION,
            ParentRelation.PROJECT: ResourceType.PROJECT,
        }


def test_no_relation_is_open_to_everybody_and_no_permission_is_granted() -> None:
    for type_, relations in MODEL.types.items():
        for name, relation in relations.items():
            assert not any(item.wildcard for item in relation.restrictions), (type_, name)
            assert not (name.startswith("can_") and relation.restrictions), (type_, name)


def test_every_form_of_the_language_is_read() -> None:
    document = parse(
        """# a comment
model
  schema 1.1  # another
type user
type team
  relations
    define member: [user, user:*, team#member]   # who
type document
  relations
    define parent: [document]
    define owner: [user with recent, user]
    define a: [team#member] or owner or a from parent
    define b: (a and owner) but not (
      owner or [user])
condition recent(days: int, names: list<string>) {
  days < 3 && "}" in names // {
  }
}
""".replace("// {\n  }", "")
    )
    assert document["schema_version"] == "1.1"
    user, team, document_type = document["type_definitions"]
    assert user == {"type": "user"}
    assert team == {
        "type": "team",
        "relations": {"member": {"this": {}}},
        "metadata": {
            "relations": {
                "member": {
                    "directly_related_user_types": [
                        {"type": "user"},
                        {"type": "user", "wildcard": {}},
                        {"type": "team", "relation": "member"},
                    ]
                }
            }
        },
    }
    owner = {"computedUserset": {"relation": "owner"}}
    assert document_type["relations"]["a"] == {
        "union": {
            "child": [
                {"this": {}},
                owner,
                {"tupleToUserset": {"tupleset": {"relation": "parent"}, "computedUserset": {"relation": "a"}}},
            ]
        }
    }
    assert document_type["relations"]["b"] == {
        "difference": {
            "base": {"intersection": {"child": [{"computedUserset": {"relation": "a"}}, owner]}},
            "subtract": {"union": {"child": [owner, {"this": {}}]}},
        }
    }
    assert document_type["metadata"]["relations"]["owner"]["directly_related_user_types"] == [
        {"type": "user", "condition": "recent"},
        {"type": "user"},
    ]
    assert document["conditions"] == {
        "recent": {
            "name": "recent",
            "expression": 'days < 3 && "}" in names',
            "parameters": {
                "days": {"type_name": "TYPE_NAME_INT"},
                "names": {"type_name": "TYPE_NAME_LIST", "generic_types": [{"type_name": "TYPE_NAME_STRING"}]},
            },
        }
    }


HEAD = "model\n  schema 1.1\ntype user\ntype doc\n  relations\n"


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "starts with"),
        ("type user", 1, "starts with"),
        ("model\n  schema 1.2\ntype user", 2, "schema 1.1"),
        ("model\n  schema 1.1\ntipe user", 3, "not expected"),
        ("model\n  schema 1.1\ntype user\ntype user", 4, "defined twice"),
        ("model\n  schema 1.1\ntype user\n  define a: [user]", 4, "belongs under"),
        (HEAD + "    define a: [user]\n    define a: [user]", 7, "defined twice"),
        (HEAD + "    define a [user]", 6, "define name: ..."),
        (HEAD + "    define a:", 6, "Expected a relation"),
        (HEAD + "    define a: [user", 6, '"]" is missing'),
        (HEAD + "    define a: []", 6, "Expected a type"),
        (HEAD + "    define a: [user] or", 6, "Expected a relation"),
        (HEAD + "    define a: [user] or b and c", 6, "parentheses"),
        (HEAD + "    define a: [user] but not b but not c", 6, "parentheses"),
        (HEAD + "    define a: [user] but b", 6, '"not" is missing'),
        (HEAD + "    define a: ([user]", 6, '")" is missing'),
        (HEAD + "    define a: [user] or\n      [user]", 7, "lists its direct types once"),
        (HEAD + "    define a: [user] ! b", 6, "not expected"),
        (HEAD + "    define a: b from", 6, 'after "from"'),
        (HEAD + "    define a: [user with]", 6, 'after "with"'),
        (HEAD + "    define a: [user]\ncondition c(x int) { x }", 7, "name: type"),
        (HEAD + "    define a: [user]\ncondition c(x: number) { x }", 7, "do not know"),
        (HEAD + "    define a: [user]\ncondition c(x: list) { x }", 7, "do not know"),
        (HEAD + "    define a: [user]\ncondition c() { true }", 7, "at least one"),
        (HEAD + "    define a: [user]\ncondition c(x: int) { x", 7, "never closed"),
    ],
)
def test_a_mistake_is_named_with_its_line(text: str, line: int, says: str) -> None:
    with pytest.raises(ModelSyntaxError, match="Line") as refused:
        parse(text)
    assert refused.value.line == line
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("define a: b", "needs b"),
        ("define a: [robot]", "no such type"),
        ("define a: [doc#b]", "no such relation"),
        ("define a: [user with c]", "not defined"),
        ("define a: b from c", "looks for c"),
        ("define p: [doc]\n    define a: [user] or b from p", "no type that p accepts"),
        ("define p: [doc, doc:*]\n    define a: [user] or a from p", "plain objects"),
        ("define p: [doc#a]\n    define a: [user] or a from p", "plain objects"),
        ("define q: [doc]\n    define p: q\n    define a: [user] or a from p", "plain objects"),
        ("define a: b\n    define b: a", "defined by itself"),
    ],
)
def test_a_model_that_makes_no_sense_is_refused(body: str, says: str) -> None:
    with pytest.raises(ModelSyntaxError, match=says):
        Model.parse(HEAD + "    " + body)


def test_the_version_names_the_content_and_not_the_layout() -> None:
    text = HEAD + "    define a: [user]\n"
    spaced = text.replace("\n", "   # more\n\n")
    assert model_version(parse(text)) == model_version(parse(spaced)) == Model.parse(text).version
    assert model_version(parse(text)) != model_version(parse(text.replace("define a", "define b")))
    assert len(MODEL.version) == 12


@pytest.mark.parametrize("identifier", ["*", "a#member", "a b", "%2A", "a%b", "tab\there", "δ/x:y|z@w", "line\nbreak"])
def test_an_identifier_can_never_mean_something_else_in_a_name(identifier: str) -> None:
    for name in (user_subject(identifier), group_subject(identifier), object_name("project", identifier)):
        type_, id_, relation = split_user(name)
        assert (type_, relation) in {("user", ""), ("group", "member"), ("project", "")}
        assert id_ != "*"
        assert bare_id(name) == identifier
    assert subject_of(identifier, is_group=True) == group_subject(identifier)
    assert subject_of(identifier, is_group=False) == user_subject(identifier)


def test_different_identifiers_have_different_names() -> None:
    raw: list[Any] = ["*", "%2A", "a#b", "a%23b", "a b", "a%20b"]
    assert len({user_subject(one) for one in raw}) == len(raw)
