"""The weights of the score, as `python -m benchmarks.quality --calibrate` fits them.

Four are set by hand and held fast in the fit, for the tables that they are fitted on do not tell: a comment weighs less
than a name, being a key speaks a little against, and neither a weak hint nor a common form tells anything by itself.
"""

from typing import Final

WEIGHTS: Final = {
    "constant": -3.66,
    "proof": 8.37,
    "checked": 8.66,
    "form": 2.65,
    "shape": 0.00,
    "listed": 5.75,
    "within": 6.28,
    "name": 2.59,
    "name_weak": 0.00,
    "comment": 2.00,
    "other": -1.14,
    "beside": 0.86,
    "persons": 0.15,
    "contextual_alone": -2.57,
    "shape_and_name": 1.21,
    "listed_and_name": -0.05,
    "form_and_name": 1.81,
    "key": -0.50,
}
