"""The logits processors of transformers, for rows that come and go: scores as in beam search."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor
from transformers import GenerationConfig, LogitsProcessorList
from transformers.generation import logits_process
from transformers.generation.logits_process import PrefixConstrainedLogitsProcessor

from gridbeam.errors import UserError

_HOLD_ROWS = {
    "EncoderNoRepeatNGramLogitsProcessor": "encoder_no_repeat_ngram_size",
    "EncoderRepetitionPenaltyLogitsProcessor": "encoder_repetition_penalty",
    "UnbatchedClassifierFreeGuidanceLogitsProcessor": "guidance_scale",
    "ClassifierFreeGuidanceLogitsProcessor": "guidance_scale",
    "DiaClassifierFreeGuidanceLogitsProcessor": "guidance_scale",
    "SynthIDTextWatermarkLogitsProcessor": "watermarking_config",
}


class ScoreRules:
    """What is done to a model's scores: as its generation config asks, or by own processors."""

    def __init__(
        self,
        model: Any,
        config: GenerationConfig,
        ends: Sequence[int],
        own: LogitsProcessorList | None = None,
    ) -> None:
        self._model, self._own, self._config = model, own, copy.deepcopy(config)
        # Nothing is sampled here, and the search itself sees to the end of a text.
        self._config.do_sample, self._config.forced_eos_token_id = False, None
        self._config._eos_token_tensor = torch.tensor(ends, device=model.device)
        _refuse_fixed_rows(self.after(1))

    def after(self, length: int) -> LogitsProcessorList:
        """The processors for texts after prompts of so many tokens."""
        if self._own is not None:
            return self._own
        any_source = torch.zeros((1, 1), dtype=torch.long, device=self._model.device)
        found: LogitsProcessorList = self._model._get_logits_processor(
            self._config,
            input_ids_seq_length=length,
            encoder_input_ids=any_source,
            device=self._model.device,
        )
        return found


def _refuse_fixed_rows(processors: LogitsProcessorList) -> None:
    """Refuses processors that remember the n-th row: here rows change places with every token."""
    for processor in processors:
        for name, option in _HOLD_ROWS.items():
            if isinstance(processor, getattr(logits_process, name, ())):
                raise UserError(
                    f"{option} does not work here: {name} expects the same rows at every step."
                    " Leave it out."
                )


def processed(
    processors: LogitsProcessorList,
    ids: Int[Tensor, "row length"],
    log_probs: Float[Tensor, "row vocab"],
    sentence: Int[Tensor, "row"],
) -> Float[Tensor, "row vocab"]:
    """The log-probabilities as all processors in turn leave them."""
    for processor in processors:
        if isinstance(processor, PrefixConstrainedLogitsProcessor):
            log_probs = _only_allowed(processor, ids, log_probs, sentence)
        else:
            log_probs = processor(ids, log_probs)
    if len(processors) and bool((log_probs > 0).any()):
        names = ", ".join(type(processor).__name__ for processor in processors)
        raise UserError(
            "a token has become likelier than certain, with a score above 0, by one of the logits"
            f" processors: {names}. Set renormalize_logits=True in the generation config, or leave"
            " out what raises scores (sequence_bias)."
        )
    return log_probs


def _only_allowed(
    processor: PrefixConstrainedLogitsProcessor,
    ids: Int[Tensor, "row length"],
    log_probs: Float[Tensor, "row vocab"],
    sentence: Int[Tensor, "row"],
) -> Float[Tensor, "row vocab"]:
    """Calls `prefix_allowed_tokens_fn` with each row's sentence; transformers counts beams."""
    allowed = torch.zeros_like(log_probs, dtype=torch.bool)
    for row, number in enumerate(sentence.tolist()):
        tokens = processor._prefix_allowed_tokens_fn(number, ids[row])
        allowed[row, torch.as_tensor(tokens, dtype=torch.long, device=allowed.device)] = True
    return log_probs.masked_fill(~allowed, -torch.inf)
