"""Folders of models from others: their code is not run unasked, and damage is told in a line."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys

import pytest
import tiny
import torch
from safetensors.torch import load_file, save_file

from gridbeam import Translator, UserError
from gridbeam.errors import UserNotice
from gridbeam.models import eightbit
from gridbeam.models.folders import reading
from gridbeam.models.gru import model as gru
from gridbeam.models.gru.network import AttentionalGRU, GRUConfig

AGAIN = "copy the whole folder of the model again"
CODE = """
import os
from pathlib import Path
from transformers import MarianConfig, MarianMTModel, MarianTokenizer
with Path(os.environ["MARKS"]).open("a") as marks:
    marks.write(__name__.rpartition(".")[2] + " ")

class OwnConfig(MarianConfig):
    model_type = "own"

class OwnModel(MarianMTModel):
    config_class = OwnConfig

class OwnTokenizer(MarianTokenizer):
    pass
"""


@pytest.fixture
def folder(tmp_path):
    """A folder of a tiny Marian that may be damaged."""
    return shutil.copytree(tiny.marian(("de",)), tmp_path / "model")


def edit(folder, name, **changes):
    path = folder / name
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


# Code in a folder.


def with_own_code(folder, model_type):
    for name in ("config", "network", "tokens"):
        (folder / f"{name}_of_mine.py").write_text(CODE)
    classes = {
        "AutoConfig": "config_of_mine.OwnConfig",
        "AutoModelForSeq2SeqLM": "network_of_mine.OwnModel",
    }
    edit(folder, "config.json", model_type=model_type, auto_map=classes)
    own_tokenizer = {"AutoTokenizer": ["tokens_of_mine.OwnTokenizer", None]}
    edit(folder, "tokenizer_config.json", tokenizer_class="OwnTokenizer", auto_map=own_tokenizer)
    return folder


def run(*arguments, folder, stdin=""):
    """What a process does, and which modules of the folder it ran."""
    marks = folder.parent / "marks"
    environment = os.environ | {
        "MARKS": str(marks),
        "HF_MODULES_CACHE": str(folder.parent / "modules"),
        "HF_HUB_OFFLINE": "1",
    }
    done = subprocess.run(
        [sys.executable, *arguments],
        input=stdin,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done, set(marks.read_text().split()) if marks.exists() else set()


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["translate", "-m", "hf:FOLDER"],
        ["translate", "-m", "FOLDER"],
        ["translate", "-m", "gru:FOLDER"],
        ["export", "FOLDER", "NEW"],
    ],
    ids=" ".join,
)
def test_no_command_runs_code_of_a_folder_whatever_is_on_stdin(arguments, folder):
    with_own_code(folder, "own")
    if "gru:FOLDER" in arguments:
        (folder / "source.spm").unlink()  # else the tokenizer is taken for Marian's
    new = str(folder.parent / "new")
    arguments = [each.replace("FOLDER", str(folder)).replace("NEW", new) for each in arguments]
    done, ran = run("-m", "gridbeam", *arguments, folder=folder, stdin="y\nyes\n1\n")
    assert ran == set()
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{folder} needs Python code of its own" in done.stderr
    assert "Translator.load(..., trust_remote_code=True)" in done.stderr
    assert "Traceback" not in done.stderr and "[y/N]" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trusted", "modules"),
    [(False, set()), (True, {"config_of_mine", "network_of_mine", "tokens_of_mine"})],
)
def test_a_folder_of_a_known_kind_runs_its_own_code_only_if_asked_for(trusted, modules, folder):
    with_own_code(folder, "marian")
    code = (
        f"from gridbeam import Translator; t = Translator.load({str(folder)!r},"
        f" trust_remote_code={trusted}); "
    )
    code += "print(len(t.translate('The disk', max_length=4).text) > 0)"
    done, ran = run("-c", code, folder=folder, stdin="y\n")
    assert (done.stdout, ran) == ("True\n", modules), done.stderr


@pytest.mark.slow
def test_a_folder_of_an_unknown_kind_is_loaded_by_its_own_code_if_asked_for(folder):
    with_own_code(folder, "own")
    code = (
        f"from gridbeam import Translator; t = Translator.load('hf:{folder}',"
        " trust_remote_code=True); "
    )
    code += "print(type(t.tokenizer).__name__)"
    done, ran = run("-c", code, folder=folder)
    assert (done.stdout, ran) == (
        "OwnTokenizer\n",
        {"config_of_mine", "network_of_mine", "tokens_of_mine"},
    ), done.stderr


class Marks:
    """Something whose unpickling leaves a mark."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


@pytest.mark.parametrize(
    "write",
    [torch.save, lambda what, path: path.write_bytes(pickle.dumps(what, 2))],
    ids=["torch", "pickle"],
)
def test_no_code_in_pickled_weights_is_run(write, folder):
    mark = folder.parent / "mark"
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    write(weights | {"model.shared.weight": Marks(mark)}, folder / "pytorch_model.bin")
    with pytest.raises(UserError, match="model could not be loaded: "):
        Translator.load(folder)
    assert not mark.exists()


def test_pickled_weights_without_code_are_loaded(folder):
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    assert Translator.load(folder).target == "de"


# Damage.


def cut(name, keep):
    def damage(folder):
        (folder / name).write_bytes((folder / name).read_bytes()[:keep])

    return damage


def put(name, content):
    return lambda folder: (folder / name).write_bytes(content)


def config(**changes):
    return lambda folder: edit(folder, "config.json", **changes)


def generation(**changes):
    return lambda folder: edit(folder, "generation_config.json", **changes)


def without(name):
    """A config.json that lacks a setting."""

    def damage(folder):
        found = json.loads((folder / "config.json").read_text())
        del found[name]
        (folder / "config.json").write_text(json.dumps(found))

    return damage


def weights(change):
    def damage(folder):
        found = load_file(folder / "model.safetensors")
        change(found)
        save_file(found, folder / "model.safetensors", metadata={"format": "pt"})

    return damage


UNKNOWN = r"model could not be loaded: .*"
UNFIT = r"model: the weights do not fit its config\.json .*"
DAMAGES = {
    "weights cut at their end": (
        cut("model.safetensors", -100),
        r"model\.safetensors is damaged or cut off",
    ),
    "weights cut in their header": (
        cut("model.safetensors", 40),
        r"model\.safetensors is damaged or cut off",
    ),
    "empty weights": (put("model.safetensors", b""), r"model\.safetensors is damaged or cut off"),
    "no weights": (
        lambda folder: (folder / "model.safetensors").unlink(),
        UNKNOWN + r"no file named model\.safetensors",
    ),
    "a cut source.spm": (cut("source.spm", 1000), r"source\.spm is damaged or cut off"),
    "an empty source.spm": (put("source.spm", b""), r"source\.spm is damaged or cut off"),
    "a cut target.spm": (cut("target.spm", -7), r"target\.spm is damaged or cut off"),
    "target.spm of garbage": (
        put("target.spm", b"garbage" * 99),
        r"target\.spm is damaged or cut off",
    ),
    "a cut vocab.json": (cut("vocab.json", 100), r"vocab\.json is damaged or cut off"),
    "a vocab.json that is a list": (
        put("vocab.json", b"[]"),
        r"vocab\.json is damaged .*it holds no JSON object",
    ),
    "a vocab.json without words": (
        put("vocab.json", b"{}"),
        UNKNOWN + "<unk> token must be in the vocab",
    ),
    "a cut tokenizer_config.json": (
        cut("tokenizer_config.json", 10),
        r"tokenizer_config\.json is damaged",
    ),
    "a tokenizer of a wrong setting": (
        lambda folder: edit(folder, "tokenizer_config.json", model_max_length="x"),
        UNKNOWN + "TypeError",
    ),
    "a cut config.json": (cut("config.json", 50), r"config\.json is not JSON"),
    "an empty config.json": (put("config.json", b""), r"config\.json is not JSON"),
    "a config.json of bytes": (put("config.json", b"\xff\xfe"), r"config\.json is not JSON"),
    "a config.json nested too deeply": (
        put("config.json", b"[" * 100_000),
        r"config\.json is not JSON",
    ),
    "a config.json that is a list": (
        put("config.json", b"[]"),
        r"config\.json holds a list instead of a JSON object",
    ),
    "no model_type": (without("model_type"), UNKNOWN + "model_type"),
    "a model_type that is unknown": (config(model_type="mariam"), UNKNOWN + "mariam"),
    "a model_type that is no word": (config(model_type=[]), UNKNOWN),
    "another vocab_size": (
        config(vocab_size=99),
        UNFIT + r"model\.shared\.weight is \[\d+, 32\] instead of \[99, 32\]",
    ),
    "no d_model": (without("d_model"), UNFIT),
    "a d_model that is text": (config(d_model="32"), UNKNOWN + "d_model"),
    "a d_model of 0": (config(d_model=0), UNKNOWN),
    "a d_model beyond memory": (config(d_model=10**15), UNKNOWN),
    "no heads": (config(encoder_attention_heads=0), UNKNOWN),
    "an unknown activation": (config(activation_function="relo"), UNKNOWN + "relo"),
    "padding beyond the vocabulary": (config(pad_token_id=99999), UNKNOWN),
    "more layers than weights": (
        config(encoder_layers=3),
        UNFIT + r"encoder\.layers\.2\.fc1\.bias is missing",
    ),
    "more weights than layers": (
        config(encoder_layers=1),
        UNFIT + r"encoder\.layers\.1\.fc1\.bias is too many",
    ),
    "a weight that is missing": (
        weights(lambda w: w.pop("model.decoder.layers.0.fc1.weight")),
        UNFIT + r"fc1\.weight is missing",
    ),
    "a cut generation_config.json": (
        cut("generation_config.json", 20),
        r"generation_config\.json is not JSON",
    ),
    "a generation_config.json that is a list": (
        put("generation_config.json", b"[]"),
        r"generation_config\.json holds a list",
    ),
    "an end that is no token": (generation(eos_token_id="x"), UNKNOWN),
    "languages that are no object": (
        config(gridbeam=[]),
        r'config\.json: "gridbeam" is \[\], which is no JSON object',
    ),
    "languages that are null": (
        config(gridbeam=None),
        r'config\.json: "gridbeam" is null, which is no JSON object',
    ),
    "no source": (
        config(gridbeam={"targets": ["de"]}),
        r'config\.json: in "gridbeam" "source" is null',
    ),
    "no targets": (
        config(gridbeam={"source": "en"}),
        r'config\.json: in "gridbeam" .*"targets" is null',
    ),
    "targets that are no list": (
        config(gridbeam={"source": "en", "targets": "de"}),
        r'config\.json: .*"targets" is "de"',
    ),
}


@pytest.mark.parametrize(("damage", "message"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_folder_is_refused_with_the_remedy(damage, message, folder, capfd):
    damage(folder)
    with pytest.raises(UserError, match=f"{message}.*{AGAIN}") as error:
        Translator.load(folder)
    assert "\n" not in str(error.value) and str(folder) in str(error.value)
    assert capfd.readouterr().out == ""


def test_the_complaint_of_the_library_is_kept_as_the_cause(folder):
    cut("source.spm", 1000)(folder)
    with pytest.raises(UserError) as error:
        Translator.load(folder)
    assert isinstance(error.value.__cause__, RuntimeError)


def test_a_start_beyond_the_vocabulary_is_refused(folder):
    generation(decoder_start_token_id=99999)(folder)
    with pytest.raises(
        UserError,
        match=(
            r"start or end with token 99999, but the model has ids from 0 to \d+: copy"
            r" generation_config"
        ),
    ):
        Translator.load(folder)


def test_a_model_that_is_no_encoder_decoder_is_refused(folder):
    config(model_type="gpt2")(folder)
    with pytest.raises(
        UserError, match='is a "gpt2", which is no encoder-decoder: name a model that translates'
    ):
        Translator.load(folder)


def test_surplus_weights_of_others_are_left_out_with_a_notice(folder):
    without("gridbeam")(folder)
    weights(lambda w: w.update({"head.of.training": torch.zeros(2)}))(folder)
    with pytest.warns(UserNotice, match=r"does not have are left out: head\.of\.training"):
        Translator.load(folder, target="de")


@pytest.mark.parametrize(
    "error", [NameError("x"), SyntaxError("x"), MemoryError(), KeyboardInterrupt()], ids=repr
)
def test_what_is_no_damage_is_not_taken_for_it(error, folder):
    with pytest.raises(type(error)), reading(folder):
        raise error


def test_a_library_that_is_lacking_is_named(folder):
    with (
        pytest.raises(
            UserError,
            match=r"could not be loaded: ImportError: no tiktoken\. Install what it needs",
        ),
        reading(folder),
    ):
        raise ImportError("no tiktoken")


# Other ways to store a model.


def with_fast_tokenizer(folder):
    """The folder with a tokenizer.json in place of Marian's files."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel

    for name in ("source.spm", "target.spm"):
        (folder / name).unlink()
    words = WordLevel(json.loads((folder / "vocab.json").read_text()), unk_token="<unk>")
    (folder / "vocab.json").unlink()
    Tokenizer(words).save(str(folder / "tokenizer.json"))
    edit(folder, "tokenizer_config.json", tokenizer_class="PreTrainedTokenizerFast")


def test_a_cut_tokenizer_json_is_refused(folder):
    with_fast_tokenizer(folder)
    assert Translator.load(folder).target == "de"
    cut("tokenizer.json", 200)(folder)
    with pytest.raises(UserError, match=rf"tokenizer\.json is damaged or cut off .*: {AGAIN}"):
        Translator.load(folder)


@pytest.mark.parametrize("content", [b"", b"garbage" * 99], ids=["empty", "garbage"])
def test_a_damaged_spiece_model_is_refused(content, folder):
    for name in ("target.spm", "vocab.json"):
        (folder / name).unlink()
    (folder / "source.spm").rename(folder / "spiece.model")
    edit(folder, "tokenizer_config.json", tokenizer_class="T5Tokenizer")
    put("spiece.model", content)(folder)
    with pytest.raises(UserError, match=rf"spiece\.model is damaged or cut off .*: {AGAIN}"):
        Translator.load(folder)


IN_8_BITS = {
    "cut weights": (cut("model.safetensors", -100), r"model\.safetensors is damaged or cut off"),
    "no weights": (lambda folder: (folder / "model.safetensors").unlink(), "No such file"),
    "a scale that is missing": (
        weights(lambda w: w.pop("model.shared.weight.scale")),
        r"model\.shared\.weight\.scale",
    ),
    "a weight that is missing": (
        weights(lambda w: w.pop("model.decoder.layers.0.fc1.bias")),
        r"fc1\.bias is missing",
    ),
    "more weights than layers": (config(encoder_layers=1), "is too many"),
    "another vocab_size": (
        config(vocab_size=99),
        r"could not be loaded: .*: size mismatch|do not fit",
    ),
    "no d_model": (without("d_model"), UNKNOWN + "d_model"),
    "positions that are text": (config(max_position_embeddings="x"), UNKNOWN),
    "a cut generation_config.json": (
        cut("generation_config.json", 20),
        r"generation_config\.json is not JSON",
    ),
}


@pytest.mark.parametrize(("damage", "message"), IN_8_BITS.values(), ids=IN_8_BITS)
def test_a_damaged_folder_in_8_bits_is_refused_with_the_remedy(damage, message, tmp_path):
    eightbit.store(tiny.marian(("de",)), tmp_path / "model")
    damage(tmp_path / "model")
    with pytest.raises(UserError, match=f"{message}.*{AGAIN}"):
        Translator.load(tmp_path / "model")


def test_a_model_of_others_in_8_bits_is_loaded(folder, tmp_path):
    without("gridbeam")(folder)
    eightbit.store(folder, tmp_path / "stored")
    assert Translator.load(tmp_path / "stored", target="de").target == "de"


def test_a_damaged_folder_is_not_stored_in_8_bits(folder, tmp_path):
    cut("model.safetensors", -100)(folder)
    with pytest.raises(UserError, match=rf"model\.safetensors is damaged or cut off .*: {AGAIN}"):
        eightbit.store(folder, tmp_path / "stored")


GRU = {
    "cut weights": (cut("model.safetensors", -100), "is damaged or cut off .*: copy it again"),
    "a cut config.json": (cut("config.json", 20), "is not JSON"),
    "a cut source.spm": (cut("source.spm", 1000), "source.spm is damaged or cut off"),
    "languages that are no object": (config(gridbeam=3), '"gridbeam" is 3'),
    "no hidden": (without("hidden"), "lacks hidden"),
    "another hidden": (config(hidden=10), "does not fit"),
}


@pytest.mark.parametrize("prefix", ["gru:", ""], ids=["by its kind", "by its path"])
@pytest.mark.parametrize(("damage", "message"), GRU.values(), ids=GRU)
def test_a_damaged_folder_of_the_papers_network_is_refused(damage, message, prefix, tmp_path):
    size = tiny.tokenizer_files(tmp_path)
    gru.save(AttentionalGRU(GRUConfig(size, embedding=8, hidden=8, pad=2, bos=2, eos=0)), tmp_path)
    edit(tmp_path, "config.json", gridbeam={"source": "en", "targets": ["de"]})
    damage(tmp_path)
    with pytest.raises(UserError, match=message):
        Translator.load(f"{prefix}{tmp_path}")


@pytest.mark.slow
def test_the_command_line_tells_of_damage_in_a_line_and_exits_with_2(folder):
    config(vocab_size=99)(folder)
    done, _ = run("-m", "gridbeam", "translate", "The disk", "-m", f"hf:{folder}", folder=folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert (
        done.stderr.startswith(f"gridbeam: {folder}: the weights do not fit")
        and AGAIN in done.stderr
    )
