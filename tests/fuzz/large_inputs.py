#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/fuzz/large_inputs.py FOLDER: seeds as large as a request's body, for each fuzz target below
FOLDER/TARGET. They are made, not kept: each is a small text many times over, in the forms that cost
most where something is the square of the input. A fuzzer begins small and rarely gets there itself.
"""
import pathlib
import sys

BODY_BYTES = 3 << 20


def filled(head, unit, tail, size=BODY_BYTES):
    """head, as many units as fit with commas between them, tail; "#" in a unit is its number."""
    room = size - len(head) - len(tail)
    count = max(1, room // (len(unit.replace("#", "000000")) + 1))
    return head + ",".join(unit.replace("#", f"{i:06}") for i in range(count)) + tail


def objects():
    key = "k" * (BODY_BYTES // 2)
    return {
        "labels": filled('{"metadata":{"name":"a","labels":{', '"!#":""', "}}}"),
        "owners": filled('{"metadata":{"ownerReferences":[', '{"controller":true,"uid":"#"}', "]}}"),
        "finalizers": filled('{"metadata":{"finalizers":[', '"a.b/#"', "]}}"),
        "unknown": filled('{"spec":{"devices":[{"attributes":{"' + key + '":{', '"x":0', "}}}]}}"),
        "quantities": filled('{"spec":{"devices":[{"capacity":{', '"c#":{"value":"1e-9"}', "}}]}}"),
        "deep": '{"a":' + "[" * 9_000 + filled("", "1", "", BODY_BYTES - 20_000) + "]" * 9_000 + "}",
        "numbers": filled('{"a":[', "0", "]}"),
    }


def yamls():
    key = "k" * 50_000
    return {
        "alias_keys": filled("a: &a " + key + "\nb: [", "{*a : 1}", "]\n"),
        "alias_values": filled("a: &a " + key + "\nb: [", "*a", "]\n"),
        "numbers": filled("a: [", "1", "]\n", 1_900_000),
        "depth": filled("a: " + "[" * 490, "1", "]" * 490 + "\n"),
        "merges": filled("a: &a {b: 1}\nb: [", "{<<: *a}", "]\n"),
        "lines": "a: |\n" + "  line\n" * (BODY_BYTES // 7 - 1),
    }


def requests():
    post = "POST /api/v1/namespaces/default/configmaps\nContent-Type: {}\n\n"
    patch = "PATCH /api/v1/namespaces/default\nContent-Type: application/{}-patch+json\n\n"
    made = {name: post.format("application/json") + text[: BODY_BYTES] for name, text in objects().items()}
    made |= {"yaml_" + name: post.format("application/yaml") + text for name, text in yamls().items()}
    for form in ("merge", "strategic-merge"):
        made[form] = patch.format(form) + objects()["numbers"]
        made[form + "_twice"] = patch.format(form) + objects()["unknown"]
    made["json_patch"] = patch.format("json") + filled("[", '{"op":"add","path":"/x/0","value":0}', "]", 400_000)
    return made


TARGETS = {
    "json_object_fuzz": objects,
    "yaml_fuzz": yamls,
    "request_fuzz": requests,
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for target, make in TARGETS.items():
        folder = pathlib.Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in make().items():
            (folder / name).write_text(text)


if __name__ == "__main__":
    main()
