"""What a call of a chat or a completion asks for: each parameter is kept, ignored or refused.

A search has no temperature: what says how to sample is ignored, as clients send it always. What
would change the answer in a way that is not here is refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from gridbeam.constraints.notation import from_json
from gridbeam.constraints.terms import Avoid, Constraint, Phrase
from gridbeam.decoding.options import SearchOptions
from gridbeam.server.asked import phrases_in
from gridbeam.server.faces.fields import Fields
from gridbeam.server.faces.openai.face import refused
from gridbeam.server.settings import RequestLimits

_IGNORED = frozenset(
    """temperature top_p top_k min_p seed user presence_penalty frequency_penalty
    repetition_penalty store metadata service_tier prompt_cache_key safety_identifier
    parallel_tool_calls use_beam_search include_stop_str_in_output early_stopping
    skip_special_tokens reasoning_effort verbosity logit_bias stream_options""".split()  # noqa: SIM905
)
"""How to sample, and what has no meaning here."""
_READ = frozenset(
    """model messages prompt n max_tokens max_completion_tokens best_of beam beam_width
    length_penalty constraints banned_strings structured_outputs stream echo
    response_format""".split()  # noqa: SIM905
)
_REFUSED = {
    "stop": "the model ends its texts itself; send max_tokens",
    "tools": "there are no tools",
    "functions": "there are no functions",
    "logprobs": "they are not told",
    "top_logprobs": "they are not told",
    "suffix": 'send constraints with a suffix: {"suffix": "..."}',
    "audio": "there is no sound",
    "regex": "send constraints: terms, in order, with gaps",
}
_MOST_CHOICES = 64


@dataclass(frozen=True)
class ChatCall:
    """A call of /v1/chat/completions or /v1/completions."""

    model: str
    messages: tuple[dict[str, str], ...]
    """A chat; empty where a text is to be gone on with."""
    prompt: str
    constraints: tuple[Constraint, ...]
    choices: tuple[str, ...]
    """If there are any, the answer is one of these."""
    options: SearchOptions
    is_streamed: bool

    @property
    def wanted(self) -> int:
        """How many answers are wanted."""
        return self.options.n_best


def call_of(fields: Fields, limits: RequestLimits, *, is_chat: bool) -> ChatCall:
    """The call that a body makes; raises where it asks for what is not here."""
    _refuse_unknown(fields)
    choices = _choices(fields)
    constraints = _constraints(fields, limits)
    if choices and constraints:
        raise refused("structured_outputs", "choice goes without constraints: choose among fewer.")
    return ChatCall(
        fields.text("model") or "",
        _messages(fields) if is_chat else (),
        "" if is_chat else _prompt(fields),
        constraints,
        choices,
        _options(fields, limits),
        bool(fields.flag("stream")),
    )


def _refuse_unknown(fields: Fields) -> None:
    for name, values in fields.values.items():
        is_said = any(each is not False and each is not None for each in values)
        if name.startswith("guided_"):
            raise refused(name, f"'{name}' is of old versions of vLLM: send structured_outputs.")
        if name in _REFUSED and is_said:
            raise refused(name, f"'{name}' is not supported: {_REFUSED[name]}.")
        if name not in _READ and name not in _IGNORED and name not in _REFUSED:
            raise refused(name, f"Unrecognized request argument supplied: {name[:40]}")
    form = fields.given("response_format")
    if form is not None and form != {"type": "text"}:
        raise refused("response_format", "there is text only: send structured_outputs.choice.")
    if fields.flag("echo"):
        raise refused("echo", "'echo' is not supported: the prompt is yours already.")


def _messages(fields: Fields) -> tuple[dict[str, str], ...]:
    given = fields.values.get("messages", [])
    if not given:
        raise refused("messages", "Missing required parameter: 'messages'.")
    return tuple(_message(number, each) for number, each in enumerate(given))


def _message(number: int, given: Any) -> dict[str, str]:
    where = f"messages[{number}]"
    if not isinstance(given, dict) or not isinstance(given.get("role"), str):
        raise refused(where, f"{where} must be an object with a role and a content.")
    content = given.get("content")
    if isinstance(content, list):
        parts = [each.get("text") for each in content if isinstance(each, dict)]
        kinds = [each.get("type") for each in content if isinstance(each, dict)]
        if len(parts) != len(content) or any(kind != "text" for kind in kinds):
            raise refused(where, f"{where} has parts that are no text, and there is text only.")
        content = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str):
        raise refused(where, f"{where}.content must be a text.")
    return {"role": given["role"], "content": content}


def _prompt(fields: Fields) -> str:
    given = fields.values.get("prompt", [])
    if len(given) != 1 or not isinstance(given[0], str):
        raise refused("prompt", "'prompt' must be one text.")
    return given[0]


def _constraints(fields: Fields, limits: RequestLimits) -> tuple[Constraint, ...]:
    given, banned = fields.values.get("constraints", []), fields.texts("banned_strings")
    for name, count in (("constraints", phrases_in(given)), ("banned_strings", len(banned))):
        if count > limits.constraints:
            raise refused(name, f"there are {count}, and the limit is {limits.constraints}.")
    said = from_json(json.dumps(given))
    # A string is banned wherever it stands, be it within a word.
    avoided = [Avoid(Phrase(each, case="any", whole_word=False)) for each in banned]
    return (*said, *avoided)


def _choices(fields: Fields) -> tuple[str, ...]:
    given = fields.given("structured_outputs")
    if given is None:
        return ()
    if not isinstance(given, dict):
        raise refused("structured_outputs", "'structured_outputs' must be an object.")
    other = next((name for name, value in given.items() if name != "choice" and value), None)
    if other is not None:
        why = f"structured_outputs.{other[:40]} is not supported: send choice, or constraints."
        raise refused("structured_outputs", why)
    choices = given.get("choice") or []
    is_list = isinstance(choices, list) and all(isinstance(each, str) and each for each in choices)
    if not is_list or len(choices) > _MOST_CHOICES:
        raise refused("structured_outputs", f"choice must be a list of 1 to {_MOST_CHOICES} texts.")
    return tuple(dict.fromkeys(choices))


def _options(fields: Fields, limits: RequestLimits) -> SearchOptions:
    from gridbeam.generate.chat import CHAT

    wanted = fields.number("n") or 1
    widths = [fields.number(name) or 0 for name in ("best_of", "beam", "beam_width")]
    beam = max(wanted, max(widths) or CHAT.beam)
    length = fields.number("max_completion_tokens") or fields.number("max_tokens")
    for name, value, most in (("n", beam, limits.beam), ("max_tokens", length or 1, limits.length)):
        if not 1 <= value <= most or wanted < 1:
            raise refused(name, f"'{name}' must be from 1 to {most}.")
    try:
        penalty = float(fields.given("length_penalty") or CHAT.length_penalty)
    except (TypeError, ValueError):
        raise refused("length_penalty", "'length_penalty' must be a number.") from None
    return CHAT.but(
        n_best=wanted,
        beam=beam,
        max_length=length or CHAT.max_length,
        length_penalty=penalty,
    )
