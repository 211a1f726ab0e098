"""Recognisers of numbers that states, banks and health systems give, most of them with check digits."""
# ruff: noqa: RUF001 - words and patterns of many languages

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Final

from stdnum import bic, bitcoin, iban, luhn, numdb

from resolvers.engines.recognition import lists
from resolvers.engines.recognition.model import Recognizer, Strength

_NATIONAL: Final = {
    "ar.dni": 0.9, "bg.egn": 0.02, "be.nn": 0.005, "br.cpf": 0.01, "ca.sin": 0.09, "ch.ssn": 0.001,
    "cl.rut": 0.09, "cn.ric": 0.001, "cu.ni": 0.05, "cz.rc": 0.15, "dk.cpr": 0.25, "do.cedula": 0.1, "ec.ci": 0.03,
    "ee.ik": 0.01, "es.dni": 0.05, "es.nie": 0.05, "fi.hetu": 0.005, "fr.nir": 0.012, "gr.amka": 0.01, "hr.oib": 0.1,
    "id.nik": 0.1, "ie.pps": 0.04, "il.idnr": 0.1, "in_.aadhaar": 0.08, "is_.kennitala": 0.02,
    "it.codicefiscale": 0.001, "kr.rrn": 0.02, "lt.asmens": 0.01, "mu.nid": 0.02, "mx.curp": 0.001, "my.nric": 0.1,
    "nl.bsn": 0.09, "no.fodselsnummer": 0.002, "pe.cui": 0.95, "pk.cnic": 0.5, "pl.pesel": 0.02, "pt.cc": 0.01,
    "ro.cnp": 0.003, "se.personnummer": 0.03, "si.emso": 0.01, "th.pin": 0.08, "tr.tckimlik": 0.01, "us.ssn": 0.85,
    "za.idnr": 0.01, "pt.nif": 0.09,
}  # fmt: skip
"""Schemes of numbers for persons, with the share of random digits of their form that pass."""

_TAX: Final = {
    "us.itin": 0.05, "de.idnr": 0.02, "gb.utr": 0.09, "au.tfn": 0.09, "in_.pan": 0.02, "in_.gstin": 0.005,
    "it.iva": 0.1, "fr.tva": 0.02, "eu.vat": 0.02, "br.cnpj": 0.01, "ar.cuit": 0.1, "co.nit": 0.1, "pl.nip": 0.1,
    "ru.inn": 0.1, "es.nif": 0.05, "es.cif": 0.05, "mx.rfc": 0.02, "no.mva": 0.01, "ch.vat": 0.01, "at.uid": 0.1,
    "be.vat": 0.02, "nl.btw": 0.005, "de.vat": 0.1, "au.abn": 0.02, "nz.ird": 0.1, "tr.vkn": 0.1, "ua.rntrc": 0.09,
    "gb.vat": 0.03, "se.vat": 0.01, "pe.ruc": 0.05, "ke.pin": 0.02,
}  # fmt: skip
"""Schemes of tax numbers."""

_BANK: Final = {"us.rtn": 0.1, "es.ccc": 0.01, "no.kontonr": 0.09, "ar.cbu": 0.01, "nz.bankaccount": 0.09}
"""Schemes of national bank account numbers."""

_HEALTH: Final = {"gb.nhs": 0.09, "ca.bc_phn": 0.03}
"""Schemes of health systems."""

_WIDTHS: Final[dict[str, tuple[int, ...]]] = {
    "us.ssn": (9,), "nl.bsn": (9,), "pl.pesel": (11,), "br.cpf": (11,), "dk.cpr": (10,), "no.fodselsnummer": (11,),
    "cz.rc": (10,), "bg.egn": (10,), "za.idnr": (13,), "us.rtn": (9,), "il.idnr": (9,), "be.nn": (11,),
    "gr.amka": (11,), "hr.oib": (11,), "it.iva": (11,), "my.nric": (12,), "ec.ci": (10,), "do.cedula": (11,),
    "br.cnpj": (14,), "se.personnummer": (10,), "au.tfn": (9,),
}  # fmt: skip
"""How many digits a number has that was stored as a number, and so may have lost its leading zeros."""

_FREE: Final = frozenset({"us.ssn", "ar.dni", "pe.cui", "pk.cnic"})
"""Schemes without a check digit: their form is all that there is."""

_SSN = re.compile(r"(?!000|666|9)[0-9]{3}[- ](?!00)[0-9]{2}[- ](?!0000)[0-9]{4}")
_NINO = re.compile(
    r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\s?[0-9]{2}\s?[0-9]{2}\s?[0-9]{2}\s?[A-D]?", re.I
)
_NINO_FORM = re.compile(r"[A-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-DFMPT]")
_LETTER = re.compile(r"[A-Za-z]")


@lru_cache(maxsize=256)
def _scheme(name: str) -> Callable[[str], bool]:
    module = import_module(f"stdnum.{name}")
    check: Callable[[str], bool] = module.is_valid

    def test(text: str) -> bool:
        try:
            return bool(check(text))
        except (ValueError, IndexError, KeyError, TypeError):
            return False

    return test


_LETTERS: Final = frozenset({"pt.cc", "it.codicefiscale", "mx.curp", "in_.pan", "ie.pps", "es.nie", "mx.rfc"})
"""Schemes that always hold letters, though the checks also take plain digits."""

_PLAIN = re.compile(r"[A-Za-z0-9 ./\u2013+-]{6,26}")


def _of(name: str) -> Callable[[str], bool]:
    letters = name in _LETTERS

    def test(text: str) -> bool:
        if not _PLAIN.fullmatch(text) or (letters and text.replace(" ", "").replace("-", "").isdigit()):
            return False
        return _scheme(name)(text)

    return test


def _schemes(schemes: dict[str, float], tag: str, what: str) -> list[Recognizer]:
    found = []
    for name, chance in schemes.items():
        country = name.split(".")[0].strip("_").upper()
        free = name in _FREE
        strength = Strength.SHAPE if free else Strength.PROOF if chance <= 0.012 else Strength.CHECKED
        reason = f"{what} of {country} ({name.split('.')[1]}), {'by form' if free else 'check digits included'}"
        found.append(
            Recognizer(name.replace("_.", "."), tag, strength, _of(name), chance, 0.8, reason,
                       digits_only=name in _WIDTHS or chance >= 0.05 or free, width=_WIDTHS.get(name, ()), longest=26)
        )  # fmt: skip
    return found


_ISSUERS = re.compile(
    r"4[0-9]{12}(?:[0-9]{3})?(?:[0-9]{3})?|5[1-5][0-9]{14}|2(?:22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)[0-9]{12}"
    r"|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|6(?:011|5[0-9]{2}|4[4-9][0-9])[0-9]{12}"
    r"|(?:2131|1800|35[0-9]{3})[0-9]{11}|62[0-9]{14,17}|(?:5018|5020|5038|5893|6304|6759|676[1-3])[0-9]{8,15}"
)


def is_card(text: str) -> bool:
    """A number within an issuer's range and length whose check digit is right."""
    digits = re.sub(r"[ -]", "", text)
    return digits.isdigit() and bool(_ISSUERS.fullmatch(digits)) and bool(luhn.is_valid(digits))


def masked_card(text: str) -> bool:
    """A number of which only the end, or the beginning too, is shown."""
    return bool(re.fullmatch(r"(?:[0-9]{4,6})?[ -]?(?:[*xX•#]{2,4}[ -]?){2,4}[0-9]{4}", text))


def _is_iban(text: str) -> bool:
    return bool(re.match(r"[A-Za-z]{2}[0-9]{2}", text)) and bool(iban.is_valid(text, check_country=False))


def _checks_as_iban(text: str) -> bool:
    """The check digits of an IBAN on a number of another length than its country's."""
    compact = re.sub(r"[ -]", "", text).upper()
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", compact) or compact[:2] not in lists.COUNTRY_CODES:
        return False
    return int("".join(str(int(character, 36)) for character in compact[4:] + compact[:4])) % 97 == 1


def _lettered_accounts() -> re.Pattern[str]:
    """The account numbers within IBANs that begin with the four letters of a bank, of all countries of the registry."""
    registry, kinds, forms = numdb.get("iban"), {"a": "[A-Z]", "n": "[0-9]", "c": "[A-Z0-9]"}, set()
    for country in lists.COUNTRY_CODES:
        for _, told in registry.info(country):
            parts = re.findall(r"([0-9]+)!([anc])", told.get("bban", ""))
            if parts and parts[0] == ("4", "a"):
                forms.add("".join(f"{kinds[kind]}{{{count}}}" for count, kind in parts))
    # Some leave the code of the branch out.
    return re.compile("|".join(sorted({*forms, "[A-Z]{4}[0-9]{10,14}"})))


_LETTERED = _lettered_accounts()
_LONG_ACCOUNT = re.compile(r"[0-9]{17,24}(?:[A-Z]{2})?")
_BIC = re.compile(r"[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?")


def _is_bic(text: str) -> bool:
    return bool(_BIC.fullmatch(text)) and text[4:6] in lists.COUNTRY_CODES and bool(bic.is_valid(text))


_ETHEREUM = re.compile(r"0x[0-9a-fA-F]{40}")


def _is_wallet(text: str) -> bool:
    if _ETHEREUM.fullmatch(text):
        return True
    return bool(re.fullmatch(r"(?:bc1|[13])[a-zA-HJ-NP-Z0-9]{25,62}", text)) and bool(bitcoin.is_valid(text))


def _is_npi(text: str) -> bool:
    return bool(re.fullmatch(r"[12][0-9]{9}", text)) and bool(luhn.is_valid("80840" + text))


_MBI = re.compile(
    r"[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y][0-9]-?[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y][0-9]-?[AC-HJKMNP-RT-Y]{2}[0-9]{2}"
)
_ICD10 = re.compile(r"[A-TV-Z][0-9][0-9AB](?:\.[0-9A-TV-Z]{1,4})?")
_VIN = re.compile(r"[A-HJ-NPR-Z0-9]{17}")
_VIN_VALUES: Final = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "12345678123457923456789"), strict=True))
_VIN_WEIGHTS: Final = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def vin_checks(text: str) -> bool:
    """A vehicle identification number with the check digit that North America asks for."""
    upper = text.upper()
    if not _VIN.fullmatch(upper) or not _LETTER.search(upper):
        return False
    total = sum(
        weight * (int(character) if character.isdigit() else _VIN_VALUES[character])
        for character, weight in zip(upper, _VIN_WEIGHTS, strict=True)
    )
    return upper[8] == "0123456789X"[total % 11]


def _vin_form(text: str) -> bool:
    return bool(_VIN.fullmatch(text)) and bool(_LETTER.search(text)) and text[-4:].isdigit() and len(set(text)) > 5


_PASSPORT = re.compile(
    r"[A-Z]{1,3}[0-9]{6,8}|[0-9]{2}[A-Z]{2}[0-9]{5}|[CFGHJK][0-9CFGHJKLMNPRTVWXYZ]{8}|[0-9]{9}"
    r"|[A-NP-Z]{2}[A-NP-Z0-9]{6}[0-9]"
)
_GERMAN_CARD = re.compile(r"[LMNPRTVWXY][0-9CFGHJKLMNPRTVWXYZ]{8}[0-9]?D?")
_PLATES: Final[dict[str, str]] = {
    "gb": r"[A-HJ-PR-Y][A-HJ-PR-Y][0-9]{2}[ ]?[A-HJ-PR-Z]{3}|[A-Z][0-9]{1,3} [A-Z]{3}",
    "de": r"[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2}[ -]?[1-9][0-9]{0,3}[EH]?",
    "fr": r"[A-HJ-NP-TV-Z]{2}-[0-9]{3}-[A-HJ-NP-TV-Z]{2}",
    "es": r"[0-9]{4}[ -]?[BCDFGHJKLMNPRSTVWXYZ]{3}",
    "it": r"[A-HJ-NPR-TV-Z]{2}[ ]?[0-9]{3}[ ]?[A-HJ-NPR-TV-Z]{2}",
    "nl": r"(?:[0-9A-Z]{1,3}-){2}[0-9A-Z]{1,3}",
    "us": r"[A-Z]{3}[ -][0-9]{3,4}|[0-9][A-Z]{3}[0-9]{3}|[0-9]{3}[ -][A-Z]{3}|[0-9]{1,3}-?[A-Z]{3}[0-9]?",
    "in": r"[A-Z]{2}[ -]?[0-9]{1,2}[ -]?[A-Z]{1,3}[ -]?[0-9]{4}",
    "pl": r"[A-Z]{2,3} [0-9A-Z]{4,5}",
    "br": r"[A-Z]{3}-?[0-9][A-Z0-9][0-9]{2}",
    "ru": r"[АВЕКМНОРСТУХ][0-9]{3}[АВЕКМНОРСТУХ]{2}[ ]?[0-9]{2,3}",
    "se": r"[A-Z]{3} ?[0-9]{2}[0-9A-Z]",
}


_TIGHT: Final = frozenset({"gb", "de", "fr", "it", "in", "ru"})
"""Countries whose plates look like little else."""


def _plate(text: str) -> bool:
    compact = re.sub(r"[ ·-]", "", text)
    return 4 <= len(compact) <= 9 and compact.isalnum() and compact.isupper() and any(map(str.isdigit, compact))


def _german_card(text: str) -> bool:
    """The number of a German identity card; with its check digit, where it has one (ICAO 9303)."""
    if not _GERMAN_CARD.fullmatch(text):
        return False
    body, check = text[:9], text[9:10]
    total = sum((7, 3, 1)[place % 3] * int(sign, 36) for place, sign in enumerate(body))
    return not check.isdigit() or total % 10 == int(check)


def _shape(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: bool(compiled.fullmatch(text))


def _account(text: str) -> bool:
    compact = re.sub(r"[ .-]", "", text)
    # With the letters of a bank before it, no country's is shorter than eleven.
    return bool(re.fullmatch(r"[0-9]{6,30}|[A-Z0-9]{11,30}", compact)) and sum(map(str.isdigit, compact)) >= max(
        6, 0.5 * len(compact)
    )


_CARD_IN_TEXT = re.compile(r"(?<![0-9-])[2-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{3,4}(?![0-9-])")

NUMBERS: Final[Sequence[Recognizer]] = (
    Recognizer("card-luhn-and-issuer", "PaymentCard", Strength.PROOF, is_card, 0.03, 0.6,
               "card issuer's range, length and check digit", digits_only=True, longest=24, embedded=_CARD_IN_TEXT),
    Recognizer("card-masked", "PaymentCard", Strength.CHECKED, masked_card, 0.02, 0.6,
               "a card number of which only the last four digits show", longest=24),
    Recognizer("iban-check", "Iban", Strength.PROOF, _is_iban, 0.011, 0.3,
               "country, length and two check digits of an IBAN", longest=42,
               embedded=re.compile(r"\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")),
    Recognizer("iban-check-digits", "Iban", Strength.CHECKED, _checks_as_iban, 0.011, 0.8,
               "a country and the check digits of an IBAN", longest=42),
    Recognizer("bic-country", "BankCode", Strength.CHECKED, _is_bic, 0.3, 0.9,
               "eight or eleven characters with a country code, as a BIC", longest=11),
    Recognizer("wallet-check", "CryptoWallet", Strength.PROOF, _is_wallet, 0.002, 0.4,
               "address of a wallet with its check", longest=70),
    *_schemes(_NATIONAL, "NationalId", "personal number"),
    Recognizer("us.ssn-form", "NationalId", Strength.CHECKED, lambda text: bool(_SSN.fullmatch(text)), 0.03, 0.85,
               "social security number of the US, as it is written", longest=11,
               embedded=re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")),
    Recognizer("gb.nino-reserved", "NationalId", Strength.CHECKED,
               lambda text: bool(_NINO_FORM.fullmatch(text)), 0.03, 0.9,
               "form of the national insurance number of GB, reserved prefixes too", longest=13, ceiling=0.5),
    Recognizer("gb.nino", "NationalId", Strength.CHECKED, lambda text: bool(_NINO.fullmatch(text)), 0.01, 0.85,
               "national insurance number of GB, by form", longest=13),
    Recognizer("de.card", "NationalId", Strength.SHAPE, _german_card, 0.5, 0.85,
               "identity card of Germany, by form", digits_only=True, longest=11),
    *_schemes(_TAX, "TaxId", "tax number"),
    Recognizer("us.ein-form", "TaxId", Strength.SHAPE, _shape(r"[0-9]{2}-[0-9]{7}"), 0.3, 0.9,
               "employer number of the US, by form", longest=10),
    Recognizer("passport-form", "Passport", Strength.SHAPE, lambda text: bool(_PASSPORT.fullmatch(text)), 0.5, 0.85,
               "letters and digits as passports are numbered", digits_only=True, longest=9),
    *_schemes(_BANK, "BankAccount", "bank account"),
    Recognizer("account-digits", "BankAccount", Strength.SHAPE, _account, 0.6, 0.95,
               "as many digits as bank accounts have", digits_only=True, longest=34),
    Recognizer("account-with-bank", "BankAccount", Strength.CHECKED, lambda text: bool(_LETTERED.fullmatch(text)),
               0.02, 0.9, "letters of a bank and digits, as accounts within an IBAN", longest=30, ceiling=0.5),
    Recognizer("account-long", "BankAccount", Strength.CHECKED, lambda text: bool(_LONG_ACCOUNT.fullmatch(text)),
               0.1, 0.95, "more digits than other numbers have, as accounts within an IBAN", longest=26, ceiling=0.38),
    *_schemes(_HEALTH, "HealthId", "health number"),
    Recognizer("us.npi", "HealthId", Strength.CHECKED, _is_npi, 0.1, 0.85,
               "health provider number of the US, check digit included", digits_only=True, longest=10),
    Recognizer("us.mbi", "HealthId", Strength.PROOF, lambda text: bool(_MBI.fullmatch(text)), 0.003, 0.8,
               "beneficiary number of the US, by its strict form", longest=13),
    Recognizer("icd-10", "MedicalCode", Strength.SHAPE, lambda text: bool(_ICD10.fullmatch(text)), 0.1, 0.85,
               "codes as ICD-10 forms them", longest=8),
    Recognizer("icd-10-dotted", "MedicalCode", Strength.FORM,
               lambda text: "." in text and bool(_ICD10.fullmatch(text)), 0.02, 0.3,
               "codes as ICD-10 forms them, with the part behind the dot", longest=8),
    Recognizer("vin-check-digit", "Vin", Strength.PROOF, vin_checks, 0.09, 0.7,
               "17 characters with the check digit of a vehicle", longest=17),
    Recognizer("vin-form", "Vin", Strength.SHAPE, _vin_form, 0.15, 0.9,
               "17 characters of those that vehicle numbers use", longest=17),
    Recognizer("plate-characters", "LicensePlate", Strength.SHAPE, _plate, 0.5, 0.9,
               "few letters and digits, as plates have", longest=12),
    *(Recognizer(f"plate-{country}", "LicensePlate", Strength.CHECKED if country in _TIGHT else Strength.SHAPE,
                 _shape(pattern), 0.05 if country in _TIGHT else 0.3, 0.9,
                 f"form of plates in {country.upper()}", longest=14, ceiling=0.42)
      for country, pattern in _PLATES.items()),
)  # fmt: skip
"""What is numbered."""
