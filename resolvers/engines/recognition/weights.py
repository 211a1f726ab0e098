"""The weights of the score, as `python -m benchmarks.quality --calibrate` prints them."""

from typing import Final

WEIGHTS: Final = {
    "constant": -4.14,
    "proof": 9.24,
    "checked": 3.50,
    "form": 4.16,
    "shape": 1.28,
    "listed": 6.63,
    "within": 7.08,
    "name": 4.16,
    "name_weak": 0.00,
    "comment": 3.00,
    "other": -0.79,
    "beside": 0.57,
    "persons": 0.08,
    "contextual_alone": -2.95,
    "shape_and_name": 0.00,
    "listed_and_name": 0.47,
    "form_and_name": 0.00,
    "key": -0.50,
}
