#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The shape of a commit message: `folder: imperative summary`, an empty line, why."""
import re
import sys

SUBJECT_COLUMNS_MAX = 80
BODY_COLUMNS_MAX = 100


def findings(message):
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0] if lines else ""
    if not re.match(r"[a-z][a-z0-9_./ ,-]*: [^ A-Z.][^\n]*[^.]$", subject):
        yield f"the first line is `folder: what it does`, without a full stop: {subject!r}"
    if len(subject) > SUBJECT_COLUMNS_MAX:
        yield f"the first line has {len(subject)} columns, at most {SUBJECT_COLUMNS_MAX}"
    if len(lines) > 1 and lines[1]:
        yield "the second line is empty"
    for line in lines[2:]:
        if len(line) > BODY_COLUMNS_MAX and " " in line:
            yield f"{len(line)} columns, at most {BODY_COLUMNS_MAX}: {line[:40]}..."


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        found = list(findings(file.read()))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
