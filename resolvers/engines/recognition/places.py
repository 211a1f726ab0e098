"""Recognisers of where somebody lives or is: streets, postcodes, towns, countries, coordinates."""
# ruff: noqa: E501, RUF001 - words and patterns of many languages

import re
from collections.abc import Callable
from typing import Final

from resolvers.engines.recognition import lists
from resolvers.engines.recognition.model import Recognizer, Strength
from resolvers.engines.recognition.words import fold, towns

_BEFORE: Final = (
    # French, Spanish, Catalan, Italian, Portuguese, Polish, Czech, Romanian, Turkish, Russian, Ukrainian, Greek
    r"(?:rue|avenue|av\.?|ave\.?|boulevard|bd\.?|blvd\.?|place|chemin|impasse|allée|allee|quai|route|cours|passage|square|"
    r"calle|c/|cl\.?|avenida|avda\.?|plaza|paseo|pº|camino|ronda|carrera|cra\.?|kra\.?|calzada|rambla|callejón|cuesta|"
    r"glorieta|pasaje|vial|cañada|acceso|urbanización|alameda|costanilla|privada|prolongación|circuito|periférico|andador|"
    r"eje|boulevard|diagonal|transversal|carrer|passeig|via|viale|v\.le|piazza|p\.za|corso|c\.so|vicolo|largo|strada|borgo|"
    r"contrada|rotonda|incrocio|stretto|canale|piazzale|lungomare|rua|r\.|travessa|tv\.?|praça|estrada|rodovia|vila|largo|"
    r"praceta|quinta|beco|viela|loteamento|colônia|distrito|esplanada|fazenda|jardim|ladeira|lagoa|lago|morro|núcleo|"
    r"parque|passarela|pátio|recanto|residencial|setor|sítio|trecho|trevo|vale|vereda|viaduto|área|aeroporto|campo|chácara|"
    r"condomínio|conjunto|favela|feira|estação|ul\.?|ulica|al\.|aleja|aleje|pl\.|plac|os\.|ulice|náměstí|nám\.|třída|"
    r"str\.|bd\.?ul|bulevardul|aleea|calea|șoseaua|intrarea|sos\.|ул\.?|улица|вул\.?|вулиця|пр\.?|пр-т|просп\.?|"
    r"проспект|пер\.?|переулок|ш\.|шоссе|бул\.?|бульвар|б-р|наб\.?|набережная|пл\.?|алл\.?|бул\.|площа|провулок|"
    r"οδός|λεωφόρος|λεωφ\.|πλατεία|πλ\.|jl\.?|jalan|gg\.|gang|jln\.?|lorong|soi|ถนน|p\.?\s?o\.?\s?box|postfach|apartado|"
    r"شارع|خیابان|רחוב)"
)
_AFTER: Final = (
    # English, the Nordic ones as words of their own, Turkish, Hungarian, India
    r"(?:street|st\.?|avenue|ave\.?|av\.?|road|rd\.?|lane|ln\.?|drive|dr\.?|boulevard|blvd\.?|way|court|ct\.?|place|pl\.?|"
    r"terrace|ter\.?|parkway|pkwy\.?|highway|hwy\.?|square|sq\.?|trail|trl\.?|circle|cir\.?|loop|crescent|close|grove|mews|"
    r"gardens|row|walk|path|plaza|alley|hill|hills|ridge|heights|view|crossing|crossroad|crossroads|expressway|freeway|"
    r"station|stream|track|turnpike|valley|village|island|islands|isle|junction|key|knoll|lake|lakes|land|light|lights|lock|"
    r"locks|lodge|manor|meadow|meadows|mill|mills|mission|motorway|mount|mountain|neck|orchard|oval|park|pass|pike|pine|"
    r"pines|plain|plains|point|points|port|ports|prairie|radial|ramp|ranch|rapid|rapids|rest|river|roads|route|rue|run|"
    r"shoal|shore|shores|skyway|spring|springs|spur|squares|streets|summit|throughway|trace|trafficway|tunnel|underpass|"
    r"union|unions|via|viaduct|villages|ville|vista|walks|wall|well|wells|bypass|camp|canyon|cape|causeway|center|centers|"
    r"circles|cliff|cliffs|club|common|corner|corners|course|courts|cove|coves|creek|crest|dale|dam|divide|estate|estates|"
    r"extension|fall|falls|ferry|field|fields|flat|flats|forest|forge|fork|forks|fort|garden|gateway|glen|green|groves|"
    r"harbor|haven|hollow|inlet|bend|bluff|branch|bridge|brook|brooks|burg|bayou|beach|quay|esplanade|parade|arcade|"
    r"circuit|concourse|boardwalk|reserve|rise|"
    r"sokak|sokağı|sok\.?|sk\.?|cadde|caddesi|cad\.?|cd\.?|mahallesi|mah\.?|bulvarı|bulv\.?|utca|út|útja|tér|tere|körút|"
    r"köz|sétány|marg|nagar|chowk|ganj|path|colony|layout|gata|gatan|väg|vägen|gränd|gate|gade|vej|allé|katu|tie|iela|gatvė|g\.)"
)
_JOINED: Final = (
    # German, Dutch, the Nordic ones, Finnish: the kind of street is part of the word
    r"[\w.'’-]*(?:straße|strasse|str\.?|weg|platz|allee|gasse|ring|damm|ufer|steig|chaussee|markt|graben|hof|promenade|"
    r"zeile|pfad|stieg|straat|laan|plein|gracht|kade|dijk|singel|pad|steeg|dreef|baan|hof|ring|boulevard|gatan|vägen|gata|"
    r"veien|vegen|vej|gade|torget|gränd|gränden|stigen|plads|stræde|stien|bakken|lia|svingen|tunet|haugen|toppen|åsen|"
    r"kroken|gård|katu|tie|kuja|polku|kaari|väylä|raitti|rinne|penger|aukio|ranta|mäki|kuru)"
)
_NUMBER: Final = r"(?:n[°ºr.]*\s?|no\.?:?\s?|č\.\s?|#\s?|д\.\s?|буд\.\s?|дом\s?)?[0-9]{1,5}(?:[/-]?[0-9]{0,4})?(?:[A-Za-zА-Яа-я]|\s?(?:bis|ter|bus))?"
_BEFORE_RE = re.compile(rf"(?:{_NUMBER},?\s+)?(?:[\w'’.-]+\s+)?{_BEFORE}\s*[\w'’.,ºª°\s/()-]{{2,60}}", re.I)
_HAS_NUMBER = re.compile(r"[0-9]")
_AFTER_RE = re.compile(rf"(?:{_NUMBER},?\s+)?(?:[\w'’.-]+\s+){{1,4}}{_AFTER}(?:[\s,.;]+.*)?", re.I | re.S)
_UNIT_RE = re.compile(
    rf"{_NUMBER},?\s+[\w'’.\s-]{{2,40}}\s{_AFTER}\b|(?:unit|apt\.?|suite|flat|studio|flat|ste\.?|room|level|box)\s*\w{{1,6}}\b.*",
    re.I | re.S,
)
_JOINED_RE = re.compile(rf"(?:[\w.'’-]+\s+){{0,4}}{_JOINED}\s+{_NUMBER}(?:[\s,/-].*)?", re.I | re.S)
_EAST_RE = re.compile(
    r".*(?:[都道府県].*[市区町村]|丁目|[0-9０-９]番|[省市县縣区區].*(?:[路街道巷弄].*[号號座]|[路街])|[路街].{0,8}[号號座])"
    r".*|.*[가-힣]+(?:시|도|군|구)\s.*(?:로|길|동|읍|면).*",
    re.S,
)
_NUMBERED_RE = re.compile(
    rf"(?:[^\W\d_][\w'’.-]+,?\s+){{1,4}}{_NUMBER}|{_NUMBER},?\s+(?:[^\W\d_][\w'’.-]+\s?){{1,4}}", re.I
)
_NO_ADDRESS = re.compile(r"https?://|@|\d{4}-\d\d-\d\d|[$€£%]|\b(?:v|version)\s?\d", re.I)


def street(text: str) -> bool:
    """A street or a box with a number, in many languages' order and words."""
    if not 5 <= len(text) <= 200 or _NO_ADDRESS.search(text):
        return False
    if _EAST_RE.fullmatch(text):
        return True
    if not _HAS_NUMBER.search(text):
        return False
    line = " ".join(text.split())
    return bool(
        ((_AFTER_RE.fullmatch(line) and re.match(r"\d|\w{1,3}\d", line)) or _UNIT_RE.match(line))
        or _BEFORE_RE.match(line) or _JOINED_RE.match(line)
    )  # fmt: skip


def street_name(text: str) -> bool:
    """A street without a number."""
    line = " ".join(text.split())
    if not 4 <= len(line) <= 60 or _HAS_NUMBER.search(line) or line != line.strip(".;:!?"):
        return False
    words = line.split()
    if not words[0][0].isupper() and not words[0][0].islower():
        return False
    last = re.fullmatch(
        r"(?:street|avenue|road|lane|drive|boulevard|court|terrace|parkway|highway|crescent|sokağı|utca)",
        words[-1],
        re.I,
    )
    first = len(words) > 1 and re.fullmatch(
        r"(?:rue|avenue|boulevard|chemin|calle|avenida|paseo|via|viale|piazza|corso|rua|travessa|praça|ulica|ul\.|улица|ул\.)",
        words[0], re.I,
    )  # fmt: skip
    joined = re.fullmatch(
        r"[\w.-]{3,}(?:straße|strasse|platz|gasse|allee|straat|laan|gracht|gatan|vägen|veien|vej|gade|katu)",
        words[-1],
        re.I,
    )
    return bool(last or first or joined)


def _numbered(text: str) -> bool:
    line = " ".join(text.split())
    return 6 <= len(line) <= 80 and not _NO_ADDRESS.search(line) and bool(_NUMBERED_RE.fullmatch(line))


POSTCODES: Final[dict[str, tuple[str, float]]] = {
    "gb": (r"[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][ABD-HJLNP-UW-Z]{2}", 0.005),
    "ca": (r"[ABCEGHJ-NPRSTVXY][0-9][ABCEGHJ-NPRSTV-Z] ?[0-9][ABCEGHJ-NPRSTV-Z][0-9]", 0.005),
    "nl": (r"[1-9][0-9]{3} ?[A-Z]{2}", 0.03),
    "ie": (r"[AC-FHKNPRTV-Y][0-9]{2}|D6W[ ]?[0-9AC-FHKNPRTV-Y]{4}|[AC-FHKNPRTV-Y][0-9]{2} [0-9AC-FHKNPRTV-Y]{4}", 0.01),
    "br": (r"[0-9]{5}-[0-9]{3}", 0.03),
    "pl": (r"[0-9]{2}-[0-9]{3}", 0.3),
    "pt": (r"[1-9][0-9]{3}-[0-9]{3}", 0.03),
    "jp": (r"〒?[0-9]{3}-[0-9]{4}", 0.3),
    "us-4": (r"[0-9]{5}-[0-9]{4}", 0.02),
    "cz-se": (r"[0-9]{3} [0-9]{2}", 0.03),
    "five": (r"[0-9]{5}(?:-[0-9]{4})?", 0.6),
    "four": (r"[1-9][0-9]{3}", 0.8),
    "six": (r"[1-9][0-9]{5}", 0.6),
    "prefixed": (r"(?:[A-Z]{1,3}-?)[0-9]{4,5}", 0.3),
}
"""Forms of postcodes, with the share of other codes of that form that pass."""


def _shape(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: bool(compiled.fullmatch(text))


def city(text: str) -> bool:
    """A town of the world, also with its region or country behind a comma."""
    name = text.split(",")[0].strip().lower()
    return name in lists.CITIES or fold(name) in towns()


_CITY_PARTS = re.compile(
    r"(?:san|santa|saint|sankt|st\.|bad|villa|ciudad|puerto|port|east|west|north|south|new|lake|fort|mount|são|santo|nova|"
    r"la|los|las|le|les|el|den|castro|borgo|ville|nuevo|nueva|alto)\s.+"
    r"|.*(?:burg|berg|stadt|dorf|hausen|heim|hafen|ingen|furt|brück|brücken|bach|feld|walde|kirchen|rode|leben|ville|town|"
    r"ton|ham|bury|mouth|shire|port|chester|ford|borough|burgh|field|side|haven|view|mouth|fort|stad|dam|drecht|hoven|"
    r"veen|borg|by|köping|holm|vik|sund|havn|sjö|joki|grad|град|ово|ово|sk|ск|ice|owice|ów|owo|ino|eşehir|pur|pura|abad|"
    r"nagar|市|区|町|村|县|시|군)(?:\s.*)?", re.I,
)  # fmt: skip


def _city_form(text: str) -> bool:
    return (
        2 <= len(text) <= 40 and not re.search(r"[0-9@_/:;!?\"#]", text) and (text[0].isupper() or ord(text[0]) > 0x2000)
        and len(text.split()) <= 4 and (city(text) or bool(_CITY_PARTS.fullmatch(text)))
    )  # fmt: skip


def _strength(chance: float) -> Strength:
    """Return where letters may stand in few places only, a form is as good as a check."""
    if chance <= 0.01:
        return Strength.CHECKED
    return Strength.FORM if chance <= 0.05 else Strength.SHAPE


def _capitalised(text: str) -> bool:
    return (
        2 <= len(text) <= 40
        and not re.search(r"[0-9@_/:;!?\"#]", text)
        and (text[0].isupper() or ord(text[0]) > 0x2000)
    )


_ALPHA3: Final = frozenset(
    [
        "AFG",
        "ALB",
        "DZA",
        "AND",
        "AGO",
        "ARG",
        "ARM",
        "AUS",
        "AUT",
        "AZE",
        "BHS",
        "BHR",
        "BGD",
        "BLR",
        "BEL",
        "BEN",
        "BTN",
        "BOL",
        "BIH",
        "BWA",
        "BRA",
        "BRN",
        "BGR",
        "BFA",
        "BDI",
        "KHM",
        "CMR",
        "CAN",
        "TCD",
        "CHL",
        "CHN",
        "COL",
        "COG",
        "COD",
        "CRI",
        "HRV",
        "CUB",
        "CYP",
        "CZE",
        "DNK",
        "DJI",
        "DOM",
        "ECU",
        "EGY",
        "SLV",
        "EST",
        "ETH",
        "FJI",
        "FIN",
        "FRA",
        "GAB",
        "GMB",
        "GEO",
        "DEU",
        "GHA",
        "GRC",
        "GTM",
        "GIN",
        "HTI",
        "HND",
        "HUN",
        "ISL",
        "IND",
        "IDN",
        "IRN",
        "IRQ",
        "IRL",
        "ISR",
        "ITA",
        "JAM",
        "JPN",
        "JOR",
        "KAZ",
        "KEN",
        "KWT",
        "KGZ",
        "LAO",
        "LVA",
        "LBN",
        "LBR",
        "LBY",
        "LIE",
        "LTU",
        "LUX",
        "MDG",
        "MWI",
        "MYS",
        "MDV",
        "MLI",
        "MLT",
        "MRT",
        "MUS",
        "MEX",
        "MDA",
        "MCO",
        "MNG",
        "MNE",
        "MAR",
        "MOZ",
        "MMR",
        "NAM",
        "NPL",
        "NLD",
        "NZL",
        "NIC",
        "NER",
        "NGA",
        "PRK",
        "MKD",
        "NOR",
        "OMN",
        "PAK",
        "PAN",
        "PNG",
        "PRY",
        "PER",
        "PHL",
        "POL",
        "PRT",
        "QAT",
        "ROU",
        "RUS",
        "RWA",
        "SAU",
        "SEN",
        "SRB",
        "SLE",
        "SGP",
        "SVK",
        "SVN",
        "SOM",
        "ZAF",
        "KOR",
        "ESP",
        "LKA",
        "SDN",
        "SUR",
        "SWE",
        "CHE",
        "SYR",
        "TWN",
        "TJK",
        "TZA",
        "THA",
        "TGO",
        "TTO",
        "TUN",
        "TUR",
        "TKM",
        "UGA",
        "UKR",
        "ARE",
        "GBR",
        "USA",
        "URY",
        "UZB",
        "VEN",
        "VNM",
        "YEM",
        "ZMB",
        "ZWE",
        "HKG",
        "MAC",
        "PRI",
    ]
)


def _country(text: str) -> bool:
    folded = re.sub(r"\s*\(.*\)$|^the ", "", text.lower()).strip()
    return folded in lists.COUNTRY_NAMES or folded.split(",")[0] in lists.COUNTRY_NAMES


_COORDINATE = re.compile(r"[-+]?(?:1[0-7][0-9]|180|[0-9]{1,2})\.[0-9]{3,15}")
_PAIR = re.compile(
    r"\(?\s*[-+]?[0-9]{1,3}\.[0-9]{3,15}\s*[,; ]\s*[-+]?[0-9]{1,3}\.[0-9]{3,15}\s*\)?"
    r"|POINT\s?\(\s*[-+]?[0-9]{1,3}\.[0-9]+\s[-+]?[0-9]{1,3}\.[0-9]+\s*\)"
    r"|[0-9]{1,3}°\s?[0-9]{1,2}['′]\s?[0-9.]*[\"″]?\s?[NSEWO],?(?:\s.*)?", re.I,
)  # fmt: skip

PLACES: Final = (
    Recognizer("street-with-number", "StreetAddress", Strength.LISTED, street, 0.03, 0.2,
               "streets with numbers, as they are written in many languages", longest=200),
    Recognizer("street-name", "StreetAddress", Strength.LISTED, street_name, 0.02, 0.5,
               "words that name streets", longest=60),
    Recognizer("words-with-number", "StreetAddress", Strength.SHAPE, _numbered, 0.4, 0.8,
               "a few words and a number", longest=80),
    *(Recognizer(f"postcode-{name}", "Postcode", _strength(chance), _shape(pattern), chance, 0.9,
                 f"form of postcodes ({name})", digits_only=name in ("five", "four", "six"),
                 width=(5,) if name == "five" else (), longest=11)
      for name, (pattern, chance) in POSTCODES.items()),
    Recognizer("city-known", "City", Strength.LISTED, city, 0.06, 0.2, "towns of the world", longest=60),
    Recognizer("city-form", "City", Strength.LISTED, _city_form, 0.18, 0.3, "words as towns are named", longest=40),
    Recognizer("city-shape", "City", Strength.SHAPE, _capitalised, 0.7, 0.9, "capitalised words without digits", longest=40),
    Recognizer("country-name", "Country", Strength.LISTED, _country, 0.01, 0.2, "names of countries", longest=60),
    Recognizer("country-code", "Country", Strength.SHAPE,
               lambda text: text in _ALPHA3, 0.03, 0.9, "codes of countries", longest=3),
    Recognizer("nationality", "Country", Strength.LISTED, lambda text: text.lower() in lists.NATIONALITIES, 0.005, 0.7,
               "names of nationalities", longest=30),
    Recognizer("coordinate-pair", "Coordinates", Strength.PROOF, lambda text: bool(_PAIR.fullmatch(text)), 0.01, 0.7,
               "two coordinates in one value", longest=80),
    Recognizer("coordinate", "Coordinates", Strength.SHAPE, lambda text: bool(_COORDINATE.fullmatch(text)), 0.5, 0.9,
               "decimals within the range of coordinates", longest=24),
)  # fmt: skip
"""Where somebody is."""
