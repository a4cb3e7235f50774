"""What is kept in a database: projects, segments, every act, glossaries, keys.

`Store.open()` opens it; plain values go in and come out.
"""

from gridbeam.store.refusals import Absent, Outdated, StoreFailure
from gridbeam.store.rows import (
    ActRow,
    Counts,
    DictionaryRow,
    EntryRow,
    GlossaryRow,
    KeyRow,
    MatchRow,
    NewAct,
    NewDictionary,
    NewProject,
    NewSegment,
    ProjectRow,
    SegmentPage,
    SegmentRow,
    SegmentStatus,
    Snapshot,
)
from gridbeam.store.store import Store

__all__ = [
    "Absent",
    "ActRow",
    "Counts",
    "DictionaryRow",
    "EntryRow",
    "GlossaryRow",
    "KeyRow",
    "MatchRow",
    "NewAct",
    "NewDictionary",
    "NewProject",
    "NewSegment",
    "Outdated",
    "ProjectRow",
    "SegmentPage",
    "SegmentRow",
    "SegmentStatus",
    "Snapshot",
    "Store",
    "StoreFailure",
]
