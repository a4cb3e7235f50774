"""Tiny random models of many Hugging Face families, each with sources for it.

`FAMILIES` maps a name to a `Family`; `family.model()` is the same every time. Sources are mappings
of one row, of different lengths where the family allows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from transformers import PreTrainedModel

VOCAB, PAD, BOS, EOS = 40, 0, 1, 2
_TOKENS = {"vocab_size": VOCAB, "pad_token_id": PAD, "bos_token_id": BOS, "eos_token_id": EOS}
_PROMPTS = ([5, 9, 6, 11, 7, 30, 8], [12, 20], [21, 22, 23, 5])


@dataclass(frozen=True)
class Family:
    """A kind of model, with two or three sources."""

    make: Callable[[], PreTrainedModel]
    sources: Callable[[], list[dict[str, torch.Tensor]]]
    """Mappings of one row each."""
    shares: bool = True
    """Whether what the rows of a sentence share is stored once."""
    vocab: int = VOCAB
    eos: int = EOS

    def model(self) -> PreTrainedModel:
        """The model with its random weights, always the same."""
        torch.manual_seed(0)
        return self.make().eval()

    def batch(self) -> dict[str, torch.Tensor]:
        """All sources as arguments of `generate`."""
        rows = self.sources()
        side = "right" if self.model().config.is_encoder_decoder else "left"
        return {name: _padded([row[name] for row in rows], side) for name in rows[0]}


def _padded(rows: list[torch.Tensor], side: str) -> torch.Tensor:
    if rows[0].ndim > 1:
        return torch.stack(rows)
    return torch.nn.utils.rnn.pad_sequence(
        rows, batch_first=True, padding_value=0, padding_side=side
    )


def _texts() -> list[dict[str, torch.Tensor]]:
    return [
        {"input_ids": torch.tensor(ids), "attention_mask": torch.ones(len(ids), dtype=torch.long)}
        for ids in _PROMPTS
    ]


def _features() -> list[dict[str, torch.Tensor]]:
    noise = torch.Generator().manual_seed(1)
    return [{"input_features": torch.randn(8, 20, generator=noise)} for _ in range(2)]


def _images() -> list[dict[str, torch.Tensor]]:
    noise = torch.Generator().manual_seed(1)
    return [{"pixel_values": torch.randn(3, 8, 8, generator=noise)} for _ in range(2)]


def _bart_like(config: type, model: type, **more: Any) -> Callable[[], PreTrainedModel]:
    sizes = {
        "encoder_layers": 1,
        "decoder_layers": 2,
        "encoder_attention_heads": 2,
        "decoder_attention_heads": 2,
    }
    sizes |= {
        "d_model": 16,
        "encoder_ffn_dim": 32,
        "decoder_ffn_dim": 32,
        "max_position_embeddings": 64,
        "init_std": 0.6,
    }
    rest = {
        "decoder_start_token_id": PAD,
        "forced_eos_token_id": None,
        "forced_bos_token_id": None,
        "dropout": 0.0,
    }
    return lambda: model(config(**_TOKENS | sizes | rest | more))


def _llama_like(config: type, model: type, **more: Any) -> Callable[[], PreTrainedModel]:
    sizes = {
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "max_position_embeddings": 64,
    }
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4}
    return lambda: model(config(**_TOKENS | sizes | heads | {"initializer_range": 0.6} | more))


def _t5() -> PreTrainedModel:
    sizes = {
        "d_model": 16,
        "d_kv": 8,
        "d_ff": 32,
        "num_layers": 2,
        "num_heads": 2,
        "relative_attention_num_buckets": 8,
    }
    return transformers.T5ForConditionalGeneration(
        transformers.T5Config(**_TOKENS | sizes, initializer_factor=1.5, decoder_start_token_id=PAD)
    )


def _switch() -> PreTrainedModel:
    sizes = {
        "d_model": 16,
        "d_kv": 8,
        "d_ff": 32,
        "num_layers": 2,
        "num_decoder_layers": 2,
        "num_heads": 2,
    }
    experts = {"num_experts": 2, "num_sparse_encoder_layers": 1, "num_sparse_decoder_layers": 1}
    return transformers.SwitchTransformersForConditionalGeneration(
        transformers.SwitchTransformersConfig(
            **_TOKENS | sizes | experts,
            initializer_factor=1.5,
            decoder_start_token_id=PAD,
            relative_attention_num_buckets=8,
        )
    )


def _t5gemma() -> PreTrainedModel:
    sizes = {
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "max_position_embeddings": 64,
    }
    heads = {
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 4,
        "attn_logit_softcapping": 2.0,
    }
    side = transformers.T5GemmaModuleConfig(
        **_TOKENS | sizes | heads, sliding_window=4, initializer_range=0.6
    )
    config = transformers.T5GemmaConfig(
        encoder=side, decoder=side, **_TOKENS, initializer_range=0.6
    )
    model = transformers.T5GemmaForConditionalGeneration(config)
    model.generation_config.decoder_start_token_id = BOS
    return model


def _doge() -> PreTrainedModel:
    """With weights for its mask, which start at zero: all keys would be masked alike."""
    model = _llama_like(transformers.DogeConfig, transformers.DogeForCausalLM)()
    for name, weight in model.named_parameters():
        if name.endswith(".A"):
            torch.nn.init.normal_(weight)
    return model


def _gpt2(**more: Any) -> Any:
    sizes = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 64}
    return transformers.GPT2Config(**_TOKENS | sizes | {"initializer_range": 0.6} | more)


def _with_image(decoder: Any) -> PreTrainedModel:
    """A ViT that reads an image of 2 by 2 patches, before a decoder."""
    sizes = {
        "hidden_size": 12,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 32,
    }
    encoder = transformers.ViTConfig(**sizes, image_size=8, patch_size=4, initializer_range=0.6)
    config = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    config.decoder_start_token_id, config.pad_token_id, config.eos_token_id = BOS, PAD, EOS
    return transformers.VisionEncoderDecoderModel(config=config)


def _with_bert() -> PreTrainedModel:
    sizes = {
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
    }
    return _with_image(
        transformers.BertConfig(
            **_TOKENS | sizes, initializer_range=0.6, max_position_embeddings=64, is_decoder=True
        )
    )


def _with_trocr() -> PreTrainedModel:
    sizes = {
        "d_model": 16,
        "decoder_layers": 2,
        "decoder_attention_heads": 2,
        "decoder_ffn_dim": 32,
    }
    return _with_image(
        transformers.TrOCRConfig(**_TOKENS | sizes, init_std=1.0, max_position_embeddings=64)
    )


def _whisper() -> Callable[[], PreTrainedModel]:
    more = {
        "num_mel_bins": 8,
        "max_source_positions": 10,
        "max_target_positions": 64,
        "decoder_start_token_id": BOS,
    }
    more |= {"suppress_tokens": None, "begin_suppress_tokens": None}
    return _bart_like(
        transformers.WhisperConfig, transformers.WhisperForConditionalGeneration, **more
    )


_m2m100 = _bart_like(
    transformers.M2M100Config,
    transformers.M2M100ForConditionalGeneration,
    decoder_start_token_id=EOS,
)
_llama = _llama_like(transformers.LlamaConfig, transformers.LlamaForCausalLM)
_mistral = _llama_like(
    transformers.MistralConfig, transformers.MistralForCausalLM, sliding_window=4
)
_qwen2 = _llama_like(transformers.Qwen2Config, transformers.Qwen2ForCausalLM)
_qwen2_sliding = _llama_like(
    transformers.Qwen2Config,
    transformers.Qwen2ForCausalLM,
    use_sliding_window=True,
    sliding_window=4,
    max_window_layers=1,
)
_gemma2 = _llama_like(
    transformers.Gemma2Config,
    transformers.Gemma2ForCausalLM,
    sliding_window=4,
    attn_logit_softcapping=2.0,
)
_gemma3 = _llama_like(
    transformers.Gemma3TextConfig, transformers.Gemma3ForCausalLM, sliding_window=4
)
_gpt_oss = _llama_like(
    transformers.GptOssConfig,
    transformers.GptOssForCausalLM,
    sliding_window=4,
    num_local_experts=2,
    num_experts_per_tok=1,
)
_diffllama = _llama_like(transformers.DiffLlamaConfig, transformers.DiffLlamaForCausalLM)
_nllb_moe = _bart_like(
    transformers.NllbMoeConfig,
    transformers.NllbMoeForConditionalGeneration,
    decoder_start_token_id=EOS,
    num_experts=2,
    encoder_sparse_step=1,
    decoder_sparse_step=2,
)

FAMILIES = {
    "marian": Family(_bart_like(transformers.MarianConfig, transformers.MarianMTModel), _texts),
    "t5": Family(_t5, _texts),
    "bart": Family(
        _bart_like(transformers.BartConfig, transformers.BartForConditionalGeneration), _texts
    ),
    "mbart": Family(
        _bart_like(transformers.MBartConfig, transformers.MBartForConditionalGeneration), _texts
    ),
    "m2m100": Family(_m2m100, _texts),
    "whisper": Family(_whisper(), _features),
    "vit_gpt2": Family(lambda: _with_image(_gpt2(add_cross_attention=True)), _images),
    "vit_bert": Family(_with_bert, _images),
    "vit_trocr": Family(_with_trocr, _images, shares=False),
    "t5gemma": Family(_t5gemma, _texts),
    "nllb_moe": Family(_nllb_moe, _texts),
    "switch": Family(_switch, _texts),
    "gpt2": Family(lambda: transformers.GPT2LMHeadModel(_gpt2()), _texts),
    "llama": Family(_llama, _texts),
    "qwen2": Family(_qwen2, _texts),
    "qwen2_sliding": Family(_qwen2_sliding, _texts),
    "mistral": Family(_mistral, _texts),
    "gemma2": Family(_gemma2, _texts),
    "gemma3": Family(_gemma3, _texts),
    "gpt_oss": Family(_gpt_oss, _texts),
    "diffllama": Family(_diffllama, _texts, shares=False),
    "doge": Family(_doge, _texts, shares=False),
}
