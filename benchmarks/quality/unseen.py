"""More tables as strangers would write them, set down after the first ones were mended.

Whoever wrote them had read the recognisers. Nothing was mended by them at first; what was missed in them has been listed
since. Their kind is that of `strange`, whose figures are of tables that were looked at throughout.
"""
# ruff: noqa: E501 - tables of words in many languages

from typing import Final

from benchmarks.quality.strange import Sheet, day, form, full, handle, mail, number, one, road, said, some

_LATE: Final = "Machine stopped twice during the night shift|Guest left early and the deposit was returned|The parts will arrive on Thursday at the latest|Nothing to add since the meeting in spring|Budget approved, work begins after the holidays"

SHEETS: Final[list[Sheet]] = [
    ("donations", 60, [
        ("donor", "PersonName", full), ("donor_nickname", "Username|PersonName", handle), ("mailing_address", "StreetAddress", road), ("mailing_address_2", "StreetAddress", some(0.5, one("Apt 9|Unit C|Floor 12|Suite 4|Rear house"))),
        ("zip5", "Postcode", form("{0}9999")), ("day_phone", "PhoneNumber", form("8998999999")), ("gift_aid", None, one("Y|N")), ("appeal_code", None, form("{AP}99{-}99")), ("fiscal_year", None, one("FY21|FY22|FY23|FY24")),
    ]),
    ("admissions", 70, [
        ("mrn", "HealthId", form("{00}999999")), ("pt_last", "PersonName", lambda r, _: r.choice(("Okafor", "Lindgren", "Baptiste", "Moriarty", "Petrenko", "Alvarez", "Hussein"))), ("pt_first", "PersonName", lambda r, _: r.choice(("Ngozi", "Astrid", "Marcel", "Fiona", "Oksana", "Diego", "Karim"))),
        ("mothers_maiden_name", "PersonName", lambda r, _: r.choice(("Okafor", "Keane", "Lindgren", "Marchetti", "Alvarez"))), ("patient_race", "Ethnicity", one("White|Black|Asian|AI/AN|Unknown")), ("ward", None, one("Nightingale|Fleming|Barnard|Seacole")), ("bed", None, form("9{-}A")), ("discharge_summary", "~PersonName", said("Patient was seen by Dr {n} and sent home with new tablets", "Daughter {n} will collect the patient in the afternoon", plain=_LATE)),
    ]),
    ("employees_fr", 45, [
        ("nom_de_famille", "PersonName", one("Marchand|Pelletier|Gauthier|Fontaine|Lacroix")), ("deuxieme_prenom", "PersonName", some(0.5, one("Marie|Louis|Anne|Jean|Paul"))), ("numero_securite_sociale", "NationalId", form("{1}999999999999")), ("mot_de_passe", "PasswordHash|Secret", form("hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh")), ("code_postal", "Postcode", form("{7}9999")), ("matricule", None, form("{E}-9999")), ("service", None, one("Achats|Ventes|Paie|Logistique")),
    ]),
    ("sessions", 60, [
        ("session_token", "Secret", form("hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh")), ("login_name", "Username", handle), ("ip", "IpAddress", lambda r, _: f"10.{r.randint(0, 255)}.{r.randint(0, 255)}.{r.randint(1, 254)}"), ("user_agent", None, one("Mozilla/5.0 (X11; Linux x86_64)|curl/8.1|Safari/605.1")), ("build_sha", None, form("hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh")), ("password_changed_at", None, day(2020, 2025)), ("api_key", "Secret", form("hhhhhhhhhhhhhhhhhhhhhhhhhhhh")),
    ]),
    ("permits", 80, [
        ("permit_no", None, lambda r, _: str(r.randint(2_000_000, 9_999_999))), ("apn", None, form("999-999-99")), ("contractor_license", None, form("999999")), ("applicant_name", "PersonName", full), ("site_address", "StreetAddress|", road), ("naics", None, form("{23}9999")), ("inspection_notes", "~PhoneNumber", said("Gate locked, owner asks to ring {p} before the next visit", plain=_LATE)), ("valuation", None, number(1000, 900000)), ("council_district", None, number(1, 15)),
    ]),
    ("songs", 50, [
        ("song", None, one("Eleanor Rigby|Billie Jean|Peggy Sue|Jolene|Roxanne|Layla|Angie|Lucille")), ("album", None, one("Grace|Rio|Rumours|Harvest|Aja")), ("bpm", None, number(60, 180)), ("isrc", None, form("{US}AAA9999999")), ("month", None, one("Jan 2020|Feb 2020|Mar 2020|Apr 2020|May 2020")), ("label_contact", "Email", mail),
    ]),
    ("clinic_visits", 3, [
        ("last_name", "PersonName", one("Okafor|Keane|Petrenko")), ("dob", "DateOfBirth", day(1940, 2010)), ("cell_phone", "PhoneNumber", form("{(}899{) }899-9999")), ("ssn", "NationalId", form("{5}99-{4}9-9999")), ("copay", None, number(5, 60)),
    ]),
    ("mieter", 40, [
        ("Mieter", "PersonName", lambda r, _: f"{r.choice(('Anja', 'Uwe', 'Heike', 'Bernd'))} {r.choice(('Kruse', 'Voigt', 'Jansen', 'Seidel'))}"), ("Anschrift", "StreetAddress", lambda r, _: f"{r.choice(('Rosenweg', 'Ringstraße', 'Am Hang', 'Neugasse'))} {r.randint(1, 90)}"), ("Adresszusatz", "StreetAddress", some(0.5, one("Hinterhaus|2. OG|Wohnung 14|EG links"))), ("Telefon", "PhoneNumber", form("{0}8999{ }99999{9}9")), ("Konfession", "Religion", one("ev|rk|vd|is")), ("Objekt", None, form("{OBJ-}9999")), ("Kaltmiete", None, number(300, 1800)),
    ]),
]  # fmt: skip
