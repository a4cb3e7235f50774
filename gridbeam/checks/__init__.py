"""What can be wrong with a translation as anyone can see: rules, and an estimate of its quality.

>>> from gridbeam.checks import CheckedPair, check
>>> pair = CheckedPair.of("Copy {n} of 12 files.", "{n} Dateien kopieren.", "en", "de")
>>> for finding in check(pair):
...     print(finding.severity, finding.rule, finding.message)
error numbers 12 is missing
"""

from gridbeam.checks.pair import CheckedPair
from gridbeam.checks.rule import CheckRule, Finding, Severity
from gridbeam.checks.rules import RULES, check, chosen

__all__ = ["RULES", "CheckRule", "CheckedPair", "Finding", "Severity", "check", "chosen"]
