"""How many plural forms a language has, and which is that of a number, as gettext writes it.

The rules are those of msginit, which takes them from its own table and from Unicode's.
"""

from __future__ import annotations

from dataclasses import dataclass

from gridbeam.text.languages import language, plain

_SLAVIC = "n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2"
_RULES = {
    "1; plural=0": "bm bo dz id ig ja jv km ko lo ms my su th to vi wo yo zh",
    "2; plural=(n != 1)": (
        "af an ast az ba bg ca da de ee el en eo es et eu fi fo fur fy gl ha he hu it ka kk ks ku"
        " ky lb lg ml mn mr ne nl nn no nso ny om or os pap ps pt rm rn rw sc sd sn so sq ss st sv"
        " sw ta te tk tn tr ts tt ug ur uz ve xh yi"
    ),
    "2; plural=(n > 1)": "ak am as bn fa fil fr gu hi hy kn ln mg oc pa si tg ti tl wa zu",
    "2; plural=(n%10!=1 || n%100==11)": "is mk",
    f"3; plural=(n%10==1 && n%100!=11 ? 0 : {_SLAVIC})": "be bs hr ru sr uk",
    f"3; plural=(n==1 ? 0 : {_SLAVIC})": "pl",
    "3; plural=(n==1 ? 0 : n>=2 && n<=4 ? 1 : 2)": "cs sk",
    "3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2)": "lt",
    "3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2)": "lv",
    "3; plural=(n==1 ? 0 : n==0 || (n%100>0 && n%100<20) ? 1 : 2)": "ro",
    "3; plural=(n==1 ? 0 : n==2 ? 1 : 2)": "ga se",
    "4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3)": "dsb hsb sl",
    "4; plural=(n==1 || n==11 ? 0 : n==2 || n==12 ? 1 : n>2 && n<20 ? 2 : 3)": "gd",
    "4; plural=(n==1 ? 0 : n==0 || (n%100>1 && n%100<11) ? 1 : n%100>10 && n%100<20 ? 2 : 3)": "mt",
    "6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5)": (
        "ar"
    ),
    "6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n==3 ? 3 : n==6 ? 4 : 5)": "cy",
}
_BY_LANGUAGE = {code: rule for rule, codes in _RULES.items() for code in codes.split()}


@dataclass(frozen=True)
class PluralRule:
    """The plural forms of a language."""

    count: int
    choice: str
    """Which of them is that of `n`, counted from 0, in C."""

    def __str__(self) -> str:
        return f"nplurals={self.count}; plural={self.choice};"


def plural_rule(code: str) -> PluralRule | None:
    """The plural forms of a language; None where they are not known here.

    >>> print(plural_rule("de_AT"))
    nplurals=2; plural=(n != 1);
    >>> print(plural_rule("pt-BR"), plural_rule("tlh"))
    nplurals=2; plural=(n > 1); None
    """
    is_brazilian = plain(code).replace("-", "_").lower() == "pt_br"
    rule = _BY_LANGUAGE.get("fr" if is_brazilian else language(code))
    if rule is None:
        return None
    count, _, choice = rule.partition("; plural=")
    return PluralRule(int(count), choice)


def known_plurals() -> list[str]:
    """The languages whose plural forms are known here."""
    return sorted(_BY_LANGUAGE)
