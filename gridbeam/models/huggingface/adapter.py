"""Any encoder-decoder or causal model of Hugging Face with a key/value cache, as a `Model`.

The first call reads the whole prompt, or the source and the decoder's prompt, of every sentence,
with the model's own attention. Each step then is one call with one token a row, and scores as the
beam search of transformers does. What the hypotheses of a sentence share is stored once
(`sharing.py`).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from transformers import GenerationConfig, LogitsProcessorList, PreTrainedModel
from transformers.generation.utils import MULTIMODAL_INPUTS_TO_DROP_OUTSIDE_PREFILL
from transformers.modeling_outputs import BaseModelOutput
from transformers.utils.generic import ModelOutput

from gridbeam.errors import UserError
from gridbeam.models import ends_of
from gridbeam.models.beginning import stepwise
from gridbeam.models.huggingface.attention import can_attend_to_shared
from gridbeam.models.huggingface.inslots import INPUTS, begins_with, network_of, rules_of
from gridbeam.models.huggingface.memory import Copied, Inputs, Memory, Shared, empty_cache
from gridbeam.models.huggingface.positions import positions_of
from gridbeam.models.huggingface.processors import ScoreRules, processed
from gridbeam.models.inputs import PaddingSide, batch_of
from gridbeam.models.slots import SlotSources
from gridbeam.models.starts import end_tokens, first_token


@dataclass(frozen=True)
class HuggingFaceState:
    """Where each row stands."""

    ids: Int[Tensor, "row length"]
    """The prompt of each row and the tokens that follow it."""
    sentence: Int[Tensor, "row"]
    """The number of the source that each row belongs to."""
    inputs: Inputs
    """What else the model takes, a row for each row: masks, positions."""
    memory: Memory
    processors: LogitsProcessorList
    """What is done to the scores of texts after prompts of this length."""
    logits: Float[Tensor, "row vocab"] | None
    """Those of the prompt's last token, until the first step has asked for them."""


class HuggingFace:
    """A model of transformers.

    A source is a sequence of token ids, the encoder's input or a causal model's prompt. Or it is a
    mapping of model inputs, tensors of one row without a batch axis: `input_ids` or what else the
    model reads (`pixel_values`, `input_features`), `attention_mask`, an encoder's `encoder_outputs`
    that are already there, the decoder's prompt as `decoder_input_ids`.

    What the generation config forbids or forces is obeyed, as by `generate` (docs/transformers.md
    says what is not). A decoder starts with the token of `forced_bos_token_id`, if there is one,
    and the text begins after it. `logits_processor` takes the place of what the config asks of
    scores. `forbidden` tokens are never written; the others share their probability.

    Where a model has a table of positions, a text that fills it must end there, whatever
    `max_length` says.

    With `share=False` every row holds a copy of everything: slower and larger, for comparison.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        *,
        logits_processor: LogitsProcessorList | None = None,
        generation_config: GenerationConfig | None = None,
        forbidden: Iterable[int] = (),
        share: bool = True,
    ) -> None:
        _refuse_without_cache(model)
        self._model: Any = model
        config = generation_config or self._model.generation_config
        self._has_encoder = bool(model.config.is_encoder_decoder)
        self._shares = share and can_attend_to_shared(model)
        self._takes = set(inspect.signature(model.forward).parameters)
        self.device = model.device
        self.vocab_size = _vocab_size(model)
        eos = end_tokens(config)
        self.eos: int | tuple[int, ...] = eos
        # A causal model's steps are fed prompts, so there any token will do.
        self.bos = first_token(config) if self._has_encoder else eos[0]
        self._opening = [self.bos, *_forced(config)]
        self._rules = ScoreRules(model, config, eos, logits_processor)
        self._reads, self._holds = _positions(model)
        self.positions = min(
            (limit for limit in (self._reads, self._holds) if limit is not None), default=None
        )
        """The most tokens that it can read, or write with its prompt; None: no limit."""
        self._forbidden = torch.tensor(sorted(forbidden), dtype=torch.long, device=self.device)
        self._pad = config.pad_token_id if config.pad_token_id is not None else eos[0]

    @torch.no_grad()
    def start(self, sources: Sequence[Any]) -> HuggingFaceState:
        """The state after the prompt of each source."""
        nothing = torch.empty((len(sources), 0), dtype=torch.long, device=self.device)
        state, logits = self._read(self._batch(sources), len(sources), nothing)
        return replace(state, logits=_last(logits))

    @torch.no_grad()
    def begin(
        self, sources: Sequence[Any], beginnings: Int[Tensor, "row token"]
    ) -> tuple[Float[Tensor, "place row vocab"], HuggingFaceState]:
        """What the first steps would give, whose tokens are known, and the state after them.

        The first call reads them with the prompts, if nothing but ids is given for the prompts.
        """
        batch, count = self._batch(sources), beginnings.shape[1]
        if not self._takes_more(batch, count):
            return stepwise(self, sources, beginnings)
        state, logits = self._read(batch, len(sources), beginnings)
        first = state.ids.shape[1] - count
        places = [
            replace(
                state, ids=state.ids[:, : first + read], logits=each.to(torch.float32, copy=True)
            )
            for read, each in enumerate(logits[:, -count - 1 :].unbind(1))
        ]
        return torch.stack([self._scores(place) for place in places]), state

    def _takes_more(self, batch: Inputs, count: int) -> bool:
        """Whether tokens can be put behind the prompts, whose only inputs by token are ids."""
        others = "decoder_attention_mask" if self._has_encoder else "token_type_ids"
        name = "decoder_input_ids" if self._has_encoder else "input_ids"
        prompt = batch[name].shape[1] if name in batch else len(self._opening)
        is_within = self._holds is None or prompt + count < self._holds
        return is_within and not batch.keys() & {others, "position_ids", "inputs_embeds"}

    def _batch(self, sources: Sequence[Any]) -> Inputs:
        side: PaddingSide = "right" if self._has_encoder else "left"
        batch: Inputs = dict(batch_of(sources, side=side, pad=self._pad, device=self.device))
        self._refuse_unknown(batch.get("input_ids"))
        return batch

    def _read(
        self, batch: Inputs, sources: int, beginnings: Int[Tensor, "row token"]
    ) -> tuple[HuggingFaceState, Float[Tensor, "row place vocab"]]:
        """The state after all prompts and these tokens, and the logits of the last tokens."""
        count = beginnings.shape[1]
        encoder_outputs: ModelOutput | None
        if self._has_encoder:
            prompts, inputs, encoder_outputs = self._encoded(batch, sources)
            ids = torch.cat([prompts, beginnings], 1)
        else:
            ids, inputs, encoder_outputs = self._prompted(_longer(batch, beginnings))
        if "logits_to_keep" in self._takes:
            inputs["logits_to_keep"] = count + 1
        memory = Copied(empty_cache(has_encoder=self._has_encoder), encoder_outputs)
        given = self._model.prepare_inputs_for_generation(
            ids, is_first_iteration=True, **inputs, **memory.inputs(), use_cache=True
        )
        outputs = memory.call(self._model, given)
        self._refuse_other_cache(outputs, memory)
        inputs = {
            name: 1 if name == "logits_to_keep" else value
            for name, value in inputs.items()
            if name not in MULTIMODAL_INPUTS_TO_DROP_OUTSIDE_PREFILL
        }
        state = HuggingFaceState(
            ids=ids,
            sentence=torch.arange(len(ids), device=self.device),
            inputs=self._updated(outputs, inputs, memory),
            memory=Shared.of(memory) if self._shares else memory,
            processors=self._rules.after(ids.shape[1] - count),
            logits=None,
        )
        return state, outputs["logits"]

    @torch.no_grad()
    def step(
        self, state: HuggingFaceState, tokens: Int[Tensor, "row"]
    ) -> tuple[Float[Tensor, "row vocab"], HuggingFaceState]:
        """The scores of the next token of each row.

        The first step is fed no token: prompts end as they end.
        """
        if state.logits is None:
            state = self._fed(
                replace(state, ids=torch.cat([state.ids, tokens.to(state.ids)[:, None]], 1))
            )
        return self._scores(state), replace(state, logits=None)

    @torch.no_grad()
    def in_slots(self, sources: Sequence[Any], longest: int) -> SlotSources | None:
        """The sources for hypotheses in slots, where model and sources are known there."""
        if (
            not self._has_encoder
            or len(self._opening) != 1
            or longest >= (self._holds or longest + 1)
        ):
            return None
        rules = rules_of(self._rules.after(1), 1, ends_of(self))
        network = None if rules is None else network_of(self._model, self._forbidden.tolist())
        if rules is None or network is None:
            return None
        batch = self._batch(sources)
        if not batch.keys() <= INPUTS or not begins_with(batch, self.bos):
            return None
        _, inputs, encoded = self._encoded(batch, len(sources))
        states, mask = encoded["last_hidden_state"], inputs.get("attention_mask")
        is_there = None if mask is None else mask.bool()
        return SlotSources(
            network, (states, is_there), states.shape[1], rules.no_end_before, rules.muted
        )

    def select(self, state: HuggingFaceState, rows: Int[Tensor, "new_row"]) -> HuggingFaceState:
        """The state of these rows."""
        rows = rows.to(self.device)
        return HuggingFaceState(
            ids=state.ids[rows],
            sentence=state.sentence[rows],
            inputs={name: _selected(name, value, rows) for name, value in state.inputs.items()},
            memory=state.memory.select(rows),
            processors=state.processors,
            logits=None if state.logits is None else state.logits[rows],
        )

    def _scores(self, state: HuggingFaceState) -> Float[Tensor, "row vocab"]:
        """The log-probabilities that the logits of the last tokens come to."""
        assert state.logits is not None
        log_probs = _normalised(state.logits.index_fill_(1, self._forbidden, -torch.inf))
        return self._within_positions(
            processed(state.processors, state.ids, log_probs, state.sentence), state
        )

    def _within_positions(
        self, log_probs: Float[Tensor, "row vocab"], state: HuggingFaceState
    ) -> Float[Tensor, "row vocab"]:
        """The scores, in which only an end may follow where all positions are taken."""
        if self._holds is None or state.ids.shape[1] < self._holds:
            return log_probs
        is_full = _lengths(state.ids, state.inputs if not self._has_encoder else {}) >= self._holds
        is_end = torch.zeros(self.vocab_size, dtype=torch.bool, device=self.device)
        is_end[list(ends_of(self))] = True
        return log_probs.masked_fill(is_full[:, None] & ~is_end, -torch.inf)

    def _refuse_unknown(self, ids: Int[Tensor, "source length"] | None) -> None:
        """Refuses ids that a model has no embedding for, which on a GPU would end the program."""
        table = self._model.get_input_embeddings()
        if ids is None or not isinstance(table, torch.nn.Embedding):
            return
        for number, place in ((ids < 0) | (ids >= table.num_embeddings)).nonzero()[:1].tolist():
            raise UserError(
                f"source {number} has token {ids[number, place]}, but {type(self._model).__name__}"
                f" reads ids from 0 to {table.num_embeddings - 1}: encode it with the tokenizer of"
                " the model"
            )

    def _refuse_too_long(self, what: str, lengths: Int[Tensor, "source"], most: int | None) -> None:
        if most is not None and int(lengths.max()) > most:
            number, name = int(lengths.argmax()), type(self._model).__name__
            raise UserError(
                f"{what} of source {number} has {int(lengths[number])} tokens, and {name} has"
                f" positions for no more than {most}: shorten it, or search for its parts one"
                " by one"
            )

    def _fed(self, state: HuggingFaceState) -> HuggingFaceState:
        """The state with the logits after its last tokens."""
        memory = state.memory
        outputs = self._called(state, memory)
        if not memory.is_usable:
            assert isinstance(memory, Shared)
            self._shares, memory = False, memory.copied()
            outputs = self._called(state, memory)
        return replace(
            state,
            inputs=self._updated(outputs, state.inputs, memory),
            memory=memory,
            logits=_last(outputs["logits"]),
        )

    def _called(self, state: HuggingFaceState, memory: Memory) -> ModelOutput:
        inputs = self._model.prepare_inputs_for_generation(
            state.ids, next_sequence_length=1, **state.inputs, **memory.inputs(), use_cache=True
        )
        return memory.call(self._model, inputs)

    def _updated(self, outputs: ModelOutput, inputs: Inputs, memory: Memory) -> Inputs:
        """The inputs of the next call: masks and positions are one longer."""
        after: Inputs = self._model._update_model_kwargs_for_generation(
            outputs, dict(inputs), is_encoder_decoder=self._has_encoder
        )
        return {name: value for name, value in after.items() if name not in memory.inputs()}

    def _prompted(self, batch: Inputs) -> tuple[Tensor, Inputs, None]:
        """The prompts of a causal model, with the positions of their tokens."""
        if "input_ids" not in batch:
            raise UserError(
                f"a source for {type(self._model).__name__} needs input_ids, the prompt; it has"
                f" {sorted(batch)}"
            )
        ids = batch.pop("input_ids")
        self._refuse_too_long("input_ids", _lengths(ids, batch), self._holds)
        if "position_ids" in self._takes and "position_ids" not in batch:
            batch["position_ids"] = self._model._prepare_position_ids_for_generation(ids, batch)
        return ids, _without_idle_mask(batch), None

    def _encoded(self, batch: Inputs, sources: int) -> tuple[Tensor, Inputs, ModelOutput]:
        """The prompts of a decoder, and what its encoder makes of the sources."""
        ids = batch.pop("decoder_input_ids", None)
        if ids is None:
            ids = torch.tensor([self._opening] * sources, device=self.device)
        self._refuse_too_long("decoder_input_ids", _lengths(ids, {}), self._holds)
        hidden = batch.pop("encoder_outputs", None)
        if hidden is not None:
            return ids, _without_idle_mask(batch), _GivenOutput(last_hidden_state=hidden)
        encoder = self._model.get_encoder()
        if encoder.main_input_name not in batch and "inputs_embeds" not in batch:
            needed, name = encoder.main_input_name, type(self._model).__name__
            raise UserError(
                f"a source for {name} needs {needed}, or encoder_outputs; it has {sorted(batch)}"
            )
        if "input_ids" in batch:
            self._refuse_too_long("input_ids", _lengths(batch["input_ids"], batch), self._reads)
        known = set(inspect.signature(encoder.forward).parameters)
        inputs = {
            name: value
            for name, value in batch.items()
            if name in known and not name.startswith("decoder_")
        }
        batch.pop(encoder.main_input_name, None)
        return ids, _without_idle_mask(batch), encoder(**inputs, return_dict=True)

    def _refuse_other_cache(self, outputs: ModelOutput, memory: Copied) -> None:
        cache: Any = outputs.get("past_key_values")
        if cache is not memory.cache or cache.get_seq_length() == 0:
            raise UserError(_NO_CACHE.format(type(self._model).__name__))


@dataclass
class _GivenOutput(BaseModelOutput):
    """The output of an encoder that has run already, with what a mixture of experts looks up."""

    router_logits: None = None


_NO_CACHE = (
    "{} cannot be searched: a model needs a key/value cache (DynamicCache) for each of its layers,"
    " and this one keeps something else. Use a model with attention in all layers."
)
_CACHED_BY_KEYS = {"full_attention", "sliding_attention", "chunked_attention"}


def _refuse_without_cache(model: Any) -> None:
    """Refuses models without a cache of keys: state-space models and the like.

    They keep a state in which rows cannot be told apart from what they share.
    """
    name = type(model).__name__
    if not model.can_generate():
        raise UserError(
            f"{name} cannot generate: load it with a head, such as AutoModelForCausalLM or"
            " AutoModelForSeq2SeqLM"
        )
    layers = getattr(model.config.get_text_config(decoder=True), "layer_types", None) or ()
    if (
        model._is_stateful
        or not model._supports_default_dynamic_cache()
        or not _CACHED_BY_KEYS.issuperset(layers)
    ):
        raise UserError(_NO_CACHE.format(name))


def _vocab_size(model: Any) -> int:
    """How many tokens the model scores, which may be more than its tokenizer knows."""
    head = model.get_output_embeddings()
    if head is None:
        return int(model.config.get_text_config(decoder=True).vocab_size)
    return int(
        head.out_features if hasattr(head, "out_features") else head.weight.shape[0]
    )  # quantised weights are packed


def _forced(config: GenerationConfig) -> list[int]:
    """The token that every text of a decoder begins with, such as that of its language.

    Of several it may choose.
    """
    given = [] if config.forced_bos_token_id is None else config.forced_bos_token_id
    tokens: list[int] = torch.as_tensor(given, dtype=torch.long).flatten().tolist()
    return tokens if len(tokens) == 1 else []


def _positions(model: Any) -> tuple[int | None, int | None]:
    """The most tokens that an encoder of text, and a decoder or causal model, has positions for."""
    reads_text = (
        model.config.is_encoder_decoder and model.get_encoder().main_input_name == "input_ids"
    )
    return positions_of(model.get_encoder()) if reads_text else None, positions_of(
        model.get_decoder()
    )


def _lengths(ids: Int[Tensor, "row length"], inputs: Inputs) -> Int[Tensor, "row"]:
    """How many tokens each row has, padding not counted.

    A mask may already have room for the next one.
    """
    mask = inputs.get("attention_mask")
    return (
        torch.full(ids.shape[:1], ids.shape[1], device=ids.device)
        if mask is None
        else mask[:, : ids.shape[1]].sum(1)
    )


def _longer(batch: Inputs, tokens: Int[Tensor, "row token"]) -> Inputs:
    """The prompts of causal models with more tokens behind them."""
    ids, mask = batch.get("input_ids"), batch.get("attention_mask")
    if ids is None or not tokens.shape[1]:
        return batch
    longer = batch | {"input_ids": torch.cat([ids, tokens.to(ids)], 1)}
    if mask is None:
        return longer
    return longer | {"attention_mask": torch.cat([mask, torch.ones_like(tokens).to(mask)], 1)}


def _without_idle_mask(inputs: Inputs) -> Inputs:
    """The inputs, less a mask that masks nothing."""
    mask = inputs.get("attention_mask")
    is_idle = mask is not None and bool(mask.all())
    return {
        name: value for name, value in inputs.items() if not (is_idle and name == "attention_mask")
    }


def _last(logits: Float[Tensor, "row place vocab"]) -> Float[Tensor, "row vocab"]:
    """Those of the last token.

    A copy where there are others, so that those of a whole prompt are not kept.
    """
    return logits[:, -1].to(torch.float32, copy=logits.shape[1] > 1)


def _normalised(logits: Float[Tensor, "row vocab"]) -> Float[Tensor, "row vocab"]:
    """Log-probabilities in place of the logits, some rows at a time to save memory."""
    for rows in torch.split(logits, max(16, len(logits) // 8)):
        rows.copy_(rows.log_softmax(-1))
    return logits


def _selected(name: str, value: Any, rows: Int[Tensor, "new_row"]) -> Any:
    """These rows of an input; positions in several dimensions have their rows second."""
    if not isinstance(value, Tensor):
        return value
    return value[:, rows] if name == "position_ids" and value.ndim == 3 else value[rows]
