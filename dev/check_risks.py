#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the tests that docs/design/risks.md names exist, for every risk.

Prints file:line: message and exits with 1 when one is missing, or a story is not played
(tests/stories/not_equal.txt), or a list of the stories' runner names a story that there is not.
"""
import gzip
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/design/risks.md"
FOLDERS = ("client", "controllers", "node", "scheduler", "tests")
RISKS = 20


def tests():
    for folder in FOLDERS:
        for source in (ROOT / folder).rglob("*_test.cc"):
            for suite, name in re.findall(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", source.read_text(), re.MULTILINE):
                yield f"{suite}.{name}"


def stories():
    with gzip.open(ROOT / "tests/data/vectors/stories/stories.jsonl.gz", "rt") as lines:
        names = {json.loads(line)["story"]["name"] for line in lines if '"story"' in line}
    left_out = (ROOT / "tests/stories/not_equal.txt").read_text()
    return names - set(re.findall(r"^([^#\s][^:]*):", left_out, re.MULTILINE))


def out_of_date():
    """Names in the lists of the stories' runner that no story has; the runner itself takes any folder."""
    known = set()
    with gzip.open(ROOT / "tests/data/vectors/stories/stories.jsonl.gz", "rt") as lines:
        for story in (json.loads(line)["story"] for line in lines if '"story"' in line):
            minor = story["release"].rpartition(".")[0]
            known.add(f"{minor}/{story['name']}" if minor in {"1.30", "1.31"} else story["name"])
    for page in ("not_equal.txt", "races.txt"):
        text = (ROOT / "tests/stories" / page).read_text()
        for name in re.findall(r"^([^#\s][^:]*):", text, re.MULTILINE):
            if name not in known:
                yield f"tests/stories/{page}: no story {name}"


def main():
    known_tests, known_stories = set(tests()), stories()
    found, problems = set(), []
    for number, line in enumerate(PAGE.read_text().splitlines(), 1):
        row = re.match(r"\| (\d+)(?: to (\d+))? \|", line)
        if not row:
            continue
        found.update(range(int(row[1]), int(row[2] or row[1]) + 1))
        names = re.findall(r"(story )?`([^`]+)`", line)
        if not names and not row[2]:
            problems.append(f"{number}: no test")
        for story, name in names:
            if name not in (known_stories if story else known_tests):
                problems.append(f"{number}: no {'story that is played' if story else 'test'} {name}")
    problems += [f"1: risk {risk} is missing" for risk in range(1, RISKS + 1) if risk not in found]
    for problem in problems:
        print(f"{PAGE.relative_to(ROOT)}:{problem}")
    for problem in out_of_date():
        print(problem)
        problems.append(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
