"""The weights of the score, as `python -m benchmarks.quality --calibrate` fits them.

Four are set by hand, for the tables that they were fitted on do not tell: a comment weighs less than a name, being a
key speaks a little against, and neither a weak hint nor a common form tells anything by itself.
"""

from typing import Final

WEIGHTS: Final = {
    "constant": -3.23,
    "proof": 8.21,
    "checked": 7.00,
    "form": 2.25,
    "shape": 0.00,
    "listed": 5.75,
    "within": 6.07,
    "name": 2.86,
    "name_weak": 0.00,
    "comment": 2.00,
    "other": -1.08,
    "beside": 0.82,
    "persons": 0.36,
    "contextual_alone": -2.87,
    "shape_and_name": 1.38,
    "listed_and_name": 0.04,
    "form_and_name": 1.81,
    "key": -0.50,
}
