"""Tables as strangers would write them, whose every column is labelled: invented, and apart from what anything is tuned on.

Nothing here comes from Faker or mimesis, whose words recognition was made with: the words are written down below, and
names, towns and numbers are drawn from them at a fixed seed. Each table comes with its headers and without them (`c1`,
`c2`, ...). A label is the tag that a column holds, several with a bar between them where any of them is right, `~` with
the tags that stand inside sentences, or nothing.
"""
# ruff: noqa: E501 - tables of words in many languages

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from benchmarks.quality.made import NOW
from resolvers.engines.recognition import recognize
from schema.data_readiness.source import ColumnFacts, Sample, TableFacts

SEED: Final = 1117

Column = tuple[str, str | None, Callable[[random.Random, int], Any]]
Sheet = tuple[str, int, list[Column]]

GIVEN: Final = [
    "Aoife",
    "Bram",
    "Chidi",
    "Dagny",
    "Eero",
    "Fatou",
    "Gwen",
    "Hiro",
    "Ines",
    "Jarek",
    "Kwame",
    "Lidia",
    "Mateus",
    "Nadia",
    "Oskar",
    "Pilar",
    "Quentin",
    "Rosa",
    "Sana",
    "Tomasz",
    "Ulla",
    "Viktor",
    "Wanda",
    "Ximena",
    "Yara",
    "Zoltan",
    "Martha",
    "Ellen",
    "Duncan",
    "Leila",
]
FAMILY: Final = [
    "Achterberg",
    "Boateng",
    "Castellanos",
    "Dombrowski",
    "Eriksen",
    "Fitzgerald",
    "Grünwald",
    "Halloran",
    "Ibrahimovic",
    "Jankowski",
    "Kowalczyk",
    "Lindqvist",
    "Mbeki",
    "Nakagawa",
    "Oyelaran",
    "Pettersson",
    "Quispe",
    "Rautio",
    "Szabo",
    "Tanaka",
    "Urbina",
    "Villanueva",
    "Whitcombe",
    "Xanthos",
    "Yamada",
    "Zielinski",
    "Prescott",
    "Langley",
    "Abara",
    "Moreau",
]
TOWNS: Final = [
    "Harrogate",
    "Uppsala",
    "Coimbra",
    "Tampere",
    "Zwolle",
    "Brno",
    "Galway",
    "Duluth",
    "Fresno",
    "Tacoma",
    "Savannah",
    "Akron",
    "Boise",
    "Girona",
    "Lecce",
    "Graz",
    "Gdynia",
    "Debrecen",
    "Turku",
    "Aarhus",
]
ROADS: Final = [
    "Larkspur Lane",
    "Old Mill Road",
    "Prospect Ave",
    "Harbour Street",
    "Chestnut Dr",
    "Union Blvd",
    "Beacon Hill Rd",
    "Quarry Court",
    "Elmwood Terrace",
    "Fulton St",
]


def _digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(count))


def one(words: str | list[str]) -> Callable[[random.Random, int], Any]:
    """Draw one of some words; those of a text are parted by bars."""
    some = words.split("|") if isinstance(words, str) else words
    return lambda rng, _: rng.choice(some)


def some(share: float, inner: Callable[[random.Random, int], Any]) -> Callable[[random.Random, int], Any]:
    """Leave the others empty."""
    return lambda rng, at: inner(rng, at) if rng.random() < share else None


def number(least: int, most: int) -> Callable[[random.Random, int], Any]:
    """Whole numbers of a range."""
    return lambda rng, _: rng.randint(least, most)


def form(pattern: str) -> Callable[[random.Random, int], Any]:
    """Text in which `9` is a digit, `A` a capital, `a` a letter and `h` hexadecimal; what stands in braces stays."""
    drawn = {
        "9": "0123456789",
        "A": "ABCDEFGHJKLMNPRSTUVWXYZ",
        "a": "abcdefghijklmnopqrstuvwxyz",
        "h": "0123456789abcdef",
        "8": "23456789",
    }

    def make(rng: random.Random, _: int) -> str:
        found, kept = "", False
        for sign in pattern:
            if sign in "{}":
                kept = sign == "{"
            else:
                found += sign if kept or sign not in drawn else rng.choice(drawn[sign])
        return found

    return make


def full(rng: random.Random, _: int) -> str:
    """A name."""
    return f"{rng.choice(GIVEN)} {rng.choice(FAMILY)}"


def handle(rng: random.Random, _: int) -> str:
    """A name to sign in with."""
    return rng.choice(
        (
            f"{rng.choice(GIVEN)[0]}{rng.choice(FAMILY)}",
            f"{rng.choice(GIVEN)}{rng.randint(1, 99)}",
            f"moonwalker{rng.randint(1, 999)}",
            f"{rng.choice(FAMILY)}.{rng.choice(GIVEN)}",
        )
    ).lower()


def road(rng: random.Random, _: int) -> str:
    """A street with its number."""
    return f"{rng.randint(2, 4200)} {rng.choice(ROADS)}"


def mail(rng: random.Random, at: int) -> str:
    """An address at one of three houses."""
    return f"{rng.choice(GIVEN)}.{rng.choice(FAMILY)}{at}@{rng.choice(('posthaus.example', 'inbox.example', 'ortel.example'))}".lower()


def day(first: int, last: int) -> Callable[[random.Random, int], Any]:
    """Days of some years, as text."""
    return lambda rng, _: (date(first, 1, 1) + timedelta(days=rng.randrange(365 * (last - first + 1)))).isoformat()


def said(*sentences: str, plain: str = "", share: float = 0.4) -> Callable[[random.Random, int], Any]:
    """Sentences with `{n}` for a name, `{p}` for a telephone number, `{r}` for a street, `{m}` and `{s}`; others without."""
    rest = plain.split("|") if plain else []

    def make(rng: random.Random, at: int) -> str:
        if rest and rng.random() > share:
            return rng.choice(rest)
        return rng.choice(sentences).format(
            n=full(rng, at), p=f"({rng.randint(201, 989)}) {rng.randint(201, 989)}-{_digits(rng, 4)}", r=road(rng, at),
            m=mail(rng, at), s=f"{rng.randint(100, 660)}-{rng.randint(10, 99)}-{rng.randint(1000, 9999)}",
            t=rng.choice(TOWNS), d=f"{rng.randint(1, 28)} March",
        )  # fmt: skip

    return make


_FRONT: Final = "The lift on the third floor is out of order again|Please confirm the delivery window for next week|Invoice was paid late and the reminder can be closed|Customer asks for a refund of the shipping fee|Battery drains within an hour after the last update|No answer yet, will try once more tomorrow morning"

SHEETS: Final[list[Sheet]] = [
    ("voters", 90, [
        ("name_prefx_cd", "PersonName|", one("MR|MS|DR|MRS")), ("last_name", "PersonName", lambda r, _: r.choice(FAMILY).upper()),
        ("first_name", "PersonName", lambda r, _: r.choice(GIVEN).upper()), ("middle_name", "PersonName", some(0.8, lambda r, _: r.choice(GIVEN).upper())),
        ("name_suffix_lbl", "PersonName", some(0.2, one("JR|SR|III|II"))), ("race_code", "Ethnicity", one("W|B|A|I|O|U|M")),
        ("ethnic_code", "Ethnicity", one("HL|NL|UN")), ("res_street_address", "StreetAddress", road),
        ("zip_code", "Postcode", form("89999")), ("full_phone_number", "PhoneNumber", some(0.6, form("8998999999"))),
        ("birth_year", "DateOfBirth", number(1931, 2005)), ("precinct_desc", None, form("PCT {9}9-9")),
    ]),
    ("survey_2021", 80, [
        ("respondent", None, lambda _, at: 5000 + at * 3), ("Race", "Ethnicity", one("White alone|Black or African American alone|American Indian and Alaska Native alone|Asian alone|Some Other Race alone|Two or More Races")),
        ("hispanic_origin", "Ethnicity", one("Hispanic or Latino|Not Hispanic or Latino")), ("age", "Age", number(18, 91)),
        ("occupation_code", None, form("{1}9-9999")), ("industry", None, one("Construction|Retail Trade|Utilities|Educational Services")),
        ("fiscal_quarter", None, one("2021-Q1|2021-Q2|2021-Q3|2021-Q4")), ("period", None, lambda r, _: f"M{r.randint(1, 12):02d}"),
    ]),
    ("accounts", 60, [
        ("id", None, lambda _, at: at + 1), ("username", "Username", handle), ("password", "PasswordHash|Secret", form("hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh")),
        ("security_question", None, one("First pet?|Favourite teacher?|Street of childhood?")), ("last_login", None, day(2023, 2025)), ("is_admin", None, number(0, 1)),
    ]),
    ("logins_old", 45, [
        ("user_name", "Username", one([f"{w}{n}" for w in ("stormcrow", "pixelpaw", "nightowl", "teapot") for n in range(15)])), ("pwd", "Secret|PasswordHash", one("sunshine1|letmein|qwerty12|dragon77|hunter2|iloveyou|baseball|trustno1|shadow5|princess9")),
        ("pin_code", "Secret|", form("9999")), ("attempts", None, number(0, 6)),
    ]),
    ("checkout", 70, [
        ("order_ref", None, form("{SO}999999")), ("cardholder", "PersonName", full), ("credit_card", "PaymentCard", form("{4}999999999999999")),
        ("cvv", "Secret|PaymentCard", form("999")), ("exp", None, form("{0}8/{2}8")), ("billing_zip", "Postcode", form("89999")), ("amount", None, lambda r, _: round(r.uniform(3, 400), 2)),
    ]),
    ("staff_hr", 40, [
        ("emp_no", None, lambda _, at: 70211 + at * 2), ("full_name", "PersonName", full), ("maiden_name", "PersonName", some(0.3, lambda r, _: r.choice(FAMILY))),
        ("middle_initial", "PersonName", lambda r, _: r.choice("ABCDEFGHJKLMRST")), ("ssn", "NationalId", form("{4}99999999")), ("national_id", "NationalId", form("AA999999A")),
        ("job_code", None, form("{11}-9999")), ("salary", None, number(21000, 99000)), ("mobile", "PhoneNumber", form("{07}999999999")), ("pay_period", None, lambda r, _: f"2024{r.randint(1, 26):02d}"),
    ]),
    ("suppliers", 50, [
        ("supplier", None, one("Grainfield Foods|Halden Steel AB|Perrin et Fils|Torvik Shipping|Mabel & Sons|Oakridge Millwork")), ("contact", "PersonName", full),
        ("addr1", "StreetAddress", road), ("addr2", "StreetAddress", some(0.4, one("Suite 200|Apt 4B|Unit 7|Floor 3|PO Box 118|c/o Front Desk|Bldg C"))),
        ("town", "City", one(TOWNS)), ("tel", "PhoneNumber", form("8998999999")), ("vat_rate", None, one("0.19|0.21|0.25")),
    ]),
    ("contacts_two_rows", 2, [
        ("first_name", "PersonName", one("Aoife|Bram")), ("surname", "PersonName", one("Boateng|Rautio")), ("email", "Email", mail), ("phone", "PhoneNumber", form("{+44 20} 9999 9999")),
        ("date_of_birth", "DateOfBirth", day(1950, 2000)), ("street", "StreetAddress", road), ("note", None, one("ok|call back")),
    ]),
    ("requests_311", 100, [
        ("unique_key", None, form("{5}9999999")), ("service_request_number", None, lambda r, _: str(r.randint(20_100_000, 68_999_999))), ("complaint_type", None, one("Noise|Street Condition|Water Leak|Illegal Parking|Graffiti")),
        ("incident_address", "StreetAddress|", road), ("borough", "City|", one("Northgate|Eastfield|Harbour Side|Old Town")),
        ("resolution", None, one("The Department inspected the site and closed the complaint.|Crews were sent out and no action was needed.|The owner was told to repair the sidewalk within 30 days.")),
        ("x_coord", None, number(912000, 1067000)),
    ]),
    ("registry", 60, [
        ("company_registry_no", None, lambda r, _: str(r.randint(10_000_000, 99_999_999))), ("filing_no", None, lambda r, _: str(r.randint(100_000_000, 999_999_999))), ("parcel", None, form("99999999999")),
        ("docket", None, form("{2024}-{CV}-9999")), ("legal_form", None, one("Ltd|GmbH|S.A.|Oy|BV")), ("case_ref", None, form("9999999999")),
    ]),
    ("films", 60, [
        ("title", None, one("Annie Hall|Forrest Gump|Erin Brockovich|Jerry Maguire|Billy Elliot|Donnie Darko|Mary Poppins|Michael Clayton|Thelma and Louise|Edward Scissorhands|Barry Lyndon|Jackie Brown|Dolores Claiborne|Veronica Guerin|John Wick|Amelie|Rebecca|Rocky")),
        ("director", "PersonName", full), ("release_year", None, number(1948, 2022)), ("runtime", None, number(70, 210)), ("rating", None, one("PG|PG-13|R|G")), ("imdb", None, form("{tt}9999999")),
    ]),
    ("rail_stops", 60, [
        ("station", None, one("Victoria|Charlotte Square|St. James|Alexandra Palace|King George|Elisabeth Tower|Martin Place|Franklin|Jefferson|Florence|Madison|Lincoln Park|Hamilton Yard")), ("stop_id", None, lambda r, _: str(r.randint(2_000_000, 8_999_999))),
        ("platform", None, one("1|2|3a|3b|4")), ("line", None, one("Jubilee|Circle|District|Northern")), ("next_stop", None, one("Victoria|Franklin|Madison|Jefferson|Florence|Hamilton Yard")), ("zone", None, number(1, 6)),
    ]),
    ("rooms", 40, [
        ("room", None, one("Lincoln|Curie|Newton|Franklin|Darwin|Tesla|Ada|Turing|Washington")), ("building", None, one("Hopkins Hall|Carver Annex|Morris Wing|Ellis Block")), ("capacity", None, number(4, 240)), ("floor", None, number(0, 9)), ("booked_by", "PersonName", full),
    ]),
    ("helpdesk", 90, [
        ("ticket", None, lambda _, at: 40_210 + at), ("body", "~PersonName PhoneNumber", said("Spoke with {n} this morning, please ring back on {p} about the order", "{n} says the parcel never came, call {p} after five o'clock", plain=_FRONT)),
        ("resolution_notes", "~StreetAddress", said("Technician drove to {r} and replaced the router there", "New unit was shipped to {r}, signature needed", plain=_FRONT)),
        ("subject", None, one("Router offline again after the storm last night|Cannot print from the new laptop at all|Please reset the access to the shared drive|Screen flickers when the charger is plugged in")), ("priority", None, one("low|normal|high")),
    ]),
    ("case_notes", 60, [
        ("ref", None, form("{CN}-99999")), ("narrative", "~PersonName", said("Visited Mrs {n} at home, she feels better and walks again", "Mr. {n} was admitted after a fall in the kitchen", "Follow-up with Dr {n} is planned for the {d}", plain=_FRONT, share=0.6)),
        ("intake", "~NationalId", said("Applicant gave SSN {s} and asked for housing support", "Identity checked against {s}, benefits start next month", plain=_FRONT)), ("reply_to", "~Email", said("Write to {m} once the form has been signed by all", plain=_FRONT)),
        ("status_text", None, one("Opened by the front office and waiting for papers|Closed after the second visit without findings|Moved to another team because of the workload")),
    ]),
    ("product_reviews", 70, [
        ("review", None, one("Works well with the Franklin stove and looks lovely in the hall|The Victoria sponge tin is smaller than I thought it would be|Bought two in May and one in June, both arrived on time|Great value, though the Windsor chair wobbles on stone floors|Holds 24 bottles and weighs 12 kg when it is empty|Would buy the Stanley flask again before the old one")),
        ("stars", None, number(1, 5)), ("reviewer", "PersonName|Username", full), ("asin", None, form("{B0}9A9A9A9A")), ("helpful", None, number(0, 60)),
    ]),
    ("kunden", 55, [
        ("Vorname", "PersonName", one("Anke|Jürgen|Birgit|Holger|Wiebke|Detlef|Silke|Torben|Renate")), ("Nachname", "PersonName", one("Wiesner|Brinkmann|Hagedorn|Kleinschmidt|Oltmanns|Pfeiffer|Reuter|Stadler")), ("Geburtsname", "PersonName", some(0.3, one("Brinkmann|Hagedorn|Reuter|Stadler"))),
        ("Strasse", "StreetAddress", lambda r, _: f"{r.choice(['Lindenallee', 'Am Markt', 'Schillerstraße', 'Kirchweg', 'Alte Gasse'])} {r.randint(1, 120)}"), ("PLZ", "Postcode", form("{2}9999")), ("Passwort", "PasswordHash|Secret", form("hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh")),
        ("Kontonummer", "BankAccount", form("8999999999")), ("Quartal", None, one("1. Quartal 2023|2. Quartal 2023|3. Quartal 2023|4. Quartal 2023")),
    ]),
    ("pacientes", 50, [
        ("nombre", "PersonName", one("Itziar|Jimena|Álvaro|Gonzalo|Rocío|Nuria|Íñigo|Lucía")), ("apellido_paterno", "PersonName", one("Arrieta|Zubizarreta|Carmona|Quintero|Salcedo|Benítez")), ("apellido_materno", "PersonName", one("Arrieta|Salcedo|Carmona|Urrutia|Montalvo")), ("fecha_nacimiento", "DateOfBirth", day(1940, 2015)),
        ("codigo_postal", "Postcode", form("{4}9999")), ("grupo_sanguineo", "BloodType", one("A+|O+|O-|B+|AB+")), ("contraseña", "PasswordHash|Secret", form("hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh")), ("turno", None, one("mañana|tarde|noche")),
    ]),
    ("adherents", 50, [
        ("prénom", "PersonName", one("Océane|Thibault|Maëlys|Gaspard|Solène|Baptiste|Clémence")), ("nom", "PersonName", one("Lefebvre|Guillaumin|Charpentier|Delacourt|Roussel|Vasseur")), ("complément_adresse", "StreetAddress", some(0.5, one("Bâtiment B|Appt 12|3e étage|Résidence des Pins|Escalier C"))),
        ("téléphone", "PhoneNumber", lambda r, _: "0" + str(r.randint(6, 7)) + "".join(f" {r.randint(0, 99):02d}" for _ in range(4))), ("identifiant", "Username|", handle), ("trimestre", None, one("T1 2024|T2 2024|T3 2024|T4 2024")),
    ]),
    ("sensor_log", 80, [
        ("device", None, form("{dev-}hhhhhh")), ("firmware_md5", None, form("hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh")), ("reading", None, lambda r, _: round(r.gauss(20, 3), 3)), ("seq", None, lambda r, _: r.randint(1_000_000_000, 4_294_967_295)),
        ("rack", None, form("{R}99-{U}9")), ("race_condition", None, number(0, 3)), ("pass_rate", None, lambda r, _: round(r.random(), 2)), ("zip_size", None, number(12_000, 99_000)),
    ]),
    ("races", 40, [
        ("race", None, one("Monza|Spa|Silverstone|Suzuka|Interlagos|Zandvoort")), ("round", None, number(1, 22)), ("winner", "PersonName", full), ("laps", None, number(44, 78)), ("car", None, one("McLaren|Ferrari|Williams|Lotus")), ("national_anthem", None, one("yes|no")),
    ]),
    ("catalog_items", 60, [
        ("item", None, one("Oak Table|Steel Lamp|Walnut Stool|Copper Kettle|Linen Sheet")), ("brand", None, one("Marc Jacobs|Calvin Klein|Ralph Lauren|Hugo Boss|Tommy Hilfiger|Paul Smith")), ("upc", None, form("{0}99999999999")), ("batch_no", None, lambda r, _: str(r.randint(100_000_000, 999_999_999))),
        ("colour", None, one("Amber|Olive|Ruby|Scarlet|Hazel|Violet")), ("warehouse_zip", "Postcode|", form("89999")), ("key", None, form("AAA-999")),
    ]),
    ("parish", 30, [
        ("pupil_initials", "PersonName", lambda r, _: f"{r.choice('ABCDEFG')}.{r.choice('HJKLMN')}."), ("pupil_first", "PersonName", one(GIVEN)), ("pupil_last", "PersonName", one(FAMILY)), ("guardian", "PersonName", full), ("ethnicity", "Ethnicity", one("1|2|3|4|5")), ("religion", "Religion", one("RC|CE|MU|HI|NO")),
        ("county", "|City", one("Kent|Essex|Surrey|Norfolk|Cumbria|Devon")), ("house", None, one("Nelson|Drake|Raleigh|Wellington")),
    ]),
    ("properties", 60, [
        ("owner_name", "PersonName", lambda r, at: f"{r.choice(FAMILY)}, {r.choice(GIVEN)}".upper()), ("street", "StreetAddress|", one("Madison|Franklin|Washington|Jackson|Monroe|Clinton|Lafayette|Harrison")), ("county", "|City", one("Jackson|Monroe|Marion|Clay|Lee|Warren|Madison")), ("lot", None, form("99-9999-999")), ("owner_phone", "PhoneNumber", form("889.899.9999")),
    ]),
]  # fmt: skip


def tables(
    seed: int = SEED, sheets: Sequence[Sheet] = SHEETS
) -> Iterator[tuple[TableFacts, Sample, list[str | None], bool]]:
    """Each table with its headers and without: what the catalog knows, all rows, the labels, whether it has headers."""
    for name, count, columns in sheets:
        rng = random.Random(f"{seed}-{name}")
        rows = tuple(tuple(make(rng, at) for _, _, make in columns) for at in range(count))
        for headed in (True, False):
            names = [header if headed else f"c{at}" for at, (header, _, _) in enumerate(columns, 1)]
            base = f"svc.db.sch.{name if headed else 't1'}"
            facts = tuple(ColumnFacts(f"{base}.{one}", one, at) for at, one in enumerate(names))
            table = TableFacts(base, "data:acme:shop:svc", "db", "sch", name if headed else "t1", facts)
            yield table, Sample(tuple(names), rows, True), [label for _, label, _ in columns], headed


@dataclass
class Told:
    """Right, wrong and missed of one kind of column, and which mistakes they were."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    mistakes: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def add(self, where: tuple[str, str], tags: set[str], label: str) -> None:
        """Count a column: a label with bars is met by any of its tags, and one that may be empty need not be."""
        several = label.startswith("~")
        allowed = set(label.removeprefix("~").split(" " if several else "|")) - {""}
        wanted = [{tag} for tag in allowed] if several else [allowed] if allowed and "" not in label.split("|") else []
        self.right += sum(bool(tags & one) for one in wanted)
        missed = [one for one in wanted if not tags & one]
        self.missed += len(missed)
        self.wrong += len(tags - allowed)
        self.mistakes.update((*where, f"missed {'|'.join(sorted(one))}") for one in missed)
        self.mistakes.update((*where, f"wrong {tag}") for tag in tags - allowed)

    @property
    def figures(self) -> tuple[float, float, float]:
        """Precision, recall and F1."""
        told, there = self.right + self.wrong, self.right + self.missed
        return self.right / max(1, told), self.right / max(1, there), 2 * self.right / max(1, told + there)


def measure(seed: int = SEED, sheets: Sequence[Sheet] = SHEETS) -> dict[tuple[str, str], Told]:
    """How columns and sentences are recognised, with headers and without."""
    outcome = {(what, names): Told() for what in ("columns", "sentences") for names in ("own", "none")}
    for table, sample, labels, headed in tables(seed, sheets):
        found = recognize(table, sample, NOW)
        for name, label in zip(sample.columns, labels, strict=True):
            what = "sentences" if label and label.startswith("~") else "columns"
            tags = {finding.tag for finding in found[name]}
            outcome[what, "own" if headed else "none"].add((table.name, name), tags, label or "")
    return outcome


def report(console: Console, sheets: Sequence[Sheet] = SHEETS, what: str = "as strangers write them") -> None:
    """Measure and print."""
    count = sum(len(columns) for _, _, columns in sheets)
    shown = Table(title=f"Personal data: {count} columns of {len(sheets)} tables {what}", title_justify="left")
    for column in ("what", "names", "precision", "recall", "F1", "right", "wrong", "missed"):
        shown.add_column(column, justify="left" if column in ("what", "names") else "right")
    for (what, names), told in measure(sheets=sheets).items():
        shown.add_row(
            what, names, *(f"{figure:.2f}" for figure in told.figures), *map(str, (told.right, told.wrong, told.missed))
        )
    console.print(shown)
