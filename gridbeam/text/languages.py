"""Codes of languages, however written: `de`, `deu`, `ger`, `de_AT` and `deu_Latn` are German.

A code is a language, and perhaps a script and a region. The plain code of a language has two
letters where there is one of two; Norwegian is `no`, also where `nb` says which.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gridbeam.errors import UserError

_PLAIN_CODES = """
afr:af aka:ak alb:sq als:sq amh:am ara:ar arb:ar arm:hy asm:as ayr:ay aze:az azj:az bak:ba bam:bm
baq:eu bel:be ben:bn bod:bo bos:bs bul:bg bur:my cat:ca ces:cs chi:zh cmn:zh cym:cy cze:cs dan:da
deu:de dut:nl dzo:dz ell:el eng:en epo:eo est:et eus:eu ewe:ee fao:fo fas:fa fij:fj fin:fi fra:fr
fre:fr fuv:ff gaz:om geo:ka ger:de gla:gd gle:ga glg:gl gre:el grn:gn guj:gu hat:ht hau:ha heb:he
hin:hi hrv:hr hun:hu hye:hy ibo:ig ice:is ind:id isl:is ita:it jav:jv jpn:ja kan:kn kas:ks kat:ka
kaz:kk khk:mn khm:km kik:ki kin:rw kir:ky kmr:ku knc:kr kon:kg kor:ko kur:ku lao:lo lav:lv lim:li
lin:ln lit:lt ltz:lb lug:lg lvs:lv mac:mk mal:ml mao:mi mar:mr may:ms mkd:mk mlg:mg mlt:mt mon:mn
mri:mi msa:ms mya:my nb:no nep:ne nld:nl nno:nn nob:no nor:no npi:ne nya:ny oci:oc ori:or orm:om
ory:or pan:pa pbt:ps per:fa pes:fa plt:mg pol:pl por:pt pus:ps que:qu quy:qu ron:ro rum:ro run:rn
rus:ru sag:sg san:sa sin:si slk:sk slo:sk slv:sl smo:sm sna:sn snd:sd som:so sot:st spa:es sqi:sq
srd:sc srp:sr ssw:ss sun:su swa:sw swe:sv swh:sw tam:ta tat:tt tel:te tgk:tg tgl:tl tha:th tib:bo
tir:ti tsn:tn tso:ts tuk:tk tur:tr twi:tw uig:ug ukr:uk urd:ur uzb:uz uzn:uz vie:vi wel:cy wol:wo
xho:xh ydd:yi yid:yi yor:yo zho:zh zsm:ms zul:zu
"""
_PLAIN = dict(pair.split(":") for pair in _PLAIN_CODES.split())
"""Plain codes for those of three letters, of NLLB, Marian, dictionaries and libraries."""
_NAMES = {
    "ar": "arabic arabisch arabe árabe arabo العربية",
    "bg": "bulgarian bulgarisch български",
    "ca": "catalan katalanisch català",
    "cs": "czech tschechisch tchèque checo čeština",
    "da": "danish dänisch danois danés dansk",
    "de": "german deutsch allemand alemão alemán tedesco",
    "el": "greek griechisch grec ελληνικά",
    "en": "english englisch anglais inglês inglés inglese",
    "es": "spanish spanisch espagnol espanhol español spagnolo",
    "et": "estonian estnisch eesti",
    "fa": "persian farsi persisch فارسی",
    "fi": "finnish finnisch finnois suomi",
    "fr": "french französisch français francês francés francese",
    "he": "hebrew hebräisch hébreu עברית",
    "hi": "hindi हिन्दी",
    "hr": "croatian kroatisch hrvatski",
    "hu": "hungarian ungarisch hongrois magyar",
    "id": "indonesian indonesisch",
    "it": "italian italienisch italien italiano",
    "ja": "japanese japanisch japonais 日本語",
    "ko": "korean koreanisch coréen 한국어",
    "lt": "lithuanian litauisch lietuvių",
    "lv": "latvian lettisch latviešu",
    "nl": "dutch niederländisch néerlandais nederlands",
    "no": "norwegian norwegisch norvégien norsk bokmål",
    "pl": "polish polnisch polonais polski",
    "pt": "portuguese portugiesisch portugais português portugués portoghese",
    "ro": "romanian rumänisch roumain română",
    "ru": "russian russisch russe русский",
    "sk": "slovak slowakisch slovenčina",
    "sl": "slovenian slowenisch slovenščina",
    "sr": "serbian serbisch српски",
    "sv": "swedish schwedisch suédois svenska",
    "th": "thai ไทย",
    "tr": "turkish türkisch turc türkçe",
    "uk": "ukrainian ukrainisch ukrainien українська",
    "vi": "vietnamese vietnamesisch",
    "zh": "chinese chinesisch chinois 中文",
}
"""Languages by their plain codes, and what they are called here and there."""
_NAMED = {name: code for code, names in _NAMES.items() for name in names.split()}


def language(code: str) -> str:
    """The plain code of a language, without region or script.

    >>> [language(code) for code in ("de", "deu", "ger", "de_AT", "deu-Latn", "DE", "tlh")]
    ['de', 'de', 'de', 'de', 'de', 'de', 'tlh']
    """
    return _normal(code).partition("-")[0]


def plain(code: str) -> str:
    """The code with the plain one of its language, and its region or script as they are.

    >>> plain("deu"), plain("pt_BR"), plain("zho_Hans")
    ('de', 'pt_BR', 'zh_Hans')
    """
    return re.sub("^[a-z]{3}(?![A-Za-z])", lambda found: _PLAIN.get(found[0], found[0]), code)


def is_same(one: str, other: str) -> bool:
    """Whether two codes are of the same language, whatever their regions and scripts.

    >>> is_same("deu", "de_AT"), is_same("de", "en")
    (True, False)
    """
    return language(one) == language(other)


def is_written_alike(one: str, other: str) -> bool:
    """Whether two codes are the same but for capitals, and for _ or - between their parts."""
    return _written(one) == _written(other)


def varieties(known: Sequence[str], asked: str) -> list[str]:
    """The codes among `known` for a language: its own, or else those of its regions and scripts.

    >>> varieties(["en-US", "en-GB", "de"], "en"), varieties(["en-US", "en"], "eng")
    (['en-US', 'en-GB'], ['en'])
    """
    return (
        [code for code in known if is_written_alike(code, asked)]
        or [code for code in known if _normal(code) == _normal(asked)]
        or [code for code in known if _normal(code).startswith(f"{_normal(asked)}-")]
    )


def named(name: str) -> str | None:
    """The plain code of a language by one of its names, or none.

    >>> named("Deutsch"), named("français"), named("disk")
    ('de', 'fr', None)
    """
    return _NAMED.get(name.lower())


def english_name(code: str) -> str:
    """What a language is called in English; its code, where that is not known.

    >>> english_name("de"), english_name("pt-BR"), english_name("tlh")
    ('German', 'Portuguese', 'tlh')
    """
    names = _NAMES.get(language(code))
    return names.partition(" ")[0].capitalize() if names else code


def has_name(code: str) -> bool:
    """Whether this is the code of a language whose names are known, and not just a short word."""
    return language(code) in _NAMES


def pair_of(languages: str | None) -> tuple[str | None, str | None]:
    """Source and target of --languages, such as en-de; None where it is not given.

    >>> pair_of("en-de"), pair_of("en-pt-BR"), pair_of(None)
    (('en', 'de'), ('en', 'pt-BR'), (None, None))
    """
    if languages is None:
        return None, None
    source, _, target = languages.partition("-")
    if not source or not target:
        raise UserError(
            f'--languages {languages}: write source and target language with "-" between them, such'
            " as en-de."
        )
    return source, target


def _written(code: str) -> str:
    return code.replace("_", "-").lower()


def _normal(code: str) -> str:
    first, dash, rest = _written(code).partition("-")
    return _PLAIN.get(first, first) + dash + rest
