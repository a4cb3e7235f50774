"""Grid beam search through transformers' own `generate`: `model.generate(..., custom_generate=GridBeamSearch(tokenizer))`.

`generate` prepares inputs, logits processors and stopping criteria as ever, and hands them over here with a row for each beam.
What comes back are its usual beam outputs, with three fields more.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from transformers import GenerationConfig, LogitsProcessorList, PreTrainedModel, StoppingCriteriaList
from transformers.generation.stopping_criteria import EosTokenCriteria, MaxLengthCriteria
from transformers.generation.utils import GenerateBeamDecoderOnlyOutput, GenerateBeamEncoderDecoderOutput

from gridbeam.automaton import Coverage
from gridbeam.constraints import AnyOf, Case, Constraint, Constraints, Gap, InOrder, Phrase, Prefix, as_constraints
from gridbeam.errors import UserError
from gridbeam.hypothesis import Hypothesis
from gridbeam.models import ends_of
from gridbeam.models.huggingface import HuggingFace
from gridbeam.occurrences import Spans
from gridbeam.options import CutOff
from gridbeam.scoring import Ended, Stop
from gridbeam.search import search
from gridbeam.subwords import Subwords

NO_ORIGIN = -1
"""In place of an `Origin`: a token of the prompt, or padding."""

_STOP: dict[Any, Stop] = {True: "first", False: "likely", "never": "exact"}
"""The rules of transformers' early_stopping."""


class GridBeamOutput:
    """What constrained decoding adds to the outputs of `generate`, one entry for each returned sequence."""

    # Not fields of the dataclasses below: some models take those apart and know only the usual ones.
    constraints_met: list[list[bool]] | None = None
    """For each constraint of the row, in the order it was given, whether it is met: always, unless there is no such text."""
    constraint_spans: list[tuple[Spans, ...]] | None = None
    """For each constraint the stretches of `sequences` that cover it: (first position, the one after the last)."""
    origins: Int[Tensor, "sequence length"] | None = None
    """For each position of `sequences`, whether it was generated (0), starts a constraint (1) or continues one (2); or -1."""
    hypotheses: list[Hypothesis | None] | None = None
    """The sequences as `gridbeam.search` returns them, log-probabilities and recorded grids included."""


class GridBeamDecoderOnlyOutput(GridBeamOutput, GenerateBeamDecoderOnlyOutput):
    """The output of a causal model."""


class GridBeamEncoderDecoderOutput(GridBeamOutput, GenerateBeamEncoderDecoderOutput):
    """The output of an encoder-decoder model."""


class GridBeamSearch:
    """A decoding method for `generate`: beam search that meets constraints, different ones for each row.

    The options hold for every call; those of `generate` (num_beams, max_new_tokens, length_penalty and so on) go to it as ever.
    Without a tokenizer constraints are given as token ids.
    """

    def __init__(
        self,
        tokenizer: Any = None,
        *,
        case: Case = "exact",
        whole_word: bool = True,
        coverage: Coverage = "contains",
        ended: Ended = "set_aside",
        budget: int | None = None,
        trace: bool = False,
    ) -> None:
        self.tokenizer = getattr(tokenizer, "tokenizer", tokenizer)
        self._spelling: dict[str, Any] = {"case": case, "whole_word": whole_word}
        self._options: dict[str, Any] = {"coverage": coverage, "ended": ended, "budget": budget, "trace": trace}
        self._subwords: dict[frozenset[int], Subwords] = {}
        if self.tokenizer is not None:
            self._subwords_for(frozenset())

    def __call__(
        self,
        model: PreTrainedModel,
        input_ids: Int[Tensor, "row length"],
        logits_processor: LogitsProcessorList | None = None,
        stopping_criteria: StoppingCriteriaList | None = None,
        generation_config: GenerationConfig | None = None,
        constraints: Sequence[Constraints] | None = None,
        **model_kwargs: Any,
    ) -> Tensor | GridBeamDecoderOnlyOutput | GridBeamEncoderDecoderOutput:
        """Called by `generate`; `constraints` has one entry for each row of the batch, perhaps empty."""
        config: Any = generation_config or model.generation_config
        _refuse_what_is_not_honoured(config, model_kwargs)
        adapter = HuggingFace(model, logits_processor=logits_processor, generation_config=config)
        prompts, sources = _rows(input_ids, model_kwargs, config, has_encoder=model.config.is_encoder_decoder)
        if self.tokenizer is not None:
            _check_fit(self._subwords_for(frozenset()), model, adapter.vocab_size)
        terms = self._terms(constraints, config, adapter, prompts, has_encoder=model.config.is_encoder_decoder)
        found = search(
            adapter,
            sources,
            terms,
            beam=config.num_beams,
            max_length=config.max_length - input_ids.shape[1],
            n_best=config.num_return_sequences,
            length_penalty=config.length_penalty,
            force_end=False,
            stop=_STOP[config.early_stopping],
            cut_off=_cut_off(stopping_criteria, prompts),
            **self._options,
        )
        output = _Output(found, terms, prompts, config)
        if not config.return_dict_in_generate:
            return output.sequences
        scores = output.step_scores(adapter, sources) if config.output_scores else None
        kind = GridBeamEncoderDecoderOutput if model.config.is_encoder_decoder else GridBeamDecoderOnlyOutput
        usual: dict[str, Any] = {"scores": scores, "beam_indices": output.beam_indices}
        result = kind(sequences=output.sequences, sequences_scores=output.sequences_scores, **usual)  # type: ignore[arg-type]
        result.constraints_met, result.constraint_spans = output.constraints_met, output.constraint_spans
        result.origins, result.hypotheses = output.origins, output.best
        return result

    def _terms(
        self,
        constraints: Sequence[Constraints] | None,
        config: Any,
        adapter: HuggingFace,
        prompts: Int[Tensor, "source length"],
        *,
        has_encoder: bool,
    ) -> list[list[Constraint]]:
        """The constraints of each row, spelled in token ids, those of `force_words_ids` among them."""
        rows = len(prompts)
        if constraints is None:
            constraints = getattr(config, "constraints", None)  # where Whisper's own `generate` puts them
        if constraints is not None and (isinstance(constraints, str | Constraint) or len(constraints) != rows):
            count = "one constraint" if isinstance(constraints, str | Constraint) else f"{len(constraints)} entries"
            raise UserError(f"constraints: {count} for {rows} rows. Give a list with one list of constraints for each row.")
        forced = _forced_words(config.force_words_ids)
        opens = frozenset([config.forced_bos_token_id] if config.forced_bos_token_id is not None else [])
        found = []
        for number, prompt in enumerate(prompts.tolist()):
            try:
                given = (*as_constraints(constraints[number] if constraints is not None else ()), *forced)
                found.append([self._spelled(term, opens, adapter, None if has_encoder else prompt[-1]) for term in given])
            except UserError as error:
                raise type(error)(f"constraints[{number}]: {error}") from None
        return found

    def _spelled(self, term: Constraint, opens: frozenset[int], adapter: HuggingFace, last: int | None) -> Constraint:
        if self.tokenizer is not None:
            subwords = self._subwords_for(opens)
            term = subwords.spelled(term, ends_of(adapter), may_open=last not in subwords.vocabulary.before_a_word.part)
        if isinstance(term, Prefix) and opens:
            term = Prefix(InOrder(Phrase(opens), Gap(0, 0), term.pattern))
        return term

    def _subwords_for(self, opens: frozenset[int]) -> Subwords:
        if opens not in self._subwords:
            self._subwords[opens] = Subwords(self.tokenizer, opens=opens, **self._spelling)
        return self._subwords[opens]


def _rows(
    input_ids: Int[Tensor, "row length"], model_kwargs: Mapping[str, Any], config: Any, *, has_encoder: bool
) -> tuple[Int[Tensor, "source length"], list[dict[str, Tensor]]]:
    """The prompt and the model inputs of each source: `generate` repeats every row for its beams."""
    repeats = max(config.num_beams, config.num_return_sequences)
    prompts = input_ids[::repeats]
    inputs = {"decoder_input_ids" if has_encoder else "input_ids": prompts}
    for name, value in model_kwargs.items():
        tensor = value.last_hidden_state if name == "encoder_outputs" and value is not None else value
        if isinstance(tensor, Tensor) and tensor.ndim and len(tensor) == len(input_ids):
            inputs[name] = tensor[::repeats]
    return prompts, [{name: value[row] for name, value in inputs.items()} for row in range(len(prompts))]


def _forced_words(force_words_ids: Any) -> list[Constraint]:
    """The constraints of transformers 4: each a phrase in token ids, or a list of alternatives."""
    found: list[Constraint] = []
    for word in force_words_ids or ():
        is_phrase = bool(word) and isinstance(word[0], int)
        found.append(Phrase(word) if is_phrase else AnyOf(*map(Phrase, word)))
    return found


def _cut_off(criteria: StoppingCriteriaList | None, prompts: Int[Tensor, "source length"]) -> CutOff | None:
    """The stopping criteria of the user's own; the end token and the length are minded by the search."""
    own = [c for c in criteria or () if not isinstance(c, MaxLengthCriteria | EosTokenCriteria)]

    def cut_off(sentence: Int[Tensor, "text"], tokens: Int[Tensor, "text length"]) -> Bool[Tensor, "text"]:
        ids = torch.cat([prompts[sentence], tokens], 1)
        is_done = torch.zeros_like(sentence, dtype=torch.bool)
        for criterion in own:
            is_done |= torch.as_tensor(criterion(ids, None), device=is_done.device)
        return is_done

    return cut_off if own else None


_REFUSED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "do_sample": (bool, "grid beam search does not sample; leave it out, and Whisper's fallback to other temperatures too"),
    "output_attentions": (bool, "attentions are not kept; leave it out"),
    "output_hidden_states": (bool, "hidden states are not kept; leave it out"),
    "output_logits": (bool, "logits are not kept; ask for output_scores"),
    "penalty_alpha": (lambda value: bool(value), "contrastive search is another method; leave it out"),
    "dola_layers": (lambda value: value is not None, "DoLa is another method; leave it out"),
    "prompt_lookup_num_tokens": (lambda value: value is not None, "assisted decoding is another method; leave it out"),
    "diversity_penalty": (lambda value: bool(value), "group beam search is another method; leave it out"),
    "low_memory": (bool, "what hypotheses share is stored once anyway; leave it out"),
}


def _refuse_what_is_not_honoured(config: Any, model_kwargs: Mapping[str, Any]) -> None:
    for name, (is_wrong, remedy) in _REFUSED.items():
        value = getattr(config, name, None)
        if is_wrong(value):
            raise UserError(f"{name}={value!r}: {remedy}.")
    for name in ("streamer", "assistant_model"):
        if _was_given(name):
            raise UserError(f"{name}: beam search knows its text only at the end; leave {name} out.")
    cache = model_kwargs.get("past_key_values")
    if cache is not None and cache.get_seq_length() > 0:
        raise UserError("past_key_values: a cache that is filled already cannot be shared; give the whole prompt instead.")
    if model_kwargs.get("inputs_embeds") is not None:
        raise UserError("inputs_embeds: give input_ids, which logits processors and constraints need.")


def _was_given(name: str) -> bool:
    """Whether `generate` was given an argument that it does not pass on to a decoding method of one's own."""
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_name != "generate":
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None and frame.f_locals.get(name) is not None


def _check_fit(subwords: Subwords, model: Any, vocab_size: int) -> None:
    """Refuses a tokenizer that knows more tokens than the model, or takes its end token for a piece of text."""
    size = len(subwords.vocabulary.pieces)
    remedy = "load both from the same folder"
    if size > vocab_size:
        raise UserError(f"the tokenizer has {size} tokens, the model {vocab_size}: {remedy}.")
    end = model.config.get_text_config(decoder=True).eos_token_id
    piece = subwords.vocabulary.pieces[end] if isinstance(end, int) and end < size else None
    if piece is not None:
        text = piece.decode("utf8", "replace")
        raise UserError(f'the model ends texts with token {end}, which is "{text}" to the tokenizer: {remedy}.')


class _Output:
    """Hypotheses as the tensors that `generate` returns."""

    def __init__(
        self, found: list[list[Hypothesis]], terms: list[list[Constraint]], prompts: Int[Tensor, "source length"], config: Any
    ) -> None:
        self.prompts, self.wanted = prompts, config.num_return_sequences
        self.best: list[Hypothesis | None] = []
        for number, hypotheses in enumerate(found):
            if len(hypotheses) < self.wanted:
                warnings.warn(
                    f"row {number}: {len(hypotheses)} different texts were found that meet its constraints, and "
                    f"num_return_sequences is {self.wanted}; the rest is padding with a score of -inf. Raise num_beams.",
                    stacklevel=2,
                )
            self.best += [*hypotheses, *[None] * (self.wanted - len(hypotheses))]
        self.terms = [row for row in terms for _ in range(self.wanted)]
        self.before = prompts.shape[1]
        self.after = max(len(best.tokens) for best in self.best if best is not None)
        self.filling = _filling(config)

    @property
    def sequences(self) -> Int[Tensor, "sequence length"]:
        tokens = [best.tokens if best is not None else () for best in self.best]
        return torch.cat([self.prompts.repeat_interleave(self.wanted, 0), self._padded(tokens, self.filling)], 1)

    @property
    def sequences_scores(self) -> Float[Tensor, "sequence"]:
        return torch.tensor([-torch.inf if best is None else best.score for best in self.best], device=self.prompts.device)

    @property
    def beam_indices(self) -> Int[Tensor, "sequence new"]:
        """Each sequence is its own beam in `step_scores`."""
        rows = [[number] * len(best.tokens) if best is not None else [] for number, best in enumerate(self.best)]
        return self._padded(rows, -1)

    @property
    def constraints_met(self) -> list[list[bool]]:
        return [[best is not None] * len(terms) for best, terms in zip(self.best, self.terms, strict=True)]

    @property
    def constraint_spans(self) -> list[tuple[Spans, ...]]:
        found = []
        for best, terms in zip(self.best, self.terms, strict=True):
            spans = best.spans if best is not None else ((),) * len(terms)
            found.append(tuple(tuple((a + self.before, b + self.before) for a, b in pieces) for pieces in spans))
        return found

    @property
    def origins(self) -> Int[Tensor, "sequence length"]:
        rows = [[NO_ORIGIN] * self.before + list(map(int, best.origins if best is not None else ())) for best in self.best]
        return self._padded(rows, NO_ORIGIN, length=self.before + self.after)

    def step_scores(self, adapter: HuggingFace, sources: Sequence[Any]) -> tuple[Float[Tensor, "sequence vocab"], ...]:
        """For each step the scores of all tokens after each sequence, asked of the model once more."""
        state = adapter.start([source for source in sources for _ in range(self.wanted)])
        tokens = self.sequences[:, self.before :]
        scores = []
        for step in range(self.after):
            log_probs, state = adapter.step(state, tokens[:, max(step - 1, 0)])
            scores.append(log_probs)
        return tuple(scores)

    def _padded(self, rows: Sequence[Sequence[int]], filling: int, length: int | None = None) -> Int[Tensor, "sequence any"]:
        length = self.after if length is None else length
        padded = [[*row, *[filling] * (length - len(row))] for row in rows]
        return torch.tensor(padded, dtype=torch.int64, device=self.prompts.device)


def _filling(config: Any) -> int:
    """What `generate` pads with: the padding token; its beam search takes the end token where that is 0."""
    eos = config.eos_token_id if isinstance(config.eos_token_id, int) else config.eos_token_id[0]
    is_usable = config.pad_token_id or (config.pad_token_id == 0 and config.num_beams == 1)
    return int(config.pad_token_id if is_usable else eos)
