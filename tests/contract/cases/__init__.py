"""The lines of the matrix of permissions, one module per group of resources, each with what its calls are about."""

from tests.contract.cases import search
from tests.contract.stage import Case

CASES: list[Case] = [
    *search.CASES,
]
