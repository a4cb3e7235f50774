"""How translations are searched for where nobody says otherwise. Loads no torch."""

from __future__ import annotations

from gridbeam.decoding.options import SearchOptions

TRANSLATION = SearchOptions(
    beam=5, share="bounded", length_penalty=0.0, length_reward=0.2, stop="likely"
)
"""The defaults of `Translator`, files, and the commands that translate.

Divided by length, constraints would be paid for by chatter: the more a phrase costs, the more it
helps to say something long and likely as well (docs/search.md#length-and-constraints). `max_length`
goes by the source: twice its tokens and some more. Shares are bounded, as a glossary that has most
words of a long sentence would make hundreds of rows.
"""
POST_EDITING = TRANSLATION.but(beam=10, share="settled")
"""The defaults of `PostEditing`: the paper's beam, as one sentence at a time is soon searched.

Text that a person has locked is a long phrase: with places that are settled within it a search
takes four tenths of the time, and finds the same (docs/performance.md#locked-text).
"""
