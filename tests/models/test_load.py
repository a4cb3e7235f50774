"""Models by name: what each name means, and what is said of those that mean nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import tiny
import torch

from gridbeam import Request, Translator, UserError
from gridbeam.models import eightbit
from gridbeam.models import load as loading
from gridbeam.models.gru import model as gru
from gridbeam.models.gru.network import AttentionalGRU, GRUConfig
from gridbeam.models.huggingface import adapter as huggingface
from gridbeam.models.lean.matrices import has_eight_bits
from gridbeam.models.lean.model import Lean
from gridbeam.models.load import load


@pytest.fixture
def builtin(tmp_path, monkeypatch):
    """A builtin model, though a tiny one."""
    eightbit.store(tiny.marian(), tmp_path / "builtin")
    monkeypatch.setitem(loading.FOLDERS, "builtin", tmp_path / "builtin")


def test_a_builtin_model_is_named_by_its_languages(builtin):
    loaded = load("builtin:en-fr")
    assert (loaded.source, loaded.target, loaded.tag, loaded.positions) == (
        "en",
        "fr",
        ">>fr<< ",
        64,
    )
    assert isinstance(loaded.model, Lean if has_eight_bits() else huggingface.HuggingFace)


def test_pairs_that_are_not_there_are_refused_with_those_that_are(builtin):
    with pytest.raises(
        UserError,
        match=(
            'no builtin model translates "de-en": write builtin:en-de, builtin:en-fr or'
            " builtin:en-pt"
        ),
    ):
        load("builtin:de-en")
    with pytest.raises(
        UserError, match='builtin:en-de translates into "de", not "fr": leave target out'
    ):
        load("builtin:en-de", target="fr")


@pytest.mark.parametrize(
    ("kind", "remedy"),
    [("builtin", "Install it from a wheel"), ("general", "clone the repository")],
)
def test_an_installation_without_weights_says_so_and_what_to_do(
    kind, remedy, tmp_path, monkeypatch
):
    monkeypatch.setitem(loading.FOLDERS, kind, tmp_path)
    said = f"{kind}:en-de: this installation of gridbeam came without its weights .*{remedy}"
    with pytest.raises(UserError, match=said):
        load(f"{kind}:en-de")
    with pytest.raises(UserError, match=said):
        loading.export(f"{kind}:en-de", tmp_path / "new")


@pytest.mark.slow
@pytest.mark.skipif(
    not (loading.FOLDERS["general"] / "config.json").exists(), reason="the weights are not here"
)
def test_the_model_of_the_experiments_has_a_name_of_its_own():
    loaded = load("general:en-pt")
    assert (loaded.name, loaded.target) == ("general:en-pt", "pt")
    assert loading.digest_of_weights("general:en-pt") == "1616cd113310"


def test_the_wheel_has_the_model_that_ships_and_not_that_of_the_experiments():
    here = Path(__file__).parents[2]
    settings = tomllib.loads((here / "pyproject.toml").read_text("utf8"))
    named = settings["tool"]["setuptools"]["package-data"]["gridbeam"]
    assert "models/builtin/*" in named and not any("general" in each for each in named)


@pytest.mark.parametrize("prefix", ["hf:", ""], ids=["by its kind", "by its path"])
def test_a_folder_with_several_targets_needs_one(prefix):
    name = f"{prefix}{tiny.marian()}"
    with pytest.raises(
        UserError, match=r"translates into several languages: say with --target .* de, fr or pt"
    ):
        load(name)
    with pytest.raises(
        UserError, match=r'does not translate into "es": say with --target .* de, fr or pt'
    ):
        load(name, target="es")
    loaded = load(name, target="pt")
    assert loaded.tokenizer(loaded.tag + "The disk")["input_ids"][
        0
    ] == loaded.tokenizer.convert_tokens_to_ids(">>pt<<")


def test_a_folder_with_one_target_needs_none_and_no_tag():
    loaded = load(f"hf:{tiny.marian(('de',))}")
    assert (loaded.target, loaded.tag) == ("de", "")


@pytest.mark.parametrize("name", ["hf/opus", "builtin:", "general:", "opus-mt", "", "gpt:4"])
def test_a_name_of_no_kind_is_refused(name):
    names = "builtin:PAIR, general:PAIR, hf:NAME or gru:FOLDER."
    with pytest.raises(UserError, match=f'unknown model "{name}": write {names}'):
        load(name)


def test_a_folder_may_be_given_as_a_path():
    assert load(Path(tiny.marian(("de",)))).target == "de"


def test_a_folder_that_is_no_model_is_refused(tmp_path):
    with pytest.raises(
        UserError, match=r"has no config.json: name the folder of a model, or a model on the hub"
    ):
        load(f"hf:{tmp_path}")


@pytest.mark.parametrize("name", ["target.spm", "vocab.json"])
def test_a_folder_without_all_of_its_tokenizer_is_refused(name, tmp_path):
    folder = shutil.copytree(tiny.marian(("de",)), tmp_path / "model")
    (folder / name).unlink()
    with pytest.raises(
        UserError, match=f"model has no {name}, which belongs to source.spm: copy the whole folder"
    ):
        load(f"hf:{folder}")


def test_a_name_that_the_hub_does_not_have_is_refused(monkeypatch):
    transformers = pytest.importorskip("transformers")

    def unreachable(name, **options):
        raise OSError("We couldn't connect.\nMore lines.")

    monkeypatch.setattr(transformers.AutoConfig, "from_pretrained", unreachable)
    with pytest.raises(
        UserError,
        match=(
            r"some/model could not be loaded: We couldn't connect\. Name a folder, or a model on"
            r" the hub"
        ),
    ):
        load("hf:some/model")


@pytest.mark.parametrize("prefix", ["gru:", ""], ids=["by its kind", "by its path"])
def test_our_own_recurrent_model_is_loaded_with_its_tokenizer(prefix, tmp_path):
    size = tiny.tokenizer_files(tmp_path)
    gru.save(AttentionalGRU(GRUConfig(size, embedding=8, hidden=8, pad=2, bos=2, eos=0)), tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    eightbit.write_json(
        tmp_path / "config.json", {**config, "gridbeam": {"source": "en", "targets": ["de", "fr"]}}
    )
    loaded = load(f"{prefix}{tmp_path}", target="fr")
    assert isinstance(loaded.model, gru.GRU)
    assert (loaded.source, loaded.target, loaded.tag) == ("en", "fr", ">>fr<< ")
    translation = Translator.load(f"{prefix}{tmp_path}", target="fr").translate(
        Request("The disk", ["maison"])
    )
    assert "maison" in translation.text


@pytest.mark.parametrize("device", ["gpu", "cuda:x", "xpu", "hpu", "cuda:99"])
def test_a_device_that_is_not_here_is_refused_with_those_that_are(device):
    here = torch.cuda.device_count()
    known = "cpu" + "".join(f"[ ,or]+cuda:{number}" for number in range(here))
    with pytest.raises(
        UserError, match=f'device="{device}" is not here: write {known}, or leave device out'
    ):
        load("builtin:en-de", device=device)


def test_padding_and_language_tags_are_never_written():
    loaded = load(f"hf:{tiny.marian()}", target="de")
    log_probs, _ = loaded.model.step(
        loaded.model.start([loaded.tokenizer("The disk")["input_ids"]]), torch.tensor([2])
    )
    ids = loaded.tokenizer.convert_tokens_to_ids(["<pad>", ">>de<<", ">>fr<<", "</s>"])
    assert log_probs[0, ids].isinf().tolist() == [True, True, True, False]
    assert log_probs.exp().sum() == pytest.approx(1)


def test_loading_storing_and_exporting_print_nothing(capfd, tmp_path):
    load(f"hf:{tiny.marian()}", target="de")
    eightbit.store(tiny.marian(), tmp_path / "stored")
    loading.export(str(tmp_path / "stored"), tmp_path / "exported")
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_the_package_and_the_translator_import_without_transformers():
    code = "import sys, gridbeam.translation.translator; sys.exit('transformers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
