"""Models of many languages are told which, by whatever code a user has for them."""

from __future__ import annotations

import json
import shutil

import pytest
import tiny
import tongues
import transformers
from typer.testing import CliRunner

import gridbeam
from gridbeam import Prefix, Request, Translator, UserError
from gridbeam.cli import app
from gridbeam.models.load import load

TEXT = "The disk is full."
LANGUAGES = [("de", "German"), ("fr", "French")]
KINDS = list(tongues.GERMAN)


def generated(kind, source, target):
    """What `generate` makes of the text, as the model's own documentation has it.

    No language is written within it.
    """
    folder = tongues.folder(kind)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, src_lang=source)
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder)
    token = tokenizer.convert_tokens_to_ids(f"__{target}__" if kind == "m2m100" else target)
    first = {"decoder_start_token_id" if kind == "mbart" else "forced_bos_token_id": token}
    never = {
        "bad_words_ids": [[id] for id in {1, *tongues.ids_of_languages(tokenizer)}],
        "renormalize_logits": True,
    }
    options = {"num_beams": 3, "max_new_tokens": 12, "length_penalty": 0.0}
    out = model.generate(**tokenizer(TEXT, return_tensors="pt"), **first, **never, **options)
    assert token == out[0, 0 if kind == "mbart" else 1]
    return out[0, 1 if kind == "mbart" else 2 :].tolist()


def found(kind, **languages):
    """The same by a search."""
    loaded = load(f"hf:{tongues.folder(kind)}", **languages)
    room = 12 if kind == "mbart" else 11
    options = {
        "beam": 3,
        "max_length": room,
        "length_penalty": 0.0,
        "force_end": False,
        "stop": "likely",
    }
    [[best]] = gridbeam.search(loaded.model, [loaded.tokenizer(TEXT)["input_ids"]], [[]], **options)
    return list(best.tokens)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_languages_are_those_of_generate(kind):
    english = {"m2m100": "en", "nllb": "eng_Latn", "mbart": "en_XX", "mbart50": "en_XX"}[kind]
    german = found(kind, source="en", target="de")
    assert german == generated(kind, english, tongues.GERMAN[kind])
    backwards = found(kind, source="fr", target="en")
    assert backwards == generated(kind, tongues.FRENCH[kind], english)
    assert german != backwards


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "codes"),
    [
        ("m2m100", ["de", "DE", "deu", "de-AT"]),
        ("nllb", ["de", "deu_Latn", "deu-latn", "de_DE"]),
        ("mbart50", ["de", "de_DE", "de-DE", "deu_Latn"]),
    ],
)
def test_a_language_may_go_by_its_own_code_or_a_plain_one(kind, codes):
    for code in codes:
        loaded = load(f"hf:{tongues.folder(kind)}", source="fr", target=code)
        assert (loaded.source, loaded.target) == ("fr", "de")
        assert (loaded.tokenizer.src_lang, loaded.tokenizer.tgt_lang) == (
            tongues.FRENCH[kind],
            tongues.GERMAN[kind],
        )


def refusal(kind, **languages):
    """What is said of these languages."""
    with pytest.raises(UserError) as refused:
        load(f"hf:{tongues.folder(kind)}", **languages)
    return str(refused.value)


@pytest.mark.slow
def test_a_language_that_is_not_known_is_refused_with_those_that_are_like_it():
    said = refusal("nllb", target="dau_Latn")
    assert 'does not translate into "dau_Latn": say with --target (target=) ' in said
    assert (
        "deu_Latn" in said
        and "dan_Latn" in said
        and "or another of its 202." in said
        and len(said) < 300
    )
    assert 'does not translate from "xx": say with --source (source=) ' in refusal(
        "m2m100", source="xx", target="de"
    )
    assert "(target=) zho_Hans or zho_Hant." in refusal("nllb", target="zh")
    assert load(f"hf:{tongues.folder('nllb')}", target="zho_Hant").target == "zh"


@pytest.mark.slow
def test_a_model_of_many_languages_needs_a_target_unless_it_has_a_usual_one(tmp_path):
    assert "translates into several languages: say with --target (target=) af," in refusal("m2m100")
    assert load(f"hf:{tongues.folder('mbart')}").target == "ro"  # what its texts start with
    folder = shutil.copytree(tongues.folder("nllb"), tmp_path / "nllb")
    config = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(
        json.dumps(config | {"src_lang": "fra_Latn", "tgt_lang": "deu_Latn"})
    )
    assert (load(f"hf:{folder}").source, load(f"hf:{folder}").target) == ("fr", "de")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_constraints_are_met_in_the_language_that_was_chosen(kind):
    translator = Translator.load(f"hf:{tongues.folder(kind)}", target="de")
    request = Request(
        "The disk is full. The house is empty.", ["Festplatte", "Laufwerk", Prefix("Das")]
    )
    found = translator.translate(request, beam=2)
    assert all(word in found.text for word in ("Festplatte", "Laufwerk")) and found.text.startswith(
        "Das"
    )
    special = {*translator.tokenizer.all_special_tokens, "__de__"}
    assert not any(token in found.text for token in special)


@pytest.mark.slow
def test_the_command_line_tells_a_model_its_languages():
    ask = CliRunner().invoke
    model = ["-m", f"hf:{tongues.folder('m2m100')}", "--device", "cpu"]
    said = ask(app, ["translate", TEXT, *model, "--source", "fr", "--target", "de", "--beam", "2"])
    translator = Translator.load(model[1], source="fr", target="de", device="cpu")
    assert (
        said.exit_code == 0
        and said.stdout.strip() == translator.translate(TEXT, beam=2).text.strip()
    )
    assert ask(app, ["translate", TEXT, *model, "--target", "xx"]).exit_code == 2


def test_models_of_one_source_refuse_others():
    loaded = load(f"hf:{tiny.marian()}", source="en-GB", target="de-AT")
    assert (loaded.source, loaded.target, loaded.tag) == ("en", "de", ">>de<< ")
    with pytest.raises(
        UserError, match=r"does not translate from \"fr\": say with --source \(source=\) en"
    ):
        load(f"hf:{tiny.marian()}", source="fr", target="de")


def test_a_tag_of_three_letters_goes_with_files_and_glossaries_of_a_plain_code(tmp_path):
    folder = shutil.copytree(tiny.marian(("deu", "ara")), tmp_path / "marian")
    config = json.loads((folder / "config.json").read_text())
    config["gridbeam"]["source"] = "eng"
    (folder / "config.json").write_text(json.dumps(config))
    loaded = load(f"hf:{folder}", source="en", target="de")
    assert (loaded.source, loaded.target, loaded.tag) == ("en", "de", ">>deu<< ")
    assert load(f"hf:{folder}", target="ar").tag == ">>ara<< "
    path, out = tmp_path / "a.po", tmp_path / "b.po"
    path.write_text('msgid ""\nmsgstr "Language: de\\n"\n\nmsgid "The disk"\nmsgstr ""\n')
    asked = [
        "translate",
        str(path),
        "-o",
        str(out),
        "-m",
        f"hf:{folder}",
        "--target",
        "de",
        "--beam",
        "2",
        "--fail-on",
        "nothing",
    ]
    assert CliRunner().invoke(app, asked).exit_code == 0 and "fuzzy" in out.read_text()


def test_a_t5_is_told_in_words(tmp_path):
    folder = shutil.copytree(tiny.marian(("de",)), tmp_path / "t5")
    sizes = {
        "d_model": 16,
        "d_kv": 8,
        "d_ff": 32,
        "num_layers": 1,
        "num_heads": 2,
        "vocab_size": 600,
    }
    special = {"eos_token_id": 0, "pad_token_id": 2, "decoder_start_token_id": 2}
    tasks = {"summarization": {"prefix": "summarize: "}}
    tasks |= {
        f"translation_en_to_{code}": {"prefix": f"translate English to {name}: "}
        for code, name in LANGUAGES
    }
    config = transformers.T5Config(**sizes, **special, task_specific_params=tasks)
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    loaded = load(f"hf:{folder}", target="fr")
    assert (loaded.source, loaded.target, loaded.tag) == (
        "en",
        "fr",
        "translate English to French: ",
    )
    assert load(f"hf:{folder}").tag == ""
    with pytest.raises(
        UserError, match=r"does not translate into \"es\": say with --target \(target=\) de or fr"
    ):
        load(f"hf:{folder}", target="es")
