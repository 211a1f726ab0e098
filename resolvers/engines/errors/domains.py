"""Values that belong to another column."""

from collections.abc import Iterator, Sequence
from typing import Final

from resolvers.engines.errors.evidence import Reason, Sign
from resolvers.engines.errors.missing import is_stand_in
from resolvers.engines.errors.table import Column

MOST_VALUES: Final = 50_000


def domain_signs(table: Sequence[Column]) -> Iterator[tuple[int, int, Reason]]:
    """Columns, codes and reasons of rare values that another, otherwise different column has often."""
    texts = [column for column in table if column.is_scalar and column.present and column.number_share < 0.6]
    at = [{text: code for code, text in enumerate(column.texts[: MOST_VALUES + 1]) if code} for column in texts]
    for place, column in enumerate(texts):
        few = max(2.0, 0.003 * column.present)
        for other_place, other in enumerate(texts):
            if other_place == place:
                continue
            shared = at[place].keys() & at[other_place].keys()
            if not shared or len(shared) > 0.2 * min(len(at[place]), len(at[other_place])):
                continue
            often = max(3.0, 0.002 * other.present)
            for text in shared:
                here, there = column.counts[at[place][text]], other.counts[at[other_place][text]]
                if here <= few and there >= often and there >= 5 * here and len(text) > 1 and not is_stand_in(text):
                    told = f"{there} rows have this in {other.name}, and hardly any here."
                    yield column.index, at[place][text], Reason(Sign.DOMAIN, 3.0, told)
