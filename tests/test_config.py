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
    RunRule,
    SitePolicy,
)
from pipeline.errors import ConfigError
from pipeline.folders import WHOLE, Folders

CASES = read_tables(__file__)

PIN = '[dependency-groups]\njax = ["jax==1.2.3", "jaxlib==1.2.3"]\n'
MINIMAL = PIN + '[tool.pipeline.upstreams.docs]\nurl = "https://example.org/docs"\n'


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "pyproject.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_own_configuration_is_read() -> None:
    settings = read_settings(ROOT / "pyproject.toml", environ={})
    assert list(settings.upstreams) == ["jax", "jax@0.11.0", "sample"]
    assert settings.upstream(None).name == "jax"
    assert settings.upstream("jax").ref == f"jax-v{settings.upstream('jax').version}"
    assert settings.locales == ("zh_CN",)
    assert settings.root == ROOT


def test_minimal_configuration_has_defaults(tmp_path: Path) -> None:
    settings = read_settings(write(tmp_path, MINIMAL), environ={})
    upstream = settings.upstream("docs")
    assert (
        settings.locales,
        settings.execution.timeout,
        settings.execution.jobs,
    ) == (("zh_CN",), 100, 0)
    assert (upstream.ref, upstream.docs, upstream.skip, upstream.acknowledge) == (
        "",
        WHOLE,
        (),
        (),
    )
    assert (upstream.site, upstream.usual_names) == (SitePolicy(), {})
    assert upstream.selects("any/page")
    assert upstream.skip_rule("any/page") is None


def test_every_key_is_read(tmp_path: Path) -> None:
    text = (TESTS / "data" / "every-key.toml").read_text("utf-8")
    settings = read_settings(write(tmp_path, PIN + text), environ={})
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
    assert [
        page
        for page in ("index", "guide/a/b", "guide/old/a", "other")
        if upstream.selects(page)
    ] == ["index", "guide/a/b"]
    rule = upstream.skip_rule("guide/tpu_intro")
    assert rule is not None
    assert (rule.reason, rule.note) == ("accelerator", "needs a TPU")
    assert (upstream.acknowledge[0].page, upstream.acknowledge[0].cells) == (
        "guide/errors",
        (2,),
    )


SITE = MINIMAL + "[tool.pipeline.upstreams.docs.site]\n"


def test_a_site_may_begin_with_words_and_code(tmp_path: Path) -> None:
    words = 'hero = "先热炉"\n'
    code = 'hero-code = """\nimport oven\noven.bake()\n"""\n'
    path = write(tmp_path, SITE + words + code)
    site = read_settings(path, environ={}).upstream("docs").site
    assert (site.hero, site.hero_code) == ("先热炉", "import oven\noven.bake()")
    path = write(tmp_path, SITE + code)
    with pytest.raises(ConfigError, match=r"hero-code needs a sentence") as caught:
        read_settings(path, environ={})
    assert "hero = " in caught.value.hint


@pytest.mark.parametrize(
    ("repository", "expected"),
    [
        ("me/docs", "https://github.com/me/docs/blob/main/{page}.po"),
        ("", ""),
        ("me/{docs}", ""),
    ],
)
def test_a_link_may_lead_to_the_repository_that_a_workflow_runs_in(
    repository: str, expected: str, tmp_path: Path
) -> None:
    text = SITE + 'edit-url = "https://github.com/{repository}/blob/main/{page}.po"\n'
    settings = read_settings(
        write(tmp_path, text), environ={"GITHUB_REPOSITORY": repository}
    )
    assert settings.upstream("docs").site.edit_url == expected
    assert (
        read_settings(tmp_path / "pyproject.toml", environ={})
        .upstream("docs")
        .site.edit_url
        == ""
    )


@pytest.mark.parametrize(
    "line",
    [
        'edit-url = "{pages}"',
        'notebook-url = "{line}"',
        'edit-url = "{"',
        'edit-url = "{}"',
    ],
)
def test_a_link_that_is_no_template(line: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is no valid template") as caught:
        read_settings(write(tmp_path, SITE + line), environ={})
    assert "{page}" in str(caught.value.hint)


INVENTORIES = "[tool.pipeline.upstreams.docs.site.inventories]\n"


@pytest.mark.parametrize(
    ("line", "problem"),
    CASES["an_inventory_has_a_name_and_an_address"],
)
def test_an_inventory_has_a_name_and_an_address(
    line: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=problem) as caught:
        read_settings(write(tmp_path, f"{SITE}\n{INVENTORIES}{line}\n"), environ={})
    assert caught.value.hint


def test_variable_replaces_the_url_of_jax_only(tmp_path: Path) -> None:
    text = PIN + (
        '[tool.pipeline.upstreams]\njax = { url = "https://one" }\n'
        'other = { url = "https://two" }\n'
    )
    settings = read_settings(
        write(tmp_path, text), environ={"JAX_DOCS_UPSTREAM": "/a/bundle"}
    )
    jax, other = settings.upstream("jax"), settings.upstream("other")
    assert (jax.url, jax.url_replaced, jax.configured_url) == (
        "/a/bundle",
        True,
        "https://one",
    )
    assert (other.url, other.url_replaced, other.configured_url) == (
        "https://two",
        False,
        "https://two",
    )
    assert (
        read_settings(tmp_path / "pyproject.toml", environ={"JAX_DOCS_UPSTREAM": ""})
        .upstream("jax")
        .url
        == "https://one"
    )


def test_unknown_upstream_is_answered_with_the_nearest(tmp_path: Path) -> None:
    settings = read_settings(write(tmp_path, MINIMAL), environ={})
    with pytest.raises(ConfigError, match="'dosc'") as caught:
        settings.upstream("dosc")
    assert caught.value.hint == "Did you mean 'docs'? Configured: docs."


IN_DOCS = PIN + "[tool.pipeline.upstreams.docs]\n"
STARTS = {
    "nothing": "",
    "pin": PIN,
    "minimal": MINIMAL,
    "docs": IN_DOCS,
    "docs with a url": f'{IN_DOCS}url = "u"\n',
}
BAD: dict[str, tuple[str | bytes, str]] = {
    case: (f"{STARTS[start]}{table}\n", message)
    for case, (start, table, message) in CASES["bad"].items()
} | {
    "a number without end": (
        MINIMAL + f"[tool.pipeline.execution]\njobs = {'9' * 5_000}\n",
        "is not valid TOML",
    ),
    "a number without end in hexadecimal": (
        MINIMAL + f"[tool.pipeline.execution]\njobs = 0x{'f' * 5_000}\n",
        "jobs must be a whole number of at most 1000000000, not that number",
    ),
    "lists in lists without end": (
        MINIMAL + f"x = {'[' * 5_000}{']' * 5_000}\n",
        "is not valid TOML: nested too deeply",
    ),
    "tables in tables without end": (
        MINIMAL + f"[tool.pipeline.execution.variables{'.a' * 40}]\n",
        "variables must be a list of strings, not {'a': {",
    ),
    "not UTF-8": (b"\xff\xfe", "is not valid TOML"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_configuration_is_told_with_its_place(tmp_path: Path, case: str) -> None:
    text, message = BAD[case]
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        read_settings(path, environ={})
    assert message in caught.value.what
    assert caught.value.where == str(path)
    assert caught.value.hint
    assert caught.value.exit_code == 2


def test_unknown_key_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read_settings(write(tmp_path, BAD["unknown key"][0]), environ={})
    assert caught.value.hint.startswith("Did you mean 'execution'?")


def test_a_missing_configuration_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        read_settings(tmp_path / "pyproject.toml", environ={})


DRAFT = """[tool.pipeline.draft]
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


def test_a_model_may_be_configured(tmp_path: Path) -> None:
    assert read_settings(write(tmp_path, MINIMAL), environ={}).draft == DraftPolicy()
    settings = read_settings(write(tmp_path, MINIMAL + DRAFT), environ={})
    assert settings.draft == DraftPolicy(
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
    ("line", "words"),
    CASES["a_bad_model_is_told_without_any_secret"],
)
def test_a_bad_model_is_told_without_any_secret(
    line: str, words: str, tmp_path: Path
) -> None:
    path = write(tmp_path, f"{MINIMAL}[tool.pipeline.draft]\n{line}\n")
    with pytest.raises(ConfigError) as raised:
        read_settings(path, environ={})
    assert words in str(raised.value)
    assert "pyproject.toml" in str(raised.value)
    assert "secret" not in str(raised.value)


PINS = """[dependency-groups]
jax = ["jax==1.2.3", "jaxlib==1.2.3"]
flax = ["Flax == 0.12.0", {include-group = "jax"}]
other = ["other>=1"]
"""


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
    upstream = read_settings(write(tmp_path, text), environ={}).upstream(name)
    assert (upstream.package, upstream.version, upstream.ref) == (package, version, ref)


@pytest.mark.parametrize(
    ("tables", "problem"),
    CASES["upstreams_that_cannot_be"],
)
def test_upstreams_that_cannot_be(tmp_path: Path, tables: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_settings(write(tmp_path, PINS + tables), environ={})
    assert problem in str(caught.value)


def test_every_upstream_has_its_variable(tmp_path: Path) -> None:
    text = MINIMAL + '[tool.pipeline.upstreams.my-lib]\nurl = "x"\n'
    environ = {"MY_LIB_DOCS_UPSTREAM": "/a/copy"}
    settings = read_settings(write(tmp_path, text), environ=environ)
    assert settings.upstream("my-lib").url == "/a/copy"
    assert settings.upstream("my-lib").url_replaced
    assert not settings.upstream("docs").url_replaced


def test_how_documents_are_written(tmp_path: Path) -> None:
    text = MINIMAL + 'markdown = "mkdocs"\nprose-directives = ["Lamp"]\n'
    reading = read_settings(write(tmp_path, text), environ={}).upstream("docs").reading
    assert reading.dialect == "mkdocs"
    assert reading.prose == {"lamp"}
    with pytest.raises(ConfigError, match="'mkdoc', which is not known") as caught:
        read_settings(write(tmp_path, MINIMAL + 'markdown = "mkdoc"\n'), environ={})
    assert "mkdocs" in caught.value.hint


@pytest.mark.parametrize(
    ("docs", "names"),
    [
        ('"docs"', ("docs",)),
        ('["docs"]', ("docs",)),
        ('"."', (".",)),
        ('["docs", "notes/examples"]', ("docs", "notes/examples")),
    ],
)
def test_docs_are_a_folder_or_several(
    docs: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    path = write(tmp_path, f"{MINIMAL}docs = {docs}\n")
    settings = read_settings(path, environ={})
    assert settings.upstream("docs").docs == Folders(names)


@pytest.mark.parametrize(
    ("docs", "what", "hint"),
    [
        ("1", "must be a string or a list of strings, not 1", "Correct"),
        ('["docs", 1]', "docs[1] must be a string, not 1", "Correct"),
        ("[]", "docs cannot be used: it is empty", "Name one"),
        ('"../docs"', "cannot be used: '../docs' is not a folder inside", "Write"),
        ('["docs", "docs/api"]', "'docs/api' lies in 'docs'", "Remove 'docs/api'"),
    ],
)
def test_what_cannot_be_docs_names_the_key(
    docs: str, what: str, hint: str, tmp_path: Path
) -> None:
    path = write(tmp_path, f"{MINIMAL}docs = {docs}\n")
    with pytest.raises(ConfigError) as caught:
        read_settings(path, environ={})
    assert "tool.pipeline.upstreams.docs.docs" in caught.value.what
    assert what in caught.value.what
    assert hint in caught.value.hint
    assert caught.value.where == str(path)


@pytest.mark.parametrize("value", ["1", '["jnp"]', "{ jnp = 1 }"])
def test_usual_names_are_texts(value: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"{MINIMAL}usual-names = {value}\n")
    with pytest.raises(ConfigError, match="usual-names"):
        read_settings(path, environ={})


@pytest.mark.parametrize(
    "host", ["", "https://a.org", "a.org/", "a.org/en", "a b", "a.org:x", "u@a.org"]
)
def test_a_host_is_a_name_alone(host: str, tmp_path: Path) -> None:
    path = write(tmp_path, f'{SITE}english-hosts = ["{host}"]\n')
    with pytest.raises(
        ConfigError, match=r"english-hosts\[0\] must be a host"
    ) as caught:
        read_settings(path, environ={})
    assert "Write only the name of the host" in caught.value.hint
