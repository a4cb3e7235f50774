"""Any Hugging Face encoder-decoder or causal model."""

from gridbeam.models.huggingface.adapter import HuggingFace, HuggingFaceState

__all__ = ["HuggingFace", "HuggingFaceState"]
