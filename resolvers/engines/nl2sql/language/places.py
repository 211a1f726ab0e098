"""Places and people by their other names: countries with their adjectives and codes, states, genders."""
# ruff: noqa: E501 - tables of names

from functools import lru_cache
from typing import Final

_COUNTRIES: Final = """
Afghanistan:Afghan:AF,AFG
Albania:Albanian:AL,ALB
Algeria:Algerian:DZ,ALG,DZA
Angola:Angolan:AO,AGO
Argentina:Argentine,Argentinian,Argentinean:AR,ARG
Armenia:Armenian:AM,ARM
Australia:Australian,Aussie:AU,AUS
Austria:Austrian:AT,AUT
Azerbaijan:Azerbaijani:AZ,AZE
Bahamas:Bahamian:BS,BAH,BHS
Bahrain:Bahraini:BH,BRN,BHR
Bangladesh:Bangladeshi:BD,BGD
Belarus:Belarusian:BY,BLR
Belgium:Belgian:BE,BEL
Bolivia:Bolivian:BO,BOL
Bosnia and Herzegovina|Bosnia:Bosnian:BA,BIH
Botswana:Botswanan:BW,BWA
Brazil|Brasil:Brazilian:BR,BRA
Bulgaria:Bulgarian:BG,BGR,BUL
Cambodia:Cambodian:KH,KHM
Cameroon:Cameroonian:CM,CMR
Canada:Canadian:CA,CAN
Chile:Chilean:CL,CHL,CHI
China|People's Republic of China|PRC:Chinese:CN,CHN
Colombia:Colombian:CO,COL
Costa Rica:Costa Rican:CR,CRI
Croatia:Croatian,Croat:HR,HRV,CRO
Cuba:Cuban:CU,CUB
Cyprus:Cypriot:CY,CYP
Czech Republic|Czechia:Czech:CZ,CZE
Denmark:Danish,Dane:DK,DNK,DEN
Dominican Republic:Dominican:DO,DOM
Ecuador:Ecuadorian:EC,ECU
Egypt:Egyptian:EG,EGY
El Salvador:Salvadoran:SV,SLV
Estonia:Estonian:EE,EST
Ethiopia:Ethiopian:ET,ETH
Fiji:Fijian:FJ,FIJ
Finland:Finnish,Finn:FI,FIN
France:French,Frenchman,Frenchwoman:FR,FRA
Georgia:Georgian:GE,GEO
Germany:German:DE,DEU,GER
Ghana:Ghanaian:GH,GHA
Greece:Greek:GR,GRC,GRE
Guatemala:Guatemalan:GT,GTM
Haiti:Haitian:HT,HTI
Honduras:Honduran:HN,HND
Hong Kong:Hongkonger:HK,HKG
Hungary:Hungarian:HU,HUN
Iceland:Icelandic,Icelander:IS,ISL
India:Indian:IN,IND
Indonesia:Indonesian:ID,IDN,INA
Iran:Iranian,Persian:IR,IRN
Iraq:Iraqi:IQ,IRQ
Ireland|Republic of Ireland:Irish,Irishman:IE,IRL
Israel:Israeli:IL,ISR
Italy:Italian:IT,ITA
Ivory Coast|Cote d'Ivoire|Côte d'Ivoire:Ivorian:CI,CIV
Jamaica:Jamaican:JM,JAM
Japan:Japanese:JP,JPN
Jordan:Jordanian:JO,JOR
Kazakhstan:Kazakh,Kazakhstani:KZ,KAZ
Kenya:Kenyan:KE,KEN
Kuwait:Kuwaiti:KW,KWT
Laos:Laotian,Lao:LA,LAO
Latvia:Latvian:LV,LVA
Lebanon:Lebanese:LB,LBN
Libya:Libyan:LY,LBY
Lithuania:Lithuanian:LT,LTU
Luxembourg:Luxembourgish:LU,LUX
Malaysia:Malaysian:MY,MYS,MAS
Mali:Malian:ML,MLI
Malta:Maltese:MT,MLT
Mexico:Mexican:MX,MEX
Moldova:Moldovan:MD,MDA
Monaco:Monegasque:MC,MCO
Mongolia:Mongolian:MN,MNG,MGL
Morocco:Moroccan:MA,MAR
Mozambique:Mozambican:MZ,MOZ
Myanmar|Burma:Burmese:MM,MMR
Namibia:Namibian:NA,NAM
Nepal:Nepalese,Nepali:NP,NPL
Netherlands|The Netherlands|Holland:Dutch,Dutchman:NL,NLD,NED
New Zealand:New Zealander,Kiwi:NZ,NZL
Nicaragua:Nicaraguan:NI,NIC
Nigeria:Nigerian:NG,NGA
North Korea:North Korean:KP,PRK
Norway:Norwegian:NO,NOR
Oman:Omani:OM,OMN
Pakistan:Pakistani:PK,PAK
Panama:Panamanian:PA,PAN
Paraguay:Paraguayan:PY,PRY
Peru:Peruvian:PE,PER
Philippines:Filipino,Philippine:PH,PHL,PHI
Poland:Polish,Pole:PL,POL
Portugal:Portuguese:PT,PRT,POR
Puerto Rico:Puerto Rican:PR,PRI
Qatar:Qatari:QA,QAT
Romania:Romanian:RO,ROU
Russia|Russian Federation:Russian:RU,RUS
Rwanda:Rwandan:RW,RWA
Saudi Arabia:Saudi,Saudi Arabian:SA,SAU,KSA
Scotland:Scottish,Scot:SCO
Senegal:Senegalese:SN,SEN
Serbia:Serbian,Serb:RS,SRB
Singapore:Singaporean:SG,SGP,SIN
Slovakia:Slovak,Slovakian:SK,SVK
Slovenia:Slovenian,Slovene:SI,SVN,SLO
South Africa:South African:ZA,ZAF,RSA
South Korea|Korea|Republic of Korea:South Korean,Korean:KR,KOR
Spain:Spanish,Spaniard:ES,ESP
Sri Lanka:Sri Lankan:LK,LKA
Sudan:Sudanese:SD,SDN
Sweden:Swedish,Swede:SE,SWE
Switzerland:Swiss:CH,CHE,SUI
Syria:Syrian:SY,SYR
Taiwan:Taiwanese:TW,TWN
Tanzania:Tanzanian:TZ,TZA
Thailand:Thai:TH,THA
Tunisia:Tunisian:TN,TUN
Turkey|Türkiye:Turkish,Turk:TR,TUR
Uganda:Ugandan:UG,UGA
Ukraine:Ukrainian:UA,UKR
United Arab Emirates|UAE:Emirati:AE,ARE,UAE
United Kingdom|Great Britain|Britain|UK:British,Briton:GB,GBR,UK
England:English,Englishman,Englishwoman:ENG
Wales:Welsh,Welshman:WAL
United States|United States of America|USA|US|America:American:US,USA
Uruguay:Uruguayan:UY,URY,URU
Uzbekistan:Uzbek:UZ,UZB
Venezuela:Venezuelan:VE,VEN
Vietnam|Viet Nam:Vietnamese:VN,VNM,VIE
Yemen:Yemeni:YE,YEM
Zambia:Zambian:ZM,ZMB
Zimbabwe:Zimbabwean:ZW,ZWE
Europe:European:EU
Asia:Asian:AS
Africa:African:AF
North America:North American:NA
South America:South American:SA
Oceania:Oceanian:OC
Antarctica:Antarctic:AN
Latin America:Latin American:LATAM
"""
_STATES: Final = (
    "Alabama:AL,Alaska:AK,Arizona:AZ,Arkansas:AR,California:CA,Colorado:CO,Connecticut:CT,Delaware:DE,Florida:FL,"
    "Georgia:GA,Hawaii:HI,Idaho:ID,Illinois:IL,Indiana:IN,Iowa:IA,Kansas:KS,Kentucky:KY,Louisiana:LA,Maine:ME,"
    "Maryland:MD,Massachusetts:MA,Michigan:MI,Minnesota:MN,Mississippi:MS,Missouri:MO,Montana:MT,Nebraska:NE,Nevada:NV,"
    "New Hampshire:NH,New Jersey:NJ,New Mexico:NM,New York:NY,North Carolina:NC,North Dakota:ND,Ohio:OH,Oklahoma:OK,"
    "Oregon:OR,Pennsylvania:PA,Rhode Island:RI,South Carolina:SC,South Dakota:SD,Tennessee:TN,Texas:TX,Utah:UT,"
    "Vermont:VT,Virginia:VA,Washington:WA,West Virginia:WV,Wisconsin:WI,Wyoming:WY,District of Columbia:DC,"
    "Ontario:ON,Quebec:QC,British Columbia:BC,Alberta:AB,Manitoba:MB,Saskatchewan:SK,Nova Scotia:NS"
)
_CITIES: Final = (
    ("New York", "New York City", "NYC"), ("Los Angeles", "LA"), ("San Francisco", "SF"), ("Washington", "Washington DC", "Washington D.C."),
    ("Saint Louis", "St. Louis", "St Louis"), ("Mumbai", "Bombay"), ("Saint Petersburg", "St. Petersburg"),
)  # fmt: skip

FEMALE: Final = frozenset(("female", "woman", "girl", "lady", "feminine", "women", "actress", "female's"))
MALE: Final = frozenset(("male", "man", "boy", "gentleman", "masculine", "men", "guy"))
_FEMALE_VALUES: Final = ("F", "Female", "Woman", "W", "Women", "Girl", "Females", "Girls", "Fem")
_MALE_VALUES: Final = ("M", "Male", "Man", "Men", "Boy", "Males", "Boys", "Masc")


def _others() -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """By every name in small letters: the full names and adjectives, and the codes."""
    found: dict[str, tuple[list[str], list[str]]] = {}

    def put(said: str, full: tuple[str, ...], codes: tuple[str, ...]) -> None:
        kept = found.setdefault(said.lower(), ([], []))
        kept[0].extend(one for one in full if one.lower() != said.lower() and one not in kept[0])
        kept[1].extend(one for one in codes if one.lower() != said.lower() and one not in kept[1])

    for line in _COUNTRIES.strip().splitlines():
        names, adjectives, *codes = (part.split("|" if at == 0 else ",") for at, part in enumerate(line.split(":")))
        short = tuple(codes[0]) if codes else ()
        for said in (*names, *adjectives):
            put(said, (*names, *adjectives), short)
        for code in short:
            if len(code) > 2 or code in ("UK", "US"):
                put(code, tuple(names), short)
    for pair in _STATES.split(","):
        name, code = pair.split(":")
        put(name, (), (code,))
    for group in _CITIES:
        for said in group:
            put(said, group, ())
    return {said: (tuple(full), tuple(codes)) for said, (full, codes) in found.items()}


_OTHERS: Final = _others()


@lru_cache(maxsize=5_000)
def other_names(text: str) -> tuple[str, ...]:
    """Return what else a place or its people are called, full names first: `French` is France, and FR."""
    low = text.lower().replace(".", "")
    for one in (low, low.removesuffix("s") if len(low) > 4 else low):
        if one in _OTHERS:
            return (*_OTHERS[one][0], *_OTHERS[one][1])
    return ()


def gender_values(lemma: str) -> tuple[str, ...]:
    """Return how columns of gender spell what a word says; nothing for other words."""
    if lemma in FEMALE:
        return _FEMALE_VALUES
    return _MALE_VALUES if lemma in MALE else ()
