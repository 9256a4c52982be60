#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every layer against its row, as the tests layer.* do, without a configured build: the rows are
read from the dray_layer() calls."""
import pathlib
import re
import subprocess
import sys

CALL = re.compile(r"^dray_layer\((\w+)\n?(.*?)\)$", re.DOTALL | re.MULTILINE)


def words_after(keyword, row):
    """What follows the keyword, up to the next one: the words may stand in several lines."""
    found = re.search(rf"^\s*{keyword} ([^A-Z]*)$", row, re.MULTILINE)
    return " ".join(found[1].split()) if found else ""


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    status = 0
    for file in sorted(root.glob("[a-z]*/**/CMakeLists.txt")):
        if file.relative_to(root).parts[0] == "build":
            continue
        for layer, row in CALL.findall(file.read_text()):
            status |= subprocess.run(
                [sys.executable, root / "dev/check_layer.py", "--layer", layer,
                 "--uses", words_after("USES", row), "--parts", words_after("PARTS", row),
                 "--root", root, file.parent], check=False).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
