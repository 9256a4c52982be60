#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What users read, checked: README, docs, guides, the changelog, and the help of every command.

    check_texts.py help --dray PROGRAM      every help fits 80 columns and ends with an example
    check_texts.py flags --dray PROGRAM     commands and options that are named exist; all are named
    check_texts.py links                    links between the files of the project lead somewhere
    check_texts.py spelling --dray PROGRAM  aspell knows every word, or dev/words.txt does

Prints file:line: message. Exit codes: 0 nothing, 1 findings, 77 aspell is not installed.
`check_texts.py --self-test` shows each check what it must find and what it must not.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORDS = ROOT / "dev/words.txt"
COLUMNS = 80
SKIPPED = 77

# Other programs; what follows their names is theirs.
FOREIGN = {
    "kubectl", "make", "cmake", "ctest", "curl", "docker", "etcd", "etcdctl", "go", "apt-get", "sqlite3",
    "git", "jq", "systemctl", "journalctl", "man", "grep", "sed", "bench", "dev", "pre-commit", "python3",
}
FOREIGN_FLAGS = ROOT / "dev/foreign_flags.txt"
# Options that need no page, because help explains them and users of every program know them.
KNOWN_BY_ALL = {"--help", "--version", "--man", "--all"}


def pages():
    """The files that users read, sorted."""
    named = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md")]
    return named + sorted((ROOT / "docs").rglob("*.md")) + sorted((ROOT / "examples").rglob("*.md"))


def place(page, number):
    return f"{page.relative_to(ROOT)}:{number}"


# -------------------------------------------------------------------------------------- the program

class Program:
    """The program's help: the text of each command, its options and the commands below it."""

    def __init__(self, dray):
        self.dray = dray
        self.help = {}
        self.read([])

    def read(self, words):
        shown = subprocess.run([self.dray, *words, "--help"], capture_output=True, text=True, check=True)
        self.help[" ".join(words)] = shown.stdout
        for word in commands_below(shown.stdout):
            self.read([*words, word])

    def flags(self, command):
        return {"--help"}.union(*options_in(self.help[command]))

    def all_flags(self):
        return set().union(*(self.flags(command) for command in self.help))

    def command_of(self, words):
        """The longest command that the words begin with, and the first word that is not of it."""
        name, rest = "", list(words)
        while rest and f"{name} {rest[0]}".strip() in self.help:
            name = f"{name} {rest.pop(0)}".strip()
        return name, (rest[0] if rest else "")

    def has_commands(self, name):
        return bool(commands_below(self.help[name]))


def section(help_text, title):
    found = re.search(rf"^{title}:\n((?:  .*\n)+)", help_text, re.MULTILINE)
    return found[1] if found else ""


def commands_below(help_text):
    return re.findall(r"^  ([a-z]+)\b", section(help_text, "Commands"), re.MULTILINE)


def options_in(help_text):
    """For each option the set of its names."""
    lines = re.findall(r"^  (-.*)$", help_text, re.MULTILINE)
    return [set(ANY_FLAG.findall(line.split("   ")[0])) for line in lines]


def check_help(program):
    for command, text in program.help.items():
        name = f"dray {command}".strip()
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > COLUMNS:
                yield f"{name} --help:{number}: {len(line)} columns, at most {COLUMNS}"
        if command and not program.has_commands(command) and not re.search(r"^Examples?:$", text, re.MULTILINE):
            yield f"{name} --help: no example at its end"


# ------------------------------------------------------------------------------------------- flags

PROGRAMS = ("cpp", "go", "python", "cmake")  # blocks that are no command lines
SPAN = re.compile(r"`([^`]+)`")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9_-]*")
ANY_FLAG = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")
INVOCATION = re.compile(r"(?:^|[\s(|;&$/`])dray((?: [^\s|;&()'\"<>`]+)+)")


def code_of(text):
    """(line number, code) of every code span and every line of a code block."""
    fenced, language = False, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced, language = not fenced, line[3:]
        elif fenced or line.startswith("    "):
            if language not in PROGRAMS:
                yield number, line.strip()
        else:
            for found in SPAN.finditer(line):
                yield number, found[1]


def prose_of(text):
    """(line number, text) without code, links' targets and comments."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            line = re.sub(r"<!--.*?-->|<[^>]*>", " ", SPAN.sub(" ", line))
            yield number, re.sub(r"\]\([^)]*\)", "] ", re.sub(r"https?://\S+", " ", line))


def invocation_findings(program, code):
    """The errors of `dray …` in a line of code."""
    for found in INVOCATION.finditer(code):
        words = found[1].split()
        command, rest = program.command_of(words)
        if re.fullmatch(r"[a-z]+", rest) and program.has_commands(command):
            yield f"there is no command dray {command} {rest}".replace("  ", " ")
            continue
        for flag in FLAG.findall(" ".join(words)):
            if command and flag not in program.flags(command):
                yield f"dray {command} has no option {flag}"


def flag_findings(program, foreign, code):
    """Options alone, in code that names no program: some command must have them."""
    if INVOCATION.search(code):
        yield from invocation_findings(program, code)
        return
    if re.match(r"[$>]?\s*(?:sudo )?(?:\S*/)?(?:%s)\b" % "|".join(FOREIGN), code):
        return
    for flag in FLAG.findall(code):
        if flag not in program.all_flags() | foreign:
            yield f"{flag} is an option of no command"


def foreign_flags():
    lines = FOREIGN_FLAGS.read_text().splitlines()
    return {word for line in lines for word in line.split("#")[0].split()}


def check_flags(program):
    foreign, named = foreign_flags(), set(KNOWN_BY_ALL)
    for page in pages():
        text = page.read_text()
        named |= {flag for _, code in code_of(text) for flag in ANY_FLAG.findall(code)}
        if page.name == "CHANGELOG.md":
            continue  # options that it names may have been renamed since
        for number, code in code_of(text):
            for finding in flag_findings(program, foreign, code):
                yield f"{place(page, number)}: {finding}"
    for command, text in program.help.items():
        for names in options_in(text):
            if not named & names:
                yield f"docs: dray {command} {' '.join(sorted(names))} is on no page"


# ------------------------------------------------------------------------------------------- links

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")


def anchors_of(text):
    """The anchors that GitHub gives the headings."""
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def link_findings(page, text):
    for number, line in enumerate(text.splitlines(), 1):
        for found in LINK.finditer(line):
            target = found[1] or found[2]
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists():
                yield number, f"{target} leads nowhere"
            elif anchor and file.suffix == ".md" and anchor not in anchors_of(file.read_text()):
                yield number, f"{target}: no heading of that name"


def idle_findings(source, page):
    """Kinds that one of the two names as such that nothing acts on, and the other does not."""
    told = set(re.findall(r'\{"[^"]*",\s*"(\w+)",', source))
    row = next((line for line in page.splitlines() if line.startswith("| kinds that nothing acts on |")), "")
    written = set(re.findall(r"[A-Z]\w+", row.partition(":")[0]))
    for kind in sorted(told ^ written):
        yield f"{kind}: " + ("not in the row" if kind in told else "acted on, but in the row") + \
              " of kinds that nothing acts on"


def check_links():
    idle = ROOT / "server" / "verbs" / "context" / "idle_kinds.cc"
    page = ROOT / "docs" / "differences.md"
    for finding in idle_findings(idle.read_text(), page.read_text()):
        yield f"{place(page, 1)}: {finding}"
    for page in [*pages(), *sorted(ROOT.glob("*/README.md")), *sorted(ROOT.glob("tests/*/README.md"))]:
        for number, finding in link_findings(page, page.read_text()):
            yield f"{place(page, number)}: {finding}"


# ---------------------------------------------------------------------------------------- spelling

# Names of things are no words: with digits, dots, underscores, or capitals inside.
NAME = re.compile(r"\S*(?:[\d_./@:=]|[a-z][A-Z]|[A-Z]{2})\S*")


def unknown_words(texts):
    """The words of the texts that neither aspell nor the project's list knows."""
    known = {line for line in WORDS.read_text().splitlines() if not line.startswith("#")}
    asked = subprocess.run(["aspell", "list", "--lang=en_GB", "--encoding=utf-8", "--ignore=2", "--ignore-accents"],
                           input="\n".join(texts), capture_output=True, text=True, check=True)
    return {word for word in asked.stdout.split() if not known & {word, word.lower()}}


def check_spelling(program):
    lines = []
    for page in pages():
        lines += [(place(page, number), text) for number, text in prose_of(page.read_text())]
    for command, text in program.help.items():
        prose = text.split("\nExample")[0]
        lines += [(f"dray {command} --help:{n}", line) for n, line in enumerate(prose.splitlines(), 1)]
    lines = [(where, plain(text)) for where, text in lines]
    unknown = unknown_words(text for _, text in lines)
    for where, text in lines:
        for word in re.findall(r"[^\W\d_]+(?:'[a-z]+)?", text):
            if word in unknown:
                yield f"{where}: {word}"


def plain(text):
    """Words alone: no options, no names of things, no ends of genitives."""
    text = NAME.sub(" ", re.sub(r"(?<!\w)--?[\w-]+", " ", text)).replace("’", "'")
    return re.sub(r"'s?\b|'(?=\W)", "", text)


# ------------------------------------------------------------------------------------------ itself

class Made:
    """A program with two commands, for the self-test."""
    help = {"": "Commands:\n  serve    run\n  store    keep\n",
            "serve": "Options:\n  -h, --help   say\n  --port N     where\n",
            "store": "Commands:\n  backup   copy\n", "store backup": "Options:\n  --to FILE    where\n"}
    flags, all_flags = Program.flags, Program.all_flags
    command_of, has_commands = Program.command_of, Program.has_commands


FLAG_ROWS = [("dray serve --port 1", 0), ("dray serve --prot 1", 1), ("dray store backup --to x", 0),
             ("dray store restore x", 1), ("dray serv", 1), ("--port", 0), ("--pirt", 1),
             ("kubectl get --wtach", 0), ("`dray serve --port 1 | grep --colour`", 0)]
LINK_ROWS = [("[a](README.md)", 0), ("[a](missing.md)", 1), ("[a](#links)", 1), ("[a](https://x.y/z)", 0)]


def self_test():
    for code, wanted in FLAG_ROWS:
        found = list(flag_findings(Made(), set(), code))
        if len(found) != wanted:
            yield f"self-test: {code}: {found}"
    for text, wanted in LINK_ROWS:
        found = list(link_findings(ROOT / "README.md", text))
        if len(found) != wanted:
            yield f"self-test: {text}: {found}"
    if [text.split() for _, text in prose_of("a `b` [c](d) <!-- e -->\n```\nf\n```")] != [["a", "[c]"]]:
        yield "self-test: prose is not told from code"
    long = Made()
    long.help = {"": "x" * (COLUMNS + 1)}
    if len(list(check_help(long))) != 1:
        yield "self-test: a long line of help is not found"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", nargs="?", choices=["help", "flags", "links", "spelling"])
    parser.add_argument("--dray")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.check == "spelling" and not shutil.which("aspell"):
        print("skipped: no aspell: run dev/install-packages.sh test")
        return SKIPPED
    checks = {"help": check_help, "flags": check_flags, "spelling": check_spelling}
    findings = list(self_test())
    if options.check == "links":
        findings += check_links()
    elif options.check:
        findings += checks[options.check](Program(options.dray))
    for finding in findings:
        print(finding)
    print(f"texts: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
