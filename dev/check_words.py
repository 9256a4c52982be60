#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plain English, as far as patterns can judge it (style.words).

Reads the comments and texts of C++ and Python, the comments of CMake, shell, schema and script files, and
the prose of *.md; prints file:line: message and exits with 1 when one matches a pattern of PATTERNS that
EXCEPTIONS does not allow. A clean run is no proof: a reader judges the rest.

  check_words.py [FOLDER…]    only files below these folders
  check_words.py --count      one line for each pattern: how often it matches, exceptions left out
  check_words.py --self-test  shows each pattern a sentence that it finds and one that it does not
"""
import ast
import collections
import io
import pathlib
import re
import sys
import tokenize

import tidy

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A sentence begins at the start of a text, after an empty line, and after a full stop.
BEGIN = r"(?:\A|\n\s*\n|[.!?][)\"']?\s+)\s*"
PATTERNS = [
    # (name, pattern, advice)
    ("nobody", re.compile(r"\b(?:no|some|any|every)body\b", re.IGNORECASE),
     "name the actor: the client, the caller, another process"),
    ("whoever", re.compile(r"\b(?:whoever|whomever|whosoever)\b", re.IGNORECASE), "name the actor"),
    ("told", re.compile(r"\b(?:is|are|was|were|be|been|being|gets?)\s+told\b(?!\s+apart)", re.IGNORECASE),
     "say what happens: the caller passes, the server reports, the watcher is notified"),
    ("who", re.compile(BEGIN + r"((?:For\s+)?Who(?:m|se)?\b)(?![^.!?]*\?)"),
     "no clause as the subject: name the actor"),
    ("of", re.compile(BEGIN + r"(Of\b|Not\s+even\b)"), "the subject comes first"),
    ("hears", re.compile(r"\b(?:hears?|heard)\b", re.IGNORECASE),
     "say what happens: receives, reads, is notified"),
    ("goes on", re.compile(r"(?<![\w-])(?:go|goes|went|going)\s+on\b(?!\s+(?:the|a|to)\b)", re.IGNORECASE),
     "say what happens: continues, resumes, still runs"),
    ("way", re.compile(r"\b(?:has|have|had)\s+(?:its|his|her|their)\s+way\b", re.IGNORECASE),
     "say what happens"),
    ("nothing", re.compile(r"\b(?:comes?|came|coming)\s+to\s+nothing\b", re.IGNORECASE),
     "say what happens: fails, has no effect, is dropped"),
]
# A number is a link to a heading in docs/design/.
REFERENCE = re.compile(r"\b(?:S-\d+|Trap\s+\d+)\b")

# (path, text that the matching line contains, reason). One that allows nothing is a finding.
EXCEPTIONS = [
    ("client/wire_test.cc", "- name: nobody", "the name of a context in a kubeconfig"),
    ("net/server/http_server_test.cc", "nobody unable to", "the user that the test's server answers with"),
    ("server/audit/log_test.cc", "10.0.0.1, nobody, fe80::1", "a header with a word that is no address"),
    ("store/sqlite/refusal_test.cc", "as the user nobody", "the user of Unix"),
    ("store/sqlite/refusal_test.cc", "cannot become nobody", "the user of Unix"),
]

# As tidy.LITERAL_OR_COMMENT, but the marks in 1'000'000 quote nothing.
TOKEN = re.compile(r"//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/"
                   r'|R"(?P<d>[^()\s\\]{0,16})\((?P<raw>.*?)\)(?P=d)"'
                   r'|"(?P<string>(?:\\.|[^"\\\n])*)"' r"|(?<!\w)'(?:\\.|[^'\\\n])+'", re.DOTALL)
HASH_COMMENT = re.compile(r"(?:^|\s)#(?!!)[ \t]?(.*)")
# Data of other programs, and this file, which holds the patterns.
SKIPPED = re.compile(r"tests/(?:fuzz/corpus|data)/|dev/check_words\.py$")
ITEM = re.compile(r"\s*(?:[-*>]|\d+\.|#+|\|)\s+")
SPAN = re.compile(r"`[^`]*`")
WORDS_MIN = 3  # a text of fewer words is a name


def joined(pieces):
    """(first line number, text) of each run of pieces on consecutive lines, without the licence."""
    block, begin, last = [], 0, 0
    for number, piece in pieces:
        if piece.startswith("SPDX-"):
            continue
        if block and number == last + 1:
            block.append(piece)
        else:
            if block:
                yield begin, "\n".join(block)
            block, begin = [piece], number
        last = number
    if block:
        yield begin, "\n".join(block)


def is_sentence(text):
    return len(text.split()) >= WORDS_MIN


def cpp_texts(text):
    """Runs of // comments, and string literals that are sentences."""
    comments, strings = [], []
    for found in TOKEN.finditer(text):
        number = tidy.line_of(text, found.start())
        if found["line"] is not None:
            comments.append((number, found["line"].lstrip("/").removeprefix(" ")))
            continue
        literal = found["block"] or found["raw"] or found["string"] or ""
        if is_sentence(literal):
            strings.append((number, literal))
    yield from joined(comments)
    yield from strings


def python_texts(text):
    """Runs of # comments, docstrings, and texts that are sentences."""
    comments = [(token.start[0], token.string.lstrip("#").removeprefix(" "))
                for token in tokenize.generate_tokens(io.StringIO(text).readline)
                if token.type == tokenize.COMMENT]
    yield from joined(comments)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and is_sentence(node.value):
            yield node.lineno, node.value


def hash_texts(text):
    """Runs of # comments: CMake, shell, make, YAML, schemas."""
    lines = enumerate(text.splitlines(), 1)
    yield from joined((number, found[1]) for number, line in lines if (found := HASH_COMMENT.search(line)))


def page_texts(text):
    """The paragraphs, items, headings and rows of a page, without code."""
    fenced, block, begin = False, [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        fence = line.lstrip().startswith("```")
        fenced ^= fence
        item = ITEM.match(line)
        if block and (fence or fenced or item or not line.strip()):
            yield begin, "\n".join(block)
            block = []
        if line.strip() and not fence and not fenced:
            begin = begin if block else number
            block.append(SPAN.sub("`code`", line[item.end():] if item else line))


def texts(path, text):
    """(line number, text) of what a reader of the file reads as English."""
    name = pathlib.PurePath(path)
    if name.suffix in {".h", ".cc"}:
        return cpp_texts(text)
    if name.suffix == ".py":
        return python_texts(text)
    if name.suffix == ".md":
        return page_texts(text)
    if path.startswith("tests/scripts/") and name.suffix == ".txt":
        return hash_texts("\n".join(line if line.startswith("#") else "" for line in text.splitlines()))
    if name.suffix in {".cmake", ".sh", ".api", ".yaml"} or name.name in {"CMakeLists.txt", "Makefile"}:
        return hash_texts(text)
    return ()


def definitions(pages):
    """The numbers that a heading or the first cell of a row in docs/design/ explains."""
    return {found for text in pages for line in re.findall(r"^(?:#+ .*|\| [^|]*\|)", text, re.MULTILINE)
            for found in REFERENCE.findall(line)}


def text_findings(text, defined):
    """(line in the text, pattern's name, matched words, advice)."""
    for name, pattern, advice in PATTERNS:
        for found in pattern.finditer(text):
            group = pattern.groups and 1
            yield tidy.line_of(text, found.start(group)) - 1, name, found[group], advice
    for found in REFERENCE.finditer(text):
        if found[0] not in defined:
            yield tidy.line_of(text, found.start()) - 1, "reference", found[0], \
                "no heading or row in docs/design/ explains the number: link to one, or drop it"


def is_wanted(path, folders):
    return not folders or path.startswith(folders)


def findings(root, folders):
    """(path, line number, pattern's name, matched words, advice), and the exceptions that allow nothing."""
    defined = definitions(page.read_text() for page in (root / "docs/design").rglob("*.md"))
    unused = set(EXCEPTIONS)
    for path in tidy.tracked(root):
        if SKIPPED.match(path) or not is_wanted(path, folders):
            continue
        try:
            text = (root / path).read_text()
        except UnicodeDecodeError:
            continue
        lines = text.splitlines()
        for begin, piece in texts(path, text):
            for offset, name, words, advice in text_findings(piece, defined):
                number = begin + offset
                allowed = {e for e in EXCEPTIONS if e[0] == path and e[1] in lines[number - 1]}
                unused -= allowed
                if not allowed:
                    yield path, number, name, words, advice
    for path, text, _ in sorted(unused) if not folders else ():
        yield "dev/check_words.py", 1, "exception", text, f"{path} has no such line: drop the exception"


def self_test():
    finds = ["for whoever asks", "Nobody writes it.", "It is told the revision.", "Who asks waits.",
             "Read once.\nWho reads again gets the same.", "Of all devices, the first.", "No. Not even so.",
             "A write has its way.", "The search goes on there.", "The watcher hears of it.",
             "The call comes to nothing.", "Trap 12: as upstream.", "See S-99."]
    leaves = ["The caller, who waits, is notified.", "Who may read this?", "The two are told apart by uid.",
              "Because of all devices the first is free.", "By S-1 it is the same."]
    for text in finds:
        assert list(text_findings(text, {"S-1"})), text
    for text in leaves:
        assert not list(text_findings(text, {"S-1"})), text
    assert list(cpp_texts('int a;  // one\n// two\nf("a b c", "d");')) == [(1, "one\ntwo"), (3, "a b c")]
    assert list(python_texts('"""A text here."""\nx = "a"  # b\n')) == [(2, "b"), (1, "A text here.")]
    assert list(page_texts("# A\n\nb\n- c\nd\n```\nno\n```\ne `f`")) == \
        [(1, "A"), (3, "b"), (4, "c\nd"), (9, "e `code`")]
    assert list(hash_texts("# SPDX-x\na # b\n# c\n\n#!d")) == [(2, "b\nc")]
    assert definitions(["## S-1: a\n| Trap 3 | S-2 |\nS-4"]) == {"S-1", "Trap 3"}


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    found = list(findings(ROOT, tuple(a for a in arguments if a != "--count")))
    if "--count" in arguments:
        for name, count in sorted(collections.Counter(f[2] for f in found).items()):
            print(f"{count:5} {name}")
    else:
        for path, number, name, words, advice in found:
            print(f"{path}:{number}: {name}: {' '.join(words.split())}: {advice}")
    return 1 if found else 0


if __name__ == "__main__":
    self_test()
    sys.exit(main(sys.argv[1:]))
