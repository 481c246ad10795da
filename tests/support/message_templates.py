"""Messages of ``check`` and of runs as templates, read from the source: ``{} pages``.

In a template, ``{}`` stands for each value. The messages are arguments of calls: ``text=…`` of a
Problem, the second argument of a Refusal, the first one of ``log.note``, and so on. Such an
argument must be a string, a variable that the same function sets to strings, or a call of a
function in the same module that returns strings. Anything else raises an error, because tests would
miss the message. ``findings.toml`` has the messages of findings, ``messages.toml`` those of
typography.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct
from places import ROOT

PACKAGE = ROOT / "pipeline"
_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
MODULES, MODULES_OF_RUNS = (
    sorted(path for pattern in _TABLE[name] for path in PACKAGE.glob(pattern))
    for name in ("modules_of_checks", "modules_of_runs")
)
_ELSEWHERE, _GIVING, _OF_CHECKS, _WITH_HINT, _WITH_TEXT = (
    frozenset(_TABLE[name])
    for name in ("elsewhere", "giving", "of_checks", "with_hint", "with_text")
)
# Which argument of a call is a sentence.
_PLACES = {"Refusal": 1}
_PLACES_OF_RUNS = dict.fromkeys(_TABLE["of_runs"], 0)
_PLACES_OF_READERS = dict.fromkeys(_TABLE["of_readers"], 0)
_Function = ast.FunctionDef


class Template(Struct, frozen=True):
    """Message with ``{}`` for each value, and the file and line where it is written."""

    text: str
    place: str
    # The hint of a check, the same for all that it finds: the Chinese of its code says as much.
    is_said_by_code: bool = False


def templates(modules: Iterable[Path] = MODULES) -> list[Template]:
    """Return all messages in some modules, each of them once."""
    found: dict[str, Template] = {}
    for path in modules:
        is_table = path.suffix == ".toml"
        texts = _table_texts(path) if is_table else _Module(path).texts()
        for text, line, is_hint in texts:
            place = f"{path.relative_to(ROOT)}:{line}"
            is_said = is_hint and "{}" not in text
            found.setdefault(text, Template(text, place, is_said))
    return list(found.values())


def _table_texts(path: Path) -> Iterator[tuple[str, int, bool]]:
    """Yield the texts and hints of the findings in a table."""
    for row in tomllib.loads(path.read_text("utf-8")).values():
        for key in row.keys() & {"text", "hint"}:
            is_of_check = key == "hint" and "checks" in path.parts
            yield re.sub(r"\{\w+(?:!r)?\}", "{}", row[key]), 0, is_of_check


class _Module:
    """Syntax tree of a module, with its functions by name."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tree = ast.parse(path.read_text("utf-8"))
        nodes = ast.walk(self._tree)
        found = (node for node in nodes if isinstance(node, _Function))
        self._functions = {node.name: node for node in found}

    def texts(self) -> Iterator[tuple[str, int, bool]]:
        """Yield each message, the line of its call, and whether it is the hint of a check."""
        for name in _GIVING & self._functions.keys():
            for text in self._returned(name):
                yield text, self._functions[name].lineno, name == "hint_for"
        for scope in (self._tree, *self._functions.values()):
            for node in _calls_of(scope):
                is_check = _name_of(node) in _OF_CHECKS
                said = ((self._text_of(node), False), (_hint_of(node), is_check))
                for given, is_hint in said:
                    # What a function is given to say, it says for others: they are read.
                    if given is None or self._is_argument(given):
                        continue
                    for text in self._read(given, scope):
                        yield text, node.lineno, is_hint
            for inner in ast.walk(scope) if scope is not self._tree else ():
                match inner:
                    case ast.Assign(targets=[ast.Attribute(attr="result")]):
                        for text in self._read(inner.value, scope):
                            yield text, inner.lineno, False

    def _text_of(self, call: ast.Call) -> ast.expr | None:
        """Return the argument of a call that is a message, or None."""
        name = _name_of(call)
        if name in _WITH_TEXT and (text := _keyword(call, "text")):
            return text
        is_reader = self._path.parent.name in ("po", "serve")
        places = _PLACES_OF_READERS if is_reader else _PLACES
        if self._path in MODULES_OF_RUNS:
            places = _PLACES_OF_RUNS
        return call.args[places[name]] if name in places else None

    def _is_argument(self, node: ast.expr) -> bool:
        """Return whether a name is a parameter of a function around it."""
        for function in self._functions.values():
            last = function.end_lineno or 0
            arguments = (*function.args.args, *function.args.kwonlyargs)
            names = {argument.arg for argument in arguments}
            if function.lineno <= node.lineno <= last and ast.unparse(node) in names:
                return True
        return False

    def _read(self, node: ast.expr, scope: ast.AST) -> Iterator[str]:
        match node:
            case _ if ast.unparse(getattr(node, "func", node)) in _ELSEWHERE:
                return
            case ast.Constant(value=str(text)):
                yield text
            case ast.JoinedStr(values=values):
                texts = (getattr(value, "value", None) for value in values)
                yield "".join(one if isinstance(one, str) else "{}" for one in texts)
            case ast.IfExp(body=first, orelse=second):
                yield from self._read_all((first, second), scope)
            case ast.BoolOp(values=values):
                yield from self._read_all(values, scope)
            case ast.Name(id=name):
                yield from self._read_all(self._given(name, node, scope), scope)
            case ast.Call(func=ast.Attribute(attr="join"), args=[pieces]):
                yield from self._read_pieces(pieces, scope)
            case ast.Call(func=ast.Name(id=name)) if name in self._functions:
                yield from self._returned(name)
            case _:
                raise self._unreadable(node)

    def _read_all(self, nodes: Iterable[ast.expr], scope: ast.AST) -> Iterator[str]:
        for node in nodes:
            yield from self._read(node, scope)

    def _read_pieces(self, node: ast.expr, scope: ast.AST) -> Iterator[str]:
        """Yield the parts of a joined message: ``"; ".join(parts)``."""
        match node:
            case ast.GeneratorExp(elt=piece) | ast.ListComp(elt=piece):
                yield from self._read(piece, scope)
            case ast.List(elts=pieces):
                yield from self._read_all(pieces, scope)
            case ast.Subscript(value=pieces):
                yield from self._read_pieces(pieces, scope)
            case ast.Name(id=name):
                for value in self._given(name, node, scope):
                    yield from self._read_pieces(value, scope)
                for call in _calls_of(scope):
                    if ast.unparse(call.func) == f"{name}.append":
                        yield from self._read(call.args[0], scope)
            case _:
                raise self._unreadable(node)

    def _given(self, name: str, node: ast.expr, scope: ast.AST) -> list[ast.expr]:
        """Return all values that a function assigns to a name."""
        values: list[ast.expr] = []
        for inner in ast.walk(scope):
            match inner:
                case ast.Assign(targets=[ast.Name(id=target)], value=value):
                    values += [value] if target == name else []
                case ast.AugAssign(target=ast.Name(id=target), value=value):
                    values += [value] if target == name else []
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value):
                    names = [one.id for one in targets if isinstance(one, ast.Name)]
                    if name in names and isinstance(value, ast.Tuple):
                        values.append(value.elts[names.index(name)])
        if not values and scope is not self._tree:
            return self._given(name, node, self._tree)  # a constant of the module
        if not values:
            raise self._unreadable(node)
        return values

    def _returned(self, name: str) -> Iterator[str]:
        function = self._functions[name]
        for inner in ast.walk(function):
            if isinstance(inner, ast.Return) and inner.value is not None:
                yield from self._read(inner.value, function)

    def _unreadable(self, node: ast.expr) -> AssertionError:
        what = ast.unparse(node)
        return AssertionError(f"{self._path}:{node.lineno}: no sentence: {what}")


def _calls_of(scope: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls in a function, or in a module outside its functions."""
    todo = list(ast.iter_child_nodes(scope))
    while todo:
        node = todo.pop()
        if isinstance(node, _Function):
            continue
        if isinstance(node, ast.Call):
            yield node
        todo += ast.iter_child_nodes(node)


def _hint_of(call: ast.Call) -> ast.expr | None:
    """Return the argument of a call that is a hint, or None."""
    name = _name_of(call)
    if name not in _WITH_HINT:
        return None
    if name == "Refusal" and len(call.args) > 2:
        return call.args[2]
    return _keyword(call, "hint")


def _name_of(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((word.value for word in call.keywords if word.arg == name), None)
