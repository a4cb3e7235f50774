"""Everything in a text that is not language, as a table: one value a kind.

A kind says how it is recognised, what the model is shown, and how it must come back. Of two that
begin at the same place, the one that stands first in the table is taken. What the model is shown
was chosen by measurement: `benchmarks/kinds.py`, and the table in docs/documents.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

ShownAs: TypeAlias = Literal["as it is", "stood for", "taken out", "character", "cut", "message"]
"""As it is, and required; stood for by something short such as {1}; taken out and put back between
the words; a character written in another way; a sign or a tag between texts that are translated
apart; or a structure with texts of its own in it."""


@dataclass(frozen=True)
class SyntaxKind:
    """A kind of what is not language."""

    name: str
    pattern: str = ""
    """A verbose regular expression; empty for what is not told by how it looks."""
    shown: ShownAs = "stood for"
    in_turn: str = ""
    """A regular expression for those that take the next argument, so that their order must stay."""
    is_exact: bool = True
    """Whether it may not occur more often than in the source: copies too many are taken out. One
    that may is a name, and a glossary may say how to translate it."""
    unless: str = ""
    """Where a text has one of these characters, there is nothing of this kind in it."""

    examples: tuple[str, ...] = ()
    """Some that a model can learn to copy."""

    def keeps_its_order(self, raw: str) -> bool:
        """Whether the order of this one among others that take the next argument must stay."""
        return self._in_turn is not None and self._in_turn.fullmatch(raw) is not None

    @cached_property
    def _in_turn(self) -> re.Pattern[str] | None:
        return re.compile(self.in_turn) if self.in_turn else None


_NOT_IN_ADDRESS = r"\s<>\"'“”„«»{}|\\^`"
_NOT_AT_ITS_END = _NOT_IN_ADDRESS + r".,;:!?()\[\]…"
_HOLE = r"(?:\{\{[ ]?[\w.-]+[ ]?\}\}|\{[\w.:-]*\})"
"""A placeholder of an address: the address is one with it. `%s` and `$` may be in one anyway."""
_REST = rf"(?:[^{_NOT_IN_ADDRESS}]|{_HOLE})*(?:[^{_NOT_AT_ITS_END}]|{_HOLE})"
"""The rest of an address; a brace begins a placeholder alone, so that this is read but once."""
_HOLE_IN_PATH = rf"(?:{_HOLE}|\$(?=\{{)|%(?:\d+\$)?[sd])"
_MEDIA = (
    "png|jpe?g|gif|bmp|webp|avif|svg|svg\\+xml|tiff|html|css|csv|xml|javascript|markdown|json|pdf|zip|"
    "gzip|rtf|octet-stream|mpeg|mp[34]|ogg|webm|wav|form-data|(?:x-|vnd\\.)[\\w.+-]*\\w"
)
_SUFFIXES = (
    "txt|json|ya?ml|xml|html?|xhtml|css|js|tsx?|jsx|py|java|cpp|cc|hpp|rs|go|rb|php|sh|bat|exe|dll|"
    "ini|cfg|conf|log|csv|tsv|zip|tar|gz|bz2|xz|7z|pdf|docx?|xlsx?|pptx?|odt|ods|png|jpe?g|gif|svg|"
    "ico|mp[34]|wav|ogg|avi|mkv|md|po|pot|mo|rst|tex|toml|sql|db|deb|rpm|iso|jar|lock|tmp|bak"
)
_KEYS = (
    "Ctrl|Control|Alt|AltGr|Shift|Meta|Super|Cmd|Command|Option|Win|Windows|Fn|Esc|Escape|Enter|"
    "Return|Tab|Space|Backspace|Del|Delete|Ins|Insert|Home|End|Page[ ]?Up|Page[ ]?Down|PgUp|PgDn|"
    r"Up|Down|Left|Right|Caps[ ]?Lock|Num[ ]?Lock|Print[ ]?Screen|Pause|F\d{1,2}|[A-Z\d]"
)
_HOLDERS = "Ctrl|Control|Alt|AltGr|Shift|Meta|Super|Cmd|Command|Win|Fn"
_NAMES_OF_TAG = r"""[A-Za-z0-9][\w:.-]*"""
_ATTRIBUTES = r"""(?:\s+[\w:.@-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s"'<>=]+))*"""
_TITLE = r"[ ](?:[A-ZÀ-ÖØ-ÞΑ-ΩА-Я]\w)"
"""What follows a sign between the parts of a path: white space, and a word with a capital."""
_OPERATOR = r"(?:[=!<>:]=|={1,3}|&&|\|\|?|<>|\+=|-=)"
_DIGITS_APART = r"(?:[ ./-]?(?:\(\d{1,5}\)|\d{1,5}))"

MESSAGE = SyntaxKind(
    "message",
    r"""\{\s*[\w.-]+\s*,\s*
    (?:plural|select|selectordinal|choice|number|date|time|duration|spellout|ordinal)\b""",
    "message",
)
"""A message of ICU: `gridbeam.markup.messages` reads it."""
TERM = SyntaxKind("term", shown="as it is", is_exact=False)
"""A name that is not to be translated."""
OWN = SyntaxKind("own")
"""A syntax that a user has named."""
CODE = SyntaxKind("code")
"""A code of the file that stands alone."""

KINDS = (
    MESSAGE,
    SyntaxKind(
        "address",
        rf"""
        (?:https?|ftp|file|mailto):{_REST}
      | www\.[\w-]+(?:\.[\w-]+)+(?:/{_REST})?
      | (?<![\w.+-])(?:(?:[\w.+-]*{_HOLE_IN_PATH}){{1,2}}[\w.+-]*|[\w.+-]+)@[\w-]+(?:\.[\w-]+)+
      | (?<![\w@.-])(?:[\w-]+\.)+(?:com|org|net|io|dev|info|edu|gov)\b(?![\w@-]|\.\w)
        (?:/{_REST})?
      | (?<![\w/<.~])(?:~|\.{{1,2}})?(?:(?<!\}})|(?=/\w))
        (?:/(?:[\w.+@-]|{_HOLE_IN_PATH})*(?:[\w+@-]|{_HOLE_IN_PATH})){{2,}}/?
      | (?<!\w)[A-Za-z]:\\[^\s"'<>|*?:]*[^\s"'<>|*?:.,;!)]
      | (?<![\w./\\-])(?:[\w-]+\.)+(?i:{_SUFFIXES})(?![\w-]|\.\w)
        """,
    ),
    SyntaxKind(
        "block",
        r"""\{%[-+]?\s*(?:end)?(?:if|elif|else|for|with|block|trans|plural|blocktrans|unless|case|
        when|macro|call|filter|autoescape)\b(?:(?!%\}).){0,300}%\}
      | \{\{~?\s*(?:[\#/^]\s*[\w.-]+[^{}]{0,300}|else[^{}]{0,300})\}\}
      | (?<!%)<%[-_]?\s*(?:if|else|end|for|while|\})(?:(?!%>).){0,300}%>""",
        "cut",
    ),
    SyntaxKind(
        "arrow",
        r"[→⇒➔➜➡⟶▸►▶] | &(?:amp;)*(?:[rR]arr|\#8594|\#x2192); | (?<=\s)(?:-{1,2}|=)>(?=\s)",
        "cut",
    ),
    SyntaxKind("sign", r"(?<!\S)[\u2500-\u27bf]+(?!\S)", "cut"),
    SyntaxKind(
        "path sign", rf"(?<=[ ])(?:[>|·•]|&(?:amp;)*(?:gt|middot|bull);)(?={_TITLE})", "cut"
    ),
    SyntaxKind(
        "angle", rf"(?<=[ ])(?:[»›]|&(?:amp;)*r(?:s|)aquo;)(?={_TITLE})", "cut", unless="«‹"
    ),
    SyntaxKind(
        "template",
        r"""\{%(?:(?!%\}).){0,500}%\} | (?<!%)<%(?:(?!%>).){0,500}%> | <\?(?:(?!\?>).){0,500}\?>
      | \{\#(?:(?!\#\}).){0,500}\#\} | \$\{\{[^{}]*\}\} | \{\{\{[^{}]*\}\}\} | @\{[^{}\s]+\}
      | (?<![\w@])@(?:\.\w+)?:(?:[\w-]+(?:\.[\w-]+)*|\([^()\s]+\)) | \$t\([^()]*\)
      | \{\{(?!\s*[\w.-]+\s*\}\})[^{}]*\}\}""",
    ),
    SyntaxKind(
        "tag",
        rf"""<!--.{{0,2000}}?--> | </?{_NAMES_OF_TAG}{_ATTRIBUTES}\s*/?>
      | &(?P<level>(?:amp;)*)lt;/?{_NAMES_OF_TAG}
        (?:\s+[\w:.@-]+\s*=\s*(?:(?!&(?P=level)[lg]t;).){{0,200}})?\s*/?&(?P=level)gt;""",
        "taken out",
    ),
    SyntaxKind(
        "brace",
        r"""\{\{\s*[\w.-]+\s*\}\}
      | [$\#%]\{[^{}\s]+\}
      | \{[^\s{},'"]*(?:![rsa])?(?::[^{}\s]*)?\}
      | \{\ +\$?[\w.-]+\ +\}
      | \[\[[^\[\]]+\]\]
      | (?<!\w)__\w+?__(?!\w)""",
        "as it is",
        in_turn=r"\{(?:![rsa])?(?::[^{}]*)?\}",
        examples=("{0}", "{1}", "{2}", "{name}", "{count}", "{{value}}", "${name}"),
    ),
    SyntaxKind(
        "printf",
        r"""%\([\w.\ -]+\)[-+\#0]*\d*(?:\.\d+)?[diouxXeEfFgGcrsa]
      | (?<![\w%])%[A-Za-z_][\w.-]+%(?![\w%])
      | %%
      | (?<![\d%])%(?:(?:\d+|n)\$)?[-+\#0,]*(?:\d+|\*)?(?:\.(?:\d+|\*))?
        (?:hh|h|ll|l|L|q|j|z|t)?[diouxXeEfFgGcsaApn@]
      | (?<![\w%])%L?[1-9]\d?(?![\w$%.])""",
        "as it is",
        in_turn=r"%[-+#0,]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[a-zA-Z@]+",
        examples=("%s", "%d", "%1$s", "%2$s", "%(name)s"),
    ),
    SyntaxKind(
        "code span",
        r"""`[^`\n]{1,200}`
      | (?<![\w.=&?/$%{-])[A-Za-z_][\w.-]*=(?![%{$<])
        (?:"[^"]*"|[^\s"=,;]*[^\s"=,;.!?)])(?=[\s,;.!?)]|$)""",
    ),
    SyntaxKind(
        "flag",
        r"""(?<![\w-])--[A-Za-z][\w-]*[\w](?!--)(?:=[^\s,;)\]]*[^\s,;)\].])?
      | (?<![\w-])-[A-Za-z](?![\w-]) | (?<=\s)-[a-z]{2,12}(?![\w-])""",
    ),
    SyntaxKind(
        "name",
        r"""(?<![\w.])[A-Za-z][^\W_]*(?:_[^\W_]+)+(?:\.\w+)*(?:\(\))?(?!\w)
      | (?<![\w:/]):[a-z][a-z0-9_]+\b:?
      | (?<![\w.])(?<!\w->)(?<!\w::)[A-Za-z_]\w*(?:(?:\.|::|->)\w+)*\(\)
      | (?<![\w:.])[A-Za-z]\w*(?:::\w+)+
      | (?<![\w.])[a-z]\w+(?:\.[a-z]\w+){2,}(?![\w.])
      | (?<![\w/.+-])(?:application|audio|font|image|multipart|text|video)/"""
        rf"(?:{_MEDIA})(?![\w/+-])",
    ),
    SyntaxKind(
        "compound",
        r"""(?<![\w.])(?:[a-z][a-z\d]*(?:[A-Z]+[a-z\d]*)+|[A-Z][a-z\d]+(?:[A-Z][a-z\d]+)+)(?!\w)
      | (?<!\w)(?:[A-Za-z]\w*\+\+|[A-Z]\#)(?![\w+]) | (?<!\w)\.NET\b""",
        "as it is",
        is_exact=False,
    ),
    SyntaxKind(
        "key",
        rf"""\[(?:{_KEYS})(?:[+-](?:{_KEYS}))*\]
      | (?<!\w)(?:{_HOLDERS})(?:[+-](?:{_KEYS}))+(?!\w)""",
        "as it is",
        is_exact=False,
    ),
    SyntaxKind("dollar", r"(?<![\w$])\$[A-Za-z_]\w*\$?", "as it is"),
    SyntaxKind("entity", r"&(?:[A-Za-z][A-Za-z0-9]+|\#\d+|\#[xX][0-9A-Fa-f]+);", "character"),
    SyntaxKind("quote", r"\\[\"']", "character"),
    SyntaxKind("escape", r"\\[ntr]", "taken out"),
    SyntaxKind(
        "date",
        r"""(?<![\w.-])\d{4}(?P<dash>[-/])\d\d(?P=dash)\d\d
        (?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[ ]?[+-]\d\d:?\d\d)?)?(?![\w-])
      | (?<![\w:.])\d\d?:\d\d:\d\d(?:[.,]\d+)?(?![\w:])""",
    ),
    SyntaxKind(
        "number of a network",
        r"""(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?:/\d{1,2}|:\d{1,5})?(?!\.?\w)
      | (?<![\w:.])(?=[\w:]*[0-9A-Fa-f])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])""",
    ),
    SyntaxKind(
        "phone",
        rf"""(?<![\w+])\+\d{{1,3}}{_DIGITS_APART}{{2,6}}(?!\w)
      | (?<![\w(])\(\d{{3}}\)[ ]?\d{{3}}-\d{{4}}(?!\w)
      | (?<![\w-])(?:\d{{1,3}}-)?\d{{3}}-(?:\d{{3,4}}-)?\d{{4}}(?![\w-])
      | (?<![\w.,-])0\d{{1,5}}[ /-]\d{{3,9}}(?:[ -]\d{{1,5}}){{0,3}}(?!\w|[.,]\d)""",
    ),
    SyntaxKind(
        "postcode",
        r"""(?<!\w)(?:[A-Z]{1,2}\d[A-Z\d]?[ ]\d[A-Z]{2}|[A-Z]\d[A-Z][ ]\d[A-Z]\d|[A-Z]{1,2}-\d{4,5}
      | \d{5}-\d{3,4}|\d{4}-\d{3})(?![\w-])""",
    ),
    SyntaxKind(
        "version",
        r"""(?<![\w.,])(?:[vV]\d+(?:\.\d+)*|\d+(?:\.\d+){2,})(?:[-+][\w.-]*\w)?(?![.,]?\w)
      | (?<=[Vv]ersion[ ])\d+\.\d+(?:[-+][\w.-]*\w)?(?![.,]?\w)""",
    ),
    SyntaxKind(
        "hex",
        r"""(?<![\w&])\#(?=[A-Fa-f]*\d|[0-9A-Fa-f]{6}\b)[0-9A-Fa-f]{3,8}(?!\w)
      | (?<!\w)0[xX][0-9A-Fa-f]+(?!\w)
      | (?<![\w-])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![\w-])
      | (?<![\w-])(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,64}(?![\w-])""",
    ),
    SyntaxKind("range", r"\[\s*[-+−]?(?:\d|∞)[\d.,;:\s+−∞-]{0,60}\]"),
    SyntaxKind(
        "operator",
        rf"""(?<!\S)(?:[A-Za-z]|\d+)(?:[ ]{_OPERATOR}[ ](?:[A-Za-z]|\d+))+(?!\w|[.,]\d)
      | (?<!\S){_OPERATOR}(?!\S)""",
    ),
    OWN,
    TERM,
    CODE,
)
"""Every kind there is."""
KIND = {kind.name: kind for kind in KINDS}
"""Every kind by its name."""
EXAMPLES = tuple(example for kind in KINDS for example in kind.examples)
"""What a model that translates should have learned to copy: the rest is shown to it as one of
these."""
