"""The outer form of a translation after that of its source, as LibreTranslate has it.

The last mark, and the capitals: a text in capitals, a text without any, a first letter.
"""

from __future__ import annotations

_MARKS = "!?.,;。"


def formatted_like(source: str, translation: str) -> str:
    """The translation with the last mark and the capitals of its source.

    >>> formatted_like("Save the file", "Speichern Sie die Datei.")
    'Speichern Sie die Datei'
    >>> formatted_like("CANCEL!", "Abbrechen")
    'ABBRECHEN!'
    """
    shown, text = source.strip(), translation.rstrip()
    if not shown or not text:
        return translation
    text = _with_capitals(shown, _with_mark(shown, text))
    return text + translation[len(translation.rstrip()) :]


def _with_mark(source: str, text: str) -> str:
    last = source[-1] if source[-1] in _MARKS else ""
    if text.endswith("...") and not source.endswith("..."):
        text = text[:-2]
    if last and text[-1] == last:
        return text
    return (text[:-1] if text[-1] in _MARKS else text) + last


def _with_capitals(source: str, text: str) -> str:
    if source.isupper() and len(source) > 1:
        return text.upper()
    first, rest = text[:1], text[1:]
    if source[0].isupper():
        return first.upper() + rest
    is_word = text.partition(" ")[0][1:].islower() or len(text) == 1
    return first.lower() + rest if source.islower() and is_word else text
