"""Defines what may not stand in a prompt, and how it is kept out: values of private columns, addresses of people,
credentials.

Prompts leave the platform. What a column holds is told only of columns that nothing speaks against. Texts that people
or databases wrote (notes, comments, errors, earlier SQL) go through here, since they may quote what no column tells.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

import sqlglot
from sqlglot.errors import SqlglotError

from resolvers.engines.describing.known import DescribedTable
from resolvers.engines.masking import GONE, masked_text
from resolvers.engines.nl2sql.model import ColumnKey, Knowledge
from schema.data_readiness.source import ColumnFacts, TableFacts

_CREDENTIALS: Final = re.compile(
    r"(?<=://)[^\s/@]+:[^\s/@]+(?=@)"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abprs]|hf)[-_][A-Za-z0-9_-]{16,}"
    r"|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"
    r"|(?<=bearer )[\w.~+/=-]{12,}"
    r"|\b(?:password|passwd|pwd|passphrase|secret|api[_-]?key|access[_-]?key|(?:access|auth|refresh)[_-]?token)\b"
    r"[\"']?\s*(?:[=:]|\bis\b)\s*[\"']?[^\s\"',;]+",
    re.IGNORECASE | re.DOTALL,
)
_PEOPLE: Final = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w.])\+?\d(?:[ ./()-]?\d){8,}(?![\w.])")
"""E-mail addresses, and runs of nine or more digits: telephones, cards, accounts, social security."""
_QUOTED: Final = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`|“[^”]*”|(?<==)\([^)]*\)|«[^»]*»")
_WORD: Final = re.compile(r"\w+")
_SQL: Final = re.compile(r"\bselect\b.+\bfrom\b", re.IGNORECASE | re.DOTALL)
_LITERALS: Final = frozenset(
    {
        *("STRING", "NUMBER", "NATIONAL_STRING", "RAW_STRING", "HEX_STRING", "BIT_STRING", "BYTE_STRING"),
        *("HEREDOC_STRING", "UNICODE_STRING"),
    }
)
LONGEST_ERROR: Final = 400


@dataclass(slots=True)
class Privacy:
    """Holds what of a catalog is private."""

    known: Knowledge
    _columns: dict[str, frozenset[str]] = field(default_factory=dict)
    _names: frozenset[str] | None = None

    def is_private(self, table: TableFacts, column: str) -> bool:
        """Return whether no value of a column may be told: tagged, masked or forbidden, or likely to be personal."""
        private = self._columns.get(table.fqn)
        if private is None:
            private = self._columns[table.fqn] = frozenset(self._of(table))
        return column in private

    def _of(self, table: TableFacts) -> Iterable[str]:
        subject = DescribedTable(table, self.known.profiles.get(table.fqn))
        for column in table.columns:
            if table.is_pii_tagged or self._is_said(table, column) or subject.is_private(column):
                yield column.name

    def _is_said(self, table: TableFacts, column: ColumnFacts) -> bool:
        key = ColumnKey(table.fqn, column.name)
        if key in self.known.private or key in self.known.forbidden:
            return True
        return column.references is not None and ColumnKey(*column.references) in self.known.private

    def _is_named(self, text: str) -> bool:
        """Return whether SQL names a private column: of the tables that it names, or of any when it names none."""
        lowered = text.casefold()
        words = set(_WORD.findall(lowered))

        def is_there(name: str) -> bool:
            folded = name.casefold()
            return folded in words if folded.isidentifier() else folded in lowered

        tables = [table for table in self.known.tables if is_there(table.name)] or self.known.tables
        return any(
            is_there(column.name) and self.is_private(table, column.name)
            for table in tables
            for column in table.columns
        )

    def sql(self, text: str, said: Collection[str] = ()) -> str:
        """SQL without the literals that may be values of private columns, unless the asker said them themselves."""
        if not self._is_named(text):
            return without_credentials(text)
        try:
            tokens = sqlglot.tokenize(text, dialect=self.known.dialect)
        except (SqlglotError, ValueError):
            return GONE
        kept, at = [], 0
        words = " ".join(said).casefold()
        for token in tokens:
            if token.token_type.name in _LITERALS and token.text.casefold() not in words:
                is_text = token.token_type.name != "NUMBER"
                kept += [text[at : token.start], f"'{GONE}'" if is_text else "0"]
                at = token.end + 1
        # Comments are no part of what was asked, and may quote anything.
        rest = "".join([*kept, text[at:]])
        return without_credentials(re.sub(r"--[^\n]*|/\*.*?\*/", " ", rest, flags=re.DOTALL))

    def comment(self, table: TableFacts, column: str | None = None) -> str | None:
        """Return what is said of a column, or of the table. It may have been written before anybody said what is
        private.

        Of a private column, or a table that has one, it loses what may be a value.
        """
        of = next((one for one in table.columns if one.name == column), None)
        text = table.description if of is None else of.description
        told_of = table.columns if of is None else (of,)
        if text is None or not any(self.is_private(table, one.name) for one in told_of):
            return text
        if self._names is None:
            every = [name for one in self.known.tables for name in _names_in(one)]
            self._names = frozenset(name.casefold() for name in every)
        return masked_text(text, self._names)

    def note(self, text: str) -> str:
        """A text that people wrote: SQL in it loses private literals, and all of it loses people and credentials."""
        return without_people(self.sql(text) if _SQL.search(text) else text)

    def error(self, text: str, said: Collection[str]) -> str:
        """Return what a database said of a query. It may quote the very value that it stumbled over.

        What it quotes is kept when it is in `said`: the query, the question, the names of the catalog.
        """
        first = text.strip().splitlines()[0] if text.strip() else ""
        known = "\n".join(said).casefold()

        def kept(match: re.Match[str]) -> str:
            inner = match.group()[1:-1]
            return match.group() if inner.casefold() in known else f"{match.group()[0]}{GONE}{match.group()[-1]}"

        return without_people(_QUOTED.sub(kept, first))[:LONGEST_ERROR]


def _names_in(table: TableFacts) -> list[str]:
    return [table.database, table.schema, table.name, *(column.name for column in table.columns)]


def without_credentials(text: str) -> str:
    """A text without what looks like a credential."""
    return _CREDENTIALS.sub(GONE, text)


def without_people(text: str) -> str:
    """A text without what looks like a credential, an e-mail address or a long number of a person."""
    return _PEOPLE.sub(GONE, without_credentials(text))
