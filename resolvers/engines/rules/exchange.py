"""Defines what reading and writing rules in the formats of others have in common."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from resolvers.engines.documents import NotUnderstood, Understood, UnreadableDocument, column_fqn
from resolvers.engines.rules.draft import RuleDraft
from schema.data_readiness.rule import Expectation
from schema.data_readiness.source import TableFacts
from schema.identifiers import Fqn

MOST_RULES: Final = 5000


@dataclass(slots=True)
class Imported(Understood):
    """The rules of a file, and what in it was not understood."""

    drafts: list[RuleDraft] = field(default_factory=list)

    def add(self, draft: RuleDraft, where: str) -> None:
        """Take a rule in, unless the same one has been."""
        if len(self.drafts) >= MOST_RULES:
            raise UnreadableDocument(f"A file can have {MOST_RULES} rules at most. Split it.")
        if any(one.key == draft.key for one in self.drafts):
            self.miss(where, "The file says the same before, and the first stands.")
        else:
            self.drafts.append(draft)


@dataclass(slots=True)
class Exported:
    """A file, and the rules that the format has no words for."""

    text: str
    left_out: list[NotUnderstood] = field(default_factory=list)


def asset_of_key(facts: TableFacts, columns: Sequence[str]) -> str:
    """Return what a rule of uniqueness is about: the column when it is one, else the table."""
    if len(columns) == 1 and (found := column_fqn(facts, columns[0])) is not None:
        return found[0]
    return facts.fqn


def by_table(rules: Iterable[Expectation]) -> dict[str, dict[str | None, list[Expectation]]]:
    """Rules by the FQN of their table, then by column; None for those of the table itself."""
    found: dict[str, dict[str | None, list[Expectation]]] = {}
    for rule in sorted(rules, key=lambda rule: (rule.asset_fqn, rule.name)):
        parts = Fqn.parse(rule.asset_fqn).parts
        table = str(Fqn.of(*parts[:4]))
        found.setdefault(table, {}).setdefault(parts[4] if len(parts) > 4 else None, []).append(rule)
    return found


def plain(number: float) -> int | float:
    """A number as people write it."""
    return int(number) if float(number).is_integer() else float(number)


_SAFE: Final = re.compile(r"[^A-Za-z0-9_.]+")


def slug(text: str) -> str:
    """A text of letters, digits, dots and underscores."""
    return _SAFE.sub("_", text).strip("_") or "rules"
