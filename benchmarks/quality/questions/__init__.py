"""Questions with the SQL that answers them, read from the files beside this one.

A file is one database and reads as Markdown: `## class` begins a class, a line without indent is a question, the
indented lines under it are the SQL. Where two readings are both right, `-- or` parts them. A question that begins with
`...` follows the one before it in the same session. A question of the class `unanswerable` has no SQL.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
INVENTED: Final = FOLDER / "invented"
"""Small invented databases, a script and a file of questions each, that engines may be fitted to."""
HELD_OUT: Final = FOLDER / "held_out"
"""The like that no engine may be fitted to: whoever works on one does not read them, and hears figures alone."""
CLASSES: Final = ("one table", "join", "group", "nested", "set", "compound", "follow-up", "unanswerable")
FOLLOWS: Final = "..."


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a database."""

    database: str
    kind: str
    """One of CLASSES."""
    text: str
    golds: tuple[str, ...]
    """Queries that are each a right answer; none when the data cannot answer."""
    earlier: tuple["Question", ...] = ()
    """What was asked before it in the session, oldest first."""
    dialect: str = "duckdb"
    """Of the right queries; another one than DuckDB's runs on the database's original file."""


def questions_of(path: Path) -> list[Question]:
    """The questions of a file. Raises ValueError for a line that is none."""
    return list(_parsed(path.read_text(), path.stem))


def _parsed(text: str, database: str) -> Iterator[Question]:
    kind = ""
    session: tuple[Question, ...] = ()
    for block in re.split(r"\n(?=\S)", "\n" + text):
        head, *lines = block.strip("\n").splitlines() or [""]
        if head.startswith("## "):
            kind, session = head[3:].strip(), ()
            if kind not in CLASSES:
                raise ValueError(f"{database}: {kind} is not one of the classes {', '.join(CLASSES)}.")
            continue
        if not head.strip() or head.startswith("# "):
            continue
        sql = "\n".join(line.strip() for line in lines if line.strip())
        golds = tuple(part.strip() for part in re.split(r"^-- or$", sql, flags=re.MULTILINE) if part.strip())
        if bool(golds) == (kind == "unanswerable"):
            raise ValueError(f"{database}: {head} has {'SQL' if golds else 'no SQL'} in the class {kind}.")
        follows = head.startswith(FOLLOWS)
        if follows and not session:
            raise ValueError(f"{database}: {head} follows no question.")
        question = Question(database, kind, head.removeprefix(FOLLOWS).strip(), golds, session if follows else ())
        session = (*question.earlier, question)
        # The first question of a session is of its own class elsewhere: here only what follows it is counted.
        if kind != "follow-up" or follows:
            yield question
