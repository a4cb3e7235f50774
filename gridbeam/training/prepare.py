"""From files of parallel text to encoded pairs on disk: vocabulary learned, corpora encoded, once.

What is encoded is kept under a name made of the text's hash and of all that it was encoded with, so
nothing stale is ever used.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path

import sentencepiece
import torch

from gridbeam.errors import UserError
from gridbeam.support.signature import digest
from gridbeam.text.languages import language
from gridbeam.text.parallel import aligned, lines
from gridbeam.training import corpus, sentencepieces
from gridbeam.training.alignment import Aligner
from gridbeam.training.config import Config, Corpus
from gridbeam.training.corpus import Cleaning, Pairs
from gridbeam.training.events import Prepared
from gridbeam.training.held_out import without_held_out
from gridbeam.training.placeholding import with_placeholders
from gridbeam.training.sentencepieces import TELLING
from gridbeam.training.telling import RandomTeller, told_pairs
from gridbeam.training.varying import varied


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
    encoded: Path
    """The file of the text as it is, where `path` is that of sources that tell terms."""

    @property
    def is_told(self) -> bool:
        """Whether sources tell terms."""
        return self.path != self.encoded


def prepare(
    config: Config,
    data: Path,
    vocabulary: Path,
    folder: Path,
    device: torch.device | str = "cpu",
) -> Iterator[Prepared]:
    """Learns the vocabulary, encodes all text and tells terms, unless that is done.

    What translates what is found out on the device.
    """
    for name in _all_names(config):
        _file(data, name)
    if not vocabulary.exists():
        _learn_vocabulary(config, data, vocabulary)
    sets = text_sets(config, data, vocabulary, folder)
    untold = [item for item in sets if not item.path.exists()]
    languages = {item.pair.language for item in untold if item.is_told}
    needed = [item for item in sets if item in untold or item.pair.language in languages]
    for item in {each.encoded: each for each in needed}.values():
        if not item.encoded.exists():
            yield _prepare(item, data, vocabulary)
    for each in sorted(languages):
        own = [item for item in needed if item.pair.language == each]
        _tell([item for item in own if item.kind == "corpus"], vocabulary, device)


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
            changes = [pair.placeholders, pair.varied, pair.held_out, config.seed]
            about = f"{pieces}{files}{cleaning}{tag}{changes if any(changes[:-1]) else ''}"
            encoded, told = (
                _named(folder, kind, pair, f"{about}{share or ''}") for share in (0, pair.told)
            )
            sets.append(TextSet(pair, kind, cleaning, tag, config.seed, told, encoded))
    return sets


def _named(folder: Path, kind: str, pair: Corpus, about: str) -> Path:
    """The file for what is made of a pair of files in a way that `about` says."""
    key = sha256(about.encode()).hexdigest()[:12]
    return folder / f"{kind}-{Path(pair.target).name.removesuffix('.xz')}-{key}.npz"


def digests(config: Config, data: Path) -> dict[str, str]:
    """The hash of every file of text, for the signature of a run."""
    return {name: digest(_file(data, name)) for name in _all_names(config)}


def _learn_vocabulary(config: Config, data: Path, vocabulary: Path) -> None:
    tags = [
        tag
        for tag in (sentencepieces.tag_of(target, config.targets) for target in config.targets)
        if tag
    ]
    start, file = config.training.start_from, config.vocabulary.file
    if start or file:
        sentencepieces.adopt(
            Path(file) if file else Path(start, "source.spm"),
            vocabulary,
            tags=tags,
            markers=TELLING if config.is_told else (),
        )
        return
    files = dict.fromkeys(
        data / name for pair in config.corpus for name in (pair.source, pair.target)
    )
    texts = (line for line in chain.from_iterable(map(lines, files)) if line.strip())
    sentencepieces.learn(
        texts,
        vocabulary,
        config.vocabulary,
        tags=tags,
        markers=TELLING if config.is_told else (),
        seed=config.seed,
    )


def _prepare(item: TextSet, data: Path, vocabulary: Path) -> Prepared:
    made = corpus.encode(
        _texts(item, data),
        vocabulary,
        tag=item.tag,
        cleaning=item.cleaning,
        threads=os.cpu_count() or 1,
    )
    item.encoded.parent.mkdir(parents=True, exist_ok=True)
    made.pairs.save(item.encoded)
    return Prepared(item.pair.target, len(made.pairs), made.read, made.dropped, made.first)


def _texts(item: TextSet, data: Path) -> Iterator[tuple[str, str]]:
    """The pairs of two files, changed as the configuration says."""
    pair = item.pair
    texts = aligned(data / pair.source, data / pair.target)
    if pair.held_out:
        texts = without_held_out(texts, pair.held_out)
    if pair.placeholders:
        texts = with_placeholders(texts, pair.placeholders, item.seed)
    if pair.varied:
        capitalises = language(pair.language) == "de"
        texts = varied(texts, pair.varied, item.seed, capitalises=capitalises)
    return texts


def _tell(sets: Sequence[TextSet], vocabulary: Path, device: torch.device | str) -> None:
    """Writes the told files of one language, by an alignment learned from all its text."""
    encoded = {item.encoded: Pairs.load(item.encoded) for item in sets}
    size = len(sentencepiece.SentencePieceProcessor(model_file=str(vocabulary)))
    aligner = Aligner.learned(Pairs.joined(encoded.values()), size, device=device)
    for item in sets:
        if item.is_told and not item.path.exists():
            told = told_pairs(
                encoded[item.encoded],
                aligner,
                RandomTeller(vocabulary, item.pair.language),
                share=item.pair.told,
                seed=item.seed,
            )
            told.save(item.path)


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
