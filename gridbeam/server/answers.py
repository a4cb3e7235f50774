"""Answers of our own API as types, from which the OpenAPI page is made."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class ErrorAnswer(BaseModel):
    """Why there is no other answer."""

    error: str = Field(description="What is wrong.")
    where: str = Field(description="Where, as a path into what was sent; empty: all of it.")
    remedy: str = Field(description="What to do.")


_REASONS = {
    400: "It is not JSON, or not a form.",
    401: "It brings no API key, or a wrong one.",
    403: "A page of another origin has sent it.",
    404: "There is no such thing.",
    413: "It has too many bytes.",
    421: "The server does not go by that name.",
    422: "It asks for something wrong, or for what cannot be met.",
    503: "All places are taken, or the model cannot be loaded.",
    504: "It took longer than it may.",
}
REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorAnswer, "description": about} for status, about in _REASONS.items()
}
"""What any route may answer instead."""
