"""Text that real files hold now and then, and that code written for usual text stumbles over."""

from __future__ import annotations

LONG = 100_000
"""Characters of a line that is too long for anybody to have meant it."""
ODD: tuple[str, ...] = (
    "e\u0301o\u0308\u0323",  # combining marks
    "\u0301",  # one that combines with nothing
    "Z" + "\u0335\u0348\u0310" * 40,  # very many
    "שלום עולם",  # from right to left
    "مرحبا\u0640\u064b",
    "\u202eevil\u202c \u2066x\u2069",  # changes of direction
    "👩\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈 🇩🇪🇫",  # joiners, variation selectors, half a flag
    "क्\u200dष \u0915\u094d\u200c\u0937",
    "a\u200bb\u2060c\ufeffd\u00ade",  # what has no width
    "\x00",
    "\x01\x08\x0b\x0c\x1b[31m\x7f\x85",  # controls
    "\u2028\u2029",  # ends of lines to some
    "\r",
    "\ufffe\uffff\ufdd0\U0010ffff",  # no characters
    "\ud800",  # half a character; bytes that are no UTF-8
    "x\udfff\ud83d",
    "ﬁﬀ ǅ ß İ ı ẞ \u1e9e",  # longer or shorter in capitals
    "٣٤٥ ²³ ½ Ⅷ 四 \U0001d7d8",  # digits to some
    "日本語の文、句点。한국어 ไทยไม่มีช่องว่าง",
    "Это не тот язык; nor is ceci.",
    "\xa0\u3000\u2003",
    "{0} {{}} %s %1$s %% ${x} <b>&amp;</b> &#x0; &#xD800; &lt;",
    "{count, plural, one {# file} other {# files}}",
    "{a, plural, other {{b, select, other {" * 30,
    '"\\"\\u0000\\ud83d\\n\\',
    "' OR 1=1; -- <script>alert(1)</script>",
    "../../etc/passwd",
    "CON",
    "NaN",
    "-0",
    "1e999",
    "9" * 5_000,
    "",
    " ",
    "_&",
)
"""Halves of characters stand in them as they do in Python."""
HUGE: tuple[str, ...] = ("a" * LONG, "The disk " * (LONG // 9), "é" * LONG, "\u0301" * LONG)
"""Lines of 100,000 characters."""


def encoded(text: str) -> bytes:
    """The text in UTF-8; half a character as the three bytes that it would be."""
    return text.encode("utf8", "surrogatepass")
