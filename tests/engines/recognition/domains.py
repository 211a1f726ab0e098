"""Ten tables of ten trades, made by rule: what each column is, and its name in that trade."""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

ROWS: Final = 90
Column = tuple[str | None, list[Any]]

GIVEN: Final = [
    "Amara",
    "Bjarne",
    "Callum",
    "Daphne",
    "Esteban",
    "Fiona",
    "Gustavo",
    "Harriet",
    "Imran",
    "Joanna",
    "Keiko",
    "Lorenzo",
    "Marisol",
    "Nadia",
    "Owen",
    "Philippa",
    "Quentin",
    "Rosalind",
    "Sanjay",
    "Tamara",
    "Ursula",
    "Vikram",
    "Wanda",
    "Yusuf",
    "Zelda",
    "Anders",
    "Bettina",
    "Clarissa",
    "Dimitri",
    "Edith",
]
FAMILY: Final = [
    "Abernathy",
    "Brandt",
    "Castellano",
    "Dahl",
    "Eastwood",
    "Fitzgerald",
    "Gutierrez",
    "Haldane",
    "Ibarra",
    "Jablonski",
    "Kowalczyk",
    "Lindqvist",
    "McAllister",
    "Novak",
    "Okafor",
    "Pettersen",
    "Quigley",
    "Rasmussen",
    "Schreiber",
    "Takahashi",
    "Underwood",
    "Vasquez",
    "Whitfield",
    "Yamamoto",
    "Zimmerman",
    "Ashworth",
    "Bellini",
    "Corrigan",
    "Dubois",
    "Eklund",
]
STREETS: Final = [
    "Orchard",
    "Mill",
    "Church",
    "Victoria",
    "Station",
    "Park",
    "Highfield",
    "Albert",
    "Chestnut",
    "Kings",
]
TOWNS: Final = [
    "Reading",
    "Norwich",
    "Swindon",
    "Exeter",
    "Plymouth",
    "Derby",
    "Carlisle",
    "Lancaster",
    "Ipswich",
    "Preston",
    "Wolverhampton",
    "Stockport",
]


class Maker:
    """Values by rule, the same on every machine."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.people = [(self.rng.choice(GIVEN), self.rng.choice(FAMILY)) for _ in range(ROWS)]

    def some(self, *words: Any) -> list[Any]:
        """One of the words in each row."""
        return [self.rng.choice(words) for _ in range(ROWS)]

    def whole(self, low: int, high: int) -> list[int]:
        """Whole numbers."""
        return [self.rng.randint(low, high) for _ in range(ROWS)]

    def digits(self, count: int) -> str:
        """Digits in any order."""
        return "".join(self.rng.choice("0123456789") for _ in range(count))

    def letters(self, count: int, among: str = "ABCDEFGHJKLMNPRSTUVWXYZ") -> str:
        """Letters in any order."""
        return "".join(self.rng.choice(among) for _ in range(count))

    def figures(self, middle: float, spread: float, places: int = 2) -> list[float]:
        """Decimals."""
        return [round(self.rng.gauss(middle, spread), places) for _ in range(ROWS)]

    def names(self) -> list[str]:
        """Full names."""
        return [f"{given} {family}" for given, family in self.people]

    def mails(self, host: str = "example.org") -> list[str]:
        """Addresses made of the names."""
        return [f"{given[0]}.{family}{n % 7}@{host}".lower() for n, (given, family) in enumerate(self.people)]

    def logins(self) -> list[str]:
        """Names to sign in with."""
        return [f"{given[0]}{family[:6]}{n}".lower() for n, (given, family) in enumerate(self.people)]

    def days(self, first: date, span: int) -> list[date]:
        """Days within a span."""
        return [first + timedelta(days=self.rng.randrange(span)) for _ in range(ROWS)]

    def moments(self) -> list[datetime]:
        """Moments of the last years."""
        return [
            datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=self.rng.randrange(60_000_000)) for _ in range(ROWS)
        ]

    def streets(self) -> list[str]:
        """Streets with numbers."""
        return [
            f"{self.rng.randint(1, 190)} {self.rng.choice(STREETS)} {self.rng.choice(('Road', 'Street', 'Lane'))}"
            for _ in range(ROWS)
        ]

    def ibans(self) -> list[str]:
        """German accounts with their check digits."""
        made = []
        for _ in range(ROWS):
            body = self.digits(18)
            made.append(f"DE{98 - int(body + '131400') % 97:02d}{body}")
        return made

    def cards(self) -> list[str]:
        """Card numbers with their check digit."""
        made = []
        for _ in range(ROWS):
            body = "4" + self.digits(14)
            total = sum(sum(divmod(int(digit) * (2 - place % 2), 10)) for place, digit in enumerate(body))
            made.append(body + str(-total % 10))
        return made


def tables() -> dict[str, dict[str, Column]]:
    """The tables by name: each column's tag (None: not personal) and values."""
    m = Maker("trades")
    hr: dict[str, Column] = {
        "employee_no": (None, list(range(1001, 1001 + ROWS))),
        "forename": ("PersonName", [given for given, _ in m.people]),
        "surname": ("PersonName", [family for _, family in m.people]),
        "work_email": ("Email", m.mails()),
        "logon": ("Username", m.logins()),
        "birth_year": ("DateOfBirth", m.whole(1958, 2003)),
        "birth_month": ("DateOfBirth", m.whole(1, 12)),
        "birth_day": ("DateOfBirth", m.whole(1, 28)),
        "hired": (None, m.days(date(2012, 1, 1), 5000)),
        "grade": (None, m.some("A1", "A2", "B1", "B2", "C1")),
        "salary": (None, m.whole(24_000, 98_000)),
        "weekly_hours": (None, m.some(40, 40, 40, 38, 35, 20, 30)),
        "position": (
            None,
            m.some("Account Manager", "Field Engineer", "Payroll Clerk", "Product Owner", "Data Analyst"),
        ),
        "cost_centre": (None, [f"CC-{m.rng.randint(100, 140)}" for _ in range(ROWS)]),
    }
    m = Maker("hospital")
    hospital: dict[str, Column] = {
        "admission": (None, list(range(50_001, 50_001 + ROWS))),
        "patient": ("PersonName", [f"{family}, {given}" for given, family in m.people]),
        "sex": ("Gender", m.some("male", "female")),
        "born": ("DateOfBirth", m.days(date(1935, 1, 1), 28_000)),
        "diagnosis": (
            "MedicalCode",
            m.some(
                "I10",
                "E11.9",
                "J18.9",
                "M54.5",
                "F32.1",
                "K35.8",
                "N39.0",
                "S72.0",
                "C50.9",
                "R07.4",
                "Z38.0",
                "G43.9",
                "H25.1",
                "E78.5",
                "J45.909",
            ),
        ),
        "blood_group": ("BloodType", m.some("A+", "O+", "B-", "AB+", "O-")),
        "ward": (None, m.some("West 2", "West 3", "North 1", "ICU", "Maternity")),
        "bed": (None, [f"{m.rng.choice('ABCD')}{m.rng.randint(1, 24):02d}" for _ in range(ROWS)]),
        "heart_rate": (None, m.whole(52, 118)),
        "systolic": (None, m.whole(98, 171)),
        "temperature": (None, m.figures(37.1, 0.6, 1)),
        "admitted_at": (None, m.moments()),
    }
    m = Maker("shipping")
    shipping: dict[str, Column] = {
        "vessel": (
            None,
            m.some("Northern Star", "Ocean Pioneer", "Baltic Trader", "Pacific Carrier", "Sea Falcon", "Arctic Tern"),
        ),
        "container": (None, [f"{m.letters(3)}U{m.digits(7)}" for _ in range(ROWS)]),
        "voyage": (None, [f"{m.rng.randint(100, 480)}{m.rng.choice('EW')}" for _ in range(ROWS)]),
        "port_of_loading": (None, m.some("Rotterdam", "Shanghai", "Santos", "Felixstowe", "Busan", "Antwerp")),
        "terminal": (None, m.some("Delta Terminal", "Pier 7", "East Dock", "Harbour Quay")),
        "teu": (None, m.whole(1, 40)),
        "gross_weight": (None, m.whole(2_000, 28_900)),
        "seal": (None, [m.digits(7) for _ in range(ROWS)]),
        "hs_code": (None, [f"{m.rng.randint(10, 96)}{m.digits(2)}.{m.digits(2)}" for _ in range(ROWS)]),
        "berth": (
            None,
            [f"{m.rng.choice('ABCDEF')}{m.rng.randint(10, 29)}.{m.rng.randint(1, 4)}" for _ in range(ROWS)],
        ),
        "bill_of_lading": (None, [f"{m.letters(4)}{m.digits(9)}" for _ in range(ROWS)]),
        "arrival": (None, m.days(date(2025, 1, 1), 500)),
    }
    m = Maker("games")
    games: dict[str, Column] = {
        "title": (
            None,
            m.some(
                "Max Danger",
                "Castle of Olivia",
                "The Last Harbour",
                "Galaxy Run 3",
                "Farm Life",
                "Dr. Pixel",
                "Mary's Kitchen",
                "Dungeon Lord",
                "Night Rider",
            ),
        ),
        "studio": (
            None,
            m.some("Miller Games", "Bluebird Studios", "Nakamura Soft", "Red Harbour Interactive", "Oak & Stone"),
        ),
        "platform": (None, m.some("PC", "Switch", "PS5", "Xbox")),
        "released": (None, m.days(date(1995, 1, 1), 10_000)),
        "level": (None, m.whole(1, 99)),
        "character": (None, m.some("Paladin", "Ranger", "Rogue", "Warlock", "Druid", "Monk")),
        "item_code": (None, [f"{m.letters(3)}-{m.digits(4)}" for _ in range(ROWS)]),
        "score": (None, m.whole(0, 100)),
        "playtime": (None, m.figures(31, 9, 1)),
        "build": (None, [f"{m.rng.randint(1, 4)}.{m.rng.randint(0, 9)}.{m.rng.randint(0, 60)}" for _ in range(ROWS)]),
        "checksum": (None, [m.letters(32, "0123456789abcdef") for _ in range(ROWS)]),
    }
    m = Maker("telemetry")
    telemetry: dict[str, Column] = {
        "reading_id": (None, list(range(1, ROWS + 1))),
        "device": (None, [f"sensor-{m.rng.randint(1, 60):03d}" for _ in range(ROWS)]),
        "mac": ("MacAddress", [":".join(m.letters(2, "0123456789abcdef") for _ in range(6)) for _ in range(ROWS)]),
        "gateway": (
            "IpAddress",
            [f"10.{m.rng.randint(0, 9)}.{m.rng.randint(0, 255)}.{m.rng.randint(1, 254)}" for _ in range(ROWS)],
        ),
        "voltage": (None, m.figures(229.8, 2.1)),
        "rssi": (None, m.whole(-94, -41)),
        "humidity": (None, m.figures(48.2, 9.4, 4)),
        "battery": (None, m.whole(12, 100)),
        "firmware": (None, m.some("2.1.0", "2.1.4", "2.2.0-rc1", "2.2.0")),
        "ts": (None, [1_740_000_000 + m.rng.randrange(9_000_000) for _ in range(ROWS)]),
        "meter": (None, [f"{m.digits(3)} {m.digits(3)} {m.digits(4)}" for _ in range(ROWS)]),
        "error": (None, m.some("OK", "E12", "E40", "W07", "OK")),
    }
    m = Maker("orders")
    orders: dict[str, Column] = {
        "order_number": (None, [f"SO{2_400_000 + n * 3}" for n in range(ROWS)]),
        "buyer": ("PersonName", m.names()),
        "mobile": (
            "PhoneNumber",
            [f"07{m.rng.choice(('700', '911', '842', '480'))} {m.digits(6)}" for _ in range(ROWS)],
        ),
        "ship_to": ("StreetAddress", m.streets()),
        "town": ("City", m.some(*TOWNS)),
        "post_code": (
            "Postcode",
            [
                f"{m.letters(2, 'BDEGHLMNPRS')}{m.rng.randint(1, 29)} {m.rng.randint(1, 9)}{m.letters(2, 'ABDEFGHJLN')}"
                for _ in range(ROWS)
            ],
        ),
        "article": (
            None,
            m.some(
                "Copper Kettle",
                "Walnut Desk Lamp",
                "Linen Shirt",
                "Granite Mortar",
                "Olive Oil 500 ml",
                "Cotton Duvet Cover",
            ),
        ),
        "sku": (None, [f"{m.letters(2)}{m.digits(5)}" for _ in range(ROWS)]),
        "amount": (None, m.figures(64, 20)),
        "units": (None, m.whole(1, 12)),
        "voucher": (None, [m.letters(8, "ABCDEFGHJKMNPQRSTUVWXYZ23456789") for _ in range(ROWS)]),
        "card": ("PaymentCard", m.cards()),
        "tracking": (None, [f"JD{m.digits(16)}" for _ in range(ROWS)]),
        "state": (None, m.some("new", "paid", "shipped", "returned")),
    }
    m = Maker("school")
    school: dict[str, Column] = {
        "pupil_no": (None, m.rng.sample(range(10_000, 99_999), ROWS)),
        "pupil": ("PersonName", m.names()),
        "house": (None, m.some("Montrose", "Kingsley", "Harcourt", "Beaufort")),
        "age": ("Age", m.whole(16, 61)),
        "course": (
            None,
            m.some("Linear Algebra", "World History", "Organic Chemistry", "Drawing", "Latin I", "Statistics"),
        ),
        "room": (None, [f"{m.rng.choice('ABC')}{m.rng.randint(100, 320)}" for _ in range(ROWS)]),
        "mark": (None, m.whole(22, 100)),
        "credits": (None, m.some(2, 4, 5, 10)),
        "term": (None, m.some("Autumn 2024", "Spring 2025", "Summer 2025")),
        "year_of_entry": (None, m.whole(2015, 2025)),
        "guardian_phone": ("PhoneNumber", [f"+44 20 7{m.digits(3)} {m.digits(4)}" for _ in range(ROWS)]),
    }
    m = Maker("bank")
    bank: dict[str, Column] = {
        "ref": (None, [m.digits(10) for _ in range(ROWS)]),
        "holder": ("PersonName", m.names()),
        "account": ("Iban", m.ibans()),
        "bic": (
            "BankCode",
            m.some(
                "COBADEFFXXX", "DEUTDEFF", "GENODEM1GLS", "INGDDEFF", "HYVEDEMM", "BELADEBE", "SOLADEST600", "MARKDEF1"
            ),
        ),
        "balance": (None, m.figures(5_400, 1_900)),
        "currency": (None, m.some("EUR", "USD", "CHF", "GBP")),
        "rate": (None, m.figures(0.031, 0.01, 5)),
        "booking_day": (None, m.days(date(2023, 1, 1), 900)),
        "category": (None, m.some("Groceries", "Rent", "Salary", "Insurance", "Travel")),
        "counterparty": (
            None,
            m.some(
                "Brandt GmbH", "Lindqvist AB", "Novak s.r.o.", "Haldane & Sons", "Bellini S.p.A.", "Stadtwerke Halle"
            ),
        ),
        "isin": (None, m.some("DE0007164600", "US0378331005", "US5949181045", "FR0000120271", "NL0010273215")),
    }
    m = Maker("library")
    library: dict[str, Column] = {
        "copy_no": (None, [f"{m.digits(2)}-{m.digits(3)}" for _ in range(ROWS)]),
        "title": (
            None,
            m.some(
                "The Long Winter",
                "Anna and the River",
                "A History of Salt",
                "Jane's Garden",
                "Under the Oak",
                "Martin the Fox",
                "Physics for All",
            ),
        ),
        "publisher": (
            None,
            m.some("Ashworth Press", "Harper House", "Oxford University Press", "Corrigan Books", "Penguin"),
        ),
        "isbn": (None, m.some("9780306406157", "9783161484100", "9780131103627", "9780262033848", "9780596007126")),
        "shelf": (
            None,
            [f"{m.rng.choice('ABCDEFG')}{m.rng.randint(10, 99)}.{m.rng.randint(1, 9)}" for _ in range(ROWS)],
        ),
        "pages": (None, m.whole(80, 900)),
        "published": (None, m.whole(1950, 2024)),
        "language": (None, m.some("English", "French", "German", "Spanish", "Latin")),
        "branch": (None, m.some("Central Library", "Northgate", "Park Road", "University Hall")),
        "loans": (None, m.whole(0, 64)),
        "condition": (None, m.some("new", "good", "worn")),
    }
    m = Maker("flights")
    flights: dict[str, Column] = {
        "flight": (None, [f"{m.rng.choice(('LH', 'BA', 'KL', 'AF'))}{m.rng.randint(100, 1999)}" for _ in range(ROWS)]),
        "carrier": (None, m.some("Lufthansa", "British Airways", "KLM", "Air France", "Jackson Air")),
        "origin": (None, m.some("Frankfurt", "London", "Amsterdam", "Paris", "Oslo", "Madrid")),
        "aircraft": (None, m.some("A320", "B738", "E190", "A21N", "CRJ9")),
        "tail_number": (None, [f"D-A{m.letters(3)}" for _ in range(ROWS)]),
        "gate": (None, [f"{m.rng.choice('ABCD')}{m.rng.randint(1, 60)}" for _ in range(ROWS)]),
        "seat": (None, [f"{m.rng.randint(1, 34)}{m.rng.choice('ABCDEF')}" for _ in range(ROWS)]),
        "booking": (None, [m.letters(6, "ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(ROWS)]),
        "delay": (None, m.whole(-9, 140)),
        "distance": (None, m.whole(280, 2_400)),
        "airport": (
            None,
            m.some(
                "Charles de Gaulle",
                "Heathrow",
                "John F. Kennedy International",
                "Schiphol",
                "Leonardo da Vinci Airport",
            ),
        ),
    }
    return {
        "employees": hr, "admissions": hospital, "containers": shipping, "games": games, "telemetry": telemetry,
        "orders": orders, "pupils": school, "postings": bank, "copies": library, "flights": flights,
    }  # fmt: skip
