"""Precision, recall and F1 of tagging personal data, on made-up tables of locales that nothing was tuned on.

Three sides on the same values: our recognisers; Presidio's default recognisers (where `.ci/install-presidio` has put
them), without a language model, as a vote over a column's values; and a regular expression over the column's name, which
is what many catalogs do. Each column is asked under its own name, a meaningless one and a wrong one.
"""
# ruff: noqa: E501 - a table of kinds

import contextlib
import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from benchmarks.quality import strange, unseen
from benchmarks.quality.made import HELD_OUT, NAMINGS, NOW, Case, cases
from resolvers.engines.recognition import recognize
from resolvers.engines.recognition.taxonomy import TAXONOMY

SEED: Final = 4711
ROWS: Final = 150
MOST_VOTES: Final = 60
"""Values of a column that Presidio is asked about."""

INSTALLED: Final = Path(__file__).parents[2] / ".cache" / "presidio"
"""Where `.ci/install-presidio` puts Presidio."""

Tagger = Callable[[Case], dict[str, set[str]]]

HEADERS: Final[dict[str, str]] = {
    "Email": r"e.?mail", "PhoneNumber": r"phone|mobile|fax|tel", "PersonName": r"name|contact", "Postcode": r"zip|post.?code|postal",
    "StreetAddress": r"addr|street", "City": r"city|town", "Country": r"country|nation", "DateOfBirth": r"birth|dob|born",
    "Age": r"\bage", "Gender": r"gender|sex", "MaritalStatus": r"marital|civil", "Religion": r"religion|faith",
    "Ethnicity": r"ethnic|race", "BloodType": r"blood", "Username": r"user|login", "Iban": r"iban", "BankCode": r"bic|swift",
    "BankAccount": r"account", "PaymentCard": r"card|cc_", "IpAddress": r"\bip|addr", "MacAddress": r"mac", "Imei": r"imei",
    "NationalId": r"ssn|national|personal", "LicensePlate": r"plate", "Passport": r"passport", "Vin": r"\bvin|chassis",
    "HealthId": r"npi|nhs|patient", "MedicalCode": r"icd|diagnos", "CryptoWallet": r"wallet|eth", "Secret": r"key|token|secret",
    "PasswordHash": r"passw|pwd", "CredentialUrl": r"dsn|connection", "Coordinates": r"lat|lon",
}  # fmt: skip
"""What a catalog asks of a column's name alone."""

_PRESIDIO: Final = {
    "EMAIL_ADDRESS": "Email", "PHONE_NUMBER": "PhoneNumber", "PERSON": "PersonName", "CREDIT_CARD": "PaymentCard",
    "IBAN_CODE": "Iban", "IP_ADDRESS": "IpAddress", "MAC_ADDRESS": "MacAddress", "CRYPTO": "CryptoWallet",
    "US_SSN": "NationalId", "UK_NINO": "NationalId", "ES_NIF": "NationalId", "IT_FISCAL_CODE": "NationalId",
    "PL_PESEL": "NationalId", "FI_PERSONAL_IDENTITY_CODE": "NationalId", "IN_AADHAAR": "NationalId",
    "US_ITIN": "TaxId", "US_PASSPORT": "Passport", "UK_PASSPORT": "Passport", "US_BANK_NUMBER": "BankAccount",
    "UK_NHS": "HealthId", "US_NPI": "HealthId", "MEDICAL_LICENSE": "HealthId", "US_DRIVER_LICENSE": "DriverLicense",
    "UK_POSTCODE": "Postcode", "UK_VEHICLE_REGISTRATION": "LicensePlate", "DATE_TIME": "DateOfBirth",
    "IN_PASSPORT": "Passport", "IN_VEHICLE_REGISTRATION": "LicensePlate",
}  # fmt: skip


def ours(case: Case) -> dict[str, set[str]]:
    """Our recognisers."""
    return {name: {one.tag for one in some} for name, some in recognize(case.facts, case.sample, NOW).items()}


def headers(case: Case) -> dict[str, set[str]]:
    """The name alone; the first expression that is found."""
    return {
        column.name: {next((tag for tag, pattern in HEADERS.items() if re.search(pattern, column.name, re.I)), "")}
        - {""}
        for column in case.facts.columns
    }


class Presidio:
    """Presidio's default recognisers without a language model, in a process of the environment that they lie in.

    A tagger: the tag of a column is the kind of entity that most of its first values have, when at least half have it.
    """

    def __init__(self, python: Path) -> None:
        """Start the process with the Python of that environment."""
        self._process = subprocess.Popen(
            [python, Path(__file__).with_name("presidio_process.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._known: dict[tuple[int, int], set[str]] = {}
        self._kept: list[Any] = []

    def __call__(self, case: Case) -> dict[str, set[str]]:
        """The tags of each column. Names tell it nothing, so that the values of a table are asked about once."""
        rows = case.sample.rows
        self._kept.append(rows)  # what is known goes by their identity
        for place in range(len(case.facts.columns)):
            if (id(rows), place) not in self._known:
                self._known[id(rows), place] = self._vote([row[place] for row in rows])
        return {column.name: self._known[id(rows), place] for place, column in enumerate(case.facts.columns)}

    def _vote(self, values: Sequence[Any]) -> set[str]:
        texts = [str(value) for value in values if value is not None][:MOST_VOTES]
        votes: Counter[str] = Counter()
        for found in self._ask(texts):
            votes.update({_PRESIDIO.get(kind, kind) for kind in found} - {"URL"})
        return {tag for tag, number in votes.most_common(1) if number >= 0.5 * len(texts)}

    def _ask(self, texts: Sequence[str]) -> list[list[str]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(texts) + "\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self.close()
            raise RuntimeError(f"Presidio's process ended with status {self._process.returncode}")
        answer: list[list[str]] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def presidio(place: Path = INSTALLED) -> Presidio | None:
    """Presidio where `.ci/install-presidio` put it; None when it is not there."""
    python = place / "bin" / "python"
    return Presidio(python) if (place / "installed").is_file() and python.exists() else None


@dataclass
class Tally:
    """Right and wrong of one tag."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, other: "Tally") -> None:
        """Count another's too."""
        self.right, self.wrong, self.missed = (
            self.right + other.right,
            self.wrong + other.wrong,
            self.missed + other.missed,
        )

    @property
    def precision(self) -> float | None:
        """Of what was tagged, what is right."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else None

    @property
    def recall(self) -> float | None:
        """Of what is there, what was tagged."""
        return self.right / (self.right + self.missed) if self.right + self.missed else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both."""
        told = 2 * self.right + self.wrong + self.missed
        return 2 * self.right / told if told else None


@dataclass
class Outcome:
    """Holds how one side did: by naming and tag, and its mistakes by kind of column."""

    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    mistakes: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)

    def of(self, naming: str, tag: str) -> Tally:
        """The tally of one naming and tag."""
        return self.tallies.setdefault((naming, tag), Tally())

    def total(self, naming: str) -> Tally:
        """Over all tags."""
        found = Tally()
        for (other, _), tally in self.tallies.items():
            if other == naming:
                found.add(tally)
        return found


def measure(taggers: dict[str, Tagger], locales: Sequence[str], seed: int, rows: int = ROWS) -> dict[str, Outcome]:
    """Every side on every table."""
    outcomes = {name: Outcome() for name in taggers}
    for case in cases(locales, seed, rows):
        for side, tagger in taggers.items():
            outcome, found = outcomes[side], tagger(case)
            for name, label in case.labels.items():
                tags = found.get(name, set())
                for tag in tags - {label}:
                    outcome.of(case.naming, tag).wrong += 1
                    outcome.mistakes[(case.naming, "wrong", case.kinds[name], tag)] += 1
                if label is not None:
                    if label in tags:
                        outcome.of(case.naming, label).right += 1
                    else:
                        outcome.of(case.naming, label).missed += 1
                        outcome.mistakes[(case.naming, "missed", case.kinds[name], label)] += 1
    return outcomes


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def report(console: Console) -> None:
    """Measure and print, first what strangers' tables show."""
    strange.report(console, unseen.SHEETS, "set down after the others, knowing the recognisers")
    strange.report(console)
    taggers: dict[str, Tagger] = {"stoa": ours, "header regex": headers}
    other = presidio()
    if other is not None:
        taggers["presidio"] = other
    with contextlib.closing(other) if other is not None else contextlib.nullcontext():
        outcomes = measure(taggers, HELD_OUT, SEED)
    table = Table(
        title=f"Personal data: held-out locales {', '.join(HELD_OUT)}; {ROWS} rows a table", title_justify="left"
    )
    table.add_column("tag")
    for naming in ("own", "none"):
        for what in ("precision", "recall", "F1"):
            table.add_column(f"{what}\n{'own names' if naming == 'own' else 'no names'}", justify="right")
    for side in taggers:
        if side != "stoa":
            table.add_column(f"F1 {side}\n{'own names' if side != 'presidio' else 'no names'}", justify="right")
    for tag in sorted(TAXONOMY):
        tallies = [outcomes["stoa"].of(naming, tag) for naming in ("own", "none")]
        if not any(tally.right + tally.missed + tally.wrong for tally in tallies):
            continue
        figures = [_number(value) for tally in tallies for value in (tally.precision, tally.recall, tally.f1)]
        figures += [
            _number(outcomes[side].of("none" if side == "presidio" else "own", tag).f1)
            for side in taggers
            if side != "stoa"
        ]
        table.add_row(tag, *figures)
    console.print(table)
    summary = Table(title="All tags together", title_justify="left")
    for column in ("side", "names", "precision", "recall", "F1"):
        summary.add_column(column, justify="left" if column in ("side", "names") else "right")
    for side, outcome in outcomes.items():
        for naming in NAMINGS:
            tally = outcome.total(naming)
            summary.add_row(side, naming, _number(tally.precision), _number(tally.recall), _number(tally.f1))
    console.print(summary)
    if other is None:
        console.print(
            "Presidio is not beside them: `.ci/install-presidio` fetches it, which `make quality` does itself."
        )
