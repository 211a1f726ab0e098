"""Defines how violations are weighed: by how much their data are used times how much harm they do, and put in words."""

from collections.abc import Iterable, Sequence
from typing import Final

from persistence.queries.used import questions_about, references_to, rows_of
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.engines.first_steps import Use, concerned, counted, impact, what_to_do, why
from resolvers.engines.masking import masked_cells
from schema.data_readiness.action import Action
from schema.data_readiness.suspect import FINE, SuspectCell
from schema.data_readiness.violation import Violation
from schema.identifiers import Fqn
from schema.utils.metadata_asset import table_of

MOST_WEIGHED: Final = 2000
"""How many violations are weighed, the gravest first."""
MOST_CELLS: Final = 50
"""Suspect cells of one column among which the repair of a violation's example is looked for."""


def uses_of(uow: UnitOfWork, scope: Scope, tables: Iterable[str]) -> dict[str, Use]:
    """Return how much each of some tables is used."""
    named = set(tables)
    rows, references = rows_of(uow.connection, scope, named), references_to(uow.connection, scope, named)
    questions = questions_about(uow.connection, scope) if named else {}
    return {fqn: Use(rows.get(fqn), references.get(fqn, 0), questions.get(fqn, 0)) for fqn in named}


def weighed(uow: UnitOfWork, scope: Scope, found: Sequence[Violation]) -> list[tuple[Violation, Use]]:
    """Violations with how much their table is used, those whose mending gains most first."""
    tables = {one.id: table_of(one.asset_fqn) for one in found}
    uses = uses_of(uow, scope, {fqn for fqn in tables.values() if fqn is not None})
    each = [(one, uses.get(tables[one.id] or "", Use())) for one in found]
    return sorted(each, key=lambda pair: (-impact(*pair), pair[0].asset_fqn, pair[0].id))


def actions(uow: UnitOfWork, scope: Scope, some: Sequence[tuple[Violation, Use]], *, first: int = 1) -> list[Action]:
    """Return what to do about weighed violations, ranked from `first` on; values of personal columns stand as `***`."""
    tables = {fqn for one, _ in some if (fqn := table_of(one.asset_fqn)) is not None}
    personal = uow.table_profiles.personal(scope, sorted(tables))
    columns = sorted({fqn for one, _ in some for fqn in concerned(one)})
    found = uow.suspect_cells.first_of_assets(scope, "asset_fqn", columns, MOST_CELLS)
    cells = {
        fqn: masked_cells([one for one in held if one.verdict not in FINE], personal) for fqn, held in found.items()
    }
    return [
        _action(rank, one, use, [cell for fqn in concerned(one) for cell in cells.get(fqn, ())], personal)
        for rank, (one, use) in enumerate(some, first)
    ]


def _action(
    rank: int,
    violation: Violation,
    use: Use,
    cells: Sequence[SuspectCell],
    personal: dict[str, frozenset[str] | None],
) -> Action:
    number = counted(violation)
    table = table_of(violation.asset_fqn)
    hidden = frozenset() if table is None else personal.get(table)  # a table that is gone shows no values
    names = None if hidden is None else frozenset(Fqn.parse(fqn).parts[-1] for fqn in hidden)
    return Action(
        rank=rank,
        impact=impact(violation, use),
        what=what_to_do(violation, cells, personal=names),
        reason=why(violation, use),
        violation_id=violation.id,
        asset_fqn=violation.asset_fqn,
        severity=violation.severity,
        assessment_type=violation.dimension.assessment_type,
        wrong=None if number is None else number[0],
        of=None if number is None else number[1],
        rows=use.rows,
        references=use.references,
        questions=use.questions,
    )
