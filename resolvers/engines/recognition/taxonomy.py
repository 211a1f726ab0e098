"""The tags for personal and secret data, how sensitive each is, and what combinations of them make of a table.

A column's level is the highest of its tags. A table's level is the highest of its columns, raised by a combination
(`COMBINATIONS`) when its columns hold one: three harmless facts about a person can single the person out.

`Public` is never concluded by a machine: that nothing was found does not make data public. What has no finding is
`Internal`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final


class Level(IntEnum):
    """Describes how much harm a disclosure does, from none to lasting."""

    PUBLIC = 0
    INTERNAL = 1
    CONFIDENTIAL = 2
    RESTRICTED = 3

    @property
    def tag(self) -> str:
        """The tag's name within its category: Public, Internal, Confidential or Restricted."""
        return self.name.capitalize()


LEVELS: Final = {
    Level.PUBLIC: "Meant for everybody. Only a person decides that.",
    Level.INTERNAL: "For people of the organization. What has no finding is this.",
    Level.CONFIDENTIAL: "Tells about a person or gives access to one. For those who need it for their work.",
    Level.RESTRICTED: "Its disclosure harms lastingly or is a crime in many countries: identity documents, health, "
    "beliefs, means of payment, secrets.",
}
"""What each level means."""


@dataclass(frozen=True, slots=True)
class Tag:
    """One kind of personal or secret data."""

    name: str
    description: str
    level: Level
    contextual: bool = False
    """Whether the same values are personal only beside a person: a city in a table of customers, not of airports."""


_R, _C, _I = Level.RESTRICTED, Level.CONFIDENTIAL, Level.INTERNAL

_ALL: Final = (
    Tag("PersonName", "Full, given or family name of a person.", _C),
    Tag("Email", "E-mail address.", _C),
    Tag("PhoneNumber", "Telephone or mobile number.", _C),
    Tag("StreetAddress", "Postal address, or the street and number of one.", _C),
    Tag("Postcode", "Postal code of an address.", _I, contextual=True),
    Tag("City", "Town of an address.", _I, contextual=True),
    Tag("Country", "Country or nationality of a person.", _I, contextual=True),
    Tag("Coordinates", "Latitude or longitude of a place.", _C),
    Tag("DateOfBirth", "Day on which a person was born.", _C, contextual=True),
    Tag("Age", "Age of a person in years.", _I, contextual=True),
    Tag("Gender", "Gender or sex of a person.", _C, contextual=True),
    Tag("MaritalStatus", "Whether a person is married.", _C),
    Tag("Ethnicity", "Ethnic origin of a person.", _R),
    Tag("Religion", "Religion or belief of a person.", _R),
    Tag("Biometric", "Template of a fingerprint, face, iris or voice.", _R),
    Tag("Username", "Name that a person signs in with.", _I),
    Tag("NationalId", "Number that a state gives to a person: social security, identity card, personal number.", _R),
    Tag("TaxId", "Tax or VAT number.", _C),
    Tag("Passport", "Number of a passport.", _R),
    Tag("LicensePlate", "Registration plate of a vehicle.", _C),
    Tag("Vin", "Vehicle identification number.", _C),
    Tag("PaymentCard", "Number of a credit or debit card.", _R),
    Tag("Iban", "International bank account number.", _R),
    Tag("BankAccount", "National number of a bank account.", _R),
    Tag("BankCode", "BIC or other code of a bank.", _I),
    Tag("CryptoWallet", "Address of a wallet of a cryptocurrency.", _C),
    Tag("HealthId", "Number in a health system: NHS, NPI, insurance number.", _R),
    Tag("MedicalCode", "Code of a diagnosis.", _R),
    Tag("BloodType", "Blood group of a person.", _R),
    Tag("IpAddress", "IPv4 or IPv6 address.", _C),
    Tag("MacAddress", "Hardware address of a network interface.", _C),
    Tag("Imei", "Number of a mobile device.", _C),
    Tag("CredentialUrl", "Address on the net with a user and password in it.", _R),
    Tag("Secret", "Key, token or other secret that gives access.", _R),
    Tag("PasswordHash", "Hash of a password.", _R),
)

TABLE_TAG: Final = Tag("PersonalData", "The table holds columns of personal or secret data.", Level.CONFIDENTIAL)
"""What a table is tagged with that has such columns; its own level follows from them."""

TAXONOMY: Final = {tag.name: tag for tag in (*_ALL, TABLE_TAG)}
"""Every tag by its name."""


@dataclass(frozen=True, slots=True)
class Combination:
    """Tags that together single a person out, and the level that they then have."""

    groups: tuple[frozenset[str], ...]
    """One tag of each group must be there."""
    level: Level
    reason: str


COMBINATIONS: Final = (
    Combination(
        (frozenset({"PersonName"}), frozenset({"DateOfBirth"}), frozenset({"Postcode", "StreetAddress"})),
        Level.RESTRICTED,
        "A name with a date of birth and an address is an identity.",
    ),
    Combination(
        (frozenset({"DateOfBirth"}), frozenset({"Gender"}), frozenset({"Postcode", "City", "StreetAddress"})),
        Level.RESTRICTED,
        "A date of birth with the gender and place singles most people out, even without a name.",
    ),
    Combination(
        (frozenset({"Age"}), frozenset({"Gender"}), frozenset({"Postcode", "City"})),
        Level.CONFIDENTIAL,
        "Age, gender and place together narrow a person down.",
    ),
    Combination(
        (frozenset({"Username", "Email"}), frozenset({"PasswordHash", "Secret"})),
        Level.RESTRICTED,
        "A user with the secret that goes with it gives access.",
    ),
)
"""What raises a table above the highest of its columns."""


def column_level(tags: Iterable[str]) -> Level:
    """The highest level of a column's tags; Internal when it has none. Unknown tags count as Confidential."""
    levels = (TAXONOMY[tag].level if tag in TAXONOMY else Level.CONFIDENTIAL for tag in tags)
    return max(levels, default=Level.INTERNAL)


def table_level(columns: Iterable[Iterable[str]]) -> tuple[Level, Combination | None]:
    """The level of a table with such columns, and the combination that raised it above the highest of them."""
    each = [set(tags) for tags in columns]
    found: set[str] = set().union(*each)
    highest = max((column_level(tags) for tags in each), default=Level.INTERNAL)
    raised = [one for one in COMBINATIONS if one.level > highest and all(found & group for group in one.groups)]
    if not raised:
        return highest, None
    strongest = max(raised, key=lambda one: one.level)
    return strongest.level, strongest
