"""The same search with columns of a fixed shape, for GPUs: whole columns as recorded programs.

`column.py` is a column as tensors, on one page: what candidates.py, prune.py and finished.py do for
hypotheses side by side, done for slots, some of which are empty. `shape.py` says what can be
searched so; all else takes the way of loop.py, which is also the judge of this one.
"""
