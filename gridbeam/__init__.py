"""gridbeam: say what a text must contain, and any model writes the rest around it.

The map, from the top down; a file imports from its own layer or below.

edges: nobody imports these
    cli/__init__.py  the commands: each parses, calls one function and prints
    cli/translation.py   translate, explain, score
    cli/glossaries.py    terms, glossary
    cli/models.py        train, curve, evaluate, export
    cli/experiments.py   experiment
    cli/commands.py      what all of them share
    __main__.py      `python -m gridbeam`

work: what is done with it
    evaluate.py      a test set translated and scored
    score.py         files of translations scored against references, and against another system
    scoretable.py    the scores as text, JSON or a table for LaTeX
    explain.py       how a translation was found, for the terminal and as pages
    report.py        the logs of experiments as tables and figures
    postedit.py      a sentence translated together with its user: each correction is a constraint
    experiments/__init__.py      the paper's experiments
    experiments/log.py           the log of a run, which it goes on from
    experiments/pickrevise.py    section 4.1: users correct all translations of a test set, cycle by cycle
    experiments/users.py         simulated users: pick and revise, go on from a prefix, keep segments
    experiments/picking.py       which phrase of the reference a user picks
    experiments/reference.py     a reference as words
    experiments/draft.py         a sentence after a cycle
    experiments/cycles.py        what a cycle came to
    experiments/effort.py        what corrections cost: words typed, KSMR
    experiments/outside.py       section 4.3: what gets better outside the words that were given
    experiments/examples.py      section 4.3: the sentences that corrections helped most
    experiments/cycletable.py    Pick-Revise as tables, beside the paper's numbers
    experiments/terminology.py   section 4.2: a terminology, by search, by rule and by placeholders
    experiments/placement.py     terms put into a translation at random, or at its beginning
    experiments/placeholder.py   terms hidden behind placeholders, and put back
    experiments/dictionary.py    news with a few dictionary terms for each sentence
    experiments/ablations.py     what the paper left open: the same constraints, searched in several ways
    experiments/allocation.py    dynamic beam allocation, to compare with
    experiments/translations.py  many requests translated into a log
    experiments/comparisons.py   terminology, dictionary terms and ablations as tables
    experiments/paper.py         the paper's numbers, and others
    experiments/table.py         a table as Markdown or LaTeX
    files/__init__.py        a file in, a file out: no finished segment is lost, nothing is half-written
    files/order.py           what the command line asks for, and whether that can be done
    files/command.py         the order carried out
    files/single.py          a text in, its translation out
    files/stream.py          lines in, lines out, each as soon as it can be
    files/pipeline.py        segments in, outcomes out, in batches; what contradicts is left out where that is wanted
    files/instructions.py    how segments are to be translated, and the glossary from its files
    files/task.py            what is asked of a segment: placeholders, the file's wishes, the glossary's terms
    files/outcome.py         what came of a segment
    files/journal.py         finished segments on disk
    files/output.py          the file with its translations, or a line for each segment
    files/report.py          each term, where it was due and met
    files/page.py            the report as a page
    files/summary.py         what there is to say at the end
    files/progress.py        how far a run is
    training/__init__.py     a configuration in, a model out: train
    training/run.py          the loop: updates, validations, checkpoints, resumed as if never broken off
    training/updates.py      one update after the other: gradient, clipping, a step
    training/graphs.py       updates as CUDA graphs
    training/config.py       what to train, on what and how: a TOML file
    training/prepare.py      from files of parallel text to encoded pairs on disk
    training/placeholding.py pairs with placeholders, from pairs that have none
    training/sentencepieces.py  a shared vocabulary, learned, and as the tokenizer of a model folder
    training/minibatches.py  batches of like lengths, anew in each epoch
    training/learners.py     the networks with their loss: a Marian transformer, the paper's GRU
    training/losses.py       the loss over a large vocabulary, some tokens at a time
    training/optimizers.py   AdamW, AdaDelta, and the learning rate over the updates
    training/checkpoint.py   the state of a run on disk, always whole
    training/ranks.py        several processes with a GPU each
    training/events.py       what happens, as it is shown and logged
    training/meter.py        how fast it goes, between two reports
    training/log.py          the log: a line of JSON for everything that happens
    training/show.py         a run as it happens, on the terminal
    training/curve.py        learning curves

translation: text in, text out
    translate.py     Translator: the one place where text meets search
    translation.py   Request, Translation: what crosses every edge
    planning.py      one request: the searches it takes, and the translation that they make
    assign.py        which sentence of a text each constraint goes to; plans that are searched side by side
    across.py        what reaches across the end of a sentence, and the sentences that are searched as one for it
    combine.py       the translations of a text from those of its sentences
    jobs.py          many searches in batches
    foreign.py       what a model has no letters for, kept as it stands
    characters.py    the characters that each token writes, and where in them a phrase stands
    sentences.py     a text as sentences and the white space around them
    corpus.py        parallel text: read, cleaned, encoded
    documents/__init__.py  files of segments: opened, read, and written with translations, all else as it was
    documents/segment.py   a segment of a file
    documents/text.py      plain text, line for line
    documents/tsv.py       sources and their constraints in columns
    documents/jsonl.py     a line of JSON for a segment
    documents/moses.py     text with translations in its markup
    documents/po.py        PO
    documents/xliff1.py    XLIFF 1.2
    documents/xliff2.py    XLIFF 2
    documents/tmx.py       TMX
    documents/markup.py    XML read with the places of its parts
    documents/lines.py     files that are lines
    documents/splice.py    new bytes in place of old ones, all else untouched
    inline.py        text with inline codes, as values
    placeholders.py  what in a text is not language
    protection.py    the text as a model should see it, and its constraints
    projection.py    where codes belong in a translation
    restoration.py   everything put back
    glossary.py      what a term must become: Entry, Glossary
    glossaries/__init__.py   glossary files: read, write, convert
    glossaries/separated.py  TSV and CSV
    glossaries/rows.py       entries as rows of columns, for TSV, CSV and XLSX
    glossaries/header.py     which column is what, by the first row
    glossaries/tbx.py        TBX: martif, DCA, DCT and Min
    glossaries/termbase.py   the terms of a TBX file
    glossaries/tbxwriting.py TBX, written
    glossaries/xlsx.py       XLSX
    glossarycheck.py what is wrong with a glossary: conflicts, duplicates, what cannot be written
    matching.py      the terms of a glossary that a text contains, and the constraints they make
    termindex.py     100,000 terms at once: Aho-Corasick over words
    inflection.py    the forms of a term that a text has
    lemmas.py        words and their lemmas, by simplemma
    words.py         the words of a text and where they stand
    terms.py         bilingual terms from parallel text, by the paper's NPMI
    ngrams.py        the n-grams of a text, counted by segment
    tokenise.py      words and marks of a text, for counting
    metrics.py       BLEU, chrF and TER through sacrebleu, with signatures
    resampling.py    whether a difference between two systems is more than luck
    dueterms.py      the terms that are due in each segment, by a glossary or by a list
    termscores.py    how well translations use terms, as in the WMT21 task on terminologies
    termedits.py     TERm: an edit rate in which mistakes at terms cost more
    wording.py       texts that say the same, and where in a line one of them stands
    writing.py       files that are there whole or not at all
    signature.py     the line under every number: versions, commit, machine; digests of files
    figures.py       pictures by matplotlib
    generate.py      GridBeamSearch: the search as a decoding method of transformers' `generate`
    outputs.py       what `generate` gives back: its usual tensors, and where each constraint was met

search: how it is found
    search.py        constraints in, hypotheses out; checks, spans, the promises kept
    fallback.py      a text that meets the constraints when every beam has lost it
    decode.py        the loop: one model.step a column for all live hypotheses
    record.py        what stayed in each column: tracing back, and the recorded grid
    finished.py      the best finished hypotheses, and when nothing can beat them
    extend.py        every way a column may go on: generate, start, continue
    keep.py          the k best of each row
    grid.py          a column as tensors: all live hypotheses, and their candidates
    tables.py        the automata of a batch as look-up tables
    algorithm1.py    the paper's Algorithm 1 on one page of plain Python; slow, trusted, no torch
    options.py       how to search: the options, checked
    scoring.py       the score of a growing hypothesis: the paper's, or the user's own
    hypothesis.py    what comes out: Hypothesis, Origin, Trace
    draw/__init__.py     a recorded grid as text, SVG or a page of HTML
    draw/page.py         one self-contained page: the text, both figures, each hypothesis on demand
    draw/script.py       the script of the page
    draw/graph.py        Figure 3 of the paper as SVG: the search graph
    draw/grid.py         Figure 1 of the paper as SVG: beams, strips, the path that won
    draw/figure.py       a figure in parts, and as an SVG file
    draw/style.py        colours by day and by night, style, patterns
    draw/text.py         the grid in characters
    draw/recorded.py     a recorded grid as pictures need it: places, rows, paths, texts so far
    draw/words.py        the text of tokens made fit for a picture

models: what is likely
    models/__init__.py   the protocol: start, step, select
    models/load.py       models by name: builtin:PAIR (in models/builtin, with its card), hf:NAME, gru:FOLDER
    models/languages.py  the languages of a model, and how it is told which
    models/eightbit.py   a model in 8 bits for a weight: store, restore
    models/folders.py    what is read from a folder: no code unasked, and damage is an error that says what to do
    models/gru.py        the paper's model as a `Model`, and as a folder
    models/attentional.py  its network: a bidirectional GRU encoder, a GRU decoder with attention
    models/recurrences.py  what it does at each token, and over whole texts with gradients by hand
    models/toy.py        a bigram model and a vocabulary of words, for tests and teaching
    models/huggingface.py  any Hugging Face encoder-decoder or causal model
    models/batches.py    many sources as one batch of model inputs
    models/memory.py     what rows remember, shared or copied
    models/places.py     rows of many sentences as a table with a line for each
    models/sharing.py    keys and values stored once for all rows of a sentence
    models/attention.py  attention over what is shared and what is a row's own
    models/positions.py  how many tokens a network can place
    models/processors.py the logits processors of transformers, for rows that come and go
    models/ensemble.py   several models that answer as one

language: what must be said (no torch)
    feasibility.py   can the constraints be met at all, and if not, which are to blame
    subwords.py      phrases of text in the tokens of a tokenizer, whole words, in any case, inflected
    spelling.py      one text in the pieces of a vocabulary: every way to write it
    vocabulary.py    the text that each token of a tokenizer adds, and what may stand beside it
    automaton.py     all constraints of a text: progress, wanted tokens, tokens owed
    machine.py       one constraint as a deterministic automaton
    nfa.py           one pattern as a nondeterministic one
    occurrences.py   where a pattern occurs in a text; check
    notation.py      constraints as JSON
    constraints.py   the terms: Phrase, AnyOf, InOrder, Gap, Avoid, Prefix

errors.py            UserError, Unsatisfiable, UserNotice, ModelError
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gridbeam import draw, notation, scoring
from gridbeam.constraints import AnyOf, Avoid, Gap, InOrder, Phrase, Prefix
from gridbeam.errors import ModelError, Unsatisfiable, UserError
from gridbeam.hypothesis import Hypothesis, Origin
from gridbeam.occurrences import Verdict, check
from gridbeam.scoring import never_rises
from gridbeam.search import search
from gridbeam.subwords import Subwords

if TYPE_CHECKING:
    from gridbeam.generate import GridBeamSearch
    from gridbeam.translate import Request, Translation, Translator

__all__ = [
    "AnyOf",
    "Avoid",
    "Gap",
    "GridBeamSearch",
    "Hypothesis",
    "InOrder",
    "ModelError",
    "Origin",
    "Phrase",
    "Prefix",
    "Request",
    "Subwords",
    "Translation",
    "Translator",
    "Unsatisfiable",
    "UserError",
    "Verdict",
    "check",
    "draw",
    "never_rises",
    "notation",
    "scoring",
    "search",
]

__version__ = "0.1.0"


_LATER = {"GridBeamSearch": "generate", "Request": "translate", "Translation": "translate", "Translator": "translate"}


def __getattr__(name: str) -> Any:
    """Names that are loaded when they are first asked for: transformers and all that reads text take a while to load."""
    if name not in _LATER:
        raise AttributeError(f"module 'gridbeam' has no attribute {name!r}")
    return getattr(import_module(f"gridbeam.{_LATER[name]}"), name)
