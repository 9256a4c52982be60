#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses classes that have grown too large (style.classes): one that does several things at once is
split into parts that own their state.

A class has at most METHODS_MAX member functions and MEMBERS_MAX data members. Constructors,
destructors, operators and deleted functions are not counted, nor are static data members; a struct
without any function is a record and may have any number of members. Nested classes are judged on
their own.

  check_classes.py               every C++ file of these folders that git tracks, but for tests
  check_classes.py --self-test   shows what is refused and what is not

Prints file:line: message and exits with 1 when there is any.
"""
import pathlib
import re
import sys

import tidy

FOLDERS = ("planning/", "scheduler/")
METHODS_MAX = 25
MEMBERS_MAX = 20

# Classes from before the rule, each with the reason why it is not split. One that has come within
# the limits must leave the list.
OLDER = {
    "planning/cluster/offline_cluster.h:OfflineCluster":
        "the second shell around the scheduler's attempts: it goes when planning forks ClusterCache",
}

HEAD = re.compile(r"(?:template\s*<.*>\s*)?\b(class|struct|union)\s+(?:\[\[.*?\]\]\s*|[A-Z_]+\([^)]*\)\s*)*"
                  r"([\w:]+)\s*(?:final\s*)?(?::(?!:).*)?$", re.DOTALL)
ACCESS = re.compile(r"(?:(?:public|protected|private)\s*:\s*(?!:))+")
MACRO = re.compile(r"\bDRAY_[A-Z_]+\s*\((?:[^()]|\([^()]*\))*\)")
SKIPPED = re.compile(r"(?:using|typedef|friend|static_assert|enum)\b")
FUNCTION = re.compile(r"(operator\b|~?\w+)[^\w(]*\(")


def without_angles(text):
    """The text without what stands in template brackets, whose contents would be taken for a
    function's parameters or for further declarators."""
    text = re.sub(r"\boperator\s*(?:\(\)|\[\]|[^\w\s()\[\]]+)", "operator", text)
    before = None
    while before != text:
        before = text
        text = re.sub(r"<[^<>;]*>", "", text)
    return text


def without_brackets(text):
    """The text without what stands in round, square or curly brackets."""
    before = None
    while before != text:
        before = text
        text = re.sub(r"\([^(){}\[\]]*\)|\{[^(){}\[\]]*\}|\[[^(){}\[\]]*\]", "", text)
    return text


class Scope:
    """A pair of braces that is being read: the body of a class, which has a name; the value of a
    variable or member; any other."""

    def __init__(self, name="", line=0, is_value=False):
        self.name, self.line, self.is_value = name, line, is_value
        self.methods = self.members = 0

    def take(self, statement, is_defined):
        """Counts what a statement of the body declares; `is_defined`: a body in braces follows."""
        text = ACCESS.sub("", re.sub(r"\[\[.*?\]\]", "", MACRO.sub("", statement))).strip()
        text = re.sub(r"^template\s*(<.*?>)\s*(?=\w)", "", without_angles(text), flags=re.DOTALL)
        text = re.sub(r"^template\s*|^requires\b.*?(?=\b(?:void|auto|bool|\w+)\s+\w+\s*\()", "", text)
        if not text or SKIPPED.match(text):
            return
        head = re.split(r"=(?!=)|\{", text, maxsplit=1)[0]
        function = FUNCTION.search(head)
        if function and not re.search(r"\(\s*\*", head):
            name = function[1]
            is_own = name == "operator" or name.lstrip("~") == self.name
            if not is_own and not re.search(r"=\s*delete\s*$", text):
                self.methods += 1
        elif not is_defined and re.search(r"\w[\s*&]+\w|\(\s*\*", head) \
                and not re.match(r"(?:inline\s+|constexpr\s+|constinit\s+)*static\b", text):
            self.members += 1 + without_brackets(text).count(",")


def classes(text):
    """Yields a Scope for each class that the text defines."""
    code = tidy.code_only(text)
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", lambda found: "\n" * found[0].count("\n"), code,
                  flags=re.MULTILINE)
    scopes, start, round_depth = [], 0, 0
    for at, character in enumerate(code):
        if character in "()":
            round_depth += 1 if character == "(" else -1
        if round_depth > 0 or character not in "{};":
            continue
        inside = scopes[-1] if scopes else Scope()
        statement = code[start:at].strip()
        if character == "{":
            opened = opens(statement, inside)
            opened.line = tidy.line_of(code, at - len(code[start:at].lstrip()))
            if not opened.is_value:
                if inside.name and not opened.name:
                    inside.take(statement, is_defined=True)
                start = at + 1
            scopes.append(opened)
        elif character == "}":
            if scopes:
                scopes.pop()
            if inside.name:
                yield inside
            if not inside.is_value:
                start = at + 1
        elif not inside.is_value:
            if inside.name:
                inside.take(statement, is_defined=False)
            start = at + 1


def opens(statement, inside):
    """The Scope that a brace behind the statement opens."""
    if inside.is_value or (inside.name and is_initialiser(statement)):
        return Scope(is_value=True)
    found = HEAD.search(ACCESS.sub("", statement))
    is_enum = re.search(r"\benum\s+(?:class|struct)\b", statement)
    return Scope(found[2].split("::")[-1]) if found and not is_enum and "(" not in statement else Scope()


def is_initialiser(statement):
    """Whether the brace behind the statement begins the value of a data member, not a body."""
    text = without_angles(MACRO.sub("", ACCESS.sub("", statement))).strip()
    if not text or SKIPPED.match(text) or HEAD.search(text):
        return False
    if re.search(r"=\s*[\w:]*\s*$", text):
        return True
    return not re.search(r"\)|\b(?:class|struct|union|enum|namespace|extern)\b", text) \
        and bool(re.match(r"[\w:&*\s]+\s[\w]+$", text))


def findings(path, text):
    for one in classes(text):
        is_older = f"{path}:{one.name}" in OLDER
        for count, most, what in ((one.methods, METHODS_MAX, "member functions"),
                                  (one.members if one.methods else 0, MEMBERS_MAX, "data members")):
            if count > most and not is_older:
                yield one.line, f"{one.name} has {count} {what}, at most {most}: split it by its state"


def is_test(path):
    return "/testing/" in path or re.search(r"_(?:test|fixture)\.(?:h|cc)$", path)


def check(root):
    older = set(OLDER)
    for name in tidy.tracked(root):
        if pathlib.PurePath(name).suffix not in tidy.CPP or is_test(name) \
                or not name.startswith(FOLDERS):
            continue
        text = (root / name).read_text()
        for line, message in findings(name, text):
            yield name, line, message
        older -= {f"{name}:{one.name}" for one in classes(text)
                  if one.methods > METHODS_MAX or (one.methods and one.members > MEMBERS_MAX)}
    for key in sorted(older):
        yield "dev/check_classes.py", 1, f"{key} is within the limits or gone: take it off the list"


# Bodies of `class X`, and the numbers that they count.
COUNTED = [
    ("public:\n X(int a);\n ~X();\n X(const X&) = delete;\n X& operator=(const X&) = delete;\n"
     " bool operator<(const X& other) const { return a < other.a; }", 0, 0),
    ("void F();\n int G() const { return 1; }\n static bool H(int a = 1);\n template <class T>\n T I(T a);\n"
     " virtual void J() = 0;\n void K() const noexcept override;", 6, 0),
    ("int a_ = 0, b_ = F(1, 2);\n std::map<int, std::pair<int, int>> c_;\n const Y& d_;\n Z* e_;", 0, 5),
    ("std::function<void(int a, int b)> call_;\n Y (*f_)(int);\n int g_[3];", 0, 3),
    ("std::vector<int> a_{1, 2};\n Y b_ = {.c = 1};\n Z c_{};\n const Y d_{F(1), {2}};", 0, 4),
    ("std::deque<T> values_ DRAY_GUARDED_BY(mutex_);\n [[nodiscard]] bool F();", 1, 1),
    ("static constexpr int kMax = 1;\n using A = int;\n friend class B;\n enum class C { kD, kE };", 0, 0),
    ("struct Row { int a, b; void F(); };\n std::vector<Row> rows_;", 0, 1),
    ("void F() { int local; G(1); if (a) { b(); } }\n std::function<void(Y)> On(std::function<int(int)> f);",
     2, 0),
    ("bool a() const { return a_ == 1; }\n bool a_ = false;", 1, 1),
]


def self_test():
    for body, methods, members in COUNTED:
        found = [one for one in classes(f"namespace n {{\nclass X : public Y {{\n{body}\n}};\n}}")
                 if one.name == "X"]
        counted = [(one.methods, one.members) for one in found]
        if counted != [(methods, members)]:
            yield "dev/check_classes.py", 1, f"{body!r}: {counted}, not {methods} and {members}"
    functions = [f" void F{i}();" for i in range(METHODS_MAX)]
    members = [f" int m{i}_;" for i in range(MEMBERS_MAX)]
    for body, wanted in ((functions, 0), ([*functions, " void G();"], 1), (["void F();", *members], 0),
                         (["void F();", *members, " int n_;"], 1), ([*members, " int n_;"], 0)):
        text = "class X {\n" + "\n".join(body) + "\n};"
        if len(list(findings("cel/x.h", text))) != wanted:
            yield "dev/check_classes.py", 1, f"{body[-1]!r} and {len(body) - 1} more: not {wanted} findings"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    found = list(self_test()) + ([] if "--self-test" in sys.argv else list(check(root)))
    for name, line, message in found:
        print(f"{name}:{line}: {message}")
    print(f"check_classes: {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
