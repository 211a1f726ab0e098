"""Tables of made-up persons and things whose every column is known, in many locales, the same on every machine.

Personal columns come from Faker's providers of the locale, or are made here by the published rule of their check digit.
Each table comes under three sets of names: its own, meaningless ones, and wrong ones (the names of its other columns).
"""
# ruff: noqa: E501 - a table of kinds

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from schema.data_readiness.source import ColumnFacts, Sample, TableFacts

NOW: Final = datetime(2026, 6, 1, tzinfo=UTC)
TUNED: Final = ("en_US", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pl_PL", "ru_RU")
"""Locales that the weights were fitted on."""
HELD_OUT: Final = ("en_GB", "pt_BR", "sv_SE", "cs_CZ", "de_AT", "es_MX", "en_IN", "fi_FI", "ro_RO", "tr_TR", "ja_JP")
"""Locales that nothing was fitted on."""
NAMINGS: Final = ("own", "none", "wrong")

Make = Callable[[Any, random.Random], Any]


@dataclass(frozen=True)
class Kind:
    """One kind of column: its tag (None: not personal), the names it usually has, and how a value is made."""

    key: str
    tag: str | None
    names: tuple[str, ...]
    make: Make


@dataclass(frozen=True)
class Case:
    """One table, with the tag that each column should get."""

    facts: TableFacts
    sample: Sample
    labels: dict[str, str | None]
    kinds: dict[str, str]
    naming: str
    locale: str


def _luhn(body: str) -> str:
    total = 0
    for position, digit in enumerate(reversed(body)):
        number = int(digit) * (2 if position % 2 == 0 else 1)
        total += number - 9 if number > 9 else number
    return body + str(-total % 10)


def _digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(count))


def _text(rng: random.Random, count: int, letters: str) -> str:
    return "".join(rng.choice(letters) for _ in range(count))


_ALNUM: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def _npi(_: Any, rng: random.Random) -> str:
    body = rng.choice("12") + _digits(rng, 8)
    return next(body + str(check) for check in range(10) if _luhn("80840" + body)[-1] == str(check))


def _nhs(_: Any, rng: random.Random) -> str:
    while True:
        body = rng.choice("46") + _digits(rng, 8)
        check = 11 - sum(int(digit) * (10 - place) for place, digit in enumerate(body)) % 11
        if check != 10:
            number = body + str(check % 11)
            return f"{number[:3]} {number[3:6]} {number[6:]}"


def _icd(_: Any, rng: random.Random) -> str:
    tail = f".{rng.randint(0, 9)}" if rng.random() < 0.7 else ""
    return f"{rng.choice('ABCDEFGHIJKLMNRSTZ')}{rng.randint(0, 99):02d}{tail}"


def _key(rng: random.Random) -> str:
    kind = rng.randrange(3)
    if kind == 0:
        return "sk_live_" + _text(rng, 24, _ALNUM)
    return "ghp_" + _text(rng, 36, _ALNUM) if kind == 1 else "AKIA" + _text(rng, 16, _ALNUM[:26] + "234567")


def _born(_: Any, rng: random.Random) -> date:
    return date(1938, 1, 1) + timedelta(days=rng.randrange(70 * 365))


def _plain_phone(fake: Any, rng: random.Random) -> str:
    return str(fake.phone_number())


def _vin(fake: Any, rng: random.Random) -> str:
    return str(fake.vin())


def _choice(*words: Any) -> Make:
    return lambda fake, rng: rng.choice(words)


def _of(provider: str) -> Make:
    return lambda fake, rng: getattr(fake, provider)()


def _line(fake: Any, rng: random.Random) -> str:
    return str(fake.address()).replace("\n", ", ")


PERSONAL: Final[tuple[Kind, ...]] = (
    Kind("email", "Email", ("email", "email_address", "contact_mail"), _of("email")),
    Kind("phone", "PhoneNumber", ("phone", "mobile_number", "telephone"), _plain_phone),
    Kind("full name", "PersonName", ("name", "full_name", "contact_name"), _of("name")),
    Kind("given name", "PersonName", ("first_name", "given_name", "fname"), _of("first_name")),
    Kind("family name", "PersonName", ("last_name", "surname", "lname"), _of("last_name")),
    Kind("street", "StreetAddress", ("street", "address_line1", "street_address"), _of("street_address")),
    Kind("address", "StreetAddress", ("address", "home_address", "shipping_address"), _line),
    Kind("postcode", "Postcode", ("postcode", "zip", "postal_code"), _of("postcode")),
    Kind("city", "City", ("city", "town", "home_city"), _of("city")),
    Kind("country", "Country", ("country", "nationality", "country_name"), _of("country")),
    Kind("birth", "DateOfBirth", ("birth_date", "dob", "date_of_birth"), _born),
    Kind("birth text", "DateOfBirth", ("birthday", "born_on"), lambda f, r: _born(f, r).strftime("%d.%m.%Y")),
    Kind("age", "Age", ("age", "age_years"), lambda f, r: r.randint(18, 88)),
    Kind("gender", "Gender", ("gender", "sex"), _choice("M", "F")),
    Kind("gender words", "Gender", ("gender", "sex"), _choice("male", "female", "female", "male", "other")),
    Kind("marital", "MaritalStatus", ("marital_status", "civil_status"), _choice("single", "married", "divorced", "widowed")),
    Kind("religion", "Religion", ("religion", "faith"), _choice("Catholic", "Muslim", "Hindu", "Jewish", "Buddhist", "None")),
    Kind("ethnicity", "Ethnicity", ("ethnicity", "race"), _choice("White", "Black", "Asian", "Hispanic", "Mixed")),
    Kind("blood", "BloodType", ("blood_type", "blood_group"), _choice("A+", "A-", "B+", "B-", "AB+", "O+", "O-")),
    Kind("user name", "Username", ("username", "login", "user_name"), _of("user_name")),
    Kind("iban", "Iban", ("iban", "bank_account"), _of("iban")),
    Kind("bic", "BankCode", ("bic", "swift_code"), _of("swift")),
    Kind("account", "BankAccount", ("account_number", "bank_account_no"), _of("bban")),
    Kind("card", "PaymentCard", ("card_number", "cc_number"), _of("credit_card_number")),
    Kind("ip", "IpAddress", ("ip_address", "client_ip"), _of("ipv4")),
    Kind("ip6", "IpAddress", ("ipv6", "remote_addr"), _of("ipv6")),
    Kind("mac", "MacAddress", ("mac_address", "device_mac"), _of("mac_address")),
    Kind("imei", "Imei", ("imei", "device_imei"), lambda f, r: _luhn("35" + _digits(r, 12))),
    Kind("national id", "NationalId", ("ssn", "national_id", "personal_number"), _of("ssn")),
    Kind("plate", "LicensePlate", ("license_plate", "plate_number"), _of("license_plate")),
    Kind("passport", "Passport", ("passport_number", "passport"), lambda f, r: r.choice("ABCX") + _digits(r, 8)),
    Kind("vin", "Vin", ("vin", "chassis_number"), _vin),
    Kind("npi", "HealthId", ("npi", "provider_number"), _npi),
    Kind("nhs", "HealthId", ("nhs_number", "patient_id"), _nhs),
    Kind("diagnosis", "MedicalCode", ("icd10", "diagnosis_code"), _icd),
    Kind("wallet", "CryptoWallet", ("wallet", "eth_address"), lambda f, r: "0x" + _text(r, 40, "0123456789abcdef")),
    Kind("key", "Secret", ("api_key", "access_token"), lambda f, r: _key(r)),
    Kind("password hash", "PasswordHash", ("password", "pwd_hash"), lambda f, r: "$2b$12$" + _text(r, 53, _ALNUM + "./")),
    Kind("credential url", "CredentialUrl", ("dsn", "connection_url"),
         lambda f, r: f"postgresql://{f.domain_word()}:{_text(r, 12, _ALNUM)}@{f.domain_name()}/app"),
    Kind("text with mail", "Email", ("notes", "message"),
         lambda f, r: f"{f.sentence()} {f.email() if r.random() < 0.3 else ''} {f.sentence()}"),
    Kind("document with mail", "Email", ("payload", "data"),
         lambda f, r: json.dumps({"id": r.randrange(9999), "to": f.email(), "kind": r.choice(("a", "b"))})),
)  # fmt: skip
"""Kinds of personal columns."""

PLACE: Final[tuple[Kind, ...]] = (
    Kind("latitude", "Coordinates", ("latitude", "lat"), lambda f, r: round(r.uniform(-60, 70), 6)),
    Kind("longitude", "Coordinates", ("longitude", "lon"), lambda f, r: round(r.uniform(-179, 179), 6)),
)  # fmt: skip

_ADJECTIVES: Final = [
    "Compact",
    "Heavy",
    "Silent",
    "Rugged",
    "Classic",
    "Smart",
    "Foldable",
    "Organic",
    "Portable",
    "Vintage",
    "Slim",
    "Wireless",
]
_MATERIALS: Final = ["Steel", "Cotton", "Oak", "Granite", "Rubber", "Bamboo", "Leather", "Glass", "Carbon", "Ceramic"]
_THINGS: Final = [
    "Lamp",
    "Chair",
    "Kettle",
    "Drill",
    "Backpack",
    "Router",
    "Table",
    "Bottle",
    "Speaker",
    "Jacket",
    "Mug",
    "Shelf",
    "Keyboard",
    "Tent",
]


def _product(_: Any, rng: random.Random) -> str:
    return f"{rng.choice(_ADJECTIVES)} {rng.choice(_MATERIALS)} {rng.choice(_THINGS)}"


def _sequence(start: int, step: int = 1) -> Make:
    counter = iter(range(start, start + 10_000_000, step))
    return lambda fake, rng: next(counter)


def _ordered(prefix: str, width: int) -> Make:
    counter = iter(range(1, 10**width))
    return lambda fake, rng: f"{prefix}{next(counter):0{width}d}"


def _moment(_: Any, rng: random.Random) -> datetime:
    return datetime(2023, 1, 1, tzinfo=UTC) + timedelta(seconds=rng.randrange(3 * 365 * 86400))


THINGS: Final[tuple[tuple[str, tuple[str, ...], Callable[[], Make]], ...]] = (
    ("product", ("product_name", "name", "title"), lambda: _product),
    ("product number", ("model", "product"), lambda: lambda f, r: f"{r.choice(_THINGS)} {r.randint(1, 900)}"),
    ("company", ("company", "supplier_name", "vendor"), lambda: _of("company")),
    ("job", ("job_title", "position"), lambda: _of("job")),
    ("slogan", ("slogan", "description"), lambda: _of("bs")),
    ("sku", ("sku", "product_code"), lambda: lambda f, r: f"{_text(r, 3, _ALNUM[:26])}-{_digits(r, 4)}"),
    ("part", ("part_no", "code"), lambda: lambda f, r: f"{_text(r, 2, _ALNUM[:26])}{_digits(r, 6)}"),
    ("key number", ("id", "row_id"), lambda: _sequence(1)),
    ("order number", ("order_no", "invoice_number"), lambda: _ordered("ORD-", 8)),
    ("order count", ("order_id", "ticket"), lambda: _sequence(1_000_200_300, 7)),
    ("ten digits", ("reference", "tracking"), lambda: lambda f, r: int(f"{r.randint(1, 9)}{_digits(r, 9)}")),
    ("nine digits", ("batch", "external_ref"), lambda: lambda f, r: f"{r.randint(1, 9)}{_digits(r, 8)}"),
    ("eleven digits", ("reference_no", "doc"), lambda: lambda f, r: f"{r.randint(1, 9)}{_digits(r, 10)}"),
    ("sixteen digits", ("transaction", "txn_ref"), lambda: lambda f, r: f"{r.randint(1, 9)}{_digits(r, 15)}"),
    ("five digits", ("units", "stock"), lambda: lambda f, r: r.randint(10_000, 99_999)),
    ("uuid", ("uuid", "guid", "request_id"), lambda: _of("uuid4")),
    ("ean", ("ean", "barcode"), lambda: _of("ean13")),
    ("isbn", ("isbn", "isbn13"), lambda: _of("isbn13")),
    ("isbn 10", ("isbn10", "book_code"), lambda: lambda f, r: f.isbn10().replace("-", "")),
    ("md5", ("checksum", "etag"), lambda: _of("md5")),
    ("sha256", ("sha256", "commit"), lambda: _of("sha256")),
    ("amount", ("amount", "price", "total"), lambda: lambda f, r: round(r.lognormvariate(4, 1), 2)),
    ("ratio", ("ratio", "probability"), lambda: lambda f, r: round(r.random(), 6)),
    ("reading", ("temperature", "reading"), lambda: lambda f, r: round(r.gauss(21, 4), 4)),
    ("quantity", ("quantity", "qty"), lambda: lambda f, r: r.randint(1, 60)),
    ("year", ("year", "model_year"), lambda: lambda f, r: r.randint(1985, 2026)),
    ("created", ("created_at", "updated_at"), lambda: _moment),
    ("day", ("order_date", "due_date"), lambda: lambda f, r: _moment(f, r).date()),
    ("published", ("publication_date", "released"), lambda: lambda f, r: date(1990, 1, 1) + timedelta(days=r.randrange(12_000))),
    ("epoch", ("ts", "created_ts"), lambda: lambda f, r: r.randint(1_500_000_000, 1_780_000_000)),
    ("status", ("status", "state"), lambda: _choice("open", "closed", "shipped", "pending")),
    ("size", ("size", "fit"), lambda: _choice("S", "M", "L", "XL")),
    ("grade", ("grade", "rating"), lambda: _choice("A", "B", "C", "D", "F")),
    ("flag", ("is_active", "enabled"), lambda: _choice(True, False)),
    ("currency", ("currency", "ccy"), lambda: _choice("EUR", "USD", "GBP", "JPY", "CHF", "SEK")),
    ("color", ("color", "colour"), lambda: _of("color_name")),
    ("hex color", ("hex", "rgb"), lambda: _of("hex_color")),
    ("word", ("tag", "keyword"), lambda: _of("word")),
    ("sentence", ("comment", "remarks"), lambda: _of("sentence")),
    ("text", ("body", "details"), lambda: lambda f, r: f.text(300)),
    ("url", ("url", "link"), lambda: _of("url")),
    ("file", ("file_name", "path"), lambda: _of("file_path")),
    ("host", ("hostname", "server"), lambda: _of("hostname")),
    ("version", ("version", "release"), lambda: lambda f, r: f"{r.randint(0, 9)}.{r.randint(0, 20)}.{r.randint(0, 99)}"),
    ("department", ("department", "team"), lambda: _choice("Sales", "Finance", "Human Resources", "Engineering", "Legal")),
    ("mime", ("mime_type", "content_type"), lambda: _of("mime_type")),
    ("document", ("config", "settings"), lambda: lambda f, r: json.dumps({"depth": r.randrange(9), "mode": r.choice("ab"), "size": r.random()})),
    ("slug", ("slug", "handle_key"), lambda: lambda f, r: f"{r.choice(_MATERIALS)}-{r.choice(_THINGS)}-{r.randint(1, 99)}".lower()),
    ("shelf", ("shelf", "bin_location"), lambda: lambda f, r: f"{r.choice('ABCDEFGH')}{r.randint(10, 99)}.{r.randint(1, 9)}"),
    ("lot", ("lot", "drawing_no"), lambda: lambda f, r: f"{_digits(r, 2)}-{_digits(r, 3)}"),
    ("dashed code", ("article_code", "variant"), lambda: lambda f, r: f"{_text(r, 2, _ALNUM[:26])}-{_text(r, 2, _ALNUM[:26])}-{r.randint(100, 999)}"),
    ("grouped digits", ("meter_no", "catalog_no"), lambda: lambda f, r: f"{_digits(r, 3)} {_digits(r, 3)} {_digits(r, 4)}"),
    ("serial", ("serial_number", "device_serial"), lambda: lambda f, r: _text(r, 12, _ALNUM[:26] + "0123456789")),
    ("token id", ("event_key", "cursor"), lambda: lambda f, r: _text(r, 22, _ALNUM)),
    ("place of a thing", ("airport", "depot"), lambda: _of("city")),
    ("state of a thing", ("origin", "made_in"), lambda: _of("country")),
)  # fmt: skip
"""Kinds of columns that are not personal: key, names, and a function that begins to make them."""

_TABLES: Final = (("customers", "t_persons", "crm_contacts"), ("products", "t_things", "orders"))


def _faker(locale: str, seed: int) -> Any:
    from faker import Faker

    fake = Faker(locale)
    fake.seed_instance(seed)
    return fake


def _column(make: Make, fake: Any, rng: random.Random, rows: int) -> list[Any] | None:
    """The values; None where the locale has no such provider."""
    try:
        values = [make(fake, rng) for _ in range(rows)]
    except AttributeError:
        return None
    return [None if rng.random() < 0.03 else value for value in values]


def _latin(kind: Kind, locale: str) -> bool:
    """Return whether the locale's provider makes what its name says."""
    if kind.key == "national id":
        return locale in (
            "en_US",
            "en_GB",
            "es_ES",
            "it_IT",
            "nl_NL",
            "pl_PL",
            "fi_FI",
            "sv_SE",
            "pt_BR",
            "fr_FR",
            "ro_RO",
        )
    if kind.key == "account":
        return locale[:2] not in ("ja", "ru")
    return True


def cases(locales: Sequence[str], seed: int, rows: int = 300, namings: Sequence[str] = NAMINGS) -> Iterator[Case]:
    """Tables of persons and of things, of every locale under every naming."""
    for number, locale in enumerate(locales):
        rng = random.Random(f"{seed}/{locale}")
        fake = _faker(locale, seed + number)
        persons = [kind for kind in PERSONAL if _latin(kind, locale)]
        rng.shuffle(persons)
        things = [Kind(key, None, names, make()) for key, names, make in THINGS]
        rng.shuffle(things)
        tables: list[tuple[str, list[Kind]]] = []
        for start in range(0, len(persons), 7):
            plain = [kind for kind in things[start // 7 :: 9] if not kind.key.endswith("of a thing")]
            tables.append((_TABLES[0][start // 7 % 3], [*persons[start : start + 7], *plain]))
        tables += [(_TABLES[1][start // 9 % 3], things[start : start + 9]) for start in range(0, len(things), 9)]
        tables.append(("places", [*PLACE, *things[:3]]))
        for position, (table, kinds) in enumerate(tables):
            made = [(kind, _column(kind.make, fake, rng, rows)) for kind in kinds]
            whole = [(kind, values) for kind, values in made if values is not None]
            values = tuple(zip(*(column for _, column in whole), strict=True))
            for naming in namings:
                yield _case(locale, f"{table}_{position}", naming, [kind for kind, _ in whole], values, rng)


def _case(
    locale: str, table: str, naming: str, made: Sequence[Kind], values: tuple[tuple[Any, ...], ...], rng: random.Random
) -> Case:
    own: list[str] = []
    for kind in made:
        name = rng.choice(kind.names)
        own.append(name if name not in own else f"{name}_{len(own)}")
    if naming == "none":
        names, table = [f"c{place + 10}" for place in range(len(made))], "t7"
    elif naming == "wrong":
        names = own[1:] + own[:1]
    else:
        names = own
    base = f"svc.db.sch.{table}"
    columns = tuple(ColumnFacts(f"{base}.{name}", name, place) for place, name in enumerate(names))
    facts = TableFacts(base, "stoa://o/p/data_connection/svc", "db", "sch", table, columns)
    sample = Sample(tuple(names), values, True)
    return Case(
        facts, sample,
        {name: kind.tag for name, kind in zip(names, made, strict=True)},
        {name: kind.key for name, kind in zip(names, made, strict=True)},
        naming, locale,
    )  # fmt: skip
