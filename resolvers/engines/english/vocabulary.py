"""The words that names of data are made of: abbreviations with what they stand for, acronyms, and common nouns."""

from typing import Final


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


ABBREVIATIONS: Final[dict[str, str]] = {
    "abbr": "abbreviation", "acc": "account", "accr": "accrued", "acct": "account", "acctd": "accounted",
    "accts": "accounts", "actl": "actual", "actv": "active", "addl": "additional", "addr": "address",
    "addrs": "addresses", "adj": "adjustment", "admin": "administrator", "agg": "aggregate", "agmt": "agreement",
    "alloc": "allocation", "alt": "alternative", "amnt": "amount", "amt": "amount", "amts": "amounts",
    "appr": "approval", "approx": "approximate", "appt": "appointment", "asgn": "assignment", "assoc": "association",
    "attr": "attribute", "attrs": "attributes", "auth": "authorization", "avail": "available", "avg": "average",
    "bal": "balance", "bdgt": "budget", "bgn": "begin", "bldg": "building", "bldng": "building", "brk": "break",
    "brnch": "branch", "brrwr": "borrower", "brwr": "borrower", "buyr": "buyer", "calc": "calculated",
    "canc": "cancelled", "cand": "candidate", "cat": "category", "catg": "category", "cd": "code", "cds": "codes",
    "cert": "certificate", "cfg": "configuration", "chg": "change", "chk": "check", "chnl": "channel",
    "chrg": "charge", "clm": "claim", "cls": "class", "clsd": "closed", "clsr": "closure", "cmnt": "comment",
    "cmp": "company", "cmpl": "completed", "cmplnt": "complaint", "cnt": "count", "cntct": "contact", "cntr": "center",
    "cntrct": "contract", "cntrctr": "contractor", "cntry": "country", "comm": "commission", "concat": "concatenated",
    "config": "configuration", "contr": "contract", "coord": "coordinate", "cptn": "captain", "crdt": "credit",
    "crncy": "currency", "crt": "created", "cstmr": "customer", "ctgry": "category", "ctr": "center",
    "ctrl": "control", "ctry": "country", "cty": "city", "cum": "cumulative", "curr": "currency", "cust": "customer",
    "custs": "customers", "cy": "current year", "dbt": "debit", "deliv": "delivery", "dept": "department",
    "depts": "departments", "desc": "description", "descr": "description", "dest": "destination", "diag": "diagnosis",
    "diff": "difference", "dim": "dimension", "dischg": "discharge", "discnt": "discount", "distr": "distributor",
    "dlv": "delivery", "dlvry": "delivery", "dob": "date of birth", "doc": "document", "docs": "documents",
    "dpst": "deposit", "dpt": "department", "drctr": "director", "drvr": "driver", "dscnt": "discount", "dt": "date",
    "dte": "date", "dtl": "detail", "dtls": "details", "dtm": "timestamp", "dttm": "timestamp", "dup": "duplicate",
    "dur": "duration", "ea": "each", "edu": "education", "eml": "email", "emp": "employee", "empl": "employee",
    "emps": "employees",
    "encr": "encrypted", "eqp": "equipment", "eqpt": "equipment", "err": "error", "est": "estimated", "evt": "event",
    "exch": "exchange", "exec": "execution", "fam": "family", "fcst": "forecast", "fk": "foreign key", "flg": "flag",
    "flr": "floor", "flt": "flight", "fmt": "format", "fname": "first name", "freq": "frequency", "frm": "from",
    "frt": "freight", "fy": "fiscal year", "geo": "geographic", "gndr": "gender", "gov": "government",
    "govt": "government", "grd": "grade", "grp": "group", "grps": "groups", "hdr": "header", "hgt": "height",
    "hh": "household", "hist": "history", "hosp": "hospital", "hr": "hour", "hrs": "hours", "idx": "index",
    "img": "image", "inc": "income", "incl": "included", "indiv": "individual", "info": "information",
    "insp": "inspection", "inspctr": "inspector", "instr": "instructor", "intl": "international", "intrst": "interest",
    "invc": "invoice", "invt": "inventory", "itm": "item", "itms": "items", "jrnl": "journal", "lang": "language",
    "lat": "latitude", "lbl": "label", "len": "length", "lic": "license", "lmt": "limit", "lname": "last name",
    "lndlrd": "landlord", "lng": "longitude", "loc": "location", "locs": "locations", "lon": "longitude",
    "lvl": "level", "mach": "machine", "maint": "maintenance", "mand": "mandatory", "manuf": "manufacturer",
    "max": "maximum", "mbr": "member", "med": "medical", "mfg": "manufacturing", "mfr": "manufacturer",
    "mgmt": "management", "mgr": "manager", "mgrs": "managers", "min": "minimum", "misc": "miscellaneous",
    "mkt": "market", "mktg": "marketing", "mngr": "manager", "mnth": "month", "mnthly": "monthly", "mo": "month",
    "msg": "message", "msgs": "messages", "mstr": "master", "mtg": "meeting", "mth": "month", "mthd": "method",
    "mtrl": "material", "nbr": "number", "nm": "name", "nme": "name", "nr": "number", "num": "number", "obj": "object",
    "ofc": "office", "opp": "opportunity", "ord": "order", "ordr": "order", "ords": "orders", "org": "organization",
    "orgs": "organizations", "orig": "original", "ovrd": "override", "param": "parameter", "params": "parameters",
    "pat": "patient", "pats": "patients", "pax": "passengers", "pct": "percent", "perc": "percent",
    "perm": "permission", "pers": "person", "ph": "phone", "phn": "phone", "phys": "physical", "pk": "primary key",
    "pkg": "package", "pkgs": "packages", "plcy": "policy", "pln": "plan", "plnd": "planned", "pmt": "payment",
    "pmts": "payments", "pnlty": "penalty", "pol": "policy", "prc": "price", "prd": "product", "prds": "products",
    "prev": "previous", "prf": "proof", "pri": "primary", "prio": "priority", "prob": "probability",
    "prods": "products", "proj": "project", "promo": "promotion", "prsn": "person", "prtnr": "partner",
    "prty": "party", "psgr": "passenger", "pssngr": "passenger", "pur": "purchase", "purch": "purchase",
    "pwd": "password", "py": "prior year", "pymt": "payment", "qlty": "quality", "qnty": "quantity", "qry": "query",
    "qtr": "quarter", "qty": "quantity", "quant": "quantity", "rcpt": "receipt", "rcv": "received", "rcvd": "received",
    "rdg": "reading", "rec": "record", "recd": "received", "recs": "records", "recv": "received", "ref": "reference",
    "refs": "references", "rep": "representative", "reqd": "required", "revw": "review", "rgn": "region", "rm": "room",
    "rpt": "report", "rslt": "result", "rslvd": "resolved", "rsn": "reason", "rte": "route", "rtn": "return",
    "sched": "schedule", "schl": "school", "seg": "segment", "seq": "sequence", "sess": "session", "sgmt": "segment",
    "shft": "shift", "shp": "ship", "shpmt": "shipment", "sls": "sales", "spclty": "specialty",
    "specs": "specifications", "splr": "supplier", "src": "source", "srv": "service", "srvc": "service",
    "stat": "status", "std": "standard", "stk": "stock", "stmt": "statement", "stn": "station", "strt": "start",
    "sts": "status", "stu": "student", "subj": "subject", "subs": "subscriptions", "supp": "supplier",
    "suppl": "supplier", "supv": "supervisor", "surr": "surrogate", "svc": "service", "svcs": "services",
    "svgs": "savings", "svrty": "severity", "tchr": "teacher", "tel": "telephone", "tkt": "ticket", "tkts": "tickets",
    "tm": "time", "tmstmp": "timestamp", "tnnt": "tenant", "tot": "total", "totl": "total", "tran": "transaction",
    "transp": "transport", "trk": "tracking", "trx": "transaction", "ts": "timestamp", "txn": "transaction",
    "txns": "transactions", "txt": "text", "typ": "type", "univ": "university", "upd": "updated", "usr": "user",
    "twn": "town", "usrs": "users", "util": "utilization", "val": "value", "vals": "values", "veh": "vehicle",
    "vend": "vendor",
    "ver": "version", "vndr": "vendor", "vrsn": "version", "vst": "visit", "wdrl": "withdrawal", "wgt": "weight",
    "wh": "warehouse", "whse": "warehouse", "wk": "week", "wks": "weeks", "wrk": "work", "wt": "weight",
    "xfer": "transfer", "xn": "transaction", "xref": "cross reference", "yr": "year", "yrly": "yearly", "yrs": "years",
}  # fmt: skip
"""What is often shortened in names, and stands for one thing nearly everywhere."""

IN_CONTEXT: Final[dict[str, tuple[tuple[frozenset[str], str], ...]]] = {
    "em": ((words("addr address tel phone mobile contact fax"), "email"),),
    "cons": ((words("meter mtr water energy gas power kwh usage usg reading rdg m3 tariff trf bill"), "consumption"),),
    "dep": (
        (words("flight flt trip train voyage arr arrival airport leg route bus"), "departure"),
        (words("employee emp staff manager mgr salary job dept"), "department"),
    ),
    "arr": ((words("flight flt trip train voyage dep departure airport leg route bus"), "arrival"),),
    "apt": (
        (words("flight flt airport airline leg"), "airport"),
        (words("street addr address city zip building"), "apartment"),
    ),
    "dist": (
        (words("km miles mi flight flt trip route run ride leg meters"), "distance"),
        (words("school county state region city"), "district"),
    ),
    "dr": (
        (words("cr credit ledger journal jrnl"), "debit"),
        (words("patient pt appt appointment hospital clinic ward nurse dept department drug rx specialty"), "doctor"),
    ),
    "rx": ((words("patient pt drug dose medication appt appointment doctor dr pharmacy"), "prescription"),),
    "dx": ((words("patient pt doctor dr hospital visit appt appointment"), "diagnosis"),),
    "sx": ((words("dob birth fn ln fname lname first last name patient person"), "sex"),),
    "alg": ((words("patient pt dob doctor dr"), "allergy"),),
    "ins": ((words("patient pt policy claim premium dob doctor"), "insurance"),),
    "ext": ((words("phone tel telephone dept department office employee emp"), "extension"),),
    "rpt": ((words("drug rx dose prescription medication"), "repeat"),),
    "str": ((words("town city postal postcode zip ward usrn road addr address"), "street"),),
    "adm": ((words("hospital hosp patient pat ward discharge dischg bed doctor"), "admission"),),
    "pt": ((words("hospital doctor visit diagnosis dob admission appointment ward"), "patient"),),
    "inv": (
        (words("amount amt due customer cust billing bill total paid vat tax"), "invoice"),
        (words("qty quantity warehouse whse stock sku bin"), "inventory"),
    ),
    "exp": (
        (words("card license passport token valid policy membership"), "expiry"),
        (words("report employee amount category receipt"), "expense"),
    ),
    "prod": ((words("price category sku order ord brand sale sales qty"), "product"),),
    "reg": (
        (words("country sales area territory city state"), "region"),
        (words("course student event vehicle car plate"), "registration"),
    ),
    "temp": ((words("sensor reading weather celsius fahrenheit humidity patient pressure"), "temperature"),),
    "vol": ((words("share stock trade market traffic tank liquid m3 price"), "volume"),),
    "res": ((words("hotel room guest table restaurant flight"), "reservation"),),
    "rev": (
        (words("usd eur amount cost profit month quarter year"), "revenue"),
        (words("rating product stars comment"), "review"),
    ),
    "sal": ((words("employee emp staff dept job payroll hire"), "salary"),),
    "comm": ((words("employee emp sales broker agent pct sal"), "commission"),),
    "req": (
        (words("order ord ship shipped delivery"), "required"),
        (words("user ticket http approval status"), "request"),
    ),
    "trans": ((words("account acct bank amount amt balance card"), "transaction"),),
    "st": (
        (words("state country cntry ctry province"), "street"),
        (words("zip city county cnty addr address street postal"), "state"),
    ),
    "est": ((words("cost delivery time amount hours value"), "estimated"),),
    "sup": ((words("product prod part order stock"), "supplier"),),
    "prem": ((words("policy insurance claim insured"), "premium"),),
    "proc": (
        (words("patient hospital diagnosis medical"), "procedure"),
        (words("job batch server"), "process"),
    ),
    "ind": ((words("flg flag yn"), "indicator"),),
    "disc": ((words("price amt amount order pct sales line"), "discount"),),
}
"""What stands for several things: the words beside it that tell which, and what it is then. Else it stays as it is."""

ACRONYMS: Final = words(
    "us uk eu abn aml api asin b2b b2c bic bmi bp chf cpu crm "
    "csv dna ean ecg ein erp esg eta etl eur faq gbp gdp gis gpa "
    "gps gpu gtin guid h3 hr html http iata iban icao icd id imei imsi ip ipv4 ipv6 isbn isin iso isrc jpy json kpi "
    "kyc lei mac md5 mime mri mrn ndc nin npi oid os ota pdf pnr po pos qa qr rfid rna roi rss s3 sha sha256 sic "
    "sku sla sms sql ssn sso tin tv ui uid upc uri url usd utc utm uuid vat vin vip vpn xml "
)
"""Words that are written in capital letters."""

UNITS: Final[dict[str, str]] = {
    "usd": "US dollars", "eur": "euros", "gbp": "pounds sterling", "chf": "Swiss francs", "jpy": "yen",
    "cad": "Canadian dollars", "aud": "Australian dollars", "cents": "cents", "kg": "kilograms", "kgs": "kilograms",
    "lbs": "pounds", "km": "kilometres", "kms": "kilometres", "cm": "centimetres", "mm": "millimetres",
    "ms": "milliseconds", "secs": "seconds", "seconds": "seconds", "minutes": "minutes", "mins": "minutes",
    "hours": "hours", "hrs": "hours", "days": "days", "bytes": "bytes", "kb": "kilobytes", "mb": "megabytes",
    "gb": "gigabytes", "celsius": "degrees Celsius", "fahrenheit": "degrees Fahrenheit", "sqft": "square feet",
    "sqm": "square metres", "kwh": "kilowatt hours", "mw": "megawatts", "kmh": "kilometres per hour",
    "mph": "miles per hour", "bps": "basis points", "pct": "percent", "percent": "percent",
    "millis": "milliseconds", "milliseconds": "milliseconds", "m2": "square metres", "m3": "cubic metres",
    "km2": "square kilometres", "kw": "kilowatts", "db": "decibels", "hz": "hertz",
}  # fmt: skip
"""Last words of a name that say what a figure is counted in."""

PERSONAL: Final = words(
    "account address biometric birth birthdate birthday born contact diagnosis disease email ethnicity face fax "
    "fingerprint firstname fullname gender iban income ip lastname latitude license login longitude maiden mail "
    "medication mobile name nationality passport password patient phone plate postal postcode race religion salary "
    "secret signature ssn street surname telephone token username wage zip "
)
"""Words that suggest personal data: values of such columns are never quoted, even where nobody has tagged them."""

COMMON: Final = words(
    "postal via homepage courtesy abbreviation discontinued demographic account accounted action "
    "active activity actor address admission age agency agent agreement airline airport "
    "alarm album allocation amount answer appointment archived area arrival article artist asset assignment "
    "attachment attendance attribute auction audit author balance bank batch bed begin beneficiary benefit bid bill "
    "billing bin birth blocked body book booking brake branch brand broker budget building business call campaign "
    "cancelled capacity captain car card carrier cart case cash category center chain change channel chapter charge "
    "chat child churn city claim class click client closed coach code cohort collateral color comment commission "
    "community company component condition contact content contract conversion cost count country county course "
    "coverage create created credit crew currency current customer daily data date day deal death debit default "
    "degree deleted delivery department departure deposit depth description detail device diagnosis dimension "
    "direction director discharge discount disease distance district dock doctor document domain donor dose driver "
    "drug due duration edition education effective email emergency employee employer enabled end energy engine "
    "enrollment entity entry equipment error estimate event exam exchange expense experiment expiry export external "
    "facility factor faculty failure family fax feature fee feedback field file film first flag flight follower "
    "forecast format freight frequency game garage gender genre goal grade grant gross group guarantor guest "
    "habitat hashtag head height hire history holder holiday home hospital hotel hour hourly house household "
    "humidity image import impression incident income indicator industry initial input inspection instructor "
    "insurance interest internal inventory invoice issue item job journal jurisdiction kind label lake language "
    "last latitude layer lead league lease lecture ledger leg length lesson letter level library license limit line "
    "link list loan location locked log login longitude lot machine mail maintenance manager manufacturer margin "
    "market marriage master match material measure measurement mechanic media medication meeting member membership "
    "merchant message meter method metric middle model modified module money month monthly mortgage mountain movie "
    "municipality name net network news note notification number nurse object observation occupation offer office "
    "open operation operator opportunity option optional order organization origin outcome output owner package "
    "page paid pallet parameter parcel parent part partner party passenger password patient payment payroll percent "
    "percentage performance period permission person phone photo picture pipeline plan plant play player playlist "
    "point policy population port portfolio position post power practice premium prescription pressure previous "
    "price primary priority private problem procedure process product profile profit program project promotion "
    "property protocol provider province public publisher purchase quality quantity quarter query question queue "
    "quota quote rain range rank rate rating ratio reader reading reason receipt recipe record referee reference "
    "referral refund region registration relation release remark renewal rent rental reorder report representative "
    "request required requirement reservation resource response result return revenue review reward right risk "
    "river role room route row rule salary sale sales sample schedule scholarship school score screen season seat "
    "section sector security segment seller semester sensor sequence serial series server service session set "
    "setting severity shape share shelf shift ship shipment shipper shipping shop site size skill slot snow song "
    "source speaker species specimen speed stadium staff stage standard start state statement station status step "
    "stock stop store story street student studio study style subject subscription sum summary supplier supply "
    "support survey symptom system table tag target task tax teacher team technician telescope temperature template "
    "tenant tender term territory test text ticket time timestamp title token topic total tournament town track "
    "tracking trade traffic train training transaction transcript transfer transport treatment trial trip truck "
    "tweet type unit university update updated upload usage user valid value variant vat vehicle vendor venue "
    "verified version video view village visible visit visitor volume voucher ward warehouse warranty weather week "
    "weekly weight wheel width wind window work worker year yearly zone "
)
"""Words that names are often made of; a name written in one piece is split along them."""
RELATIVE: Final = words(
    "change changes delta diff difference adjustment adjusted gain loss variance deviation correction growth offset "
    "net score zscore log index rank balance margin shift move movement bias normalized scaled standardized residual"
)
"""Words with which an amount is measured against another, and may be less than nothing."""
COUNTED: Final = words(
    "quantity quantities stock inventory count pieces units copies seats headcount price prices cost costs fee fees "
    "fare rent wage wages salary tuition premium age weight height distance duration hours mileage capacity"
)
"""Words for what is counted, paid or measured, and is as a rule not less than nothing."""
