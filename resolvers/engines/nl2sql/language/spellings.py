"""Spellings and turns of phrase that mean the same wherever data is spoken of."""
# ruff: noqa: E501 - lists of words

from typing import Final

REWRITTEN: Final[dict[tuple[str, ...], tuple[str, ...]]] = {
    tuple(said.split()): tuple(meant.strip().split())
    for line in """
    birthday|birthdate|dateofbirth|dob|birth day|birth dt|day birth > birth date
    surname|family name|lastname|last nm|second name > last name
    forename|given name|firstname|first nm|christian name > first name
    fullname > full name
    middlename|middle initial > middle name
    zip|zipcode|zip code|postcode|post code|postalcode|pin code|zip cd > postal code
    telephone|telephone number|phone number|phoneno|contact number|phone no|phone num|phonenumber|cell phone|cellphone|mobile phone|mobile number|mobile|tel|cell > phone
    e mail|mail address|email address|emailaddress|e mail address|electronic mail|email id > email
    homepage|web site|web page|website|webpage|web address|site url|web url > url
    headcount > head count
    waiting time|wait time > wait
    gpa|grade point average|grade point > gpa
    gdp|gross domestic product > gdp
    gnp|gross national product > gnp
    mpg|miles per gallon|mile per gallon > mpg
    horse power|hp > horsepower
    life expectancy|lifeexpectancy > life expectancy
    aircraft|airplane|aeroplane|plane|air plane|air craft > aircraft
    movie|film|motion picture > film
    tv|television > tv
    sex > gender
    nickname|nick name > nickname
    username|user name|login name|loginname|screen name > user name
    codename > code name
    timestamp|time stamp|datetime|date time > timestamp
    startdate > start date
    enddate > end date
    headquarter|head quarter|hq|head office > headquarter
    isbn number > isbn
    social security number|social security > ssn
    colour > color
    centre > center
    theatre > theater
    licence > license
    organisation > organization
    enrolment|enrollment > enrollment
    programme > program
    catalogue > catalog
    grey > gray
    cheque > check
    jewellery > jewelry
    aeroport > airport
    litre > liter
    metre > meter
    kilometre|kilometer|kms > km
    dept > department
    prof > professor
    stu > student
    abbrev|abbreviate > abbreviation
    indep > independence
    accelerate|accelerator > acceleration
    faculty member > faculty
    staff member > staff
    team member > member
    crew member > crew
    board member > member
    band member > member
    maker > manufacturer
    carmaker|automaker|auto maker > car manufacturer
    advisor|adviser > advisor
    physician|medical doctor > doctor
    credit hour|credit hr > credit
    hometown|home town > hometown
    """.strip().splitlines()
    for saids, _, meant in [line.strip().partition(">")]
    for said in saids.strip().split("|")
}  # fmt: skip
"""Spellings and turns that mean the same everywhere; both questions and names are read this way first."""

SHORT: Final = {
    "dist": "distance", "temp": "temperature", "vol": "volume", "prod": "product", "reg": "region", "arr": "arrival",
    "dep": "departure", "sal": "salary", "pop": "population", "pos": "position", "pts": "points", "ht": "height",
    "hgt": "height", "wgt": "weight", "cap": "capacity", "elev": "elevation",
    "nat": "nationality", "gend": "gender",
    "accel": "acceleration", "bday": "birth date", "uni": "university", "rev": "revenue",
    "sub": "subject", "abbr": "abbreviation", "occ": "occupation", "mem": "member", "pub": "publisher",
    "inst": "institution", "instr": "instructor", "sem": "semester", "prof": "professor",
    "crs": "course", "dob": "birth date", "dod": "death date", "doj": "join date", "spec": "specialization",
    "diam": "diameter", "circ": "circumference", "perf": "performance", "aud": "audience",
    "mdl": "model", "sq": "square", "secs": "second", "mins": "minute", "hrs": "hour", "chan": "channel", "prog": "program", "disp": "displacement",
    "ttl": "title", "wkly": "weekly", "natl": "national", "displ": "displacement", "cyl": "cylinder", "mi": "mile", "stad": "stadium", "champ": "champion",
}  # fmt: skip
"""What is short in names where nothing beside it tells otherwise. Never used for the words of questions."""

_DAYS: Final = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS: Final = "january february march april june july august september october november december"
CALENDAR: Final = {
    **{day: (day[:3], day[:2]) for day in _DAYS.split()},
    **{month: (month[:3],) for month in _MONTHS.split()},
}
"""Days and months as they are written short in data."""
