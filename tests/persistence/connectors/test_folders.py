"""What the entries of STOA_FILESYSTEM_ROOTS mean, and which of them cannot be meant."""

import pytest

from persistence.connectors.core.base import ConnectorSettings
from persistence.connectors.core.folders import Folder, Folders, folders_of, parsed


def opens(entry: str, organization: str, *, alone: bool = False) -> tuple[Folder, ...]:
    """Return what one entry opens to an organization."""
    return folders_of(parsed((entry,)), organization, alone=alone).allowed


@pytest.mark.parametrize("id_", ["acme", "A", "a.b", "a..", "x-1_2", "a" * 64])
def test_the_placeholder_is_the_folder_of_each_organizations_id(id_: str) -> None:
    assert opens("/data/{organization}", id_) == (Folder("/data", (id_,)),)
    assert opens("/data//./{organization}/in/", id_) == (Folder("/data", (id_, "in")),)


@pytest.mark.parametrize(
    "id_",
    [
        "",
        ".",
        "..",
        "a/b",
        "../b",
        "/etc",
        "a\\b",
        "a b",
        "a\n",
        "\x00",
        "a" * 65,
        "{organization}",
        "*",
        "é",
        "-a",
        "_",
    ],
)
def test_what_is_no_name_of_a_folder_never_takes_the_place(id_: str) -> None:
    assert opens("/data/{organization}", id_) == ()
    assert opens("acme=/data", id_) == ()


def test_each_form_opens_to_whom_it_names() -> None:
    assert opens("acme=/a/b/", "acme") == (Folder("/a/b"),)
    assert opens("acme=/a/b/", "globex") == opens("acme=/a/b/", "ACME") == ()
    assert opens("*=/a", "acme") == opens("*=/a", "globex") == (Folder("/a"),)
    assert opens("/a", "acme", alone=True) == (Folder("/a"),)
    assert folders_of(parsed(("/a",)), "acme", alone=False) == Folders((), "acme", unclear=True)
    assert opens("/a=b/c,d", "acme", alone=True) == (Folder("/a=b/c,d"),)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("data", "whole path"),
        ("./data", "whole path"),
        ("~/data", "whole path"),
        ("acme", "whole path"),
        ("acme=", "whole path"),
        ("acme=data", "whole path"),
        ("*=", "whole path"),
        ("{organization}", "whole path"),
        ("=/data", "organization's id"),
        ("a b=/data", "organization's id"),
        ("..=/data", "organization's id"),
        ("{organization}=/data", "organization's id"),
        ("**=/data", "organization's id"),
        ("acme=/data/{organization}", "says twice"),
        ("*=/data/{organization}", "says twice"),
        ("/data/{org}", "no other braces"),
        ("/data/x-{organization}", "no other braces"),
        ("/data/{organization}/{organization}", "no other braces"),
        ("/data/{organization", "no other braces"),
        ("/data/{organization}/{", "no other braces"),
        ("/{organization}", "a folder above"),
        ("/{organization}/data", "a folder above"),
        ("/data/../{organization}", "no .."),
        ("/data/{organization}/..", "no .."),
        ("/data/\x00", "character"),
    ],
)
def test_an_entry_that_cannot_be_meant_is_refused_with_what_to_write(entry: str, words: str) -> None:
    with pytest.raises(ValueError, match="entry 2 ") as refused:
        ConnectorSettings(filesystem_roots=("/fine", entry))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    "entries",
    [
        ("*=/data", "acme=/data"),
        ("*=/data", "acme=/data/acme"),
        ("*=/data/x", "acme=/data"),
        ("acme=/data", "globex=/data/globex"),
        ("acme=/data/", "globex=/data//x"),
        ("acme=/", "globex=/data"),
        ("/data/{organization}", "*=/data"),
        ("/data/{organization}", "*=/data/common"),
        ("/data/{organization}", "acme=/data"),
        ("/data/{organization}", "acme=/data/globex/in"),
        ("/data/{organization}", "/data/x/{organization}"),
    ],
)
def test_a_folder_within_that_of_others_is_refused(entries: tuple[str, ...]) -> None:
    for order in (entries, entries[::-1]):
        with pytest.raises(ValueError, match="entries 1 and 2 open"):
            ConnectorSettings(filesystem_roots=order)


@pytest.mark.parametrize(
    "entries",
    [
        ("acme=/data", "globex=/data"),
        ("acme=/data", "acme=/data/in"),
        ("*=/data", "*=/data/in"),
        ("acme=/data", "globex=/data2"),
        ("/data", "*=/data/x", "acme=/data/y"),
        ("/data/{organization}", "acme=/data/acme/in"),
        ("/data/{organization}/in", "acme=/data/acme/out"),
        ("/data/{organization}/in", "globex=/data/acme/out"),
        ("/data/{organization}", "/data/{organization}/in"),
        ("/data/{organization}", "*=/data/_common"),
        ("/data/{organization}", "/more/{organization}"),
    ],
)
def test_what_keeps_apart_stands(entries: tuple[str, ...]) -> None:
    for order in (entries, entries[::-1]):
        assert ConnectorSettings(filesystem_roots=order).filesystem_roots == order


def test_the_setting_is_split_at_commas() -> None:
    settings = ConnectorSettings(filesystem_roots=" acme=/a , /b/{organization},")
    assert settings.filesystem_roots == ("acme=/a", "/b/{organization}")
