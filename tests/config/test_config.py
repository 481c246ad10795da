"""[tool.pipeline] turns into Settings, or into a message that names the key."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import read_tables
from places import ROOT, TESTS

from pipeline.config.reader import read_settings
from pipeline.config.settings import (
    BUILT_IN_MODES,
    DraftPolicy,
    ExecutionPolicy,
    Mode,
    RunRule,
    Settings,
    SitePolicy,
    Upstream,
)
from pipeline.errors import ConfigError
from pipeline.folders import Folders
from pipeline.paths import Paths
from pipeline.reading import Dialect

PIN = '[dependency-groups]\njax = ["jax==1.2.3", "jaxlib==1.2.3"]\n'
IN_DOCS = f"{PIN}[tool.pipeline.upstreams.docs]\n"
MINIMAL = f'{IN_DOCS}url = "https://example.org/docs"\n'
OF_JAX = f'{MINIMAL}package = "JAX"\nref = "v{{version}}"\n'
SITE = f"{MINIMAL}[tool.pipeline.upstreams.docs.site]\n"
PINS = """[dependency-groups]
jax = ["jax==1.2.3", "jaxlib==1.2.3"]
flax = ["Flax == 0.12.0", {include-group = "jax"}]
other = ["other>=1"]
"""
MODE = f"{MINIMAL}[tool.pipeline.modes.quiet]\n"
NOTE = 'note = "without a sound"\n'
QUIET = f"""{MODE}{NOTE}startup = "startup/quiet.py"
cell-seconds = 2.5
variables = {{ VOLUME = "0", KEY = "a=b" }}
"""


def read(folder: Path, text: str | bytes, **environ: str) -> Settings:
    path = folder / "pyproject.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_settings(path, environ=environ)


def test_own_configuration_is_read() -> None:
    settings = read_settings(ROOT / "pyproject.toml", environ={})
    assert list(settings.upstreams) == ["jax", "jax@0.11.0", "sample"]
    jax = settings.upstream("jax")
    assert settings.upstream(None) == jax
    assert jax.ref == f"jax-v{jax.version}"
    assert (settings.locales, settings.root) == (("zh_CN",), ROOT)
    modes = {mode.name: mode for rule in jax.run for mode in rule.modes}
    assert set(modes) == {"pallas-interpret", "pallas-interpret-hlo", "stand-in-data"}
    own = [mode for mode in modes.values() if not mode.is_built_in]
    assert all((ROOT / mode.startup).is_file() for mode in own)


def test_minimal_configuration_has_defaults(tmp_path: Path) -> None:
    settings = read(tmp_path, MINIMAL)
    url = "https://example.org/docs"
    docs = Upstream(name="docs", url=url, configured_url=url)
    assert settings == Settings(root=tmp_path, locales=("zh_CN",), upstreams={"docs": docs})
    assert docs.selects("any/page")
    assert docs.skip_rule("any/page") is None


def test_every_key_is_read(tmp_path: Path) -> None:
    text = (TESTS / "data" / "every-key.toml").read_text("utf-8")
    settings = read(tmp_path, PIN + text)
    upstream = settings.upstream("docs")
    assert settings.locales == ("zh_CN", "ja")
    assert settings.execution == ExecutionPolicy(
        timeout=7,
        page_timeout=70,
        stall=30,
        wall_timeout=700,
        jobs=3,
        memory=300,
        output=4,
        cache=5,
        variables=("HF_HOME",),
    )
    assert upstream.run_rule("guide/a") is None
    assert upstream.run_rule("guide/gpus") == RunRule(
        pages=("guide/gpu*",),
        reason="accelerator",
        note="wants a GPU",
        until=3,
        needs=("torch",),
        modes=BUILT_IN_MODES,
        devices=8,
        timeout=300,
        page_timeout=900,
        compare=True,
    )
    assert (upstream.ref, upstream.license) == ("v1.2.3", "MIT")
    assert upstream.docs == Folders(("d",))
    assert upstream.page_url == "https://example.org/{path}"
    assert upstream.usual_names == {"bx": "brew.extra"}
    assert upstream.site == SitePolicy(
        title="文档",
        edit_url="https://example.org/{page}#L{line}",
        english_url="https://example.org/en/",
        english_hosts=("docs.example.org", "127.0.0.1:8000"),
        inventories={"numpy": "https://numpy.example/doc/"},
    )
    pages = ("index", "guide/a/b", "guide/old/a", "other")
    assert list(filter(upstream.selects, pages)) == ["index", "guide/a/b"]
    rule = upstream.skip_rule("guide/tpu_intro")
    assert rule is not None
    assert (rule.reason, rule.note) == ("accelerator", "needs a TPU")
    (known,) = upstream.acknowledge
    assert (known.page, known.cells) == ("guide/errors", (2,))


def test_a_site_may_begin_with_words_and_code(tmp_path: Path) -> None:
    words = 'hero = "先热炉"\nhero-code = """\nimport oven\noven.bake()\n"""\n'
    site = read(tmp_path, SITE + words).upstream("docs").site
    assert (site.hero, site.hero_code) == ("先热炉", "import oven\noven.bake()")


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        (
            {"GITHUB_REPOSITORY": "me/docs"},
            "https://github.com/me/docs/blob/main/{page}.po",
        ),
        ({"GITHUB_REPOSITORY": ""}, ""),
        ({"GITHUB_REPOSITORY": "me/{docs}"}, ""),
        ({}, ""),
    ],
)
def test_a_link_may_lead_to_the_repository_that_a_workflow_runs_in(
    environ: dict[str, str], expected: str, tmp_path: Path
) -> None:
    text = SITE + 'edit-url = "https://github.com/{repository}/blob/main/{page}.po"\n'
    settings = read(tmp_path, text, **environ)
    assert settings.upstream("docs").site.edit_url == expected


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({"MY_LIB_DOCS_UPSTREAM": "/a/copy"}, "/a/copy"),
        ({"MY_LIB_DOCS_UPSTREAM": ""}, "https://two"),
        ({"JAX_DOCS_UPSTREAM": "/a/copy"}, "https://two"),
    ],
)
def test_every_upstream_has_its_variable(environ: dict[str, str], url: str, tmp_path: Path) -> None:
    text = MINIMAL + '[tool.pipeline.upstreams.my-lib]\nurl = "https://two"\n'
    settings = read(tmp_path, text, **environ)
    library = settings.upstream("my-lib")
    assert (library.url, library.configured_url) == (url, "https://two")
    assert library.url_replaced is (url == "/a/copy")
    assert not settings.upstream("docs").url_replaced


def test_unknown_upstream_is_answered_with_the_nearest(tmp_path: Path) -> None:
    settings = read(tmp_path, MINIMAL)
    with pytest.raises(ConfigError, match="'dosc'") as caught:
        settings.upstream("dosc")
    assert caught.value.hint == "Did you mean 'docs'? Configured: docs."


def test_a_model_may_be_configured(tmp_path: Path) -> None:
    text = """[tool.pipeline.draft]
url = "https://api.example.org/v1"
model = "some/model:7b"
key-variable = "SOME_KEY"
budget-tokens = 1000
batch = 7
concurrency = 2
timeout = 9
tries = 3
reply-tokens = 4000
reply-field = "max_completion_tokens"
parameters = { temperature = 0.5, response_format = { type = "json_object" } }
"""
    assert read(tmp_path, MINIMAL + text).draft == DraftPolicy(
        url="https://api.example.org/v1",
        model="some/model:7b",
        key_variable="SOME_KEY",
        budget_tokens=1000,
        batch=7,
        concurrency=2,
        timeout=9,
        tries=3,
        reply_tokens=4000,
        reply_field="max_completion_tokens",
        parameters={"temperature": 0.5, "response_format": {"type": "json_object"}},
    )


@pytest.mark.parametrize(
    ("name", "keys", "package", "version", "ref"),
    [
        ("docs", "", "", "", ""),
        ("docs", 'package = "JAX"', "JAX", "1.2.3", ""),
        ("docs", 'package = "Flax"\nref = "v{version}"', "Flax", "0.12.0", "v0.12.0"),
        ("flax", 'ref = "main"', "", "", "main"),
    ],
)
def test_the_version_is_that_of_the_package(
    tmp_path: Path, name: str, keys: str, package: str, version: str, ref: str
) -> None:
    text = f'{PINS}[tool.pipeline.upstreams.{name}]\nurl = "x"\n{keys}\n'
    upstream = read(tmp_path, text).upstream(name)
    assert (upstream.package, upstream.version, upstream.ref) == (package, version, ref)


def test_how_documents_are_written(tmp_path: Path) -> None:
    text = MINIMAL + 'markdown = "mkdocs"\nprose-directives = ["Lamp"]\n'
    reading = read(tmp_path, text).upstream("docs").reading
    assert reading.dialect is Dialect.MKDOCS
    assert reading.prose == {"lamp"}


@pytest.mark.parametrize(
    ("docs", "names"),
    [
        ('"docs"', ("docs",)),
        ('["docs"]', ("docs",)),
        ('"."', (".",)),
        ('["docs", "notes/examples"]', ("docs", "notes/examples")),
    ],
)
def test_docs_are_a_folder_or_several(docs: str, names: tuple[str, ...], tmp_path: Path) -> None:
    settings = read(tmp_path, f"{MINIMAL}docs = {docs}\n")
    assert settings.upstream("docs").docs == Folders(names)


# --- releases beside the pinned one


def test_a_release_is_an_upstream_with_its_own_ref_and_folders(tmp_path: Path) -> None:
    text = OF_JAX + 'beside = ["1.3.0"]\nsite.url = "https://example.org/"\n'
    settings = read(tmp_path, text, DOCS_DOCS_UPSTREAM="/copy")
    assert list(settings.upstreams) == ["docs", "docs@1.3.0"]
    pinned, release = settings.releases_of("docs@1.3.0")
    assert (pinned.ref, pinned.is_beside) == ("v1.2.3", False)
    assert (release.ref, release.is_beside) == ("v1.3.0", True)
    assert (release.version, release.url) == ("1.3.0", "/copy")
    assert release.site.url == "https://example.org/1.3.0/"
    own, shared = Paths(tmp_path, release.name), Paths(tmp_path, pinned.name)
    assert own.docs == tmp_path / "upstream" / "docs@1.3.0"
    assert own.lock == tmp_path / "upstream" / "docs@1.3.0.lock"
    assert own.catalogs("de") == tmp_path / "translations" / "de" / "docs@1.3.0"
    assert own.memories("de") == shared.memories("de")
    assert own.glossaries("de") == shared.glossaries("de")
    assert own.site == shared.site / "1.3.0"


def test_a_release_is_found_by_its_version(tmp_path: Path) -> None:
    settings = read(tmp_path, OF_JAX + 'beside = ["1.3.0"]')
    assert settings.release("docs", "1.3.0").name == "docs@1.3.0"
    assert settings.release(None, "1.2.3").name == "docs"
    assert settings.release("docs@1.3.0", "1.3.0").name == "docs@1.3.0"
    with pytest.raises(ConfigError) as caught:
        settings.release("docs", "1.4.0")
    assert caught.value.what == "no release '1.4.0' of docs is configured"
    assert "Configured: 1.2.3, 1.3.0." in caught.value.hint


# --- modes: ways to run pages, which rules name


def test_a_rule_has_the_modes_that_it_names_in_its_order(tmp_path: Path) -> None:
    """Their files are not needed before code is run."""
    loud = '[tool.pipeline.modes.loud]\nnote = "aloud"\nvariables = { VOLUME = "9" }\n'
    rule = """[[tool.pipeline.upstreams.docs.run]]
pages = ["*"]
reason = "accelerator"
modes = ["loud", "stand-in-data", "quiet"]
"""
    (found,) = read(tmp_path, QUIET + loud + rule).upstream("docs").run
    assert found.modes == (
        Mode(name="loud", note="aloud", variables={"VOLUME": "9"}),
        Mode(
            name="stand-in-data",
            note="with stand-in data",
            startup="stand-in-data.py",
            is_built_in=True,
        ),
        Mode(
            name="quiet",
            note="without a sound",
            startup="startup/quiet.py",
            variables={"VOLUME": "0", "KEY": "a=b"},
            cell_seconds=2.5,
        ),
    )


# --- what cannot be

STARTS = {
    "nothing": "",
    "pin": PIN,
    "pins": PINS,
    "minimal": MINIMAL,
    "docs": IN_DOCS,
    "docs with a url": f'{IN_DOCS}url = "u"\n',
    "docs of jax": OF_JAX,
    "draft": f"{MINIMAL}[tool.pipeline.draft]\n",
    "site": SITE,
    "inventories": f"{MINIMAL}[tool.pipeline.upstreams.docs.site.inventories]\n",
    "mode": MODE,
    "mode with a note": MODE + NOTE,
    "mode with a file": f'{MODE}{NOTE}startup = "quiet.py"\n',
    "quiet": QUIET,
}
BAD: dict[str, tuple[str, ...]] = read_tables(__file__)["bad"] | {
    "a number without end": (
        "minimal",
        f"[tool.pipeline.execution]\njobs = {'9' * 5_000}",
        "is not valid TOML",
    ),
    "a number without end in hexadecimal": (
        "minimal",
        f"[tool.pipeline.execution]\njobs = 0x{'f' * 5_000}",
        "jobs must be a whole number of at most 1000000000, not that number",
    ),
    "lists in lists without end": (
        "minimal",
        f"x = {'[' * 5_000}{']' * 5_000}",
        "is not valid TOML: nested too deeply",
    ),
    "tables in tables without end": (
        "minimal",
        f"[tool.pipeline.execution.variables{'.a' * 40}]",
        "variables must be a list of strings, not {'a': {",
    ),
}
HOSTS = ("", "https://a.org", "a.org/", "a.org/en", "a b", "a.org:x", "u@a.org")
for host in HOSTS:
    BAD[f"host {host!r}"] = (
        "site",
        f'english-hosts = ["{host}"]',
        "english-hosts[0] must be a host",
        "Write only the name of the host",
    )


@pytest.mark.parametrize("case", BAD)
def test_a_bad_configuration_is_told_with_its_place(tmp_path: Path, case: str) -> None:
    start, table, message, *hints = BAD[case]
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, f"{STARTS[start]}{table}\n")
    error = caught.value
    assert message in error.what
    assert error.where == str(tmp_path / "pyproject.toml")
    assert error.hint
    assert [hint for hint in hints if hint not in error.hint] == []
    assert "secret" not in str(error)
    assert error.exit_code == 2


def test_a_file_that_is_no_text_or_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not valid TOML"):
        read(tmp_path, b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        read_settings(tmp_path / "none.toml", environ={})
