"""The networks that can be trained, each with its loss: Marian's transformer, the paper's GRU.

The transformer is made of Hugging Face's Marian classes. Both are saved as folders that
`gridbeam.models.load` reads; the transformer's is an ordinary Hugging Face folder.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from transformers import GenerationConfig, MarianConfig, MarianMTModel

from gridbeam.models.gru import model as gru
from gridbeam.models.gru.network import AttentionalGRU, GRUConfig
from gridbeam.support.output_files import write_text
from gridbeam.training.config import Config, Network
from gridbeam.training.losses import Judge, judged, judged_in_one, losses
from gridbeam.training.minibatches import Batch
from gridbeam.training.sentencepieces import EOS, write_tokenizer
from gridbeam.training.starting import taken_over

FORMAT = 1
"""Of the model folders that we write."""


class Learner(nn.Module):
    """A network that tells how well it translates a batch."""

    def __init__(self, network: nn.Module, label_smoothing: float, *, pad: int) -> None:
        super().__init__()
        self.network: Any = network
        self.label_smoothing, self.pad = label_smoothing, pad
        self._judge: Judge = judged

    def forward(self, batch: Batch) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
        """The sums over all target tokens of the loss, and of the negative log-probability."""
        hidden, output = self._hidden(batch.source, batch.target, batch.source_is_padded)
        tokens, targets, counted = hidden.flatten(0, 1), batch.target.flatten(), None
        if batch.places is None:
            counted = targets.ne(self.pad).float()
        else:
            tokens, targets = tokens[batch.places], targets[batch.places]
        return losses(
            tokens, output.weight, output.bias, targets, self.label_smoothing, counted, self._judge
        )

    def _hidden(
        self,
        source: Int[Tensor, "pair source"],
        target: Int[Tensor, "pair target"],
        source_is_padded: bool,
    ) -> tuple[Float[Tensor, "pair target width"], nn.Linear]:
        """What the network knows before each target token, and the layer that scores words."""
        before = torch.cat([target.new_full((len(target), 1), self.pad), target[:, :-1]], 1)
        if isinstance(self.network, AttentionalGRU):
            return self.network.readouts(source, before), self.network.to_vocabulary
        hidden = self.network.model(
            input_ids=source,
            attention_mask=source.ne(self.pad) if source_is_padded else None,
            decoder_input_ids=before,
            use_cache=False,
        ).last_hidden_state
        return hidden, self.network.lm_head

    def compile_steps(self) -> None:
        """Has the steps of the GRU and its loss compiled.

        A transformer is faster without (docs/training.md).
        """
        if isinstance(self.network, AttentionalGRU):
            self.network.compile_steps()
            self._judge = torch.compile(judged_in_one)

    def begin(self, folder: Path, vocabulary: Path, *, has_other_pieces: bool) -> None:
        """Takes over what a model that is there has learned, which may have other pieces."""
        weights = taken_over(
            folder, self.network, vocabulary, may_have_other_pieces=has_other_pieces
        )
        self.network.load_state_dict(weights)

    def save(self, folder: Path, config: Config, vocabulary: Path) -> None:
        """Writes a folder from which the model can be loaded."""
        folder.mkdir(parents=True, exist_ok=True)
        if isinstance(self.network, AttentionalGRU):
            gru.save(self.network, folder)
        else:
            self.network.save_pretrained(folder)
        path = folder / "config.json"
        about = {
            "format": FORMAT,
            "source": config.source,
            "targets": config.targets,
            "storage": "float",
            **({"told": True} if config.is_told else {}),
        }
        written = {**json.loads(path.read_text("utf8")), "gridbeam": about}
        write_text(path, json.dumps(written, indent=2) + "\n")
        write_tokenizer(
            vocabulary,
            folder,
            source=config.source,
            targets=config.targets,
            longest=config.network.positions,
        )


def build(network: Network, vocab_size: int, label_smoothing: float, *, pad: int) -> Learner:
    """A network of these sizes that has learned nothing; `pad` is the id of padding."""
    make = _gru if network.kind == "gru" else _marian
    return Learner(make(network, vocab_size, pad), label_smoothing, pad=pad)


def _gru(sizes: Network, vocab_size: int, pad: int) -> AttentionalGRU:
    return AttentionalGRU(
        GRUConfig(
            vocab_size=vocab_size,
            embedding=sizes.embedding,
            hidden=sizes.hidden,
            dropout=sizes.dropout,
            pad=pad,
            bos=pad,
            eos=EOS,
        )
    )


def _marian(sizes: Network, vocab_size: int, pad: int) -> Any:
    ids: dict[str, Any] = {
        "pad_token_id": pad,
        "decoder_start_token_id": pad,
        "eos_token_id": EOS,
        "bos_token_id": None,
    }
    config = MarianConfig(
        vocab_size=vocab_size,
        d_model=sizes.width,
        encoder_layers=sizes.encoder_layers,
        decoder_layers=sizes.decoder_layers,
        encoder_attention_heads=sizes.heads,
        decoder_attention_heads=sizes.heads,
        encoder_ffn_dim=sizes.feed_forward,
        decoder_ffn_dim=sizes.feed_forward,
        dropout=sizes.dropout,
        attention_dropout=0.0,
        activation_dropout=0.0,
        activation_function="relu",
        max_position_embeddings=sizes.positions,
        scale_embedding=True,
        forced_eos_token_id=None,
        **ids,
    )
    made: Any = MarianMTModel(config)
    _initialise(made)
    made.generation_config = GenerationConfig(**ids, max_length=sizes.positions, num_beams=5)  # type: ignore[no-untyped-call]
    return made


@torch.no_grad()
def _initialise(network: Any) -> None:
    """Glorot's first weights, with which each layer passes on as much as it is given.

    Those of Marian are so small that a decoder sees next to nothing of a deep encoder, and learns
    to do without it.
    """
    for module in network.modules():
        if isinstance(module, nn.Linear) and module is not network.lm_head:
            nn.init.xavier_uniform_(module.weight)
    embeddings = network.get_input_embeddings()
    nn.init.normal_(embeddings.weight, std=network.config.d_model**-0.5)
    _hold_at_zero(embeddings.weight, network.config.pad_token_id)


@torch.no_grad()
def _hold_at_zero(weight: nn.Parameter, row: int) -> None:
    """Keeps the embedding of padding, with which the decoder starts, as CTranslate2 takes it to be.

    The output layer, which has the same matrix, would move it.
    """
    weight[row] = 0

    def still(learned: Tensor) -> None:
        assert learned.grad is not None
        learned.grad[row] = 0

    weight.register_post_accumulate_grad_hook(still)  # type: ignore[no-untyped-call]
