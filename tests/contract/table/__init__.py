"""The contract as one table: every documented operation, with what it takes, answers and refuses.

It is written from the specification, never from the platform's code: it is the second writing of the truth.
"""

from tests.contract.table import assets, data_readiness, governance, quality, search, talk2data, utils
from tests.contract.table.additions import ADDED_FIELDS, ADDED_STATUS, ADDITIONS, IN_THE_GRAPH
from tests.contract.table.kinds import Documented

__all__ = ["ADDED_FIELDS", "ADDED_STATUS", "ADDITIONS", "IN_THE_GRAPH", "TABLE", "Documented"]

TABLE: list[Documented] = [
    *governance.ROWS,
    *assets.ROWS,
    *utils.ROWS,
    *data_readiness.ROWS,
    *quality.ROWS,
    *talk2data.ROWS,
    *search.ROWS,
]
