"""The words that names of data are made of: abbreviations with what they stand for, acronyms, and common nouns."""

from typing import Final


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


ABBREVIATIONS: Final[dict[str, str]] = {
    "abbr": "abbreviation", "acc": "account", "acct": "account", "accts": "accounts", "accr": "accrued",
    "act": "actual", "actv": "active",
    "addl": "additional", "addr": "address", "addrs": "addresses", "adj": "adjustment",
    "adm": "administration", "admin": "administrator", "agg": "aggregate", "agmt": "agreement",
    "alloc": "allocation", "alt": "alternative", "amnt": "amount", "amt": "amount", "amts": "amounts",
    "ans": "answer", "app": "application", "appl": "application", "appt": "appointment", "approx": "approximate",
    "appr": "approval", "apt": "apartment", "arr": "arrival", "asgn": "assignment", "assoc": "association",
    "attr": "attribute", "attrs": "attributes", "auth": "authorization", "auto": "automatic", "avail": "available",
    "avg": "average", "bal": "balance", "bgn": "begin", "bin": "bin", "bldg": "building", "bldng": "building",
    "brnch": "branch", "bus": "business", "buyr": "buyer", "calc": "calculated", "cal": "calendar",
    "canc": "cancelled", "cap": "capacity", "cat": "category", "catg": "category", "cd": "code", "cds": "codes",
    "cert": "certificate", "cfg": "configuration", "chg": "change", "chk": "check", "chnl": "channel",
    "cls": "class", "clm": "claim", "cmnt": "comment", "cmp": "company", "cnt": "count", "cntct": "contact",
    "cntr": "center", "cntry": "country", "cntrct": "contract", "co": "company", "col": "column",
    "comm": "commission", "comp": "company", "concat": "concatenated", "cond": "condition", "conf": "confirmation",
    "config": "configuration", "cons": "consumption", "cont": "contact", "contr": "contract", "corp": "corporation",
    "coord": "coordinate", "cr": "credit", "crdt": "credit", "crncy": "currency", "crt": "created",
    "ctrl": "control", "ctry": "country", "ctr": "center", "cty": "city", "cum": "cumulative", "cur": "current",
    "curr": "currency", "cust": "customer", "custs": "customers", "cy": "current year", "dbt": "debit",
    "decl": "declared", "def": "default", "del": "deleted", "deliv": "delivery", "dep": "department",
    "dept": "department", "depts": "departments", "desc": "description", "descr": "description",
    "dest": "destination", "det": "detail", "dev": "device", "diag": "diagnosis", "diff": "difference",
    "dim": "dimension", "dir": "directory", "disc": "discount", "discnt": "discount", "dist": "distribution",
    "distr": "distributor", "div": "division", "dlv": "delivery", "dlvry": "delivery", "dob": "date of birth",
    "doc": "document", "docs": "documents", "dom": "domestic", "dpt": "department", "drvr": "driver",
    "dscnt": "discount", "dt": "date", "dte": "date", "dttm": "timestamp", "dtl": "detail", "dtls": "details",
    "dtm": "timestamp", "dur": "duration", "dup": "duplicate", "ea": "each", "edu": "education", "eff": "effective",
    "elec": "electricity", "emp": "employee", "empl": "employee", "emps": "employees", "encr": "encrypted",
    "eng": "engineering", "env": "environment", "eqp": "equipment", "err": "error", "est": "estimated",
    "evt": "event", "exch": "exchange", "exec": "execution", "exp": "expiry", "ext": "external", "fac": "facility",
    "fam": "family", "fcst": "forecast", "fin": "financial", "fk": "foreign key", "flg": "flag", "flt": "flight",
    "fmt": "format", "fn": "first name", "fname": "first name", "freq": "frequency", "frm": "from",
    "frt": "freight", "fwd": "forward", "fy": "fiscal year", "gen": "general", "geo": "geographic",
    "gndr": "gender", "gov": "government", "govt": "government", "gp": "group", "grp": "group", "grps": "groups",
    "hdr": "header", "hh": "household", "hist": "history", "hosp": "hospital", "hr": "hour", "hrs": "hours",
    "ident": "identifier", "idx": "index", "img": "image", "impr": "impression", "inc": "income",
    "incl": "included", "ind": "indicator", "indiv": "individual", "info": "information", "init": "initial",
    "ins": "insurance", "insp": "inspection", "inst": "institution", "instr": "instruction", "int": "interest",
    "intl": "international", "inv": "invoice", "invc": "invoice", "invt": "inventory", "itm": "item",
    "itms": "items", "jrnl": "journal", "lang": "language", "lat": "latitude", "lbl": "label", "len": "length",
    "lic": "license", "ln": "last name", "lname": "last name", "lng": "longitude", "lon": "longitude",
    "loc": "location", "locs": "locations", "lst": "list", "lvl": "level", "mem": "member", "maint": "maintenance",
    "mand": "mandatory", "manuf": "manufacturer", "mat": "material", "max": "maximum", "mbr": "member",
    "meas": "measurement", "med": "medical", "mfg": "manufacturing", "mfr": "manufacturer", "mgmt": "management",
    "mgr": "manager", "mgrs": "managers", "mid": "middle", "min": "minimum", "misc": "miscellaneous",
    "mkt": "market", "mktg": "marketing", "mnth": "month", "mob": "mobile", "mod": "modified", "mo": "month",
    "msg": "message", "msgs": "messages", "mstr": "master", "mth": "month", "mthd": "method", "mtg": "meeting",
    "mtrl": "material", "nat": "national", "nbr": "number", "nm": "name", "nme": "name", "num": "number",
    "nr": "number", "obj": "object", "occ": "occupation", "ofc": "office", "off": "office", "op": "operation",
    "opp": "opportunity", "opt": "option", "ord": "order", "ords": "orders", "org": "organization",
    "orgs": "organizations", "orig": "original", "ovrd": "override", "own": "owner", "param": "parameter",
    "params": "parameters", "pat": "patient", "pats": "patients", "pct": "percent", "perc": "percent",
    "perf": "performance", "perm": "permission", "pers": "person", "ph": "phone", "phn": "phone",
    "phys": "physical", "pk": "primary key", "pkg": "package", "pkgs": "packages", "pln": "plan", "plcy": "policy",
    "pmt": "payment", "pmts": "payments", "pol": "policy", "pop": "population", "pos": "position",
    "pref": "preference", "prem": "premium", "prev": "previous", "prf": "proof", "prc": "price", "prd": "product",
    "prds": "products", "pri": "primary", "prio": "priority", "prob": "probability", "proc": "procedure",
    "prod": "product", "prods": "products", "prof": "profile", "prog": "program", "proj": "project",
    "prom": "promotion", "promo": "promotion", "prop": "property", "prov": "provider", "prtnr": "partner",
    "prty": "party", "pt": "patient", "pub": "publication", "pur": "purchase", "purch": "purchase",
    "pwd": "password", "pymt": "payment", "py": "prior year", "qlty": "quality", "qnty": "quantity", "qry": "query",
    "qtr": "quarter", "qty": "quantity", "quant": "quantity", "rcpt": "receipt", "rcv": "received",
    "rcvd": "received", "rec": "record", "recd": "received", "recs": "records", "recv": "received",
    "ref": "reference", "refs": "references", "reg": "region", "rel": "relation", "rem": "remaining",
    "rep": "representative", "req": "request", "reqd": "required", "res": "reservation", "resp": "response",
    "ret": "return", "rev": "revenue", "revw": "review", "rgn": "region", "rng": "range", "rpt": "report",
    "rsn": "reason", "rte": "route", "rtn": "return", "sal": "salary", "sat": "satisfaction", "sched": "schedule",
    "schl": "school", "sec": "security", "seg": "segment", "sel": "selected", "seq": "sequence", "ser": "serial",
    "sess": "session", "sgmt": "segment", "shp": "ship", "shpmt": "shipment", "sig": "signature", "sls": "sales",
    "spec": "specification", "specs": "specifications", "src": "source", "srv": "service", "srvc": "service",
    "stat": "status", "std": "standard", "stk": "stock", "stmt": "statement", "str": "street", "strt": "start",
    "stu": "student", "sub": "subscription", "subj": "subject", "subs": "subscriptions", "sum": "sum",
    "sup": "supplier", "supp": "supplier", "suppl": "supplier", "supv": "supervisor", "surr": "surrogate",
    "svc": "service", "svcs": "services", "sys": "system", "tel": "telephone", "temp": "temperature",
    "term": "term", "tkt": "ticket", "tkts": "tickets", "tm": "time", "tmstmp": "timestamp", "tot": "total",
    "totl": "total", "tran": "transaction", "trans": "transaction", "transp": "transport", "trk": "tracking",
    "trx": "transaction", "ts": "timestamp", "txn": "transaction", "txns": "transactions", "txt": "text",
    "typ": "type", "univ": "university", "upd": "updated", "usr": "user", "usrs": "users", "util": "utilization",
    "val": "value", "vals": "values", "var": "variable", "veh": "vehicle", "vend": "vendor", "ver": "version",
    "vndr": "vendor", "vol": "volume", "vrsn": "version", "whse": "warehouse", "wh": "warehouse", "wk": "week",
    "wks": "weeks", "wrk": "work", "wt": "weight", "xfer": "transfer", "xn": "transaction",
    "xref": "cross reference", "yr": "year", "yrs": "years",
}  # fmt: skip
"""What is often shortened in names, and what it stands for."""

ACRONYMS: Final = words(
    "abn aml api asin b2b b2c bic bmi bp chf cpu crm csv dna ean ecg ein erp esg eta etl eur faq gbp gdp gis gpa "
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
    "millis": "milliseconds", "milliseconds": "milliseconds",
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
    "account action activity actor address age agency agent agreement airline airport album allocation amount "
    "answer appointment area article artist asset assignment attachment attendance attribute audit author balance "
    "bank batch begin benefit bill billing birth body book booking branch brand budget building business campaign "
    "capacity car card carrier cart case cash category center chain change channel charge chat child claim class "
    "client code color comment commission community company component condition contact content contract cost count "
    "country course create created credit currency current customer daily data date day debit default degree "
    "delivery department deposit depth description detail device diagnosis dimension direction discount disease "
    "district doctor document domain donor driver drug due duration education effective email employee employer end "
    "energy enrollment entity entry equipment error estimate event exam exchange expense expiry export facility "
    "factor failure family fax feature fee feedback field file film first flag flight forecast format freight "
    "frequency game gender genre goal grade grant group guest head height history holder holiday home hospital "
    "hotel hour house household image import income indicator industry initial input inspection instructor "
    "insurance interest inventory invoice issue item job journal kind label language last layer lead league lease "
    "lecture length lesson letter level library license limit line link list loan location log login machine mail "
    "maintenance manager manufacturer margin market master match material measure measurement media medication "
    "meeting member membership merchant message meter method metric middle model modified module money month movie "
    "name net network news note notification number object occupation offer office operation operator option order "
    "organization origin outcome output owner package page parameter parent part partner party passenger password "
    "patient payment payroll percent percentage performance period permission person phone photo picture pipeline "
    "plan plant play player playlist point policy population port position post power practice premium prescription "
    "previous price priority problem procedure process product profile profit program project promotion property "
    "provider province publisher purchase quality quantity quarter query question quota quote range rank rate "
    "rating ratio reading reason receipt recipe record reference referral refund region registration relation "
    "release remark rent rental report request required requirement reservation resource response result return "
    "revenue review reward right risk role room route row rule salary sale sales sample schedule school score "
    "screen season seat section sector segment seller semester sensor sequence serial series server service session "
    "set setting shape share shelf shift ship shipment shipper shipping shop site size skill slot song source "
    "speaker species specimen speed staff stage standard start state statement station status step stock stop store "
    "story street student study style subject subscription sum summary supplier supply support survey symptom "
    "system table tag target task tax teacher team technician template tenant term territory test text ticket time "
    "timestamp title token topic total track tracking trade traffic train training transaction transfer transport "
    "treatment trip truck type unit university update updated upload usage user valid value variant vehicle vendor "
    "venue version video view visit visitor volume voucher warehouse warranty week weight window work worker year "
    "zone "
)
"""Words that names are often made of; a name written in one piece is split along them."""
