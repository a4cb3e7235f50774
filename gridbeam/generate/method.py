"""Grid beam search through transformers' own `generate`, as its `custom_generate`.

`model.generate(..., custom_generate=GridBeamSearch(tokenizer))`

`generate` prepares inputs, logits processors and stopping criteria as ever, and hands them over
here with a row for each beam. What comes back are its usual beam outputs, with four attributes
more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import torch
from jaxtyping import Bool, Int
from torch import Tensor
from transformers import (
    GenerationConfig,
    LogitsProcessorList,
    PreTrainedModel,
    StoppingCriteriaList,
)
from transformers.generation.stopping_criteria import EosTokenCriteria, MaxLengthCriteria

from gridbeam.constraints.drawing import in_line
from gridbeam.constraints.roles import Role
from gridbeam.constraints.terms import (
    AnyOf,
    Case,
    Constraint,
    Constraints,
    Gap,
    InOrder,
    Phrase,
    as_constraints,
)
from gridbeam.constraints.walk import phrases
from gridbeam.decoding.options import CutOff, SearchKeywords, SearchOptions
from gridbeam.decoding.scoring import Stop
from gridbeam.decoding.search import search
from gridbeam.errors import UserError
from gridbeam.generate.asked import asked_of_rows
from gridbeam.generate.outputs import (
    Generated,
    GridBeamDecoderOnlyOutput,
    GridBeamEncoderDecoderOutput,
)
from gridbeam.models import ends_of
from gridbeam.models.huggingface.adapter import HuggingFace
from gridbeam.tokens.subwords import Subwords

_STOP: dict[Any, Stop] = {True: "first", False: "likely", None: "likely", "never": "exact"}
"""The rules of transformers' early_stopping."""
GENERATE = SearchOptions(beam=1, force_end=False, stop="likely")
"""What `GridBeamSearch` does by default: as plain `generate` does."""
_OF_GENERATE = {
    "beam": "num_beams",
    "max_length": "max_new_tokens",
    "n_best": "num_return_sequences",
    "length_penalty": "length_penalty",
    "stop": "early_stopping",
    "cut_off": "stopping_criteria",
}
"""The options that `generate` has, by its names: they are given to it."""


class GridBeamSearch:
    """A decoding method for `generate`: beam search that meets constraints, each row its own.

    The options are those of `gridbeam.search`, as keywords or as one value, and hold for every
    call; those of `generate` (num_beams, max_new_tokens, length_penalty and so on) go to it as
    ever. Without a tokenizer constraints are given as token ids. Its own `constraints` hold for
    every row of every call.
    """

    def __init__(
        self,
        tokenizer: Any = None,
        *_of_generate: object,
        constraints: Constraints = (),
        case: Case = "exact",
        whole_word: bool = True,
        options: SearchOptions = GENERATE,
        **changes: Unpack[SearchKeywords],
    ) -> None:
        if isinstance(tokenizer, PreTrainedModel):  # `generate` calls the class in place of a value
            raise UserError(
                "GridBeamSearch is given the model in place of a tokenizer: write"
                " custom_generate=GridBeamSearch(tokenizer), a value and not the class."
            )
        if _of_generate:
            raise TypeError("GridBeamSearch takes one positional argument, the tokenizer")
        self._everywhere = as_constraints(constraints)
        self._options = options.but(**changes)
        for name in self._options.unlike(GENERATE).keys() & _OF_GENERATE.keys():
            raise UserError(f"{name} is {_OF_GENERATE[name]} of generate: give it there")
        self.subwords = (
            None
            if tokenizer is None
            else Subwords(_tokenizer_of(tokenizer), case=case, whole_word=whole_word)
        )

    def __call__(
        self,
        model: PreTrainedModel,
        input_ids: Int[Tensor, "row length"],
        logits_processor: LogitsProcessorList | None = None,
        stopping_criteria: StoppingCriteriaList | None = None,
        generation_config: GenerationConfig | None = None,
        constraints: Sequence[Constraints | None] | None = None,
        **model_kwargs: Any,
    ) -> Tensor | GridBeamDecoderOnlyOutput | GridBeamEncoderDecoderOutput:
        """Called by `generate`; `constraints` has an entry for each row of the batch, or none."""
        config: Any = generation_config or model.generation_config
        _refuse_what_is_not_honoured(config, model_kwargs)
        if constraints is None:  # where Whisper's own `generate` puts them
            constraints = getattr(config, "constraints", None)
        if is_whisper(model) and getattr(config, "return_timestamps", None):
            self._refuse_windows(
                asked_of_rows(constraints, len(input_ids) // _repeats(config)), config
            )
        return self.of_one_window(
            model,
            input_ids,
            logits_processor,
            stopping_criteria,
            config,
            constraints,
            **model_kwargs,
        )

    def of_one_window(
        self,
        model: PreTrainedModel,
        input_ids: Int[Tensor, "row length"],
        logits_processor: LogitsProcessorList | None,
        stopping_criteria: StoppingCriteriaList | None,
        config: Any,
        constraints: Sequence[Constraints | None] | None,
        **model_kwargs: Any,
    ) -> Tensor | GridBeamDecoderOnlyOutput | GridBeamEncoderDecoderOutput:
        """What is asked, met in what this one call makes, of a window of a recording perhaps."""
        adapter = HuggingFace(model, logits_processor=logits_processor, generation_config=config)
        prompts, sources = _rows(
            input_ids,
            _read(model, model_kwargs),
            config,
            has_encoder=model.config.is_encoder_decoder,
        )
        if self.subwords is not None:
            _check_fit(self.subwords, model, adapter)
        terms = self._terms(constraints, config, adapter, prompts)
        try:
            found = search(
                adapter,
                sources,
                terms,
                options=self._options,
                beam=config.num_beams,
                max_length=config.max_length - input_ids.shape[1],
                n_best=config.num_return_sequences,
                length_penalty=config.length_penalty,
                stop=_STOP[config.early_stopping],
                cut_off=_cut_off(stopping_criteria, prompts),
            )
        except UserError as error:
            raise error.in_words_of(_name_in_generate) from None
        output = Generated(found, terms, prompts, config)
        if not config.return_dict_in_generate:
            return output.sequences
        scores = output.step_scores(adapter, sources) if config.output_scores else None
        kind = (
            GridBeamEncoderDecoderOutput
            if model.config.is_encoder_decoder
            else GridBeamDecoderOnlyOutput
        )
        usual: dict[str, Any] = {"scores": scores, "beam_indices": output.beam_indices}
        result = kind(sequences=output.sequences, sequences_scores=output.sequences_scores, **usual)  # type: ignore[arg-type]
        result.constraints_met, result.constraint_spans = (
            output.constraints_met,
            output.constraint_spans,
        )
        result.origins, result.hypotheses = output.origins, output.best
        return result

    def _refuse_windows(self, rows: Sequence[Constraints], config: Any) -> None:
        """Raises where Whisper might ask for a phrase in each of several windows."""
        own = [term for row in rows for term in as_constraints(row)]
        terms = [*self._everywhere, *_forced_words(config.force_words_ids), *own]
        required = [term for term in terms if term.role.must_occur]
        if required:
            raise UserError(
                f"{in_line(required[0])} would have to be said in each window that Whisper cuts a"
                " recording into, where it writes timestamps: use gridbeam.generate.transcribe,"
                " which has it said once in the whole."
            )

    def _terms(
        self, given: Any, config: Any, adapter: HuggingFace, prompts: Int[Tensor, "source length"]
    ) -> list[list[Constraint]]:
        """The constraints of each row in token ids, those of `force_words_ids` included."""
        rows = asked_of_rows(given, len(prompts))
        forced, found = [*self._everywhere, *_forced_words(config.force_words_ids)], []
        opening = (
            config.forced_bos_token_id if prompts.shape[1] == 1 else None
        )  # transformers forces it nowhere else
        for number, prompt in enumerate(prompts.tolist()):
            try:
                terms = (*as_constraints(rows[number]), *forced)
                found.append([self._spelled(term, prompt[-1], opening, adapter) for term in terms])
            except UserError as error:
                raise error.within(f"constraints[{number}]") from None
        return found

    def _spelled(
        self, term: Constraint, last: int, opening: int | None, adapter: HuggingFace
    ) -> Constraint:
        """A constraint over token ids.

        What must come first comes after a token that is forced to be there.
        """
        if self.subwords is not None:
            term = self.subwords.spelled(
                term, ends_of(adapter), adapter.vocab_size, last=last, opening=opening
            )
        elif any(
            isinstance(phrase.content, str)
            for phrase in phrases(term)
            if isinstance(phrase, Phrase)
        ):
            raise UserError(
                f"{in_line(term)} is text: write GridBeamSearch(tokenizer), with the tokenizer of"
                " the model"
            )
        if term.role is not Role.FIRST or opening is None:
            return term
        is_there = any(
            isinstance(phrase, Phrase) and phrase.tokens[0] == opening
            for phrase in phrases(term)[:1]
        )
        return (
            term
            if is_there
            else replace(term, pattern=InOrder(Phrase([opening]), Gap(0, 0), term.pattern))
        )


def _tokenizer_of(given: Any) -> Any:
    """The tokenizer, or that of a processor that holds one beside what reads images or sounds."""
    return getattr(given, "tokenizer", given)


def _name_in_generate(option: str) -> str:
    """What `generate` calls an option of the search."""
    return {"max_length": "max_new_tokens", "beam": "num_beams"}.get(option, option)


def _rows(
    input_ids: Int[Tensor, "row length"],
    model_kwargs: Mapping[str, Any],
    config: Any,
    *,
    has_encoder: bool,
) -> tuple[Int[Tensor, "source length"], list[dict[str, Tensor]]]:
    """The prompt and the model inputs of each source; `generate` repeats rows for its beams."""
    repeats = _repeats(config)
    prompts = input_ids[::repeats]
    inputs = {"decoder_input_ids" if has_encoder else "input_ids": prompts}
    for name, value in model_kwargs.items():
        tensor = (
            value.last_hidden_state if name == "encoder_outputs" and value is not None else value
        )
        if name in _MADE_ANEW or tensor is None or isinstance(tensor, bool):
            continue
        if (
            not isinstance(tensor, Tensor)
            or not tensor.ndim
            or len(tensor) != len(input_ids)
            or _is_3d_position(name, tensor)
        ):
            raise UserError(
                f"{name}: this input of the model cannot be told apart by rows, so such models are"
                " not served."
            )
        inputs[name] = tensor[::repeats]
    return prompts, [
        {name: value[row] for name, value in inputs.items()} for row in range(len(prompts))
    ]


def _repeats(config: Any) -> int:
    """How many rows `generate` makes of one."""
    return max(int(config.num_beams), int(config.num_return_sequences))


def is_whisper(model: PreTrainedModel) -> bool:
    """Whether its `generate` cuts a recording into windows, and calls for each of them."""
    return str(model.config.model_type) == "whisper"


def _read(model: PreTrainedModel, model_kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The inputs that the model reads.

    Whisper's mask only says how long each recording is. It has a row for each of them even where
    some have ended, and are in the batch no more.
    """
    unread = {"attention_mask"} if is_whisper(model) else set()
    return {name: value for name, value in model_kwargs.items() if name not in unread}


_MADE_ANEW = {"past_key_values", "use_cache", "logits_to_keep", "cache_position"}
"""Inputs that every call of the model is given anew."""


def _is_3d_position(name: str, tensor: Tensor) -> bool:
    """Whether positions have an axis before that of rows.

    Models that read images into their prompts have such positions.
    """
    return name == "position_ids" and tensor.ndim > 2


def _forced_words(force_words_ids: Any) -> list[Constraint]:
    """The constraints of transformers 4: each a phrase in token ids, or a list of alternatives."""
    found: list[Constraint] = []
    words = force_words_ids.tolist() if hasattr(force_words_ids, "tolist") else force_words_ids
    for given in words or ():
        word = given.tolist() if hasattr(given, "tolist") else given
        if not isinstance(word, Sequence) or not len(word):
            raise UserError(
                f"force_words_ids holds {given!r}: give a list of token ids for each phrase, or of"
                " such lists"
            )
        found.append(AnyOf(*map(Phrase, word)) if hasattr(word[0], "__len__") else Phrase(word))
    return found


def _cut_off(
    criteria: StoppingCriteriaList | None, prompts: Int[Tensor, "source length"]
) -> CutOff | None:
    """The stopping criteria of the user's own.

    The end token and the length are minded by the search.
    """
    own = [c for c in criteria or () if not isinstance(c, MaxLengthCriteria | EosTokenCriteria)]

    def cut_off(
        sentence: Int[Tensor, "text"], tokens: Int[Tensor, "text length"]
    ) -> Bool[Tensor, "text"]:
        ids = torch.cat([prompts[sentence], tokens], 1)
        is_done = torch.zeros_like(sentence, dtype=torch.bool)
        for criterion in own:
            is_done |= torch.as_tensor(criterion(ids, None), device=is_done.device)
        return is_done

    return cut_off if own else None


_REFUSED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "do_sample": (
        bool,
        (
            "grid beam search does not sample. The call says so, or a pipeline does, or the model's"
            " own generation config: pass do_sample=False, and to Whisper no temperature above 0"
        ),
    ),
    "output_attentions": (bool, "attentions are not kept; leave it out"),
    "output_hidden_states": (bool, "hidden states are not kept; leave it out"),
    "output_logits": (bool, "logits are not kept; ask for output_scores"),
    "penalty_alpha": (bool, "contrastive search is another method; leave it out"),
    "dola_layers": (lambda value: value is not None, "DoLa is another method; leave it out"),
    "prompt_lookup_num_tokens": (
        lambda value: value is not None,
        "assisted decoding is another method; leave it out",
    ),
    "diversity_penalty": (bool, "group beam search is another method; leave it out"),
    "num_beam_groups": (
        lambda value: (value or 1) > 1,
        "group beam search is another method; leave it out",
    ),
    "low_memory": (bool, "what hypotheses share is stored once anyway; leave it out"),
}


def _refuse_what_is_not_honoured(config: Any, model_kwargs: Mapping[str, Any]) -> None:
    for name, (is_wrong, remedy) in _REFUSED.items():
        value = getattr(config, name, None)
        if is_wrong(value):
            raise UserError(f"{name}={value!r}: {remedy}.")
    for name in ("streamer", "assistant_model"):
        if model_kwargs.get(name) is not None:
            raise UserError(
                f"{name}: beam search knows its text only at the end; leave {name} out."
            )
    cache = model_kwargs.get("past_key_values")
    if cache is not None and cache.get_seq_length() > 0:
        raise UserError(
            "past_key_values: a cache that is filled already cannot be shared; give the whole"
            " prompt instead."
        )
    if model_kwargs.get("inputs_embeds") is not None:
        raise UserError(
            "inputs_embeds: give input_ids, which logits processors and constraints need."
        )


def _check_fit(subwords: Subwords, model: Any, adapter: HuggingFace) -> None:
    """Refuses a tokenizer with more tokens than the model, or with its end token as text."""
    size, remedy = len(subwords.vocabulary.pieces), "load both from the same folder"
    if size > adapter.vocab_size:
        raise UserError(
            f"the tokenizer has {size} tokens, the model {adapter.vocab_size}: {remedy}."
        )
    end = model.config.get_text_config(decoder=True).eos_token_id
    piece = (
        subwords.vocabulary.piece(end) if isinstance(end, int) and end in ends_of(adapter) else None
    )
    if piece is not None:
        text = piece.decode("utf8", "replace")
        raise UserError(
            f'the model ends texts with token {end}, which is "{text}" to the tokenizer: {remedy}.'
        )
