"""What reading a causal model says to a server's log."""

from __future__ import annotations

from transformers import modeling_gguf_pytorch_utils as gguf

from gridbeam.generate.chat import without_bars


def test_reading_a_model_draws_no_progress_bars(capsys):
    shown = gguf.tqdm
    with without_bars():
        assert list(gguf.tqdm([1, 2], desc="Converting")) == [1, 2]
    assert capsys.readouterr().err == "" and gguf.tqdm is shown
