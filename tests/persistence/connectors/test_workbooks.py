"""Excel workbooks in a folder: headers, types, what is left out, and what a hostile file cannot do."""

import zipfile
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from persistence.connectors.core.base import TableInfo
from persistence.connectors.files import xlsx
from tests.persistence.connectors.test_files import at, put
from tests.persistence.connectors.test_sqlite_files import listed, only, reading, rows, tree
from tests.support.sources import columns, everything

__all__ = ["tree"]

Sheets = dict[str, list[list[Any]]]

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PARTS = {
    "xl/workbook.xml": (
        f'<workbook xmlns="{MAIN}" xmlns:r="{RELATED}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets>'
        "</workbook>"
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships><Relationship Id="r1" Type="{RELATED}/worksheet" Target="/xl/worksheets/s.xml"/>'
        f'<Relationship Id="r2" Type="{RELATED}/sharedStrings" Target="sharedStrings.xml"/>'
        f'<Relationship Id="r3" Type="{RELATED}/styles" Target="styles.xml"/></Relationships>'
    ),
}


def book(path: Path, sheets: Sheets, hidden: tuple[str, ...] = ()) -> None:
    """A workbook as Excel would write it: days, moments and times with formats, texts shared."""
    with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd"}) as made:
        moment, clock = made.add_format({"num_format": "dd.mm.yyyy hh:mm"}), made.add_format({"num_format": "hh:mm"})
        for name, lines in sheets.items():
            sheet = made.add_worksheet(name)
            if name in hidden:
                sheet.hide()
            for row, cells in enumerate(lines):
                for column, value in enumerate(cells):
                    style = moment if isinstance(value, datetime) else clock if isinstance(value, time) else None
                    if isinstance(value, str):
                        sheet.write_string(row, column, value)
                    elif value is not None:
                        sheet.write(row, column, value, *([style] if style else []))


def parts(path: Path, sheet: str, **more: str) -> None:
    """A workbook whose only sheet holds this XML; `more` are other parts, by their names without folder and ending."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in PARTS.items():
            made.writestr(name, text)
        made.writestr("xl/worksheets/s.xml", f'<worksheet xmlns="{MAIN}">{sheet}</worksheet>')
        for name, text in more.items():
            made.writestr(f"xl/{name}.xml", text)


def held(folder: Path) -> tuple[dict[str, str], list[Any]]:
    """The columns and rows of the only sheet of the only workbook."""
    ((name, info),) = only(folder).items()
    with reading(folder) as source:
        return columns(info), rows(source, name, "book")[1]


def test_each_sheet_that_holds_something_is_a_table(tree: Path) -> None:
    sheets: Sheets = {
        "Staff": [["id", "name"], [1, "Ann"]],
        "Nothing": [],
        "Secret pay": [["id", "pay"], [1, 12.5]],
    }
    book(tree / "book.xlsx", sheets, hidden=("Secret pay",))
    put(tree, "~$book.xlsx", "an owner")
    put(tree, "old.xls", "something")
    with at(tree) as connector:
        details = connector.verify().details
        tables = everything(connector)["book"]
    (schema,) = listed(tree)
    assert list(tables) == ["Secret pay", "Staff"]
    assert schema.comment == "Sheets that are empty, and left out: Nothing."
    assert (tables["Staff"].table_type, tables["Staff"].comment, tables["Staff"].row_count) == ("FILE", None, 1)
    assert tables["Secret pay"].comment == "The sheet is hidden in the workbook."
    assert details["formats"] == {"xlsx": 2}
    assert {one["path"]: one["reason"] for one in details["ignored"]} == {
        "old.xls": "It is a spreadsheet of another format. Save it as XLSX or CSV.",
        "~$book.xlsx": "It only marks a workbook that somebody has open.",
    }


def test_values_have_the_types_that_the_sheet_shows(tree: Path) -> None:
    moment = datetime.fromisoformat("2024-02-29 09:30:00")
    lines: list[list[Any]] = [
        ["day", "moment", "clock", "whole", "part", "yes", "code", "mixed", "broken"],
        [date(2024, 2, 29), moment, time(8, 15), 3, 0.1, True, "007", 1, "=1/0"],
        [date(1900, 1, 15), None, None, -4, 12, False, "it's\nlong", "x", None],
    ]
    with xlsxwriter.Workbook(tree / "book.xlsx", {"default_date_format": "yyyy-mm-dd"}) as made:
        sheet = made.add_worksheet("S")
        for row, cells in enumerate(lines):
            for column, value in enumerate(cells):
                style = {1: "d/m/yy h:mm", 2: "h:mm;@"}.get(column)
                form = made.add_format({"num_format": style}) if row and style else None
                if isinstance(value, str) and value.startswith("="):
                    sheet.write_formula(row, column, value, None, "#DIV/0!")
                elif isinstance(value, str):
                    sheet.write_string(row, column, value)
                elif value is not None:
                    sheet.write(row, column, value, *([form] if form else []))
        sheet.write_formula(3, 3, "=2+2", made.add_format({"num_format": '0 "days"'}), 4)
    told, found = held(tree)
    assert told == {
        "day": "DATE",
        "moment": "TIMESTAMP",
        "clock": "TIME",
        "whole": "BIGINT",
        "part": "DOUBLE",
        "yes": "BOOLEAN",
        "code": "VARCHAR",
        "mixed": "VARCHAR",
        "broken": "VARCHAR",
    }
    assert found == [
        (date(2024, 2, 29), moment, time(8, 15), 3, 0.1, True, "007", "1", None),
        (date(1900, 1, 15), None, None, -4, 12.0, False, "it's\nlong", "x", None),
        (None, None, None, 4, None, None, None, None, None),
    ]


@pytest.mark.parametrize(
    ("lines", "names", "first", "note"),
    [
        ([[], [], ["a", "b"], [1, 2]], ["a", "b"], (1, 2), None),
        (
            [["Sales of the year"], ["as of", "today"], [], ["a", "b", "c", "d", "e"], [1, 2, 3, 4, 5]],
            ["a", "b", "c", "d", "e"],
            (1, 2, 3, 4, 5),
            "Its first 2 rows with a value are taken for a title: the header stands in row 4.",
        ),
        ([["a", "A", None, "a"], [1, 2, 3, 4]], ["a", "A (2)", "C", "a (3)"], (1, 2, 3, 4), None),
        (
            [[1, "x", 2.5], [2, "y", 3.5]],
            ["A", "B", "C"],
            (1, "x", 2.5),
            "It has no header; its columns have the letters that the sheet gives them.",
        ),
        ([["only one"], ["x"]], ["only one"], ("x",), None),
        ([["  a\n b ", "b"], [None, None], [1, 2]], ["a b", "b"], (1, 2), None),
    ],
)
def test_the_header_is_found_and_what_was_taken_for_it_is_said(
    tree: Path, lines: list[list[Any]], names: list[str], first: tuple[Any, ...], note: str | None
) -> None:
    book(tree / "book.xlsx", {"S": lines})
    info: TableInfo = only(tree)["S"]
    assert ([column.name for column in info.columns], info.comment) == (names, note)
    assert held(tree)[1][0] == first


def test_what_other_programs_write_is_read_too(tree: Path) -> None:
    rich = (
        "<si><r><t>ri</t></r><r><t xml:space='preserve'>ch </t></r><rPh><t>no</t></rPh></si><si><t>a_x000D_b</t></si>"
    )
    parts(
        tree / "book.xlsx",
        '<x:sheetData xmlns:x="urn:other"/><sheetData>'
        '<row><c t="inlineStr"><is><t>name</t></is></c><c t="inlineStr"><is><t>n</t></is></c>'
        '<c t="str"><f>A1</f><v>made</v></c><c t="inlineStr"><is><t>at</t></is></c></row>'
        '<row r="5"><c r="A5" t="s"><v>0</v></c><c r="B5"><v>1E3</v></c><c r="C5" t="e"><v>#N/A</v></c>'
        '<c r="D5" t="d"><v>2024-01-31T10:00:00</v></c></row>'
        '<row r="6"><c r="A6" t="s"><v>1</v></c><c r="B6" s="1"><v>45292</v></c><c r="C6" t="s"><v>99</v></c></row>'
        "</sheetData>",
        sharedStrings=f'<sst xmlns="{MAIN}">{rich}</sst>',
        styles=(
            f'<styleSheet xmlns="{MAIN}"><numFmts>'
            '<numFmt numFmtId="200" formatCode="[Red]0.00&quot;day&quot;"/></numFmts>'
            '<cellXfs><xf numFmtId="0"/><xf numFmtId="200"/></cellXfs></styleSheet>'
        ),
    )
    assert held(tree) == (
        {"name": "VARCHAR", "n": "BIGINT", "made": "VARCHAR", "at": "TIMESTAMP"},
        [("rich ", 1000, None, datetime.fromisoformat("2024-01-31 10:00:00")), ("a\rb", 45292, None, None)],
    )


def test_names_may_have_a_prefix(tree: Path) -> None:
    cells = '<x:row><x:c t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c></x:row><x:row><x:c><x:v>1</x:v></x:c></x:row>'
    parts(tree / "book.xlsx", "")
    with zipfile.ZipFile(tree / "book.xlsx") as made:
        kept = {name: made.read(name) for name in made.namelist()}
    kept["xl/worksheets/s.xml"] = (
        f'<x:worksheet xmlns:x="{MAIN}"><x:sheetData>{cells}</x:sheetData></x:worksheet>'.encode()
    )
    with zipfile.ZipFile(tree / "book.xlsx", "w") as made:
        for name, text in kept.items():
            made.writestr(name, text)
    assert held(tree) == ({"a": "BIGINT"}, [(1,)])


@pytest.mark.parametrize(
    ("code", "shows"),
    [
        ("yyyy-mm-dd", (True, False)),
        ("mmm yy", (True, False)),
        ("[$-409]d/m/yy h:mm AM/PM;@", (True, True)),
        ("[h]:mm", (False, False)),
        ("mm:ss.0", (False, True)),
        ("#,##0.00 [$€-407]", (False, False)),
        ('0 "days"', (False, False)),
        ("General", (False, False)),
        ("0.0%", (False, False)),
        (r"0\d", (False, False)),
        ("#,##0_);[Red](#,##0)", (False, False)),
    ],
)
def test_a_format_says_whether_a_number_is_a_day_or_a_time(code: str, shows: tuple[bool, bool]) -> None:
    made = xlsx._format_of("200", code)
    assert (made.is_date, made.is_time) == shows


CELL = '<sheetData><row><c t="inlineStr"><is><t>{}</t></is></c></row></sheetData>'


@pytest.mark.parametrize(
    ("sheet", "limit", "reason"),
    [
        ("<sheetData><row><c><v>x</v></c></row></sheetData>", None, "damaged"),
        ('<sheetData><row><c r="ZZZZZ1"><v>1</v></c></row></sheetData>', None, "damaged"),
        ("<sheetData>", None, "damaged"),
        (CELL.format("&a;"), None, "damaged"),
        (CELL.format("a" * 2000), ("_LONGEST_TEXT", 1000), "a value of more than"),
        ('<sheetData><row r="' + "1" * 200_000 + '"/></sheetData>', ("_LONGEST_TEXT", 1000), "a value of more than"),
    ],
)
def test_a_sheet_that_is_damaged_or_too_large_says_so_beside_the_others(
    tree: Path, monkeypatch: pytest.MonkeyPatch, sheet: str, limit: tuple[str, int] | None, reason: str
) -> None:
    if limit:
        monkeypatch.setattr(xlsx, *limit)
    parts(tree / "book.xlsx", sheet)
    assert reason in (only(tree)["S"].comment or "")


def test_entities_are_refused_before_they_are_made(tree: Path) -> None:
    parts(tree / "book.xlsx", CELL.format("x"))
    with zipfile.ZipFile(tree / "book.xlsx", "a") as made, pytest.warns(UserWarning, match="Duplicate"):
        made.writestr(
            "xl/worksheets/s.xml", f'<!DOCTYPE a [<!ENTITY a "b">]><worksheet>{CELL.format("&a;")}</worksheet>'
        )
    assert "document type" in (only(tree)["S"].comment or "")


def test_a_bomb_is_refused_by_what_it_declares_and_a_lie_is_cut_off(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsx, "_MOST_STRINGS", 1000)
    shared = '<sheetData><row><c t="s"><v>0</v></c></row></sheetData>'
    parts(tree / "book.xlsx", shared, sharedStrings="<sst><si><t>" + "a" * 5000 + "</t></si></sst>")
    assert "texts take more" in (only(tree)["S"].comment or "")
    data = (tree / "book.xlsx").read_bytes()
    size = (5000 + len("<sst><si><t></t></si></sst>")).to_bytes(4, "little")
    assert data.count(size) == 2
    (tree / "book.xlsx").write_bytes(data.replace(size, (100).to_bytes(4, "little")))
    assert "damaged" in (only(tree)["S"].comment or "")


def test_a_cell_in_the_last_corner_costs_nothing(tree: Path) -> None:
    with xlsxwriter.Workbook(tree / "book.xlsx") as made:
        sheet = made.add_worksheet("S")
        sheet.write_string(0, 0, "a")
        sheet.write(1_048_575, 16_383, 7)
    assert held(tree) == ({"a": "VARCHAR", "XFD": "BIGINT"}, [(None, 7)])


def test_what_is_no_workbook_says_so(tree: Path) -> None:
    put(tree, "book.xlsx", "junk")
    put(tree, "locked.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600)
    put(tree, "empty.xlsx", "")
    with at(tree) as connector:
        found = {schema: next(iter(tables.values())).comment for schema, tables in everything(connector).items()}
    assert found["book"] == "The columns are not known. It is not a whole XLSX workbook, or is damaged."
    assert "without a password" in (found["locked"] or "")
    assert found["empty"] == "The columns are not known. The file is empty."
