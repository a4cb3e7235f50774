"""Constrained decoding through transformers' own `generate`: a drop-in without the old faults."""

from __future__ import annotations

from typing import get_args

import pytest
import tokenizers_at_hand as at_hand
import torch
import transformers
from families import EOS, FAMILIES, PAD
from transformers import LogitsProcessorList, StoppingCriteriaList

import gridbeam
from gridbeam import (
    AnyOf,
    AtMost,
    Avoid,
    GridBeamSearch,
    InOrder,
    Origin,
    Phrase,
    Prefix,
    Suffix,
    Unsatisfiable,
    UserError,
)
from gridbeam.decoding.options import Share


@pytest.fixture(params=FAMILIES, scope="module")
def family(request):
    return FAMILIES[request.param]


@pytest.fixture(scope="module")
def model(family):
    return family.model()


def generate(model, family, **options):
    defaults = {
        "num_beams": 4,
        "max_new_tokens": 12,
        "do_sample": False,
        "return_dict_in_generate": True,
    }
    return model.generate(**family.batch(), **defaults | options)


PLAIN = [
    {},
    {"num_beams": 3, "early_stopping": True, "num_return_sequences": 3},
    {"early_stopping": "never", "length_penalty": 0.2, "num_return_sequences": 2},
    {"length_penalty": 2.0, "min_new_tokens": 5, "num_return_sequences": 2},
    {"length_penalty": -1.0, "repetition_penalty": 1.3, "no_repeat_ngram_size": 2},
    {"bad_words_ids": [[5], [9, 6]], "suppress_tokens": [7], "begin_suppress_tokens": [30]},
    {"eos_token_id": [EOS, 9, 11], "num_return_sequences": 2},
    {"forced_bos_token_id": 13, "forced_eos_token_id": EOS},
    {"num_beams": 1, "max_new_tokens": 5},
]


def named(options, place):
    """With every family these are many tests, so that the quick ones are the first two."""
    return pytest.param(
        options, id="-".join(options) or "defaults", marks=[pytest.mark.slow] * (place > 1)
    )


@pytest.mark.parametrize("options", map(named, PLAIN, range(len(PLAIN))))
def test_without_constraints_it_is_the_beam_search_of_transformers(model, family, options):
    theirs = generate(model, family, **options, output_scores=True)
    ours = generate(model, family, **options, output_scores=True, custom_generate=GridBeamSearch())
    assert ours.sequences.tolist() == theirs.sequences.tolist()
    if getattr(theirs, "sequences_scores", None) is not None:
        assert ours.sequences_scores.tolist() == pytest.approx(
            theirs.sequences_scores.tolist(), rel=1e-5, abs=1e-4
        )


def test_every_family_meets_different_constraints_in_each_row(model, family):
    rows = len(family.sources())
    wishes = [
        [Phrase([17, 18]), AnyOf([21], [22, 23]), Avoid([24])],
        [],
        [Prefix([33]), InOrder([25], [26]), Suffix([27, 28]), AtMost(1, [28])],
    ][:rows]
    out = generate(model, family, constraints=wishes, custom_generate=GridBeamSearch())
    prompt = family.batch()["input_ids"].shape[1] if not model.config.is_encoder_decoder else 1
    for wish, sequence in zip(wishes, out.sequences.tolist(), strict=True):
        text = [token for token in sequence[prompt:] if token not in (family.eos, PAD)]
        assert all(verdict.is_met for verdict in gridbeam.check(wish, text)), (wish, sequence)


def test_outputs_say_what_was_met_where_and_how():
    family = FAMILIES["llama"]
    wishes = [[Phrase([17, 18])], [], [AnyOf([5], [6, 7])]]
    out = generate(family.model(), family, constraints=wishes, custom_generate=GridBeamSearch())
    assert isinstance(out, transformers.generation.GenerateBeamDecoderOnlyOutput)
    assert out.constraints_met == [[True], [], [True]]
    [[(start, end)]] = out.constraint_spans[0]
    assert out.sequences[0, start:end].tolist() == [17, 18]
    assert out.origins[0, start:end].tolist() == [Origin.STARTED, Origin.CONTINUED]
    assert set(out.origins[0, :7].tolist()) == {-1}  # the prompt
    assert out.origins.shape == out.sequences.shape


@pytest.mark.parametrize("name", ["marian", "gpt2"])
def test_step_scores_lead_to_the_sequence_scores(name):
    family = FAMILIES[name]
    model = family.model()
    out = generate(
        model,
        family,
        constraints=[[[17, 18]], [], []],
        custom_generate=GridBeamSearch(),
        output_scores=True,
        length_penalty=0.0,
    )
    steps = model.compute_transition_scores(
        out.sequences, out.scores, out.beam_indices, normalize_logits=False
    )
    assert steps.sum(1).tolist() == pytest.approx(out.sequences_scores.tolist(), abs=1e-4)


def test_without_a_dict_only_the_sequences_come_back():
    family = FAMILIES["marian"]
    out = generate(
        family.model(), family, custom_generate=GridBeamSearch(), return_dict_in_generate=False
    )
    assert isinstance(out, torch.Tensor) and out.shape[0] == 3


def test_the_grid_can_be_recorded():
    family = FAMILIES["marian"]
    out = generate(
        family.model(),
        family,
        constraints=[[[17]], [], []],
        custom_generate=GridBeamSearch(trace=True),
    )
    assert gridbeam.draw.as_text(out.hypotheses[0], str)


# The old call of transformers 4, and its faults.


@pytest.mark.parametrize(
    "words", [[[17, 18], [21]], [[[17, 18], [19]], [[21], [22]]], [[17], [[21, 22], [23]]]]
)
def test_an_old_call_works_with_one_added_argument(words):
    family = FAMILIES["t5"]
    out = generate(family.model(), family, force_words_ids=words, custom_generate=GridBeamSearch())
    for sequence in out.sequences.tolist():
        for word in words:
            alternatives = [word] if isinstance(word[0], int) else word
            assert gridbeam.check([AnyOf(*alternatives)], sequence[1:])[0].is_met
    assert out.constraints_met == [[True, True]] * 3


def test_alternatives_may_share_a_beginning():
    family = FAMILIES["marian"]
    out = generate(
        family.model(),
        family,
        force_words_ids=[[[17, 18], [17, 18, 19]]],
        custom_generate=GridBeamSearch(),
    )
    assert out.constraints_met == [[True]] * 3


def test_the_prompt_does_not_count():
    family = FAMILIES["gpt2"]
    out = generate(
        family.model(),
        family,
        constraints=[[[5, 9]], [[20]], [[23]]],
        custom_generate=GridBeamSearch(),
    )
    for sequence, wish in zip(out.sequences.tolist(), ([5, 9], [20], [23]), strict=True):
        assert gridbeam.check([Phrase(wish)], sequence[7:])[0].is_met


def test_a_token_that_breaks_a_phrase_may_begin_it_anew():
    """`1 2` occurs in `1 1 2`."""

    def only(ids, scores):
        step = ids.shape[1] - 1
        return scores.masked_fill(torch.arange(40) != [17, 17, 18, EOS][min(step, 3)], -torch.inf)

    family = FAMILIES["marian"]
    out = generate(
        family.model(),
        family,
        constraints=[[[17, 18]]] * 3,
        custom_generate=GridBeamSearch(),
        logits_processor=LogitsProcessorList([only]),
    )
    assert out.sequences.tolist() == [[0, 17, 17, 18, EOS]] * 3
    assert out.constraint_spans == [(((2, 4),),)] * 3


def test_what_cannot_be_met_is_an_error_and_never_silence():
    family = FAMILIES["marian"]
    with pytest.raises(Unsatisfiable, match="rules out tokens they need"):
        generate(
            family.model(),
            family,
            constraints=[[], [[17]], []],
            bad_words_ids=[[17]],
            custom_generate=GridBeamSearch(),
        )


# Options of generate.


def test_stopping_criteria_end_a_text_but_not_before_it_meets_its_constraints():
    def is_even(ids, scores):
        return ids[:, -1] % 2 == 0

    family = FAMILIES["marian"]
    criteria = StoppingCriteriaList([is_even])
    theirs = generate(family.model(), family, stopping_criteria=criteria)
    ours = generate(
        family.model(), family, stopping_criteria=criteria, custom_generate=GridBeamSearch()
    )
    assert ours.sequences.tolist() == theirs.sequences.tolist()
    forced = generate(
        family.model(),
        family,
        stopping_criteria=criteria,
        constraints=[[[17, 19]]] * 3,
        custom_generate=GridBeamSearch(),
    )
    assert forced.constraints_met == [[True]] * 3
    with pytest.raises(Unsatisfiable, match="a stopping criterion"):
        generate(
            family.model(),
            family,
            stopping_criteria=criteria,
            constraints=[[[18, 19]]] * 3,
            custom_generate=GridBeamSearch(),
        )


def test_a_search_that_runs_out_of_time_says_so():
    family = FAMILIES["marian"]
    with pytest.raises(Unsatisfiable, match="a stopping criterion"):
        generate(
            family.model(),
            family,
            max_time=1e-9,
            constraints=[[[17, 19]]] * 3,
            custom_generate=GridBeamSearch(),
        )


def test_prefix_functions_are_asked_with_the_number_of_the_row():
    def allowed(row, ids):
        return [*range(10 * row, 10 * row + 10), EOS]

    family = FAMILIES["gpt2"]
    theirs = generate(family.model(), family, prefix_allowed_tokens_fn=allowed)
    ours = generate(
        family.model(), family, prefix_allowed_tokens_fn=allowed, custom_generate=GridBeamSearch()
    )
    assert ours.sequences.tolist() == theirs.sequences.tolist()


def test_fewer_texts_than_asked_for_are_padded_with_a_warning():
    family = FAMILIES["marian"]
    with pytest.warns(UserWarning, match="different texts were found"):
        out = generate(
            family.model(),
            family,
            custom_generate=GridBeamSearch(),
            num_return_sequences=3,
            max_new_tokens=2,
            constraints=[[Prefix([17, 18])], [], []],
        )
    assert out.constraints_met[:3] == [[True], [False], [False]]
    assert out.sequences_scores[1] == -torch.inf


class Streamer:
    """A streamer that remembers what it is given."""

    def __init__(self):
        self.given = []

    def put(self, value):
        self.given.append(value)

    def end(self):
        self.given.append("end")


def test_a_streamer_and_an_assistant_are_not_handed_over_so_they_have_no_effect():
    family, streamer = FAMILIES["marian"], Streamer()
    model, options = family.model(), {"custom_generate": GridBeamSearch(), "num_beams": 1}
    expected = generate(model, family, **options)
    found = generate(model, family, **options, streamer=streamer, assistant_model=family.model())
    assert torch.equal(found.sequences, expected.sequences)
    assert len(streamer.given) == 1, "generate itself puts the prompt"


@pytest.mark.parametrize("name", ["streamer", "assistant_model"])
def test_a_streamer_or_an_assistant_that_is_handed_over_is_refused_by_name(name):
    model = FAMILIES["gpt2"].model()
    with pytest.raises(UserError, match=f"{name}: beam search knows its text only at the end"):
        GridBeamSearch()(model, torch.tensor([[3]]), **{name: Streamer()})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"do_sample": True}, "do_sample=True: .*pass do_sample=False"),
        ({"output_attentions": True}, "output_attentions=True: attentions are not kept"),
        ({"output_logits": True}, "output_logits=True: logits are not kept; ask for output_scores"),
        ({"encoder_no_repeat_ngram_size": 2}, "encoder_no_repeat_ngram_size does not work here"),
        ({"sequence_bias": [[[5], 50.0]]}, "renormalize_logits=True"),
        (
            {"constraints": [[]]},
            "constraints has 1 entries, the batch 3 rows. Give a list with one list of constraints",
        ),
        (
            {"constraints": "Haus"},
            "constraints is a str. Give a list with one list of constraints for each row",
        ),
        ({"constraints": (["Haus"] for _ in range(3))}, "constraints is a generator"),
        (
            {"constraints": [["Haus"], [], []]},
            r'constraints\[0\]: "Haus" is text: write GridBeamSearch\(tokenizer\)',
        ),
        (
            {"force_words_ids": [17, 18]},
            "force_words_ids holds 17: give a list of token ids for each phrase",
        ),
        (
            {"constraints": [[], [[99]], []]},
            r"constraints\[1\]: .*token id 99 is unknown to the model",
        ),
        (
            {"constraints": [[[5]], [], []], "bad_words_ids": [[5]]},
            r"constraints\[0\]: no text .*: raise num_beams or max_new_tokens\.",
        ),
        (
            {"constraints": [[], [[5] * 13], []]},
            r"constraints\[1\]: .*needs 13 tokens, but max_new_tokens is 12",
        ),
    ],
)
def test_what_cannot_be_honoured_is_refused_by_name(options, message):
    family = FAMILIES["marian"]
    with pytest.raises(UserError, match=message):
        generate(family.model(), family, **options, custom_generate=GridBeamSearch())


class PhrasalConstraint:
    """As in transformers 4."""


class DisjunctiveConstraint(PhrasalConstraint):
    """As in transformers 4."""


@pytest.mark.parametrize("flat", [["Haus", "Tor", "Hut"], [Phrase([5]), [[6]], None], [[[5]], "a"]])
def test_a_flat_list_is_never_dealt_out_to_the_rows(flat):
    family = FAMILIES["marian"]
    with pytest.raises(
        UserError, match=r"flat list, with .* Write constraints=\[\[\.\.\.\]\] \* 3"
    ):
        generate(family.model(), family, constraints=flat, custom_generate=GridBeamSearch())


def test_the_same_for_every_row_or_a_list_for_each_are_what_the_remedy_says():
    family = FAMILIES["marian"]
    model, options = family.model(), {"custom_generate": GridBeamSearch()}
    for wishes in ([[[5], [7]]] * 3, [[[5]], [], [[7]]]):
        met = generate(model, family, constraints=wishes, **options).constraints_met
        assert met == [[True] * len(row) for row in wishes]


def test_none_for_a_row_asks_for_nothing():
    family = FAMILIES["marian"]
    model, options = family.model(), {"custom_generate": GridBeamSearch()}
    one, other = (
        generate(model, family, constraints=[nothing, [[5]], nothing], **options)
        for nothing in (None, [])
    )
    assert torch.equal(one.sequences, other.sequences)
    assert one.constraints_met == [[], [True], []]


def test_constraints_of_the_search_hold_for_every_row_of_every_call():
    family = FAMILIES["gpt2"]
    search = GridBeamSearch(constraints=[[5], Avoid([7])])
    out = generate(family.model(), family, custom_generate=search, constraints=[[[9]], None, []])
    assert out.constraints_met == [[True] * 3, [True] * 2, [True] * 2]
    with pytest.raises(TypeError, match="one positional argument"):
        GridBeamSearch(None, [[5]])


@pytest.mark.parametrize("options", [{}, {"constraints": [[[5]]] * 3}])
def test_the_class_in_place_of_a_value_is_refused_with_the_remedy(options):
    family = FAMILIES["marian"]
    with pytest.raises(UserError, match=r"write custom_generate=GridBeamSearch\(tokenizer\)"):
        generate(family.model(), family, custom_generate=GridBeamSearch, **options)


@pytest.mark.parametrize(
    ("old", "remedy"),
    [(PhrasalConstraint(), "or Phrase"), (DisjunctiveConstraint(), "write AnyOf")],
)
def test_constraints_of_transformers_4_are_refused_with_what_says_the_same(old, remedy):
    family = FAMILIES["marian"]
    for given in ([old], [[old], [], []], old):
        with pytest.raises(UserError, match=f"{type(old).__name__} is of transformers 4.*{remedy}"):
            generate(family.model(), family, constraints=given, custom_generate=GridBeamSearch())


def test_a_model_that_samples_by_its_own_config_is_searched_as_the_message_says():
    family = FAMILIES["gpt2"]
    model, options = family.model(), {"custom_generate": GridBeamSearch(), "max_new_tokens": 9}
    model.generation_config.update(do_sample=True, top_k=2, temperature=0.5)
    with pytest.raises(UserError, match="pass do_sample=False"):
        model.generate(**family.batch(), **options)
    found = model.generate(**family.batch(), **options, do_sample=False, constraints=[[[5, 7]]] * 3)
    assert all("5, 7" in str(row) for row in found.tolist())


def test_a_pipeline_takes_a_list_of_prompts():
    tokenizer = at_hand.byte_level_bpe()
    end = tokenizer.eos_token_id
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer),
        n_embd=16,
        n_layer=1,
        n_head=2,
        n_positions=64,
        bos_token_id=end,
        eos_token_id=end,
        pad_token_id=end,
        initializer_range=0.6,
    )
    pipe = transformers.pipeline(
        "text-generation", model=transformers.GPT2LMHeadModel(config).eval(), tokenizer=tokenizer
    )
    prompts = ["The hard disk ", "Hello the ", "A drive "]
    tokenizer.padding_side = "left"
    options = {"num_beams": 3, "max_new_tokens": 20, "do_sample": False}

    def texts(search, **more):
        found = pipe(prompts, custom_generate=search, **options, **more)
        return [each[0]["generated_text"] for each in found]

    for size in (1, 2, 3):
        search = GridBeamSearch(tokenizer, constraints=["Festplatte"])
        assert all("Festplatte" in text for text in texts(search, batch_size=size))
    wishes = [["Festplatte"], ["Laufwerk"], None]
    found = texts(GridBeamSearch(tokenizer), batch_size=3, constraints=wishes)
    assert "Festplatte" in found[0] and "Laufwerk" in found[1]
    with pytest.raises(UserError, match=r"3 entries, the batch 1 rows.*constraints=\[\.\.\.\]\)"):
        texts(GridBeamSearch(tokenizer), constraints=wishes)


def test_a_model_without_a_cache_is_refused():
    config = transformers.MambaConfig(
        vocab_size=40,
        hidden_size=16,
        num_hidden_layers=1,
        state_size=4,
        eos_token_id=2,
        pad_token_id=0,
    )
    mamba = transformers.MambaForCausalLM(config).eval()
    with pytest.raises(
        UserError, match="MambaForCausalLM cannot be searched: a model needs a key/value cache"
    ):
        mamba.generate(
            torch.tensor([[5, 6]]),
            num_beams=2,
            max_new_tokens=3,
            pad_token_id=0,
            custom_generate=GridBeamSearch(),
        )


# Text.


def translator(tokenizer, **more):
    """A tiny random encoder-decoder for a tokenizer."""
    torch.manual_seed(0)
    config = transformers.MarianConfig(
        vocab_size=len(tokenizer) + 3,
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=64,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
        forced_eos_token_id=None,
        init_std=0.5,
        **more,
    )
    return transformers.MarianMTModel(config).eval()


def translated(tokenizer, constraints, search=None, **options):
    batch = tokenizer(["The hard disk is full.", "Hello"], return_tensors="pt", padding=True)
    batch.pop("token_type_ids", None)
    defaults = {"num_beams": 4, "max_new_tokens": 30, "return_dict_in_generate": True}
    search = search or GridBeamSearch(tokenizer)
    out = translator(tokenizer).generate(
        **batch, **defaults | options, custom_generate=search, constraints=constraints
    )
    return out, [tokenizer.decode(row, skip_special_tokens=True) for row in out.sequences]


@pytest.mark.parametrize("kind", at_hand.KINDS, ids=lambda kind: kind.__name__)
def test_strings_go_in_and_come_out_as_whole_words(kind):
    wishes = [["Festplatte", AnyOf("Laufwerk", "Laufwerke"), Avoid("er")], []]
    out, (text, _) = translated(kind(), wishes)
    words = text.replace(",", " ").replace(".", " ").split()
    assert out.constraints_met == [[True, True, True], []]
    assert any(word.strip('()"!?;:-=@_') == "Festplatte" for word in words) or "Festplatte" in text
    assert at_hand.occurs(text, "Festplatte", whole_word=True)
    assert at_hand.occurs(text, "Laufwerk", whole_word=True) or at_hand.occurs(
        text, "Laufwerke", whole_word=True
    )
    assert not at_hand.occurs(text, "er", whole_word=True)


def test_defaults_for_all_phrases_can_be_set():
    tokenizer = at_hand.byte_level_bpe()
    _, (text, _) = translated(
        tokenizer,
        [["RAUCH", "festplatte"], []],
        GridBeamSearch(tokenizer, case="any", whole_word=False),
    )
    assert "rauch" in text.lower() and "festplatte" in text.lower()


def test_a_language_tag_may_stand_before_a_prefix():
    """As NLLB and mBART have it: the first token is forced, and the text begins after it."""
    tokenizer = at_hand.unigram()
    out, (text, _) = translated(
        tokenizer, [[Prefix("Die Festplatte")], []], forced_bos_token_id=tokenizer.bos_token_id
    )
    assert text.startswith("Die Festplatte")
    assert out.sequences[0, 1] == tokenizer.bos_token_id
    [[(start, end)]] = out.constraint_spans[0]
    assert tokenizer.decode(out.sequences[0, start:end]) == "Die Festplatte" and start == 2


def test_a_language_tag_in_the_prompt_is_not_forced_again():
    """As in transformers, which forces the first token of a text, and no other."""
    tokenizer = at_hand.unigram()
    tag = tokenizer.bos_token_id
    prompt = torch.tensor([[0, tag]] * 2)
    given = {"forced_bos_token_id": tag, "decoder_input_ids": prompt}
    out, (text, _) = translated(tokenizer, [[Prefix("Die Festplatte")], []], **given)
    assert text.startswith("Die Festplatte")
    assert out.sequences[0, :2].tolist() == prompt[0].tolist() and tag not in out.sequences[0, 2:]


def test_each_token_can_be_rewarded():
    tokenizer = at_hand.unigram()
    plain, rewarded = (
        translated(
            tokenizer,
            [["Rauch"], []],
            GridBeamSearch(tokenizer, length_reward=reward),
            length_penalty=0.0,
        )[0]
        for reward in (0.0, 0.5)
    )
    written = torch.tensor([len(hypothesis.tokens) for hypothesis in rewarded.hypotheses])
    assert torch.equal(plain.sequences, rewarded.sequences)
    assert torch.allclose(
        rewarded.sequences_scores - plain.sequences_scores, 0.5 * written, atol=1e-4
    )


def test_the_places_of_a_column_can_be_shared_out_in_every_way():
    tokenizer, grids = at_hand.unigram(), {}
    for share in get_args(Share):
        method = GridBeamSearch(tokenizer, share=share, trace=True)
        out, (text, _) = translated(tokenizer, [["Rauch"], []], method)
        assert "Rauch" in text
        grids[share] = out.hypotheses[0].trace
    assert grids.pop("bounded") == grids["rows"]  # as there are few rows
    assert grids.pop("settled") == grids["rows"]  # as a beam has two places
    assert len(set(grids.values())) == len(grids)


def test_a_processor_stands_for_its_tokenizer():
    tokenizer = at_hand.byte_level_bpe()
    processor = type("Processor", (), {"tokenizer": tokenizer})()
    _, (text, _) = translated(tokenizer, [["Festplatte"], []], GridBeamSearch(processor))
    assert "Festplatte" in text


def test_a_prompt_that_ends_within_a_word_is_not_gone_on_with():
    tokenizer = at_hand.byte_level_bpe()
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer),
        n_embd=16,
        n_layer=1,
        n_head=2,
        n_positions=64,
        eos_token_id=tokenizer.eos_token_id,
        initializer_range=0.5,
    )
    model = transformers.GPT2LMHeadModel(config).eval()
    batch = tokenizer(["Nicht"], return_tensors="pt")
    batch.pop("token_type_ids", None)
    out = model.generate(
        **batch,
        num_beams=3,
        max_new_tokens=12,
        constraints=[[Prefix(Phrase("raucher", whole_word=False))]],
        custom_generate=GridBeamSearch(tokenizer),
        pad_token_id=0,
    )
    free = model.generate(
        **batch,
        num_beams=3,
        max_new_tokens=12,
        constraints=[["raucher"]],
        custom_generate=GridBeamSearch(tokenizer),
        pad_token_id=0,
    )
    assert tokenizer.decode(out[0]).startswith(("Nichtraucher", "Nicht raucher"))
    assert at_hand.occurs(
        tokenizer.decode(free[0], skip_special_tokens=True), "raucher", whole_word=True
    )


def test_a_tokenizer_that_does_not_fit_is_refused():
    few, many = at_hand.unigram(), at_hand.byte_fallback_bpe()
    options = {
        "inputs": torch.tensor([[5]]),
        "num_beams": 2,
        "max_new_tokens": 5,
        "constraints": [[]],
    }
    with pytest.raises(
        UserError,
        match=r"the tokenizer has 560 tokens, the model \d+: load both from the same folder",
    ):
        translator(few).generate(**options, custom_generate=GridBeamSearch(many))
    model = translator(many)
    model.config.eos_token_id = model.generation_config.eos_token_id = 100
    with pytest.raises(
        UserError, match=r'the model ends texts with token 100, which is ".*" to the tokenizer'
    ):
        model.generate(**options, custom_generate=GridBeamSearch(few))


def test_a_prompt_counts_as_what_comes_before_in_every_kind_of_model():
    tokenizer = at_hand.byte_level_bpe()
    model = translator(tokenizer)
    start = [tokenizer.pad_token_id, *tokenizer("Nicht", add_special_tokens=False)["input_ids"]]
    for wish in ("raucher", Prefix("raucher")):
        ids = model.generate(
            torch.tensor([[5, 6]]),
            decoder_input_ids=torch.tensor([start]),
            num_beams=3,
            max_new_tokens=12,
            constraints=[[wish]],
            custom_generate=GridBeamSearch(tokenizer),
        )
        assert at_hand.occurs(
            tokenizer.decode(ids[0], skip_special_tokens=True), "raucher", whole_word=True
        )


def test_models_that_read_images_into_their_prompt_are_refused():
    text = {
        "vocab_size": 40,
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
    }
    seen = {
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "image_size": 8,
        "patch_size": 4,
    }
    config = transformers.LlavaConfig(
        vision_config=transformers.CLIPVisionConfig(**seen),
        text_config=transformers.LlamaConfig(
            **text, num_key_value_heads=2, eos_token_id=2, pad_token_id=0
        ),
        image_token_id=39,
        vision_feature_layer=-1,
    )
    model = transformers.LlavaForConditionalGeneration(config).eval()
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = 2, 0
    with pytest.raises(UserError, match="this input of the model cannot be told apart by rows"):
        model.generate(
            input_ids=torch.tensor([[39, 39, 39, 39, 5, 6]]),
            attention_mask=torch.ones(1, 6, dtype=torch.long),
            pixel_values=torch.zeros(1, 3, 8, 8),
            num_beams=2,
            max_new_tokens=3,
            custom_generate=GridBeamSearch(),
        )


def test_a_phrase_that_is_too_long_is_named_in_words():
    with pytest.raises(
        Unsatisfiable,
        match=r'constraints\[0\]: "gegen das Rauchen" needs \d+ tokens, but max_new_tokens is 2',
    ):
        translated(at_hand.unigram(), [["gegen das Rauchen"], []], max_new_tokens=2)
