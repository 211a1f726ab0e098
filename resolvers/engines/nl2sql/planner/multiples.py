"""How many times something a comparison is with: `more than twice the average`, `at most half of it`."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from resolvers.engines.nl2sql.planner.atoms import Atom

_TIMES: Final = {
    "twice": Decimal(2),
    "double": Decimal(2),
    "thrice": Decimal(3),
    "triple": Decimal(3),
    "half": Decimal("0.5"),
}


def multiple(atoms: Sequence[Atom], at: int) -> tuple[Decimal, int] | None:
    """The factor that is said there and how many atoms say it; None where none is."""
    atom = atoms[at] if at < len(atoms) else None
    if atom is None:
        return None
    if (said := _TIMES.get(atom.text.lower())) is not None:
        return said, 1
    behind = atoms[at + 1].text.lower() if at + 1 < len(atoms) else ""
    values = [one.values[0] for one in (atom.ref.literals if atom.ref is not None else ()) if len(one.values) == 1]
    numbers = [one.value for one in values if one.kind == "number" and isinstance(one.value, Decimal)]
    return (numbers[0], 2) if numbers and behind in ("times", "x") else None
