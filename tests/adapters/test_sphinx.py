"""How Sphinx is started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from subprocess import PIPE, STDOUT
from types import SimpleNamespace
from typing import Any

import pytest
from processes import until

from pipeline.adapters import sphinx

run_sphinx = partial(sphinx.run_sphinx, jobs=1, on_progress=lambda *_: None)


def test_a_locale_that_is_not_installed_keeps_no_site_from_being_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "zz_ZZ.UTF-8")
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "conf.py").write_text("project = '茶'\n", "utf-8")
    (sources / "index.rst").write_text("茶\n==\n", "utf-8")
    doctrees = tmp_path / "doctrees"
    doctrees.mkdir()
    (doctrees / sphinx.BROKEN).write_text("{}")
    built = run_sphinx(sources, tmp_path / "html", doctrees=doctrees)
    assert built.warned == ()
    assert "茶" in (tmp_path / "html" / "index.html").read_text("utf-8")


@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_a_build_waits_for_that_of_a_killed_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    doctrees, began, ended = (tmp_path / name for name in ("doctrees", "began", "ended"))
    slow = f"open({str(began)!r}, 'w'); time.sleep(2); open({str(ended)!r}, 'w')"
    files = (str(doctrees / name) for name in ("warnings.txt", sphinx.BROKEN))
    result = f"[open(name, 'w').write('{{}}') for name in {tuple(files)!r}]"
    codes = [f"import time; {slow}", f"open({str(ended)!r})\n{result}"]

    def start(_command: object, **options: Any) -> Any:
        return subprocess.Popen([sys.executable, "-c", codes.pop(0)], **options)

    double = SimpleNamespace(PIPE=PIPE, STDOUT=STDOUT, Popen=start)
    monkeypatch.setattr(sphinx, "subprocess", double)

    child = os.fork()
    if child == 0:
        run_sphinx(tmp_path, tmp_path, doctrees=doctrees)
        os._exit(0)
    assert until(began.exists, seconds=30)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert not ended.exists()
    codes.pop(0)
    run_sphinx(tmp_path, tmp_path, doctrees=doctrees)
    assert ended.exists()
