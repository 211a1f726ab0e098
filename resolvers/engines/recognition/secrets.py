"""Recognisers of keys, tokens and hashes of passwords: by the prefixes that services give them, and by entropy."""

import math
import re
from collections import Counter
from typing import Final

from resolvers.engines.recognition.model import Recognizer, Strength

_PREFIXED = re.compile(
    r"(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}"
    r"|gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{50,}|glpat-[A-Za-z0-9_-]{20,}"
    r"|(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{20,}"
    r"|sk-(?:proj-|ant-)?[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{30,}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{20,}"
    r"|AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}"
    r"|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|key-[0-9a-f]{32}|SK[0-9a-f]{32}"
    r"|npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,}|dop_v1_[0-9a-f]{64}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"
    r"|EAA[A-Za-z0-9]{40,}|[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}|v1\.0-[0-9a-f]{24}-[0-9a-f]{64,}"
)
_JWT = re.compile(r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{10,}")
_PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
_PASSWORD_HASH = re.compile(
    r"\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}"
    r"|\$argon2(?:id|i|d)\$(?:v=[0-9]+\$)?m=[0-9]+,t=[0-9]+,p=[0-9]+\$[A-Za-z0-9+/=]{8,}\$[A-Za-z0-9+/=]{16,}"
    r"|\$(?:1|5|6|y|7)\$(?:rounds=[0-9]+\$)?[./A-Za-z0-9]{1,24}\$[./A-Za-z0-9]{20,}"
    r"|\$pbkdf2[a-z0-9-]*\$[^$]+\$[^$]+\$[./A-Za-z0-9+=]{16,}"
    r"|(?:pbkdf2_sha(?:1|256|512)|bcrypt_sha256|scrypt|argon2|sha1|md5)\$[^\s]{16,}"
    r"|scrypt:[0-9]+:[0-9]+:[0-9]+\$[^$]+\$[0-9a-f]{32,}|pbkdf2:sha(?:1|256|512):[0-9]+\$[^$]+\$[0-9a-f]{32,}"
    r"|\{(?:SSHA|SHA|SMD5|MD5|CRYPT|SSHA256|SSHA512)\}[A-Za-z0-9+/=$./]{16,}|\*[0-9A-F]{40}"
)
_TOKEN = re.compile(r"[A-Za-z0-9_+/=.~-]{20,512}")
_HEX = re.compile(r"(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})", re.I)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{80,}={0,2}")


def entropy(text: str) -> float:
    """Shannon's bits per character."""
    counts = Counter(text)
    return -sum(number / len(text) * math.log2(number / len(text)) for number in counts.values())


def _known_secret(text: str) -> bool:
    return bool(
        _PREFIXED.fullmatch(text.removeprefix("Bearer ")) or _JWT.fullmatch(text.removeprefix("Bearer "))
        or _PRIVATE_KEY.search(text)
    )  # fmt: skip


def _random(text: str) -> bool:
    """Letters of both cases and digits without order, as only a machine writes them; hexadecimal is no proof."""
    if not _TOKEN.fullmatch(text) or _HEX.fullmatch(text) or text.count("-") > 3:
        return False
    kinds = sum(any(map(test, text)) for test in (str.islower, str.isupper, str.isdigit))
    return kinds == 3 and entropy(text) >= min(4.2, 0.8 * math.log2(len(text)))


def _hex_hash(text: str) -> bool:
    return bool(_HEX.fullmatch(text)) and len(set(text.lower())) >= 8


def _template(text: str) -> bool:
    """Long binary data written as text."""
    return (bool(_BASE64.fullmatch(text)) and entropy(text[:400]) > 4.0) or bool(
        re.fullmatch(r"[0-9a-fA-F]{160,}", text)
    )


def _password(text: str) -> bool:
    """A short word of mixed kinds, as rules for passwords ask for it."""
    kinds = sum(any(map(test, text)) for test in (str.islower, str.isupper, str.isdigit))
    other = any(character in "!@#$%^&*()_+=?~" for character in text)
    return 6 <= len(text) <= 40 and " " not in text and kinds == 3 and other and "://" not in text


SECRETS: Final = (
    Recognizer("secret-prefix", "Secret", Strength.PROOF, _known_secret, 0.0005, 0.02,
               "the prefix and form of a key or token that gives access", longest=4000,
               embedded=re.compile(rf"\b(?:{_PREFIXED.pattern}|{_JWT.pattern})")),
    Recognizer("secret-entropy", "Secret", Strength.SHAPE, _random, 0.1, 0.8,
               "long random characters, as keys have", longest=512),
    Recognizer("password-form", "Secret", Strength.SHAPE, _password, 0.1, 0.6,
               "short words of mixed characters, as passwords in the clear", longest=40),
    Recognizer("password-hash", "PasswordHash", Strength.PROOF,
               lambda text: bool(_PASSWORD_HASH.fullmatch(text)), 0.0005, 0.1,
               "the form of a hash made for passwords", longest=300),
    Recognizer("hex-hash", "PasswordHash", Strength.SHAPE, _hex_hash, 0.7, 0.9,
               "hexadecimal of a hash's length", longest=128),
    Recognizer("binary-template", "Biometric", Strength.SHAPE, _template, 0.5, 0.8,
               "long binary data", longest=4000),
)  # fmt: skip
"""What gives access."""
