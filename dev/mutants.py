#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts a fault into copies of source files, so that a test can prove that it would be found.

A mutant is a file of edits:

    # how a programmer could make this mistake
    file net/loop.cc
    <<<
    the text as it stands, which must occur exactly once
    ===
    the text with the fault
    >>>

    # includes a header that is changed
    copy net/reactor.cc

dev/mutants.py files MUTANT      prints the sources that the mutant changes, one a line
dev/mutants.py write MUTANT DIR  writes the changed copies below DIR, headers too
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def read(path):
    """The edits of a mutant: (file, old, new). A copy is an edit of nothing."""
    edits, name, state, old, new = [], None, None, [], []
    for line in path.read_text().splitlines():
        if state is None and line.startswith('file '):
            name = line[5:].strip()
        elif state is None and line.startswith('copy '):
            edits.append((line[5:].strip(), None, None))
        elif state is None and line == '<<<':
            state, old, new = 'old', [], []
        elif state == 'old' and line == '===':
            state = 'new'
        elif state == 'new' and line == '>>>':
            edits.append((name, '\n'.join(old), '\n'.join(new)))
            state = None
        elif state is not None:
            (old if state == 'old' else new).append(line)
        elif line and not line.startswith('#'):
            sys.exit(f'{path}: "{line}" is neither a comment, "file", nor "<<<"')
    if state is not None or not edits:
        sys.exit(f'{path}: an edit does not end, or there is none')
    return edits


def write(path, folder):
    texts = {}
    for name, old, new in read(path):
        text = texts.get(name) or (ROOT / name).read_text()
        if old is None:
            texts[name] = text
            continue
        if text.count(old) != 1:
            sys.exit(f'{path}: this text occurs {text.count(old)} times in {name}, not once:\n{old}')
        texts[name] = text.replace(old, new)
    for name, text in texts.items():
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_text() != text:
            copy.write_text(text)


def main():
    command, mutant = sys.argv[1], pathlib.Path(sys.argv[2])
    if command == 'files':
        print('\n'.join(dict.fromkeys(name for name, _, _ in read(mutant))))
    else:
        write(mutant, pathlib.Path(sys.argv[3]))


if __name__ == '__main__':
    main()
