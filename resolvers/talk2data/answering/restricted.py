"""Which columns are so sensitive that answers mask their cells, and the masking of the rows of an answer.

A cell is masked after the source has answered, wherever its value may stand in a column of the answer. So a key is
still joined by, a value that a question gives for a column that it names is still found, and how many there are is
still counted; nothing of that shows the value itself. But no word of a question is looked for in such columns: whose
password a word is would be told to who never asked for it.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.engines.english.grammar import listed
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.recognition.named import is_restricted_by_name
from resolvers.engines.recognition.taxonomy import TAXONOMY, Level
from resolvers.engines.sql_guard import GuardedQuery
from resolvers.engines.sql_guard.masking import HIDDEN
from schema.data_readiness.classification import CATEGORIES, Classification, ClassificationKind, ClassificationState
from schema.data_readiness.source import ColumnFacts, Row, TableFacts
from schema.identifiers import Fqn

if TYPE_CHECKING:
    from resolvers.talk2data.answering.guarding import Policies

_PII: Final = CATEGORIES[ClassificationKind.PII]
_SENSITIVITY: Final = CATEGORIES[ClassificationKind.SENSITIVITY]
_HIGHEST: Final = f"{_SENSITIVITY}.{Level.RESTRICTED.tag}"
_LOWEST: Final = f"{_SENSITIVITY}.{Level.INTERNAL.tag}"


def restricted_columns(uow: UnitOfWork, scope: Scope, tables: Sequence[TableFacts]) -> frozenset[ColumnKey]:
    """Return the columns whose level is the highest: by what people have said of it, by the personal data that they
    are tagged with, and, where people have said nothing else, by what the engines have found or the name alone says.
    """
    classified = uow.classifications.of_assets(scope, [column.fqn for table in tables for column in table.columns])
    restricted: set[ColumnKey] = set()
    pointing: list[tuple[ColumnKey, ColumnKey]] = []
    for table in tables:
        for column in table.columns:
            key, known = ColumnKey(table.fqn, column.name), classified.get(column.fqn, ())
            if _is_tagged(column) or (_is_open(column, known) and _is_found(column, known)):
                restricted.add(key)
            elif column.references is not None and _is_open(column, known):
                pointing.append((key, ColumnKey(*column.references)))
    # What refers to such a column holds the same values.
    return frozenset(restricted | {key for key, target in pointing if target in restricted})


def _is_tagged(column: ColumnFacts) -> bool:
    """Return whether the tags that stand on a column give it the highest level."""
    return any(tag == _HIGHEST or _is_restricted(tag) for tag in column.tags)


def _is_restricted(tag_fqn: str) -> bool:
    category, _, name = tag_fqn.partition(".")
    return category == _PII and name in TAXONOMY and TAXONOMY[name].level is Level.RESTRICTED


def _is_open(column: ColumnFacts, known: Sequence[Classification]) -> bool:
    """Return whether people have given a column no level of its own.

    An approved proposal of the lowest level says only that nothing was found, and is no judgement about what is found
    later.
    """
    confirmed = {one.tag_fqn for one in known if one.state is ClassificationState.CONFIRMED}
    levels = {tag for tag in column.tags if tag.startswith(f"{_SENSITIVITY}.")}
    return levels <= ({_LOWEST} & confirmed)


def _is_found(column: ColumnFacts, known: Sequence[Classification]) -> bool:
    """Return whether engines have found that a column holds what is most sensitive, and nobody has rejected it."""
    found = {one.state for one in known if one.tag_fqn == _HIGHEST or _is_restricted(one.tag_fqn)}
    if ClassificationState.SUGGESTED in found:
        return True
    return ClassificationState.REJECTED not in found and is_restricted_by_name(column)


def closed_to(restricted: Collection[ColumnKey], policies: "Policies") -> frozenset[ColumnKey]:
    """Return those of the columns that no policy shows the asker, nor says how to show."""
    return frozenset(key for key in restricted if key not in policies.shown and key not in policies.masked)


def masked_places(guarded: GuardedQuery, restricted: Collection[ColumnKey]) -> tuple[int, ...]:
    """Return which columns of an answer are masked, from 0."""
    return tuple(at for at, one in enumerate(guarded.outputs) if any(key in restricted for key in one.told))


def masked_rows(rows: Sequence[Row], places: Sequence[int]) -> Sequence[Row]:
    """Return the rows with some columns masked: every cell, for whether there is a value is not shown either."""
    if not places:
        return rows
    hidden = frozenset(places)
    return [tuple(HIDDEN if at in hidden else cell for at, cell in enumerate(row)) for row in rows]


def masking_warnings(guarded: GuardedQuery, restricted: Collection[ColumnKey]) -> list[str]:
    """Return what the asker is told of the cells that are masked."""
    names: dict[str, list[str]] = {}
    for fqn, name in sorted({key for one in guarded.outputs for key in one.told if key in restricted}):
        names.setdefault(fqn, []).append(name)
    return [
        f"The values of {listed(mine, len(mine))} in {Fqn.parse(fqn).name} are private, so they are shown as {HIDDEN}. "
        "Somebody who may write to this project can have them shown by a policy with the effect show."
        for fqn, mine in names.items()
    ]


def shown_by(guarded: GuardedQuery, shown: Mapping[ColumnKey, str]) -> list[str]:
    """Return the ids of the policies that let cells of an answer be shown."""
    keys = {ColumnKey(*key) for one in guarded.outputs for key in one.told}
    return sorted({shown[key] for key in keys if key in shown})
