"""What columns are recognised as, by their values, under any name; and the traps that are none."""
# ruff: noqa: E501, RUF001 - tables of cases in many languages

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from stdnum.es import dni

from resolvers.engines.recognition import RECOGNIZERS, VERSION, fingerprint, recognize
from resolvers.engines.recognition.matching import divergence
from resolvers.engines.recognition.model import ColumnValues, Strength
from resolvers.engines.recognition.scoring import FIGURES, score
from resolvers.engines.recognition.taxonomy import TAXONOMY
from resolvers.engines.recognition.weights import WEIGHTS
from schema.data_readiness.source import ColumnFacts, Sample
from tests.engines.recognition.support import NOW, found_in, table_of, tags

rng = random.Random(20)
MANY = range(60)


def digits(count: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(count))


def luhn(body: str) -> str:
    total = 0
    for place, digit in enumerate(reversed(body)):
        number = int(digit) * (2 if place % 2 == 0 else 1)
        total += number - 9 if number > 9 else number
    return body + str(-total % 10)


def iban(country: str, body: str) -> str:
    number = int("".join(str(int(c, 36)) for c in f"{body}{country}00"))
    return f"{country}{98 - number % 97:02d}{body}"


def nhs() -> str:
    while True:
        body = "4" + digits(8)
        check = 11 - sum(int(digit) * (10 - place) for place, digit in enumerate(body)) % 11
        if check < 10:
            return f"{body[:3]} {body[3:6]} {body[6:]}{check}"


PERSONS = [f"user{i}@mail{i % 9}.example.com" for i in MANY]
CARDS = [luhn("4" + digits(14)) for _ in MANY]
IBANS = [iban("DE", digits(18)) for _ in MANY]
FIRST = ["James", "Maria", "Ahmed", "Wei", "Olga", "Lars", "Priya", "Chloé", "José", "Sofia", "Yusuf", "Hannah"]
LAST = ["Smith", "García", "Khan", "Wang", "Ivanova", "Jensen", "Patel", "Dubois", "Silva", "Rossi", "Yılmaz", "Weber"]
NAMES = [f"{FIRST[i % 12]} {LAST[(i * 5 + i // 12) % 12]}" for i in MANY]
STREETS = [f"{i * 7 + 1} {word} {kind}" for i, (word, kind) in enumerate(
    [(w, k) for w in ("Maple", "Mill Lane", "High", "Station") for k in ("Street", "Road", "Ave", "Drive", "Court")])]  # fmt: skip
STRASSEN = [f"{w}{k} {i + 3}" for i, (w, k) in enumerate(
    [(w, k) for w in ("Goethe", "Linden", "Berg", "Kirch") for k in ("straße", "weg", "allee", "gasse", "ring")])]  # fmt: skip
RUES = [f"{i + 2}, {k} {w}" for i, (w, k) in enumerate(
    [(w, k) for w in ("Victor Hugo", "de la Paix", "des Lilas", "Pasteur") for k in ("rue", "avenue", "boulevard")])]  # fmt: skip

POSITIVE: list[tuple[str, list[Any]]] = [
    ("Email", PERSONS),
    ("Email", [f"Ann B{i} <a{i}@b.example>" for i in MANY]),
    ("PhoneNumber", [f"+49 30 {digits(7)}" for _ in MANY]),
    ("PhoneNumber", [f"+1-415-{rng.randint(200, 999)}-{digits(4)}" for _ in MANY]),
    ("PhoneNumber", [f"({rng.choice(('415', '212', '312', '617'))}) {rng.randint(200, 999)}-{digits(4)}" for _ in MANY]),
    ("PaymentCard", CARDS),
    ("PaymentCard", [int(card) for card in CARDS]),
    ("PaymentCard", [" ".join(card[i : i + 4] for i in range(0, 16, 4)) for card in CARDS]),
    ("Iban", IBANS),
    ("BankCode", [f"{a}{b}DE{c}" for a in ("COBA", "DEUT", "HYVE", "GENO") for b in ("",) for c in ("FF", "MM", "33", "HH370")]),
    ("IpAddress", [f"10.{i}.{i * 3 % 255}.{i % 7}" for i in MANY]),
    ("IpAddress", [f"2001:db8::{i:x}" for i in MANY]),
    ("MacAddress", [f"00:1b:44:11:{i:02x}:{i * 3:02x}" for i in MANY]),
    ("Imei", [luhn("35" + digits(12)) for _ in MANY]),
    ("CredentialUrl", [f"mysql://app:pw{digits(6)}@db{i}.example.org/x" for i in MANY]),
    ("Secret", ["ghp_" + "".join(rng.choice("abcdEFGH0123") for _ in range(36)) for _ in MANY]),
    ("Secret", ["-----BEGIN RSA PRIVATE KEY-----\nMIIE" + digits(30) for _ in MANY]),
    ("PasswordHash", ["$2b$12$" + "".join(rng.choice("abcXYZ019./") for _ in range(53)) for _ in MANY]),
    ("PasswordHash", [f"pbkdf2_sha256$600000${digits(12)}$" + "".join(rng.choice("abcXYZ019") for _ in range(43)) for _ in MANY]),
    ("NationalId", ["52998224725", "11144477735", "39053344705", "12345678909", "98765432100", "86288366757"]),
    ("NationalId", [f"{rng.randint(100, 660):03d}-{rng.randint(10, 99)}-{rng.randint(1000, 9999)}" for _ in MANY]),
    ("HealthId", [nhs() for _ in MANY]),
    ("CryptoWallet", ["0x" + "".join(rng.choice("0123456789abcdef") for _ in range(40)) for _ in MANY]),
    ("PersonName", NAMES),
    ("PersonName", [f"{last}, {first}" for first, last in (name.split() for name in NAMES)]),
    ("PersonName", [FIRST[i % 12] for i in MANY]),
    ("PersonName", ["佐藤 太郎", "鈴木 花子", "高橋 健", "田中 美咲", "渡辺 翔", "山本 葵", "中村 蓮", "小林 陽菜"]),
    ("PersonName", ["Иванов Иван Петрович", "Петрова Анна Сергеевна", "Сидоров Олег Ильич", "Смирнова Ольга Юрьевна"] * 2),
    ("StreetAddress", STREETS),
    ("StreetAddress", STRASSEN),
    ("StreetAddress", RUES),
    ("BloodType", ["A+", "B-", "O+", "AB+", "O-"] * 12),
    ("Gender", ["M", "F"] * 30),
    ("Gender", ["männlich", "weiblich", "divers"] * 20),
    ("MaritalStatus", ["single", "married", "divorced"] * 20),
    ("Religion", ["Catholic", "Muslim", "Hindu", "Jewish"] * 15),
]  # fmt: skip
CONTEXTUAL = {"Gender"}


@pytest.mark.parametrize(("tag", "values"), POSITIVE, ids=[f"{tag}-{at}" for at, (tag, _) in enumerate(POSITIVE)])
def test_values_are_recognised_under_a_name_that_says_nothing(tag: str, values: list[Any]) -> None:
    if tag in CONTEXTUAL:  # personal only beside a person
        mails = [f"user{i}@mail.example.com" for i in range(len(values))]
        assert tag in {one.tag for one in found_in({"c17": values, "c18": mails})["c17"]}
    else:
        assert tags(values) == {tag}


NEGATIVE: list[tuple[str, list[Any]]] = [
    ("uuid", [f"{digits(8)}-{digits(4)}-4{digits(3)}-a{digits(3)}-{digits(12)}" for _ in MANY]),
    ("order numbers", [f"ORD-{10_000 + i}" for i in MANY]),
    ("sequence", list(range(1, 200))),
    ("long sequence", [4_155_550_000 + i for i in MANY]),
    ("timestamps", [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=i) for i in MANY]),
    ("timestamps as text", [f"2024-03-{1 + i % 28:02d}T10:{i:02d}:00Z" for i in MANY]),
    ("epoch", [1_700_000_000 + i * 8641 for i in MANY]),
    ("product codes", [f"SKU-{digits(5)}" for _ in MANY]),
    ("product names", [f"{a} {b}" for a in ("Oak", "Steel", "Heavy", "Slim") for b in ("Lamp", "Chair", "Kettle", "Table")]),
    ("amounts", [round(rng.uniform(1, 900), 2) for _ in MANY]),
    ("years", [1990 + i % 30 for i in MANY]),
    ("zip-like integers", [rng.randint(10_000, 99_999) for _ in MANY]),
    ("ten digits", [rng.randint(10**9, 10**10 - 1) for _ in MANY]),
    ("nine digits", [f"{rng.randint(10**8, 10**9 - 1)}" for _ in MANY]),
    ("eleven digits", [f"{rng.randint(10**10, 10**11 - 1)}" for _ in MANY]),
    ("sixteen digits", [f"{rng.randint(10**15, 10**16 - 1)}" for _ in MANY]),
    ("md5", ["".join(rng.choice("0123456789abcdef") for _ in range(32)) for _ in MANY]),
    ("sha256", ["".join(rng.choice("0123456789abcdef") for _ in range(64)) for _ in MANY]),
    ("isbn", ["9780306406157", "9783161484100", "9780131103627", "9780262033848", "9780596007126"] * 4),
    ("isbn 10", ["0306406152", "0131103628", "0262033844", "080442957X", "0596007124", "043942089X"]),
    ("companies", [f"{last} {end}" for last in LAST for end in ("GmbH", "Inc.", "& Sons", "S.A.")]),
    ("companies of other lands", [f"{last} {end}" for last in LAST for end in ("Kft.", "S/A", "Sàrl.", "A/S", "és társa Bt.")]),
    ("versions", [f"{i % 5}.{i % 9}.{i}" for i in MANY]),
    ("sizes", ["S", "M", "L", "XL"] * 10),
    ("grades", ["A", "B", "C", "D", "F"] * 10),
    ("flags", [True, False] * 20),
    ("urls", [f"https://www.example.org/p/{i}" for i in MANY]),
    ("hosts", [f"web-{i:02d}.example.org" for i in MANY]),
    ("recent dates", [date(2025, 1, 1) + timedelta(days=i) for i in MANY]),
    ("historic dates", [date(1940, 1, 1) + timedelta(days=i * 391) for i in MANY]),
    ("currencies", ["EUR", "USD", "GBP", "JPY", "CHF"] * 6),
    ("sentences", ["The parcel was left at the door and nobody rang."] * 10 + [f"Call {i} of the queue was long." for i in MANY]),
    ("ratios", [rng.random() for _ in MANY]),
    ("nothing", [None] * 20),
    ("blank", ["", "  "] * 10),
]  # fmt: skip


@pytest.mark.parametrize(("what", "values"), NEGATIVE, ids=[what for what, _ in NEGATIVE])
def test_what_only_looks_like_it_gets_no_tag(what: str, values: list[Any]) -> None:
    assert tags(values) == set(), what


@pytest.mark.parametrize(
    "name", ["email", "phone", "ssn", "customer_name", "credit_card", "iban", "birth_date", "password"]
)
@pytest.mark.parametrize(
    "values",
    [[f"SKU-{10_000 + i * 37}" for i in MANY], list(range(500, 560)), [f"{i}.{i}.{i}" for i in MANY], [None] * 9],
)
def test_the_name_alone_never_decides(name: str, values: list[Any]) -> None:
    assert tags(values, name, description=f"The {name} of somebody.") == set()


def test_without_a_match_on_the_values_there_is_no_score_and_a_hint_is_no_proof() -> None:
    nothing = dict.fromkeys(FIGURES, 0.0)
    assert score(nothing | {"name": 1.0, "comment": 0.0}) < 0.5
    assert score(nothing | {"proof": 1.0}) > 0.9
    assert all(name in WEIGHTS for name in FIGURES)


def test_a_name_and_a_comment_add_to_what_the_values_say() -> None:
    codes = [rng.randint(10_000, 99_999) for _ in MANY]
    mails = PERSONS
    assert {one.tag for one in found_in({"zip": codes, "mail": mails})["zip"]} == {"Postcode"}
    assert found_in({"c1": codes, "c2": mails})["c1"] == []
    by_name = found_in({"passport_number": [f"C{digits(8)}" for _ in MANY]})["passport_number"]
    assert [one.tag for one in by_name] == ["Passport"]
    assert {one["source"] for one in by_name[0].evidence} == {"values", "name"}


def test_places_count_beside_persons_and_not_by_themselves() -> None:
    cities = ["London", "Paris", "Madrid", "Rome", "Vienna", "Oslo", "Berlin", "Lisbon", "Prague", "Dublin"] * 6
    assert tags(cities) == set()
    beside = found_in({"c1": cities, "c2": PERSONS})["c1"]
    assert [one.tag for one in beside] == ["City"]
    assert any(one["source"] == "neighbours" for one in beside[0].evidence)


def test_the_town_of_a_thing_is_nobodys_even_where_its_name_says_town() -> None:
    towns = [rng.choice(["Leeds", "Derby", "Exeter", "Bath", "Oxford", "Lincoln", "York"]) for _ in range(60)]
    goods = [f"{rng.choice(['oak', 'ash', 'elm'])} {rng.choice(['chair', 'table'])}" for _ in range(60)]
    mails = [f"{rng.choice(['ann', 'bo', 'cy'])}{at}@post.example" for at in range(60)]
    assert found_in({"store_city": towns, "what": goods})["store_city"] == []
    assert {one.tag for one in found_in({"city": towns, "mail": mails})["city"]} == {"City"}


def test_days_of_birth_are_read_with_the_month_first() -> None:
    days = [date(1940, 1, 1) + timedelta(days=rng.randrange(22_000)) for _ in range(80)]
    assert tags([day.strftime("%m/%d/%Y") for day in days], "date_of_birth") == {"DateOfBirth"}


@pytest.mark.parametrize(
    ("name", "tag", "make"),
    [
        ("pasaporte", "Passport", lambda: "".join(rng.choice("ABCDEFGH") for _ in range(3)) + digits(6)),
        ("paspoort", "Passport", lambda: f"N{rng.choice('PRT')}{digits(3)}{rng.choice('BCD')}{digits(3)}"),
        ("ausweisnummer", "NationalId", lambda: rng.choice("LMNPT") + digits(4) + rng.choice("CFGH") + digits(3)),
        ("documento", "NationalId", lambda: (lambda body: body + dni.calc_check_digit(body))(digits(8))),
    ],
)
def test_papers_of_a_country_are_found_under_their_names(name: str, tag: str, make: Callable[[], str]) -> None:
    assert tags([make() for _ in range(80)], name) == {tag}


def test_births_are_told_from_other_dates_beside_persons() -> None:
    births = [date(1941, 5, 3) + timedelta(days=(i * 397) % 20_000) for i in MANY]
    hired = [date(2021, 5, 3) + timedelta(days=i * 13) for i in MANY]
    found = found_in({"c1": births, "c2": hired, "c3": PERSONS})
    assert [one.tag for one in found["c1"]] == ["DateOfBirth"]
    assert found["c2"] == []


def test_two_coordinates_beside_one_another_are_a_place_and_one_is_a_figure() -> None:
    north = [round(rng.uniform(-60, 70), 6) for _ in MANY]
    east = [round(rng.uniform(-179, 179), 6) for _ in MANY]
    pair = found_in({"c1": north, "c2": east})
    assert [one.tag for one in pair["c1"]] == [one.tag for one in pair["c2"]] == ["Coordinates"]
    assert tags(north) == set()


def test_values_within_text_are_found_and_their_share_is_told() -> None:
    notes = [
        f"Spoke to them, write to a{i}@b.example soon please." if i % 5 == 0 else "Nothing new today, really."
        for i in MANY
    ]
    [one] = found_in({"c17": [f"{i} {note}" for i, note in enumerate(notes)]})["c17"]
    assert one.tag == "Email"
    assert one.evidence[0]["share"] == pytest.approx(0.2)
    assert "within" in one.evidence[0]["reason"]


def test_fields_of_json_documents_are_columns_of_their_own() -> None:
    documents = [{"id": i, "who": {"reach": mail}, "items": [1, 2]} for i, mail in enumerate(PERSONS)]
    assert tags(documents) == {"Email"}
    assert tags([f'{{"a": {i}, "b": "x{i}"}}' for i in MANY]) == set()


def test_a_mixed_column_gets_both_of_its_tags() -> None:
    mixed = [mail if i % 2 else f"+49 30 {digits(7)}" for i, mail in enumerate(PERSONS)]
    assert tags(mixed) == {"Email", "PhoneNumber"}


def test_numbers_that_lost_their_leading_zeros_are_filled_up() -> None:
    valid = ["00000000604", "01234567890", "07068093868", "02070803628"]
    from stdnum.br import cpf

    numbers = [int(text) for text in valid if cpf.is_valid(text)]
    numbers += [int(text) for text in ("52998224725", "11144477735", "39053344705", "12345678909", "86288366757")]
    assert tags(numbers) == {"NationalId"}


def test_no_value_of_the_data_stands_in_the_evidence() -> None:
    for tag, values in POSITIVE:
        for findings in found_in({"c17": values, "c18": [f"u{i}@x.example" for i in range(len(values))]}).values():
            for one in findings:
                told = repr(one.evidence)
                assert not any(str(value) in told for value in values if len(str(value)) > 4), (tag, told)
                for evidence in one.evidence:
                    assert set(evidence) <= {"recognizer", "source", "share", "weight", "reason"}
                    assert evidence["source"] in ("values", "name", "type", "comment", "neighbours")


def test_the_same_sample_gives_the_same_findings() -> None:
    table, sample = table_of({"a": PERSONS, "b": CARDS, "c": NAMES})
    assert recognize(table, sample, NOW) == recognize(table, sample, NOW)


def test_the_fingerprint_changes_with_the_data_and_with_what_is_said_about_it() -> None:
    column = ColumnFacts("s.d.h.t.a", "a", 0)
    sample = Sample(("a",), (("x",), ("y",)), True)
    same = fingerprint(column, sample)
    assert fingerprint(column, Sample(("a",), (("y",), ("x",)), True)) == same
    assert fingerprint(column, Sample(("a",), (("x",), ("z",)), True)) != same
    assert fingerprint(ColumnFacts("s.d.h.t.a", "a", 0, description="Mail."), sample) != same
    assert VERSION.startswith("1.")


def test_one_value_in_ten_thousand_kinds_of_noise_does_not_break_it() -> None:
    odd = [
        "\x00",
        "�",
        "a" * 10_000,
        "'; drop table x; --",
        "{",
        "[",
        "{}",
        "[1,",
        "+",
        "@",
        "(",
        "0" * 30,
        "-",
        "٣٤٥",
        "𝒜",
    ]
    values = [rng.choice(odd) + rng.choice(odd) for _ in range(300)]
    tags(values)
    tags([b"\x00\xff", memoryview(b"abc"), 3.5, float("nan"), float("inf"), 10**30, object(), (1, 2), {"a": {1}}])


def test_recognisers_pass_by_chance_no_more_often_than_they_say() -> None:
    source = random.Random(5)
    for one in RECOGNIZERS:
        if one.strength is Strength.SHAPE or one.tag not in ("NationalId", "TaxId", "HealthId", "Imei", "PaymentCard"):
            continue
        for length in (8, 9, 10, 11, 12, 13, 14, 15, 16):
            texts = ["".join(source.choice("0123456789") for _ in range(length)) for _ in range(400)]
            share = sum(map(one.test, texts)) / 400
            assert share <= one.chance + 0.06, (one.name, length, share)


def test_every_recogniser_has_a_tag_of_the_taxonomy_a_reason_and_a_chance() -> None:
    assert len({one.name for one in RECOGNIZERS}) == len(RECOGNIZERS)
    for one in RECOGNIZERS:
        assert one.tag in TAXONOMY
        assert one.reason
        assert 0 < one.chance < 1


def test_divergence_is_nought_for_what_chance_gives_and_grows_from_there() -> None:
    assert divergence(0.1, 0.1) == pytest.approx(0)
    assert divergence(0.5, 0.1) < divergence(0.9, 0.1) < divergence(1.0, 0.01)


def test_values_are_read_as_text_in_one_way() -> None:
    column = ColumnValues(ColumnFacts("a", "a", 0), [1.0, 2.5, None, " x ", "", b"\x01", True])
    assert column.distinct == ("1", "2.5", "x", "01")
    assert column.present == 6
