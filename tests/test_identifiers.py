"""Names are parsed once and printed once: what is printed reads back as what it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schema.errors import InvalidFormat, InvalidParameter
from schema.identifiers import Fqn, ResourceUri, Version, parse_fqn, slug, unique_slug

PART = st.text(min_size=1, max_size=12)


@given(st.lists(PART, min_size=1, max_size=6))
def test_every_dotted_name_reads_back(parts):
    name = Fqn(tuple(parts))
    assert Fqn.parse(str(name)) == name


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("svc", "db", "t"), "svc.db.t"),
        (("svc", "a.b"), 'svc."a.b"'),
        (("svc", 'say "x"'), 'svc."say ""x"""'),
        (("svc", "two words"), "svc.two words"),
    ],
)
def test_a_part_is_quoted_when_it_must_be(parts, text):
    assert str(Fqn(parts)) == text


@pytest.mark.parametrize("text", ["", ".", "a.", ".a", "a..b", '"a', 'a"b', '"a"b', '""', 'a."b'])
def test_what_is_no_dotted_name_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 - the sentence differs by case
        Fqn.parse(text)
    with pytest.raises(InvalidParameter):
        parse_fqn(text)


@given(st.text(max_size=30))
def test_any_text_is_a_dotted_name_or_refused(text):
    try:
        name = Fqn.parse(text)
    except ValueError:
        return
    assert Fqn.parse(str(name)) == name


def test_a_dotted_name_knows_its_family():
    name = Fqn.parse('svc.db."a.b"')
    assert (name.name, str(name.parent), str(name.child("c"))) == ("a.b", "svc.db", 'svc.db."a.b".c')
    assert Fqn.of("svc").parent is None


@pytest.mark.parametrize(
    ("text", "project"),
    [("data:acme:shop:main-db", "shop"), ("data:acme::main-db", None), ("data:acme:proj:x:main-db", "proj:x")],
)
def test_a_resource_uri_reads_back(text, project):
    uri = ResourceUri.parse(text)
    assert (uri.kind, uri.organization_id, uri.project_id, uri.name) == ("data", "acme", project, "main-db")
    assert str(uri) == text


@pytest.mark.parametrize(
    "text", ["", "data", "data:acme:main", "data::p:n", "DATA:acme:p:n", "data:acme:p:Not_Kebab", "data:acme:p:"]
)
def test_what_is_no_resource_uri_is_refused(text):
    with pytest.raises(InvalidParameter):
        ResourceUri.parse(text)


@pytest.mark.parametrize(
    ("name", "made"), [("Sales DB (EU)", "sales-db-eu"), ("Ärger", "arger"), ("--", "unnamed"), ("a" * 300, "a" * 100)]
)
def test_a_slug_is_kebab_case(name, made):
    assert slug(name) == made


def test_a_taken_slug_gets_a_suffix():
    assert unique_slug("Sales", set()) == "sales"
    assert unique_slug("Sales", {"sales", "sales-2"}) == "sales-3"
    everything = {"sales", *(f"sales-{n}" for n in range(2, 100))}
    made = unique_slug("Sales", everything)
    assert made not in everything
    assert made.startswith("sales-")


def test_versions_count_and_compare():
    assert str(Version.parse("0.10")) == "0.10"
    assert Version.parse("0.10") > Version.parse("0.9")
    assert Version(1, 4).next(structural=False) == Version(1, 5)
    assert Version(1, 4).next(structural=True) == Version(2, 0)
    for text in ("1", "1.", ".1", "a.b", "1.2.3", "1.2\n", "-1.2", "\u0663.\u0661", "1" * 12 + ".0"):
        with pytest.raises(InvalidFormat):
            Version.parse(text)
