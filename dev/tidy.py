#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Style as a test (style.tidy): what neither clang-format, clang-tidy nor the compiler checks.

Looks at every file git tracks; prints file:line: message and exits with 1 when there is any.
`tidy.py --self-test` shows each rule a line that breaks it and one that does not.
"""
import pathlib
import re
import subprocess
import sys

FILE_LINES_MAX = 600
LINE_COLUMNS_MAX = 100

CPP = {".h", ".cc"}
WITH_SPDX = CPP | {".py", ".sh", ".cmake", ".api"}
WITH_SPDX_NAMES = {"CMakeLists.txt", "Makefile"}
SPDX = "SPDX-License-Identifier: Apache-2.0"

# (rule, pattern over code without comments and strings, what to do instead, exempt paths)
WORLD = re.compile(r"base/(world|simulated_world)\.(cc|h)$")
BASE = re.compile(r"base/")
FILES = re.compile(r"base/|tests/|bench/|.*_test\.(cc|h)$")
MAIN = re.compile(r"base/world\.(cc|h)$|(?:.*/)?main\.cc$|tests/|bench/|.*_(?:test|fixture)\.(cc|h)$"
                  r"|.*/testing/")
# Where files are opened by POSIX calls, and why World's are not enough.
OPENS_FILES = re.compile("|".join([
    r"base/world\.cc$",  # the door itself
    r"base/standard_descriptors\.cc$",  # descriptors that are no files
    r"store/sqlite/",    # locks on folders, files that must be new, databases known before SQLite's
    r"store/etcd/testing/",  # locks on ports
    r"tests/|bench/",
]))
# At the start of the program, before threads that compute, or for tests.
YIELDS = re.compile(r"store/sqlite/folder_lock\.cc$|tests/|bench/|.*/testing/|.*_test\.(cc|h)$")
CODE_RULES = [
    ("world", re.compile(r"\bRealWorld\s*\("),
     "only main has the world: take the part you need as an argument", MAIN),
    ("open", re.compile(r"(?<![\w.>:])(?:::\s*)?(?:open|openat|creat)\s*\("),
     "files are opened through base/world.h", OPENS_FILES),
    ("clock", re.compile(r"\b(?:system|steady|high_resolution|utc)_clock::now\b"
                         r"|\b(?:clock_gettime|gettimeofday|localtime)\s*\("
                         r"|(?<![\w.>:])(?:std::|::)?time\s*\(\s*(?:nullptr|NULL|0|&\w+)\s*\)"),
     "time comes from base/world.h", WORLD),
    ("random", re.compile(r"(?<![\w.>])(?:s?rand|srandom)\s*\(|\brandom_device\b|\bgetrandom\b"),
     "randomness comes from base/world.h", WORLD),
    ("file", re.compile(r"\b(?:fopen|freopen)\s*\(|\b[io]?fstream\b"),
     "files are read and written through base/world.h", FILES),
    ("mutex", re.compile(r"\bstd::(?:\w*mutex|lock_guard|unique_lock|shared_lock|scoped_lock"
                         r"|condition_variable\w*)\b|\bpthread_mutex"),
     "locks are made of base/mutex.h; better: publish a value, or use a queue", BASE),
    ("thread", re.compile(r"\.detach\s*\(\s*\)"),
     "a thread is joined by whom started it", None),
    ("yield", re.compile(r"\bthis_thread::yield\s*\(|\bsched_yield\s*\("),
     "wait on a condition: the kernel lets all threads that compute go before one that yields", YIELDS),
]
# A braced aggregate among the arguments of an awaited call.
AWAITED_BRACES = re.compile(r"\bco_await\b[^;{}]*[(,]\s*\{")
TODO = re.compile(r"\bTODO\b(?!\(#\d+\))")
MACHINE_PATH = re.compile(r"(?<![\w.$})/-])/(?:work|root|home|Users)/\w")

# A piece of a JSON object in a string: {"name": or ,"name": or a whole "name":
JSON_PIECE = re.compile(r'[{,]\s*"[\w./{}$-]*"\s*:|^"[\w./{}$-]*":(?!\s)')
# The codecs, texts that upstream prints so, what cuts an encoded object, lines of logs; tests.
JSON_BY_HAND = re.compile(r"api/codec/|api/validation/(devices/claim_status|workloads/pod)\.cc$|server/storage/"
                          r"|base/log\.cc$|server/audit/event\.cc$|examples/|tests/|bench/|.*/testing/|.*_test\.(cc|h)$")

LITERAL_OR_COMMENT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^()\s\\]{0,16})\(.*?\)(?P=d)"'
    r'|"(?:\\.|[^"\\\n])*"' r"|'(?:\\.|[^'\\\n])+'", re.DOTALL)


def code_only(text):
    """The text with comments and literals emptied; line breaks stay where they are."""
    def blank(found):
        breaks = "\n" * found[0].count("\n")
        return breaks if found[0].startswith("/") else '""' + breaks
    return LITERAL_OR_COMMENT.sub(blank, text)


def json_pieces(text):
    """The string literals that have a piece of a JSON object in them, with their positions."""
    for found in LITERAL_OR_COMMENT.finditer(text):
        literal = found[0]
        if literal.startswith('R"'):
            content = literal[literal.index("(") + 1:literal.rindex(")")]
        elif literal.startswith('"'):
            content = literal[1:-1].replace('\\"', '"')
        else:
            continue
        if JSON_PIECE.search(content):
            yield found.start(), content


def without_strings(line):
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', line)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def cpp_findings(path, text):
    lines = text.splitlines()
    if len(lines) > FILE_LINES_MAX:
        yield len(lines), f"{len(lines)} lines, at most {FILE_LINES_MAX}: split it by subject"
    raw = [range(line_of(text, f.start()), line_of(text, f.end()) + 1)
           for f in LITERAL_OR_COMMENT.finditer(text) if f[0].startswith('R"')]
    for number, line in enumerate(lines, 1):
        if len(line) > LINE_COLUMNS_MAX and len(without_strings(line)) > LINE_COLUMNS_MAX \
                and not any(number in span for span in raw):
            yield number, f"{len(line)} columns, at most {LINE_COLUMNS_MAX} (strings excepted)"
    code = code_only(text)
    for rule, pattern, advice, exempt in CODE_RULES:
        if exempt and exempt.match(path):
            continue
        for found in pattern.finditer(code):
            yield line_of(code, found.start()), f"{rule}: {found[0]}: {advice}"
    if not JSON_BY_HAND.match(path):
        for position, content in json_pieces(text):
            yield line_of(text, position), \
                f"{content[:30]!r}: JSON is written by api/codec/json_writer.h"
    for found in AWAITED_BRACES.finditer(code):
        yield line_of(code, found.start()), \
            "co_await with a braced argument: name it first"


def text_findings(path, text):
    name = path.rsplit("/", 1)[-1]
    head = text.splitlines()[:2]
    if pathlib.PurePath(path).suffix in WITH_SPDX or name in WITH_SPDX_NAMES:
        first = head[1:] if head and head[0].startswith("#!") else head[:1]
        if not first or SPDX not in first[0]:
            yield 1, f"the first line is not the licence: {SPDX}"
    for found in MACHINE_PATH.finditer(text):
        yield line_of(text, found.start()), f"{found[0]}...: a path of one machine"
    if name != "tidy.py" and not path.endswith(".md"):
        for found in TODO.finditer(text):
            yield line_of(text, found.start()), "TODO without an issue number: TODO(#12)"


def name_findings(path):
    """The name of a file or folder must name its subject."""
    *folders, name = pathlib.PurePosixPath(path).parts
    if "internal" in folders:
        yield 1, "a folder is named for its subject, not internal"
    if re.match(r"(?:shared|utils?)\.(?:h|cc)$", name):
        yield 1, "a file is named for its subject: what is it that is shared?"


def cmake_findings(text):
    """Lists of files have one a line, so that changes to them do not meet."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(re.findall(r"[\w/]\.(?:cc|h)\b", line.split("#")[0])) > 1:
            yield number, "more than one file in a line"


def unlisted(sources, cmake_lists):
    """Sources that no CMakeLists.txt of their folder or above names: nothing builds or tests them."""
    words = {folder: set(re.findall(r"[\w./-]+", text)) for folder, text in cmake_lists.items()}
    for source in sources:
        path = pathlib.PurePosixPath(source)
        if not any(str(folder) in words and str(path.relative_to(folder)) in words[str(folder)]
                   for folder in path.parents):
            yield source, 1, "no CMakeLists.txt lists this file"


def tracked(root):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True)
    return sorted(name for name in listed.stdout.decode().split("\0")
                  if name and (root / name).is_file() and not (root / name).is_symlink())


def check(root):
    texts = {}
    for name in tracked(root):
        try:
            texts[name] = (root / name).read_text()
        except UnicodeDecodeError:
            continue  # binary test data
    for name, text in texts.items():
        findings = [*name_findings(name), *text_findings(name, text)]
        if name.endswith("CMakeLists.txt"):
            findings += cmake_findings(text)
        for number, message in findings:
            yield name, number, message
        if pathlib.PurePath(name).suffix in CPP:
            for number, message in cpp_findings(name, text):
                yield name, number, message
    yield from unlisted(
        [name for name in texts if pathlib.PurePath(name).suffix in CPP],
        {str(pathlib.PurePosixPath(name).parent): text for name, text in texts.items()
         if name.endswith("CMakeLists.txt") or name == "dev/lint.py"})


BROKEN = [
    ("cel/x.cc", "auto t = std::chrono::steady_clock::now();"),
    ("cel/x.cc", "const auto t = time(nullptr);"),
    ("cel/x.cc", "int r = rand();"),
    ("cel/x.cc", "std::ifstream file(path);"),
    ("cel/x.cc", "const std::lock_guard lock(mutex);"),
    ("cel/x.cc", "std::this_thread::yield();"),
    ("cel/x.cc", "co_await Send({.to = 1});"),
    ("cel/x.cc", "Disk& disk = RealWorld().disk;"),
    ("cli/x.cc", "const int file = open(path.c_str(), O_RDONLY);"),
    ("cli/x.cc", "return ::openat(folder, name, O_RDONLY);"),
    ("cel/x.cc", r'out += "{\"name\":";'),
    ("cel/x.cc", """out += fmt::format(R"(,"priority":{})", priority);"""),
    ("cel/x.cc", r'out += "\"value\":" + json;'),
    ("cel/x.cc", "int x = " + "1 + " * 30 + "1;"),
    ("cel/x.cc", "// TO" + "DO: later"),
    ("cel/x.cc", "// see /" + "home/me/notes"),
    ("cel/x.cc", "\n" * FILE_LINES_MAX + "int x;"),
]
SOUND = [
    ("base/world.cc", "return std::chrono::steady_clock::now();"),
    ("cel/x.cc", "// steady_clock::now() is not for us"),
    ("cel/x.cc", 'Log("rand() and std::mutex");'),
    ("cel/x.cc", r'Fail(fmt::format("{} \"{}\": {}", kind, name, why));'),
    ("cel/x_test.cc", """Parse(R"({"name":"a"})");"""),
    ("cel/x.cc", "event.time(0); world.random(); brand(1);"),
    ("cel/x_test.cc", "std::ifstream file(path);"),
    ("base/mutex.h", "std::mutex mutex_;"),
    ("cli/main.cc", "return Serve(RealWorld(), options);"),
    ("cli/x_test.cc", "Disk& disk = RealWorld().disk;"),
    ("base/world.cc", "const int file = open(path, O_RDONLY);"),
    ("cel/x.cc", "store.open(1); Reopen(2); reader->open(3); File::open(4);"),
    ("cel/x.cc", "const Letter letter{.to = 1};\nco_await Send(letter);"),
    ("cel/x.cc", "co_await Run([this] { return Map{{1, 2}}; });"),
    ("cel/x.cc", 'Parse("' + "x" * 120 + '");'),
    ("cel/x.cc", "// TO" + "DO(#12): later"),
    ("cel/x.cc", "\n" * (FILE_LINES_MAX - 2) + "int x;"),
]


def self_test():
    licence = f"// {SPDX}\n"
    for rows, wanted in ((BROKEN, 1), (SOUND, 0)):
        for path, text in rows:
            whole = licence + text
            found = list(cpp_findings(path, whole)) + list(text_findings(path, whole))
            if len(found) != wanted:
                yield path, 1, f"{text.strip()!r}: {len(found)} findings, not {wanted}: {found}"
    lists = {"cel": "dray_layer(cel SOURCES a.cc internal/b.cc)", "tests": "x"}
    found = [name for name, _, _ in unlisted(["cel/a.cc", "cel/internal/b.cc", "cel/c.cc"], lists)]
    if found != ["cel/c.cc"]:
        yield "cel", 1, f"unlisted: {found}"
    for name, wanted in (("net/internal/x.h", 1), ("server/shared.cc", 1), ("cel/util.h", 1),
                         ("cel/utility.h", 0), ("docs/internal.md", 0)):
        if len(list(name_findings(name))) != wanted:
            yield name, 1, "names are judged wrongly"
    for line, wanted in (("SOURCES a.cc b.cc", 1), ("a.h  # and b.h", 0), ("LINKS x y", 0)):
        if len(list(cmake_findings(line))) != wanted:
            yield "CMakeLists.txt", 1, f"{line!r} is judged wrongly"
    if not list(text_findings("cel/x.cc", "int x;")):
        yield "cel/x.cc", 1, "a missing licence line is not found"


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    findings = list(self_test()) + ([] if "--self-test" in sys.argv else list(check(root)))
    for name, number, message in findings:
        print(f"{name}:{number}: {message}")
    print(f"tidy: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
