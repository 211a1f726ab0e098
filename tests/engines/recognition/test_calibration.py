"""Whether a confidence of 0.8 is right in about eight of ten cases, on tables that nothing was fitted on."""

from benchmarks.quality.calibrate import reliability, rows, standing

FRESH = ("da_DK", "pt_PT")
"""Neither the weights nor anybody who set one by hand has seen these."""


def test_confidences_are_what_they_say_and_few_wrong_tags_are_sure() -> None:
    found = rows(FRESH, 7, 40)
    error, classes = reliability(found, standing())
    assert len(found) > 400
    assert error < 0.05
    sure = [(right, number) for said, right, number in classes if said >= 0.9]
    assert sum(right * number for right, number in sure) >= 0.95 * sum(number for _, number in sure)
    unlikely = [(right, number) for said, right, number in classes if said < 0.2]
    assert sum(right * number for right, number in unlikely) <= 0.1 * sum(number for _, number in unlikely)
