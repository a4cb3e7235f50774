"""From files of parallel text to encoded pairs on disk: vocabulary learned, corpora encoded, once.

What is encoded is kept under a name made of the text's hash and of all that it was encoded with, so
nothing stale is ever used.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path

from gridbeam.errors import UserError
from gridbeam.support.signature import digest
from gridbeam.text.parallel import aligned, lines
from gridbeam.training import corpus, sentencepieces
from gridbeam.training.config import Config, Corpus
from gridbeam.training.corpus import Cleaning
from gridbeam.training.events import Prepared
from gridbeam.training.placeholding import with_placeholders


@dataclass(frozen=True)
class TextSet:
    """Parallel text, and the file that holds it once it is encoded."""

    pair: Corpus
    kind: str
    """corpus or development."""
    cleaning: Cleaning
    tag: str
    seed: int
    path: Path


def prepare(config: Config, data: Path, vocabulary: Path, folder: Path) -> Iterator[Prepared]:
    """Learns the vocabulary and encodes all text, unless that is done."""
    for name in _all_names(config):
        _file(data, name)
    if not vocabulary.exists():
        _learn_vocabulary(config, data, vocabulary)
    missing = {
        item.path: item
        for item in text_sets(config, data, vocabulary, folder)
        if not item.path.exists()
    }
    for item in missing.values():
        yield _prepare(item, data, vocabulary)


def text_sets(config: Config, data: Path, vocabulary: Path, folder: Path) -> list[TextSet]:
    """All corpora and development sets of a configuration; `folder` has the encoded ones."""
    every = Cleaning(
        max_tokens=config.network.positions - 2, max_ratio=1e9, unique=False, drop_copies=False
    )
    pieces = digest(vocabulary)
    sets = []
    for kind, cleaning in (("corpus", config.cleaning), ("development", every)):
        for pair in getattr(config, kind):
            tag = sentencepieces.tag_of(pair.language, config.targets)
            files = [digest(_file(data, name)) for name in (pair.source, pair.target)]
            changes = (pair.placeholders, config.seed) if pair.placeholders else ""
            key = sha256(f"{pieces}{files}{cleaning}{tag}{changes}".encode()).hexdigest()[:12]
            name = f"{kind}-{Path(pair.target).name.removesuffix('.xz')}-{key}"
            sets.append(TextSet(pair, kind, cleaning, tag, config.seed, folder / f"{name}.npz"))
    return sets


def digests(config: Config, data: Path) -> dict[str, str]:
    """The hash of every file of text, for the signature of a run."""
    return {name: digest(_file(data, name)) for name in _all_names(config)}


def _learn_vocabulary(config: Config, data: Path, vocabulary: Path) -> None:
    tags = [
        tag
        for tag in (sentencepieces.tag_of(target, config.targets) for target in config.targets)
        if tag
    ]
    start = config.training.start_from
    if start or config.vocabulary.file:
        sentencepieces.adopt(
            Path(start, "source.spm") if start else Path(config.vocabulary.file),
            vocabulary,
            tags=tags,
        )
        return
    files = dict.fromkeys(
        data / name for pair in config.corpus for name in (pair.source, pair.target)
    )
    texts = (line for line in chain.from_iterable(map(lines, files)) if line.strip())
    sentencepieces.learn(texts, vocabulary, config.vocabulary, tags=tags, seed=config.seed)


def _prepare(item: TextSet, data: Path, vocabulary: Path) -> Prepared:
    texts = aligned(data / item.pair.source, data / item.pair.target)
    if item.pair.placeholders:
        texts = with_placeholders(texts, item.pair.placeholders, item.seed)
    made = corpus.encode(
        texts, vocabulary, tag=item.tag, cleaning=item.cleaning, threads=os.cpu_count() or 1
    )
    item.path.parent.mkdir(parents=True, exist_ok=True)
    made.pairs.save(item.path)
    return Prepared(item.pair.target, len(made.pairs), made.read, made.dropped, made.first)


def _all_names(config: Config) -> dict[str, None]:
    return dict.fromkeys(
        name
        for pair in (*config.corpus, *config.development)
        for name in (pair.source, pair.target)
    )


def _file(data: Path, name: str) -> Path:
    path = data / name
    if not path.is_file():
        raise UserError(f"{path} is not there. Check the configuration, and --data.")
    return path
