"""Recognisers of e-mail addresses, telephone numbers, addresses on the net and devices."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from ipaddress import ip_address
from typing import Final

import phonenumbers
from stdnum import imei

from resolvers.engines.recognition.model import Recognizer, Strength

_EMAIL = re.compile(
    r"(?:mailto:)?(?:[^<>@\s\"]{1,60}(?:\s[^<>@\s\"]{1,60}){0,3}\s<)?"
    r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}[^\W\d_]{2,24}>?"
)
_EMAIL_IN_TEXT = re.compile(
    r"(?:(?<=mailto:)|(?<![:/\w.%+-]))[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}\b"
)
_NO_TLD = frozenset({"png", "jpg", "jpeg", "gif", "svg", "webp", "css", "js", "html", "xml", "json", "pdf"})


def is_email(text: str) -> bool:
    """An e-mail address, also with a name before it or a mailto."""
    return (
        "@" in text
        and bool(_EMAIL.fullmatch(text))
        and ".." not in text
        and text.rstrip(">").rsplit(".", 1)[-1].lower() not in _NO_TLD
    )


REGIONS: Final = (
    "US", "GB", "DE", "FR", "ES", "IT", "NL", "BE", "CH", "AT", "PT", "PL", "CZ", "SE", "NO", "DK", "FI", "IE",
    "GR", "HU", "RO", "UA", "RU", "TR", "IL", "IN", "PK", "CN", "JP", "KR", "TW", "TH", "ID", "PH", "VN", "AU", "NZ",
    "ZA", "NG", "EG", "KE", "SA", "AE", "IR", "BR", "MX", "AR", "CO", "CL", "PE", "BG", "HR", "SK", "SI",
)  # fmt: skip
"""Regions whose national numbers are known by their form."""

_PHONE_CHARACTERS = re.compile(
    r"(?:tel[.:]?\s*)?[+(]?[0-9][0-9()\s./\u2010-\u2013-]{4,22}[0-9](?:\s*(?:x|ext\.?|#)\s*[0-9]{1,6})?", re.I
)
_SEPARATED = re.compile(
    r"^\(?\+?[0-9]{1,5}\)?(?:[\s./()\u2010-\u2013-]{1,3}[0-9]{1,8}){1,5}(?:\s*(?:x|ext\.?|#)\s*[0-9]{1,6})?$", re.I
)
_OTHER = re.compile(
    r"^(?:(?:19|20)[0-9]{2}[-./][0-9]{1,2}[-./][0-9]{1,2}.*|[0-9]{1,2}[-./][0-9]{1,2}[-./](?:19|20)?[0-9]{2}"
    r"|[0-9]{1,3}(?:\.[0-9]{1,3}){3}|-?[0-9]+\.[0-9]+|(?:[0-9]{4}[ -]){3}[0-9]{4}|97[89][- ][0-9-]+"
    r"|[0-9]{3}-[0-9]{2}-[0-9]{4}|(?:19|20)[0-9]{2}[-/][0-9]{3,6})$"
)
"""Dates, addresses on the net, decimals, cards, ISBN, social security numbers, and numbers counted within a year."""


@lru_cache(maxsize=4096)
def _phone_text(text: str) -> bool:
    return bool(_PHONE_CHARACTERS.fullmatch(text)) and not _OTHER.match(text)


def _international(text: str) -> bool:
    if not _phone_text(text):
        return False
    compact = re.sub(r"\(0\)", "", text)
    if compact.startswith("00"):
        compact = "+" + compact[2:]
    if not compact.lstrip("(").startswith("+"):
        return False
    try:
        number = phonenumbers.parse(compact, None)
    except phonenumbers.NumberParseException:
        return False
    return phonenumbers.is_possible_number(number)


def _valid_in(region: str) -> Callable[[str], bool]:
    def test(text: str) -> bool:
        if text[0] == "+" or not _phone_text(text):
            return False
        try:
            number = phonenumbers.parse(text, region)
        except phonenumbers.NumberParseException:
            return False
        return phonenumbers.is_valid_number(number)

    return test


def _formatted(text: str) -> bool:
    """Groups of digits as telephone numbers are written, whatever the region."""
    if not _phone_text(text) or not _SEPARATED.match(text):
        return False
    digits = sum(character.isdigit() for character in text)
    return 7 <= digits <= 17 and (text[0] in "+(0" or digits >= 9)


def is_telephone(text: str) -> bool:
    """Digits in groups, or with the code of a country, as many as a telephone number has with its area."""
    text = text.strip()
    digits = sum(map(str.isdigit, text))
    return 9 <= digits <= 15 and (_international(text) or (len(re.findall("[0-9]+", text)) >= 3 and _formatted(text)))


def _is_ip(text: str) -> bool:
    bare = text.split("/")[0].strip("[]").split("%")[0]
    if ":" not in bare and bare.count(".") != 3:
        return False
    try:
        ip_address(bare)
    except ValueError:
        return False
    return True


_MAC = re.compile(
    r"(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}"
)
_CREDENTIAL_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^/\s:@]{1,100}:[^/\s@]{1,200}@[^\s/@]+(?:/\S*)?")


def _is_imei(text: str) -> bool:
    return len(re.sub(r"[\s-]", "", text)) == 15 and bool(imei.is_valid(text)) and not text.startswith("00")


def phones(regions: Sequence[str] = REGIONS) -> list[Recognizer]:
    """Telephone numbers, one recogniser for each region whose numbers may be written without its code."""
    found = [
        Recognizer("phone-international", "PhoneNumber", Strength.PROOF, _international, 0.02, 0.15,
                   "a country code and a number of a length that country has"),
        Recognizer("phone-format", "PhoneNumber", Strength.FORM, _formatted, 0.06, 0.6,
                   "groups of digits as telephone numbers are written"),
    ]  # fmt: skip
    found += [
        Recognizer(f"phone-{region.lower()}", "PhoneNumber", Strength.CHECKED, _valid_in(region), 0.05, 0.8,
                   f"valid numbers of region {region}", digits_only=True, shuffled=True, most=150)
        for region in regions
    ]  # fmt: skip
    return found


CONTACT: Final = (
    Recognizer("email-grammar", "Email", Strength.PROOF, is_email, 0.0005, 0.02,
               "the form of an e-mail address", longest=200, embedded=_EMAIL_IN_TEXT),
    *phones(),
    Recognizer("ip-grammar", "IpAddress", Strength.PROOF, _is_ip, 0.001, 0.3, "an IPv4 or IPv6 address",
               longest=60, embedded=re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")),
    Recognizer("mac-grammar", "MacAddress", Strength.PROOF, lambda text: bool(_MAC.fullmatch(text)), 0.0005, 0.3,
               "six pairs of hexadecimal digits", longest=20),
    Recognizer("imei-check-digit", "Imei", Strength.CHECKED, _is_imei, 0.1, 0.8,
               "15 digits with the check digit of an IMEI", digits_only=True, longest=22),
    Recognizer("url-with-credentials", "CredentialUrl", Strength.PROOF,
               lambda text: bool(_CREDENTIAL_URL.fullmatch(text)), 0.0005, 0.02,
               "a user and a password stand in the address", longest=2000,
               embedded=re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^/\s:@]{1,100}:[^/\s@]{1,200}@[^\s/@\"']+")),
)  # fmt: skip
"""What reaches a person or a device."""
