#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/manifests.md: what dray reports about each real manifest in ../shared/vectors/manifests.

    manifest_table.py PROGRAM           writes the page
    manifest_table.py PROGRAM --check   checks whether the page is what would be written

Exit codes: 0, 1 when the page is another one, 77 when there is no ../shared/vectors/manifests.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = pathlib.Path(os.environ.get("DRAY_SHARED", ROOT.parent / "shared")) / "vectors/manifests"
PAGE = ROOT / "docs/manifests.md"
SKIPPED = 77

HEAD = """# What is said of real manifests

What `dray` says of {files} manifests out of {projects} public drivers and their documentation: each file alone, as it stands
in `../shared/vectors/manifests` beside the project. `dev/manifest_table.py build/bin/dray` writes this page, and a test
compares it.

| Column | |
|---|---|
| validate | how many objects are valid, invalid (a rule is broken), refused (a wrong type, a version that no release serves), skipped (a kind that Dray does not know and that the file does not define), or unreadable |
| to v1 and back | `dray convert --to v1`, and the result back to the version that the file has: *equal* when nothing but empty members changed on the way, *differs* when more did, *back refused* when the older version has no place for it, *as it is* when there is nothing to convert, *proposal* for classic claims, which are never converted silently, *refused* when something would be lost or cannot be read |
| allocate | *fits*, *does not fit*, or why nothing was decided (exit code 2): no file alone has both nodes and pods |

Together:

{sums}
"""


def run(dray, *words, text=None):
    return subprocess.run([dray, *words], input=text, capture_output=True, text=True, check=False)


def validated(dray, file):
    summary = json.loads(run(dray, "validate", "-f", file, "-o", "json").stdout)["summary"]
    return ", ".join(f"{count} {verdict}" for verdict, count in summary.items() if count) or "no objects"


def versions_of(file):
    return sorted(set(re.findall(r"^\s*-?\s*apiVersion:\s*[\"']?resource\.k8s\.io/(\w+)", file.read_text(errors="replace"),
                                 re.MULTILINE)))


def converted(dray, file):
    versions = versions_of(file)
    there = run(dray, "convert", "-f", file, "--to", "v1")
    if there.returncode:
        return "refused"
    if "proposal:" in there.stderr:
        return "proposal"
    if not versions:
        return "as it is"
    if len(versions) > 1:
        return "several versions: to v1 only"
    same = run(dray, "convert", "-f", file, "--to", versions[0], "-o", "json")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as newer:
        newer.write(there.stdout)
        newer.flush()
        back = run(dray, "convert", "-f", newer.name, "--to", versions[0], "-o", "json")
    if back.returncode:
        return "to v1, and back refused"
    is_equal = filled(json.loads(back.stdout)) == filled(json.loads(same.stdout))
    return "equal" if is_equal else "differs"


def filled(value):
    """The value without empty members."""
    if isinstance(value, list):
        return [filled(element) for element in value]
    if not isinstance(value, dict):
        return value
    members = {key: filled(member) for key, member in value.items()}
    return {key: member for key, member in members.items() if member not in (None, "", 0, [], {})}


NOTHING = [("no Node among the input", "nothing: no Node"), ("has no pod, no claim", "nothing: no pod, no claim"),
           ("nothing waits for devices", "nothing: none waits for devices"),
           ("nothing that this allocator looks at", "nothing: classic claims")]


def allocated(dray, file):
    asked = run(dray, "allocate", "-f", file)
    if asked.returncode < 2:
        return ("fits", "does not fit")[asked.returncode]
    return next((says for words, says in NOTHING if words in asked.stderr), "unreadable")


def row(dray, file):
    return [f"`{file.relative_to(SHARED / file.relative_to(SHARED).parts[0])}`", validated(dray, file),
            converted(dray, file), allocated(dray, file)]


def table(rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in rows)


def sums_of(rows):
    columns = [("to v1 and back", 2), ("allocate", 3)]
    sums = [["", "files"], ["---", "---"]]
    for name, column in columns:
        counts = collections.Counter(cells[column] for cells in rows)
        sums += [[f"{name}: {what}", str(count)] for what, count in sorted(counts.items())]
    objects = collections.Counter()
    for cells in rows:
        objects.update({what: int(count) for count, what in re.findall(r"(\d+) (\w+)", cells[1])})
    return sums + [[f"validate: objects that are {what}", str(count)] for what, count in sorted(objects.items())]


def page_of(dray):
    files = sorted(path for path in SHARED.glob("*/**/*") if path.suffix in (".yaml", ".yml", ".json"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        rows = dict(zip(files, pool.map(lambda file: row(dray, file), files)))
    projects = sorted({file.relative_to(SHARED).parts[0] for file in files})
    text = HEAD.format(files=len(files), projects=len(projects), sums=table(sums_of(rows.values())))
    for project in projects:
        mine = [rows[file] for file in files if file.relative_to(SHARED).parts[0] == project]
        text += f"\n## `{project}`\n\n" + table([["File", "validate", "to v1 and back", "allocate"], ["---"] * 4, *mine]) + "\n"
    return text


def main():
    if not SHARED.is_dir():
        print("skipped: no ../shared/vectors/manifests")
        return SKIPPED
    text = page_of(str(pathlib.Path(sys.argv[1]).resolve()))
    if "--check" not in sys.argv:
        PAGE.write_text(text)
        return 0
    shown, lines = set(PAGE.read_text().splitlines()), text.splitlines()
    for line in lines:
        if line not in shown:
            print(f"{PAGE.relative_to(ROOT)} lacks: {line}")
    return 0 if text == PAGE.read_text() else 1


if __name__ == "__main__":
    sys.exit(main())
