"""Hugging Face models of many families keep the laws of a model, and agree with `generate`."""

from __future__ import annotations

import laws
import pytest
import torch
import transformers
from families import EOS, FAMILIES, VOCAB
from transformers import LogitsProcessorList
from transformers.generation import logits_process

import gridbeam
from gridbeam import UserError
from gridbeam.models import Model
from gridbeam.models.huggingface.adapter import HuggingFace
from gridbeam.models.huggingface.memory import Copied, Shared

TOKENS = [5, 9, 17, 30, 6, 6]


@pytest.fixture(params=FAMILIES, scope="module")
def family(request):
    return FAMILIES[request.param]


@pytest.fixture(scope="module")
def case(family):
    return HuggingFace(family.model()), family.sources(), TOKENS


def test_it_has_the_three_verbs(case):
    assert isinstance(case[0], Model)
    assert (case[0].vocab_size, case[0].eos) == (VOCAB, (EOS,))


@pytest.mark.parametrize("law", laws.ALL, ids=lambda law: law.__name__)
def test_it_keeps_the_laws(case, law):
    law(*case)


def scored_anew(model, source, tokens):
    """By the model itself, without a cache, one unpadded row at a time."""
    row = {name: value[None] for name, value in source.items()}
    if model.config.is_encoder_decoder:
        row["decoder_input_ids"] = torch.tensor(
            [[model.generation_config.decoder_start_token_id, *tokens]]
        )
    else:
        row["input_ids"] = torch.cat(
            [row["input_ids"], torch.tensor([tokens], dtype=torch.long)], 1
        )
        row["attention_mask"] = torch.ones_like(row["input_ids"])
    with torch.no_grad():
        return model(**row, use_cache=False).logits[0, -1].log_softmax(-1)


def walk(model, sources, widths=(7, 7, 5, 9, 3, 3, 2, 1), seed=3):
    """Steps with random tokens over rows that are reordered, repeated and dropped.

    Returns each row's scores, source and prefix.
    """
    random = torch.Generator().manual_seed(seed)
    state, feed = model.start(sources), torch.full((len(sources),), model.bos)
    rows = [(source, []) for source in sources]
    for width in widths:
        log_probs, state = model.step(state, feed)
        yield log_probs, rows, state
        chosen = torch.randint(len(rows), (width,), generator=random)
        feed = torch.randint(3, VOCAB, (width,), generator=random)
        state = model.select(state, chosen)
        rows = [
            (rows[row][0], [*rows[row][1], token])
            for row, token in zip(chosen.tolist(), feed.tolist(), strict=True)
        ]


@pytest.mark.parametrize("share", [True, False])
def test_every_row_is_scored_as_the_model_scores_it_alone_without_a_cache(family, share):
    model = family.model()
    adapted = HuggingFace(model, share=share)
    for log_probs, rows, state in walk(adapted, family.sources()):
        anew = torch.stack([scored_anew(model, source, prefix) for source, prefix in rows])
        assert torch.allclose(log_probs, anew, atol=1e-4)
        is_found_out = rows[0][1] or family.shares
        assert not is_found_out or isinstance(
            state.memory, Shared if share and family.shares else Copied
        )


def test_the_model_is_left_as_it_was(family):
    model = family.model()
    before = [
        part.config._attn_implementation for part in model.modules() if hasattr(part, "config")
    ]
    for _ in walk(HuggingFace(model), family.sources()):
        pass
    assert before == [
        part.config._attn_implementation for part in model.modules() if hasattr(part, "config")
    ]


def test_the_scores_are_those_of_beam_search(family):
    model = family.model()
    config = {
        "do_sample": False,
        "num_beams": 3,
        "num_return_sequences": 3,
        "length_penalty": 0.0,
        "max_new_tokens": 6,
    }
    config |= {
        "pad_token_id": 0,
        "no_repeat_ngram_size": 2,
        "return_dict_in_generate": True,
        "output_scores": True,
    }
    sources = family.sources()
    theirs = transformers.GenerationMixin.generate(model, **family.batch(), **config)
    processors = LogitsProcessorList([logits_process.NoRepeatNGramLogitsProcessor(2)])
    adapted = HuggingFace(model, logits_processor=processors)
    start = (
        1
        if model.config.is_encoder_decoder
        else max(len(source["input_ids"]) for source in sources)
    )
    for number, (row, score) in enumerate(
        zip(theirs.sequences.tolist(), theirs.sequences_scores.tolist(), strict=True)
    ):
        generated = row[start:]
        tokens = generated[: generated.index(EOS) + 1] if EOS in generated else generated
        ours, state, feed = 0.0, adapted.start([sources[number // 3]]), torch.tensor([adapted.bos])
        for token in tokens:
            log_probs, state = adapted.step(state, feed)
            ours, feed = ours + log_probs[0, token].item(), torch.tensor([token])
        assert ours == pytest.approx(score, abs=1e-4)


OBEYED = {
    "forced_bos_token_id": 9,
    "suppress_tokens": [5, 6, 7, 8, 30],
    "begin_suppress_tokens": [9, 17, 20, 25, 26, 31],
    "bad_words_ids": [[17], [9, 20], [30, 31]],
    "min_length": 6,
    "min_new_tokens": 5,
    "no_repeat_ngram_size": 1,
    "repetition_penalty": 1.7,
    "sequence_bias": [[[11], -3.0], [[12], -9.0]],
    "exponential_decay_length_penalty": (2, 1.5),
    "renormalize_logits": True,
}
TOGETHER = [
    ["forced_bos_token_id", "begin_suppress_tokens"],
    ["exponential_decay_length_penalty", "renormalize_logits"],
]
ALONE = [[rule] for rule in OBEYED if rule != "exponential_decay_length_penalty"]


@pytest.mark.parametrize("name", ["marian", "bart", "t5", "llama"])
@pytest.mark.parametrize("rules", ALONE + TOGETHER, ids="+".join)
def test_a_generation_config_is_obeyed_as_by_generate(name, rules):
    model, ids = FAMILIES[name].model(), [5, 9, 6]
    for rule in rules:
        setattr(model.generation_config, rule, OBEYED[rule])
    plain = {"num_beams": 4, "max_new_tokens": 7, "length_penalty": 0.0, "do_sample": False}
    theirs = transformers.GenerationMixin.generate(
        model, torch.tensor([ids]), **plain, return_dict_in_generate=True, output_scores=True
    )
    adapted = HuggingFace(model)
    has_tag = model.config.is_encoder_decoder and "forced_bos_token_id" in rules
    length = plain["max_new_tokens"] - has_tag
    options = {
        "beam": 4,
        "max_length": length,
        "length_penalty": 0.0,
        "force_end": False,
        "stop": "likely",
    }
    [[best]] = gridbeam.search(adapted, [ids], [[]], **options)
    start = 1 + has_tag if model.config.is_encoder_decoder else len(ids)
    assert list(best.tokens) == theirs.sequences[0, start:].tolist()
    assert best.score == pytest.approx(theirs.sequences_scores.item(), abs=1e-4)


def test_what_a_generation_config_says_of_sampling_is_nothing_to_a_search():
    model = FAMILIES["llama"].model()
    plain = next(walk(HuggingFace(model), [[5, 9]]))[0]
    model.generation_config.update(
        do_sample=True, temperature=0.1, top_k=2, top_p=0.5, forced_eos_token_id=EOS
    )
    assert torch.equal(next(walk(HuggingFace(model), [[5, 9]]))[0], plain)


def test_what_cannot_be_obeyed_is_refused_by_its_name():
    for rule, value in {
        "encoder_no_repeat_ngram_size": 3,
        "encoder_repetition_penalty": 1.5,
        "guidance_scale": 2.0,
    }.items():
        model = FAMILIES["marian"].model()
        setattr(model.generation_config, rule, value)
        with pytest.raises(UserError, match=rule):
            HuggingFace(model)


def test_processors_of_ones_own_take_the_place_of_the_generation_config():
    model = FAMILIES["marian"].model()
    model.generation_config.suppress_tokens = [7]
    adapted = HuggingFace(model, logits_processor=LogitsProcessorList())
    log_probs, _ = adapted.step(adapted.start([[5]]), torch.tensor([0]))
    assert log_probs[0, 7].isfinite()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["marian", "bart", "gpt2", "vit_gpt2", "vit_bert", "vit_trocr"])
def test_a_text_ends_where_the_positions_of_a_model_end(name):
    family = FAMILIES[name]
    model = HuggingFace(family.model())
    sources = family.sources()
    found = gridbeam.search(
        model, sources, [[[5, 7]]] * len(sources), beam=2, max_length=5000, length_penalty=9
    )
    prompts = [len(source["input_ids"]) if name == "gpt2" else 1 for source in sources]
    assert all(best.finished and best.spans for [best] in found)
    assert (
        max(prompt + len(best.tokens) - 1 for prompt, [best] in zip(prompts, found, strict=True))
        == model.positions
        == 64
    )
    alone = [
        gridbeam.search(model, [source], [[[5, 7]]], beam=2, max_length=5000, length_penalty=9)[0]
        for source in sources
    ]
    assert [best.tokens for [best] in alone] == [best.tokens for [best] in found]


@pytest.mark.parametrize(("name", "token"), [("marian", VOCAB), ("gpt2", VOCAB), ("t5", -1)])
def test_a_token_that_a_model_does_not_know_is_refused(name, token):
    with pytest.raises(
        UserError, match=f"source 1 has token {token}, but .* reads ids from 0 to {VOCAB - 1}"
    ):
        HuggingFace(FAMILIES[name].model()).start([[5, 6], [5, token]])


def test_a_source_longer_than_the_positions_of_a_model_is_refused():
    for name, model in (("marian", "MarianMTModel"), ("gpt2", "GPT2LMHeadModel")):
        with pytest.raises(
            UserError,
            match=(
                f"input_ids of source 1 has 65 tokens, and {model} has positions for no more"
                " than 64"
            ),
        ):
            HuggingFace(FAMILIES[name].model()).start([[5], [5] * 65])
    with pytest.raises(UserError, match="decoder_input_ids of source 0 has 70 tokens"):
        HuggingFace(FAMILIES["bart"].model()).start(
            [{"input_ids": [5], "decoder_input_ids": [0] * 70}]
        )
    limits = [
        HuggingFace(FAMILIES[name].model()).positions
        for name in ("t5", "m2m100", "llama", "whisper")
    ]
    assert limits == [None, None, None, 64]  # no encoder of sounds counts


def test_forbidden_tokens_leave_their_probability_to_the_others():
    adapted = HuggingFace(FAMILIES["t5"].model(), forbidden=[7, 9])
    log_probs, _ = adapted.step(adapted.start([[5], [6]]), torch.tensor([0, 0]))
    assert log_probs.isneginf().nonzero().tolist() == [[0, 7], [0, 9], [1, 7], [1, 9]]
    assert torch.allclose(log_probs.exp().sum(1), torch.ones(2))


def test_what_a_sentence_shares_is_not_copied_for_its_rows():
    model = HuggingFace(FAMILIES["llama"].model())
    _, state = model.step(model.start([[5] * 50]), torch.tensor([1]))
    shared = state.memory.own.layers[0].shared[0]
    state = model.select(state, torch.zeros(20, dtype=torch.long))
    _, state = model.step(state, torch.full((20,), 7))
    layer = state.memory.own.layers[0]
    assert layer.shared[0].data_ptr() == shared.data_ptr()
    assert layer.shared[0].shape[0] == 1 and layer.own[0].shape[:3] == (20, 2, 1)


def test_what_finished_sentences_shared_is_dropped():
    model = HuggingFace(FAMILIES["marian"].model())
    _, state = model.step(
        model.start([[5, 6], [7], [8, 9], [10]]), torch.zeros(4, dtype=torch.long)
    )
    assert model.select(state, torch.tensor([3, 1, 0])).memory.places.sentences == 4
    halved = model.select(state, torch.tensor([3, 1, 1])).memory
    assert halved.places.sentences == 2 and len(halved.encoder_outputs[0]) == 2
    assert halved.cross.layers[0].shared[0].shape[0] == 2


def test_select_leaves_the_state_that_it_selects_from():
    model = HuggingFace(FAMILIES["llama"].model())
    _, state = model.step(model.start([[5, 6, 7]]), torch.tensor([1]))
    _, state = model.step(model.select(state, torch.tensor([0, 0])), torch.tensor([8, 9]))
    first, second = (model.select(state, torch.tensor([row])) for row in (0, 1))
    a, _ = model.step(first, torch.tensor([4]))
    b, _ = model.step(second, torch.tensor([4]))
    anew = torch.stack(
        [
            scored_anew(model._model, {"input_ids": torch.tensor([5, 6, 7])}, [row, 4])
            for row in (8, 9)
        ]
    )
    assert torch.allclose(torch.cat([a, b]), anew, atol=1e-4)


def test_rows_may_be_selected_before_the_first_step(case):
    model, sources, _ = case
    state = model.select(model.start(sources), torch.tensor([1, 0, 1]))
    log_probs, _ = model.step(state, torch.full((3,), model.bos))
    direct, _ = model.step(model.start(sources), torch.full((len(sources),), model.bos))
    assert torch.allclose(log_probs, direct[[1, 0, 1]], atol=1e-4)


def test_a_model_that_computes_with_keys_itself_falls_back_to_copies(monkeypatch):
    family = FAMILIES["vit_trocr"]
    monkeypatch.setattr(
        "gridbeam.models.huggingface.adapter.can_attend_to_shared", lambda model: True
    )
    model = family.model()
    for log_probs, rows, _ in walk(HuggingFace(model), family.sources()):
        anew = torch.stack([scored_anew(model, source, prefix) for source, prefix in rows])
        assert torch.allclose(log_probs, anew, atol=1e-4)


class Changing(torch.nn.Module):
    """An attention that changes what it is given, and then goes on as it did."""

    def __init__(self, attention, change):
        super().__init__()
        self.attention, self.change = attention, change

    def forward(self, *args, past_key_values, **kwargs):
        return self.attention(
            *args, past_key_values=Changed(past_key_values, self.change), **kwargs
        )


class Changed:
    """A cache whose keys and values are changed on their way to the attention function."""

    def __init__(self, cache, change):
        self.cache, self.change = cache, change

    def update(self, *args):
        return self.change(*self.cache.update(*args))


CHANGES = {
    "keys": lambda keys, values: (2 * keys, values),
    "values": lambda keys, values: (keys, values.flip(1)),
    "values that are keys": lambda keys, values: (keys, keys),
    "both, for each other": lambda keys, values: (values, keys),
}


@pytest.mark.parametrize("changed", CHANGES)
def test_a_model_that_changes_keys_or_values_before_it_attends_falls_back_to_copies(changed):
    model = FAMILIES["llama"].model()
    layer = model.model.layers[1]
    layer.self_attn = Changing(layer.self_attn, CHANGES[changed])
    shared, copied = HuggingFace(model), HuggingFace(model, share=False)
    for (ours, _, state), (exact, _, _) in zip(
        walk(shared, [[5, 9], [12]]), walk(copied, [[5, 9], [12]]), strict=True
    ):
        assert torch.allclose(ours, exact, atol=1e-4)
        assert (
            isinstance(state.memory, Copied) or len(state.ids[0]) == 2
        )  # the prompts alone: nothing was fed yet


@pytest.mark.parametrize("name", ["t5gemma", "nllb_moe", "switch", "llama", "diffllama", "doge"])
def test_what_a_search_reports_is_what_the_model_says_without_a_cache(name):
    family = FAMILIES[name]
    model, source = family.model(), family.sources()[0]
    [[best]] = gridbeam.search(HuggingFace(model), [source], [[[17, 18]]], beam=3, max_length=8)
    true = [
        scored_anew(model, source, best.tokens[:length])[token]
        for length, token in enumerate(best.tokens)
    ]
    assert sum(best.log_probs) == pytest.approx(sum(true).item(), abs=1e-3)


def test_other_parts_of_an_encoders_output_stay_those_of_their_rows():
    model = HuggingFace(FAMILIES["marian"].model())
    state = model.start([[5, 6], [7, 8], [9, 10]])
    state.memory.encoder_outputs["attentions"] = torch.tensor([0, 1, 2])
    _, state = model.step(state, torch.zeros(3, dtype=torch.long))
    for rows, sentences in (
        ([0, 1, 2, 2], [0, 1, 2, 2]),
        ([3, 1, 2], [2, 1, 2]),
        ([0, 0], [2, 2]),
        ([1], [2]),
    ):
        _, state = model.step(model.select(state, torch.tensor(rows)), torch.full((len(rows),), 7))
        given = state.memory.inputs()["encoder_outputs"]
        assert given["attentions"].tolist() == sentences
        assert type(given) is transformers.modeling_outputs.BaseModelOutput and given[0].shape[
            :2
        ] == (len(rows), 2)


def test_sources_may_be_lists_of_ids():
    for name in ("marian", "llama"):
        model = HuggingFace(FAMILIES[name].model())
        ids, mappings = (
            [[5, 9, 6], [12]],
            [{"input_ids": torch.tensor([5, 9, 6])}, {"input_ids": torch.tensor([12])}],
        )
        feed = torch.full((2,), model.bos)
        assert torch.equal(
            model.step(model.start(ids), feed)[0], model.step(model.start(mappings), feed)[0]
        )


def test_prompts_may_come_padded():
    model = HuggingFace(FAMILIES["gpt2"].model())
    padded = {"input_ids": torch.tensor([0, 0, 5, 9]), "attention_mask": torch.tensor([0, 0, 1, 1])}
    walked = zip(walk(model, [padded]), walk(model, [[5, 9]]), strict=True)
    assert all(torch.allclose(a, b, atol=1e-4) for (a, _, _), (b, _, _) in walked)


def test_the_encoder_may_have_run_already():
    for name in ("marian", "whisper", "vit_gpt2", "t5", "nllb_moe", "switch"):
        family = FAMILIES[name]
        model = family.model()
        sources = family.sources()
        rows = []
        for source in sources:
            inputs = {name: value[None] for name, value in source.items()}
            with torch.no_grad():
                rows.append({"encoder_outputs": model.get_encoder()(**inputs).last_hidden_state[0]})
        pairs = zip(walk(HuggingFace(model), rows), walk(HuggingFace(model), sources), strict=True)
        assert all(torch.allclose(a, b, atol=1e-4) for (a, _, _), (b, _, _) in pairs)


def test_a_decoder_may_have_a_prompt():
    for name in ("marian", "t5", "whisper", "vit_gpt2"):
        family = FAMILIES[name]
        model = family.model()
        start = model.generation_config.decoder_start_token_id
        sources = [
            source | {"decoder_input_ids": torch.tensor([start, 8, 9])}
            for source in family.sources()
        ]
        for log_probs, rows, _ in walk(HuggingFace(model), sources):
            plain = [
                ({k: v for k, v in source.items() if k != "decoder_input_ids"}, prefix)
                for source, prefix in rows
            ]
            anew = torch.stack(
                [scored_anew(model, source, [8, 9, *prefix]) for source, prefix in plain]
            )
            assert torch.allclose(log_probs, anew, atol=1e-4)


def test_half_precision_is_scored_in_full():
    family = FAMILIES["llama"]
    half, full = HuggingFace(family.model().to(torch.float16)), HuggingFace(family.model())
    for (ours, _, _), (exact, _, _) in zip(
        walk(half, family.sources()), walk(full, family.sources()), strict=True
    ):
        assert ours.dtype == torch.float32
        assert (ours - exact).abs().mean() < 0.05


@pytest.mark.filterwarnings(
    "ignore:.*torch.ao.quantization is deprecated", "ignore:torch.quantize_per_tensor"
)
@pytest.mark.parametrize("name", ["marian", "t5", "llama", "gpt2", "diffllama", "vit_gpt2"])
def test_a_model_in_8_bits_is_scored_as_it_scores_itself(name):
    family = FAMILIES[name]
    model = torch.ao.quantization.quantize_dynamic(
        family.model(), {torch.nn.Linear}, dtype=torch.qint8
    )
    source = family.sources()[0]
    shared, copied = HuggingFace(model), HuggingFace(model, share=False)
    assert shared.vocab_size == VOCAB
    row = {name: value[None] for name, value in source.items()}
    kept = {
        "max_new_tokens": 6,
        "do_sample": False,
        "return_dict_in_generate": True,
        "output_logits": True,
    }
    theirs = transformers.GenerationMixin.generate(model, **row, **kept)
    for adapted in (shared, copied):
        state, feed = adapted.start([source]), torch.tensor([adapted.bos])
        for logits, token in zip(
            theirs.logits, theirs.sequences[0, -len(theirs.logits) :], strict=True
        ):
            log_probs, state = adapted.step(state, feed)
            assert torch.allclose(log_probs, logits.log_softmax(-1), atol=0.05)
            feed = token[None]
    [[best]] = gridbeam.search(shared, [source], [[[17, 18]]], beam=3, max_length=8)
    assert best.spans[0]


def test_allowed_tokens_are_asked_for_by_sentence():
    asked = []

    def allowed(sentence, ids):
        asked.append((sentence, ids.tolist()))
        return [3 + sentence]

    processors = LogitsProcessorList(
        [logits_process.PrefixConstrainedLogitsProcessor(allowed, num_beams=4)]
    )
    model = HuggingFace(FAMILIES["llama"].model(), logits_processor=processors)
    _, state = model.step(model.start([[5, 6], [7, 8]]), torch.tensor([1, 1]))
    log_probs, _ = model.step(
        model.select(state, torch.tensor([1, 0, 1])), torch.tensor([20, 21, 22])
    )
    assert asked[2:] == [(1, [7, 8, 20]), (0, [5, 6, 21]), (1, [7, 8, 22])]
    assert log_probs.isfinite().nonzero().tolist() == [[0, 4], [1, 3], [2, 4]]


def test_processors_that_hold_rows_are_refused_by_the_name_of_their_option():
    model = FAMILIES["marian"].model()
    ids = torch.tensor([[5, 6]])
    held = {
        "encoder_no_repeat_ngram_size": logits_process.EncoderNoRepeatNGramLogitsProcessor(2, ids),
        "encoder_repetition_penalty": logits_process.EncoderRepetitionPenaltyLogitsProcessor(
            1.5, ids
        ),
        "guidance_scale": logits_process.UnbatchedClassifierFreeGuidanceLogitsProcessor(1.5, model),
    }
    for option, processor in held.items():
        with pytest.raises(UserError, match=option):
            HuggingFace(model, logits_processor=LogitsProcessorList([processor]))


def test_a_score_above_0_is_refused_unless_it_is_normalised_again():
    bias = logits_process.SequenceBiasLogitsProcessor({(7,): 100.0})
    model = FAMILIES["marian"].model()
    raised = HuggingFace(model, logits_processor=LogitsProcessorList([bias]))
    with pytest.raises(UserError, match="renormalize_logits=True"):
        raised.step(raised.start([[5]]), torch.tensor([0]))
    normalised = HuggingFace(
        model, logits_processor=LogitsProcessorList([bias, logits_process.LogitNormalization()])
    )
    log_probs, _ = normalised.step(normalised.start([[5]]), torch.tensor([0]))
    assert log_probs[0, 7] == pytest.approx(0.0, abs=1e-4)


def test_all_ends_of_a_model_are_ends():
    model = FAMILIES["llama"].model()
    config = transformers.GenerationConfig(eos_token_id=[EOS, 7], pad_token_id=0)
    assert HuggingFace(model, generation_config=config).eos == (EOS, 7)
    with pytest.raises(UserError, match="set eos_token_id"):
        HuggingFace(model, generation_config=transformers.GenerationConfig())


def test_a_model_that_is_not_wrapped_is_refused_with_its_wrapper():
    with pytest.raises(
        UserError,
        match=r"LlamaForCausalLM is a model of transformers: wrap it in .*HuggingFace\(model\)",
    ):
        gridbeam.search(FAMILIES["llama"].model(), [[5]], [[]])


def test_a_model_without_a_key_value_cache_is_refused_by_name():
    config = transformers.MambaConfig(
        vocab_size=VOCAB, hidden_size=16, num_hidden_layers=1, state_size=4, eos_token_id=EOS
    )
    with pytest.raises(
        UserError, match="MambaForCausalLM cannot be searched: a model needs a key/value cache"
    ):
        HuggingFace(transformers.MambaForCausalLM(config).eval())
    with pytest.raises(UserError, match="ViTModel cannot generate"):
        HuggingFace(
            transformers.ViTModel(
                transformers.ViTConfig(hidden_size=12, num_attention_heads=2, num_hidden_layers=1)
            )
        )


def test_bad_sources_are_named():
    model = HuggingFace(FAMILIES["llama"].model())
    bad = {
        "there are no sources": [],
        "input_ids of source 1 is empty": [[5], []],
        "input_ids of source 0 is not made of numbers": ["text"],
        r'input_ids of source 0 is on meta, the model on cpu: use batch.to\("cpu"\)': [
            torch.zeros(3, device="meta")
        ],
        "source 1 has .* but source 0 has": [[5], {"input_ids": [5], "token_type_ids": [1]}],
        "needs input_ids": [{"attention_mask": [1]}],
        r"input_ids of source 0 is of shape \[1, 2\] .* one row .*, without a batch axis": [
            torch.tensor([[5, 6]])
        ],
        r"attention_mask of source 1 is of shape \[1, 1\]": [
            {"input_ids": [5]},
            {"input_ids": [5], "attention_mask": [[1]]},
        ],
        r"input_ids of source 1 is of shape \[2, 2\]": [[5], [[5, 6], [7, 8]]],
        "input_ids of source 0 is of shape .* torch.float32": [[5.0, 6.0]],
        r"input_ids of source 0 is of shape \[\]": [5],
    }
    for message, sources in bad.items():
        with pytest.raises(UserError, match=message):
            model.start(sources)
    marian = HuggingFace(FAMILIES["marian"].model())
    with pytest.raises(UserError, match="decoder_input_ids of one batch must be of one length"):
        marian.start(
            [
                {"input_ids": [5], "decoder_input_ids": [0]},
                {"input_ids": [5], "decoder_input_ids": [0, 6]},
            ]
        )
    vision = HuggingFace(FAMILIES["vit_gpt2"].model())
    with pytest.raises(
        UserError, match="VisionEncoderDecoderModel needs pixel_values, or encoder_outputs"
    ):
        vision.start([[5, 6]])
    with pytest.raises(UserError, match="pixel_values has rows of different shapes"):
        vision.start(
            [{"pixel_values": torch.zeros(3, 8, 8)}, {"pixel_values": torch.zeros(3, 8, 4)}]
        )
