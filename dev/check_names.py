#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names of C++ types against the folders that hold them.

  check_names.py one_definition   no type or alias is defined in two files under one qualified name
                                  (that is ill-formed, and no linker reports it)
  check_names.py namespaces       cel/eval/x.h is namespace dray::cel::eval; rooms of api/ are inline
                                  namespaces, and so are cel/language/ and cel/value/; below tests/ and
                                  bench/ the first folder is left out
  check_names.py units            no two sources of a layer give one name to two things in unnamed
                                  namespaces, and none gives one that a header gives to a type:
                                  unity builds (cmake/unity.cmake) compile them together
  check_names.py --self-test      shows each rule what breaks it and what does not

Reads every file git tracks; prints file:line: message and exits with 1 when there is any.
"""
import collections
import pathlib
import re
import sys

import tidy

# include/dray/ is the face of allocator/: its namespace, that of upstream's older package, and api's.
FACE = {"dray::allocator", "dray::structured", "dray::api"}

DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.MULTILINE)
NAMESPACE = re.compile(r"(?:inline\s+)?namespace\s*([\w:\s]*)$")
TYPE = re.compile(r"(?:template\s*<.*>\s*(?:requires\b.*?)?)?(?:typedef\s+)?"
                  r"\b(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+"
                  r"(?:\[\[.*?\]\]\s*|[A-Z_]+\(\S*\)\s*)*(\w+(?:::\w+)*)\s*(?:final\s*)?(?::(?!:).*)?$",
                  re.DOTALL)
ALIAS = re.compile(r"(?:template\s*<.*>\s*)?using\s+(\w+)\s*(?:\[\[.*?\]\]\s*)?=", re.DOTALL)
FORWARD = re.compile(r"(?:template\s*<[^;]*>\s*)?(?:class|struct|union|enum(?:\s+(?:class|struct))?)"
                     r"\s+\w+(?:\s*:\s*[\w:]+)?\s*$", re.DOTALL)
SPECIALISATION = re.compile(r"(?:extern\s+)?template\s*<\s*>|(?:extern\s+)?template\s+(?:class|struct)\b")

# Statements that an unnamed namespace may hold besides types and aliases.
NAMESPACE_ALIAS = re.compile(r"namespace\s+(\w+)\s*=\s*(.*)$", re.DOTALL)
USING = re.compile(r"using\s+((?:\w+::)*\w+)$")
FUNCTION = re.compile(r"([\w:~]+)\s*\(")
VARIABLE = re.compile(r"(?:(?:static|constexpr|const|constinit|inline|thread_local)\s+)+"
                      r"[^=({]*?\b(\w+)\s*(?:\[[^\]]*\])*\s*(?:=|\(|$)", re.DOTALL)

Definition = collections.namedtuple("Definition", "namespace name line")
# A name that only its file may use. Two are the same when `form` is equal: an alias's target, the
# types of a function's parameters.
Local = collections.namedtuple("Local", "namespace name kind form line")
Block = collections.namedtuple("Block", "namespace line")  # one that holds more than declarations


class Reader:
    """Walks through a file's namespaces; what lies in other braces is passed over."""

    def __init__(self, text):
        self.code = DIRECTIVE.sub(lambda found: "\n" * found[0].count("\n"), tidy.code_only(text))
        self.definitions, self.blocks, self.locals = [], [], []
        self.scopes = []  # a namespace's words; None: unnamed, and so is all within

    def namespace(self):
        if None in self.scopes:
            return None
        return "::".join(self.scopes)

    def read(self):
        position = start = 0
        while position < len(self.code):
            character = self.code[position]
            if character in "{;}":
                statement = self.code[start:position].strip()
                line = tidy.line_of(self.code, position - len(self.code[start:position].lstrip()))
                position = self.statement(statement, character, line, position)
                start = position
            else:
                position += 1
        return self

    def statement(self, text, end, line, position):
        """Reads a statement; returns where the next one begins."""
        if end == "}":
            if self.scopes:
                self.scopes.pop()
            return position + 1
        opened = NAMESPACE.match(text) if end == "{" else None
        if opened:
            words = re.sub(r"\binline\b|\s", "", opened[1])
            self.scopes.append(words or None)
            return position + 1
        if text.startswith('extern ""') and end == "{":
            self.scopes.append("")
            return position + 1
        self.note(text, end, line)
        return position + 1 if end == ";" else self.after_braces(position)

    def note(self, text, end, line):
        self.note_local(text, end, line)
        inside = self.namespace()
        if inside is None or not text or SPECIALISATION.match(text):
            return
        if not (end == ";" and FORWARD.match(text)):
            self.blocks.append(Block(inside, line))
        name = (TYPE.match(text) if end == "{" else None) or ALIAS.match(text)
        if name:
            self.definitions.append(Definition(inside, name[1], line))

    def note_local(self, text, end, line):
        around = "::".join(scope for scope in self.scopes if scope)
        found = NAMESPACE_ALIAS.match(text)
        if found:
            form = re.sub(r"\s", "", found[2])
            self.locals.append(Local(around, found[1], "namespace alias", form, line))
            return
        found = USING.match(text)
        if found and around:
            self.locals.append(Local(around, found[1].split("::")[-1], "name", found[1], line))
        elif None in self.scopes and around:
            local = self.local(text, end)
            if local:
                self.locals.append(Local(around, *local, line))

    @staticmethod
    def local(text, end):
        """Name, kind and form of what a statement of an unnamed namespace defines."""
        if SPECIALISATION.match(text) or (end == ";" and FORWARD.match(text)):
            return None
        found = TYPE.match(text) if end == "{" else None
        if found:
            return found[1], "type", text
        found = ALIAS.match(text)
        if found:
            return found[1], "alias", re.sub(r"\s", "", text)
        if text.startswith(("using", "static_assert")):
            return None
        found = VARIABLE.match(text)
        if found and (end == ";" or "=" in text) and not re.search(rf"\b{found[1]}\s*\(", text):
            return found[1], "variable", text
        found = FUNCTION.search(re.sub(r"\[\[.*?\]\]", "", text))
        if not found or end == ";" or "::" in found[1] or found[1] in ("requires", "decltype"):
            return None
        return found[1], "function", parameter_types(text, found[1])

    def after_braces(self, position):
        depth = 0
        for at in range(position, len(self.code)):
            depth += {"{": 1, "}": -1}.get(self.code[at], 0)
            if depth == 0:
                return at + 1
        return len(self.code)


def parameter_types(text, name):
    """The types of a function's parameters, without spaces, const and qualifiers."""
    start = text.index("(", text.index(name)) + 1
    depth, angle, parameters = 1, 0, [""]
    for character in text[start:]:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            break
        angle += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and depth == 1 and angle == 0:
            parameters.append("")
        else:
            parameters[-1] += character
    types = []
    for parameter in parameters:
        type_ = re.sub(r"\s*=.*", "", parameter.strip(), flags=re.DOTALL)
        if re.search(r"[\s&*>]\w+$", type_):
            type_ = re.sub(r"\w+$", "", type_)
        types.append(re.sub(r"\bconst\b|\s|\b\w+::", "", type_))
    return ",".join(types)


def clashes(readers):
    """Yields file, line, message for a name that two sources of a layer give to different things."""
    places, in_headers = collections.defaultdict(dict), {}
    for path, reader in readers.items():
        if path.endswith(".h"):
            in_headers.update({(one.namespace, one.name): path for one in reader.definitions})
    for path, reader in readers.items():
        if not path.endswith(".cc"):
            continue
        is_test = path.endswith("_test.cc") or "/testing/" in path
        layer = "/".join(path.split("/")[:2]) if path.startswith(("tests/", "bench/")) else path.split("/")[0]
        for local in reader.locals:
            header = in_headers.get((local.namespace, local.name))
            if header:
                yield path, local.line, f"{local.name}: {header} has another type of this name"
            # Overloads are several names.
            form = local.form if local.kind == "function" else ""
            key = (layer, is_test, local.namespace, local.name, form)
            places[key].setdefault(path, local)
    for (_, _, _, name, _), files in sorted(places.items()):
        (first, known), *others = sorted(files.items())
        for path, local in others:
            are_alike = local.kind == known.kind and (
                local.form.endswith(known.form) or known.form.endswith(local.form))
            if not (local.kind in ("alias", "namespace alias", "name") and are_alike):
                yield path, local.line, f"{name}: {first} has another {known.kind} of this name"


def defined_twice(readers):
    """Yields file, line, message for a qualified name that two files define."""
    places = collections.defaultdict(dict)
    for path, reader in readers.items():
        for found in reader.definitions:
            if found.namespace:
                places[f"{found.namespace}::{found.name}"].setdefault(path, found.line)
    for name, files in sorted(places.items()):
        if len(files) > 1:
            (first, _), *others = sorted(files.items())
            for path, line in others:
                yield path, line, f"{name} is also defined in {first}"


def namespaces_of(path):
    """The namespaces that a file may fill; base/ is the vocabulary of all folders and has the shortest."""
    folders = list(pathlib.PurePosixPath(path).parent.parts)
    if folders[:2] == ["include", "dray"] or folders == ["allocator"]:
        return FACE
    if folders[:1] == ["bench"]:
        return {"dray::bench", "::".join(["dray", *folders])}
    if folders[:1] in (["tests"], ["base"]):
        del folders[0]
    return {"::".join(["dray", *folders])}


def misplaced(path, reader, all_namespaces):
    """Yields line, message for code in a namespace of ours that is not its folder's. A part of
    that may have a name of its own, if that is no other folder's."""
    wanted, told = namespaces_of(path), set()
    others = all_namespaces - wanted
    for block in reader.blocks:
        name = block.namespace
        is_ours = name == "dray" or name.startswith("dray::")
        is_part = name not in others and any(name.startswith(f"{one}::") for one in wanted)
        if is_ours and name not in wanted and not is_part and name not in told:
            told.add(name)
            yield block.line, f"namespace {name}: this folder's is {' or '.join(sorted(wanted))}"


def ours(root):
    for name in tidy.tracked(root):
        if pathlib.PurePath(name).suffix in tidy.CPP and not name.startswith("dev/"):
            yield name, (root / name).read_text()


SOUND = [
    ("cel/eval/x.h", "namespace dray::cel::eval {\nclass Plan : public Base {\n int x; };\n}"),
    ("cel/x.h", "namespace dray::api {\nstruct Object;\n}\nnamespace dray::cel {\nint F() { return 1; }\n}"),
    ("api/value/x.h", "namespace dray::api::inline value {\nclass Quantity {};\n}"),
    ("tests/vectors/x.cc", "namespace dray::vectors {\nnamespace {\nstruct Row {};\n}\n}"),
    ("cel/x.h", "template <>\nstruct std::hash<dray::cel::X> { int a; };"),
    ("cel/x.h", "namespace dray {\ntemplate <>\nstruct HashOf<cel::X> { int a; };\n}"),
    ("cel/x.h", "namespace dray::cel::words {\nconstexpr int kOne = 1;\n}"),
    ("include/dray/x.h", "namespace dray::allocator::inline v0 {\nclass Snapshot {};\n}"),
    ("cel/x.cc", 'int main() { return 0; }  // namespace dray::api { class X {};'),
]
MISPLACED = [
    ("cel/eval/x.h", "namespace dray::cel {\nclass Plan {};\n}"),
    ("tests/vectors/x.h", "namespace dray::tests::vectors {\nusing Row = int;\n}"),
    ("cel/x.h", "namespace dray::cel::eval {\nclass Plan {};\n}"),
    ("cel/x.cc", "namespace dray::api {\nint Object::F() { return 1; }\n}"),
]
TWICE = [
    ("struct Row { int a; };", "struct Row { int b; };", 1),
    ("class A final : public B {};", "enum class A : int { kOne };", 1),
    ("using Row = int;", "template <class T>\nstruct Row {};", 1),
    ("struct Row;", "struct Row {};", 0),
    ("struct Row { struct Cell {}; };", "struct Cell {};", 0),
    ("namespace {\nstruct Row {};\n}", "struct Row {};", 0),
    ("inline namespace v1 {\nstruct Row {};\n}", "struct Row {};", 0),
    ("template <>\nstruct Row<int> {};", "template <class T>\nstruct Row {};", 0),
    ("struct Row F() { return {}; }", "struct Row {};", 0),
]


CLASHES = [
    ("namespace {\nconstexpr int kMax = 1;\n}", "namespace {\nconstexpr int kMax = 2;\n}", 1),
    ("namespace {\nint F(int a) { return a; }\n}", "namespace {\nint F(int b) { return b; }\n}", 1),
    ("namespace {\nint F(int a) { return a; }\n}", "namespace {\nint F(char a) { return a; }\n}", 0),
    ("namespace {\nclass Row {};\n}", "namespace {\nstruct Row {};\n}", 1),
    ("namespace {\nusing Row = int;\n}", "namespace {\nusing Row = int;\n}", 0),
    ("namespace v1 = api::core_v1;", "namespace {\nnamespace v1 = api::resource_v1;\n}", 1),
    ("namespace v1 = api::core_v1;", "namespace {\nnamespace v1 = api::core_v1;\n}", 0),
    ("using api::Row;", "namespace {\nusing dray::api::Row;\n}", 0),
    ("using api::Row;", "namespace {\nstruct Row {};\n}", 1),
    ("constexpr int kMax = 1;", "namespace {\nconstexpr int kMax = 2;\n}", 0),
]


def self_test():
    for path, text in SOUND:
        for line, message in misplaced(path, Reader(text).read(), {"dray::cel::eval"}):
            yield path, line, f"{text!r}: {message}"
    for path, text in MISPLACED:
        if not list(misplaced(path, Reader(text).read(), {"dray::cel::eval"})):
            yield path, 1, f"{text!r}: not found"
    for first, second, wanted in CLASHES:
        readers = {f"cel/{name}.cc": Reader(f"namespace dray::cel {{\n{text}\n}}").read()
                   for name, text in (("a", first), ("b", second))}
        found = list(clashes(readers))
        if len(found) != wanted:
            yield "cel/b.cc", 1, f"{first!r} and {second!r}: {len(found)} findings, not {wanted}"
    for first, second, wanted in TWICE:
        readers = {f"cel/{name}.h": Reader(f"namespace dray::cel {{\n{text}\n}}").read()
                   for name, text in (("a", first), ("b", second))}
        found = list(defined_twice(readers))
        if len(found) != wanted:
            yield "cel/b.h", 1, f"{first!r} and {second!r}: {len(found)} findings, not {wanted}"


def main():
    rule = sys.argv[1] if len(sys.argv) > 1 else ""
    root = pathlib.Path(__file__).resolve().parent.parent
    if rule not in ("one_definition", "namespaces", "units", "--self-test"):
        sys.exit(__doc__)
    findings = list(self_test())
    if rule != "--self-test":
        readers = {path: Reader(text).read() for path, text in ours(root)}
        if rule == "one_definition":
            findings += defined_twice(readers)
        elif rule == "units":
            findings += clashes(readers)
        else:
            known = set().union(*map(namespaces_of, readers))
            findings += [(path, *found) for path, reader in readers.items()
                         for found in misplaced(path, reader, known)]
    for path, line, message in findings:
        print(f"{path}:{line}: {message}")
    print(f"{rule}: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
