"""Scores of one's own: the short name of `gridbeam.decoding.scoring`."""

from gridbeam.decoding.scoring import Extension, never_rises, sum_of_log_probs

__all__ = ["Extension", "never_rises", "sum_of_log_probs"]
