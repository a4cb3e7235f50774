"""A document translated by many workers: planned once, done exactly once, written whole.

All that is decided is decided from what is on disk. So a run may be killed at any moment, and the
same command goes on, with the same engine or another.
"""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from rich.console import Console

from gridbeam.distributed.attempts import Attempts, is_hopeless, left
from gridbeam.distributed.carrying import Crew
from gridbeam.distributed.engines import WorkerEngine, pool_of
from gridbeam.distributed.gather import gathered, is_whole
from gridbeam.distributed.manifest import Manifest, Shard, Writing, manifest_in, published
from gridbeam.distributed.parts import PartFiles, ShardPiece
from gridbeam.distributed.plan import cut
from gridbeam.distributed.reading import PieceReader
from gridbeam.distributed.spread import ShardShare
from gridbeam.distributed.translating import (
    Greeting,
    Order,
    TranslatingHand,
    TranslationJob,
    refuse_differing,
    set_aside,
)
from gridbeam.documents.registry import format_of
from gridbeam.files.journal import RunHeader, refuse_another
from gridbeam.files.summary import Summary
from gridbeam.support.output_files import claim
from gridbeam.support.progress import progress
from gridbeam.support.signature import digest


def translate_sharded(
    job: TranslationJob,
    engine: WorkerEngine,
    *,
    share: ShardShare | None = None,
    shards: int | None = None,
    restart: bool = False,
    console: Console | None = None,
) -> Summary | str:
    """Does all shards that are not done yet and writes the output, or does a share of them.

    Of a share comes back what is to be said of it.
    """
    folder = job.folder
    folder.mkdir(exist_ok=True)
    with _claimed(folder, share):
        if restart:
            _clear(folder)
        manifest = manifest_in(folder)
        digest_of_input = digest(job.path)
        if manifest is not None:
            refuse_another(folder, manifest.header, _header_now(job, manifest, digest_of_input))
        run = _ShardedRun(job, engine, share, shards, digest_of_input, manifest, console)
        manifest = run.carried_out()
    if share is not None:
        return _said_of(share, manifest, folder)
    return gathered(folder, manifest, Writing.of(job.given), job.given.report)


class _ShardedRun:
    """The tasks of a run: planned when the first worker has told what the model is."""

    def __init__(
        self,
        job: TranslationJob,
        engine: WorkerEngine,
        share: ShardShare | None,
        shards: int | None,
        digest_of_input: str,
        manifest: Manifest | None,
        console: Console | None,
    ) -> None:
        self._job, self._engine, self._share, self._shards = job, engine, share, shards
        self._digest, self._manifest, self._console = digest_of_input, manifest, console
        self._attempts = Attempts(job.folder)
        self._queue: deque[ShardPiece] = deque()
        self._held: list[ShardPiece] = []
        self._open = ExitStack()
        self._advance: Callable[[], None] = lambda: None

    def carried_out(self) -> Manifest:
        """Does what is to be done, and gives the manifest, which there is at the latest then."""
        with self._open:
            if self._manifest is not None:
                self._fill(self._manifest)
            if self._manifest is None or self._queue:
                self._work()
        assert self._manifest is not None
        return self._manifest

    def _work(self) -> None:
        most = self._engine.workers if self._manifest is None else len(self._queue)
        try:
            with pool_of(partial(TranslatingHand, self._job), self._engine) as (pool, workers):
                Crew(pool, min(workers, most)).carry_out(self)
        except BaseException as error:  # no piece that is amid is to blame
            for piece in self._held:
                self._attempts.withdraw(piece)
            if isinstance(error, KeyboardInterrupt):
                error.args = (f"stopped; the same command goes on with {self._job.folder}",)
            raise

    @property
    def is_open(self) -> bool:
        """Whether there is a piece that nobody has been given."""
        return bool(self._queue)

    def greeted(self, greeting: Greeting) -> None:
        """Plans, where that is not done yet, and refuses workers that have something else."""
        if self._manifest is None:
            self._manifest = self._planned(greeting)
            self._fill(self._manifest)
        refuse_differing(greeting, self._manifest.header)

    def next(self) -> Order:
        """The next piece, of the first shard that is not done."""
        assert self._manifest is not None
        piece = self._queue.popleft()
        self._held.append(piece)
        return Order(self._manifest.id, piece)

    def done(self, order: Order, count: int) -> None:
        """Shows how far it is."""
        self._held.remove(order.piece)
        self._settle(order.piece, count)

    def died(self, order: Order, why: str) -> None:
        """Puts in front what is left of a piece, in halves, or sets aside what is but a segment."""
        self._held.remove(order.piece)
        if self._attempts.count(order.piece):
            self._attempts.failed(order.piece, why)
        self._put_in_front(order.piece)

    def _settle(self, piece: ShardPiece, count: int) -> None:
        is_whole(ShardPiece.whole(piece.shard), self._parts, self._attempts)
        for _ in range(count):
            self._advance()

    def _put_in_front(self, piece: ShardPiece) -> None:
        for each in reversed([*left(piece, self._parts, self._attempts)]):
            if is_hopeless(each, self._attempts):
                self._set_aside(each)
            else:
                self._queue.appendleft(each)

    def _set_aside(self, piece: ShardPiece) -> None:
        """Writes down that a segment could not be translated."""
        assert self._manifest is not None
        reader = PieceReader(self._job.path, self._job.given.format, self._manifest.languages)
        why = self._attempts.why(piece)
        tries = self._attempts.count(piece)
        segments = reader.segments(piece)
        self._parts.write(piece, [set_aside(each, tries, why) for each in segments])
        self._attempts.forget(piece)
        self._settle(piece, 1)

    def _planned(self, greeting: Greeting) -> Manifest:
        job = self._job
        form = format_of(job.path, job.given.format)
        document = form.open(job.path, greeting.languages)
        share = self._share or ShardShare()
        instructions = job.instructions(greeting.languages)
        workers = self._engine.workers * share.count
        manifest = Manifest(
            {**greeting.header, "input": self._digest},
            Writing.of(job.given),
            job.path.stat().st_size,
            cut(document, form, instructions, workers=workers, shards=self._shards),
        )
        found = published(manifest, job.folder)
        refuse_another(job.folder, found.header, manifest.header)
        return found

    def _fill(self, manifest: Manifest) -> None:
        """Finds what is to be done, and how much is done already."""
        self._parts = PartFiles(self._job.folder, manifest.id)
        share = self._share or ShardShare()
        mine = manifest.chosen(share.index, share.count)
        open_ = [each for each in mine if not self._is_done(each)]
        due, missing = (sum(each.due for each in some) for some in (mine, open_))
        bar = progress(self._console, due, due - missing)
        self._advance = self._open.enter_context(bar)
        for shard in reversed(open_):
            self._put_in_front(ShardPiece.whole(shard))

    def _is_done(self, shard: Shard) -> bool:
        return is_whole(ShardPiece.whole(shard), self._parts, self._attempts)


def _header_now(job: TranslationJob, manifest: Manifest, input: str) -> RunHeader:
    """What the run would be begun with today; the model is asked later for what only it knows."""
    document = format_of(job.path, job.given.format).open(job.path, manifest.languages)
    return job.header(document.format, manifest.languages, input=input)


@contextmanager
def _claimed(folder: Path, share: ShardShare | None) -> Iterator[None]:
    """Within it, no other run does the same shards; elsewhere is what a disk has no locks for."""
    name = "all" if share is None else f"{share.index}-of-{share.count}"
    path = folder / f".{name}.lock"
    with path.open("ab") as file:
        claim(file, folder)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _clear(folder: Path) -> None:
    """Takes away all that a run has made, but for the output."""
    (folder / "manifest.json").unlink(missing_ok=True)
    for name in ("parts", "attempts"):
        shutil.rmtree(folder / name, ignore_errors=True)


def _said_of(share: ShardShare, manifest: Manifest, folder: Path) -> str:
    parts, attempts = PartFiles(folder, manifest.id), Attempts(folder)
    done = sum(is_whole(ShardPiece.whole(each), parts, attempts) for each in manifest.shards)
    mine = len(manifest.chosen(share.index, share.count))
    what_next = (
        f"gridbeam gather {folder} writes the output"
        if done == len(manifest.shards)
        else f"when all are, gridbeam gather {folder} writes the output"
    )
    return (
        f"{mine:,} shards of share {share.index} of {share.count} are done;"
        f" {done:,} of all {len(manifest.shards):,}: {what_next}"
    )
