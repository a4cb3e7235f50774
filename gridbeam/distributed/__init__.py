"""Many workers: work cut into pieces, given out by any scheduler, each done exactly once.

What is promised is kept on disk (`manifest`, `parts`, `attempts`), so that the schedulers
(`processes`, `on_ray`, or a person with `--shard`) need promise nothing: they start workers, give
them pieces and tell what came of these (`pool`).
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gridbeam.distributed.dataset import translate

__all__ = ["translate"]


def __getattr__(name: str) -> Any:
    """`translate`, loaded when it is first asked for: torch takes seconds."""
    if name != "translate":
        raise AttributeError(f"module 'gridbeam.distributed' has no attribute {name!r}")
    from gridbeam.distributed.dataset import translate

    return translate
