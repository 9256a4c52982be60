#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs controller-runtime's own suites that use envtest, unmodified, with Dray as kube-apiserver and
etcd, and prints what passed: the table of docs/envtest.md.

    dev/envtest_suites.py DRAY [--against FOLDER] [SUITE ...]

FOLDER has the real kube-apiserver and etcd: the suites run there, too, and both are timed until
envtest's Environment.Start is over. Needs Go, and the modules of tests/clients/envtest: exit status 77
without them, 1 when a test failed.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MODULE = "sigs.k8s.io/controller-runtime"
HERE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "clients" / "envtest"
SUITES = ["pkg/cluster", "pkg/internal/recorder", "pkg/handler", "pkg/source", "pkg/webhook",
          "pkg/builder", "pkg/controller", "pkg/envtest", "pkg/client",
          "pkg/internal/controller", "pkg/cache", "pkg/manager"]
LEFT_OUT = {"pkg/client/apiutil": "downloads releases of kube-apiserver from the internet"}
# A busy machine needs longer than these have by themselves: seconds, and twenty of them.
PATIENCE = {"GOMEGA_DEFAULT_EVENTUALLY_TIMEOUT": "10m", "KUBEBUILDER_CONTROLPLANE_START_TIMEOUT": "10m",
            "KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT": "10m"}
PLAIN_TEST = re.compile(r"^--- (PASS|FAIL|SKIP): (\S+)", re.MULTILINE)
PLAIN_STATES = {"PASS": "passed", "FAIL": "failed", "SKIP": "skipped"}
TESTS_LEFT_OUT = {}  # by suite and beginning of the test's name: why


def without(why):
    print(f"skipped: {why}", file=sys.stderr)
    sys.exit(77)


def go(folder, *words, **options):
    environment = {**os.environ, "GOFLAGS": "-mod=mod -buildvcs=false", "GOTOOLCHAIN": "local"}
    return subprocess.run(["go", *words], cwd=folder, env=environment, text=True, **options)


def copy_of_module(scratch):
    """A folder with the module's sources that can be written to."""
    if shutil.which("go") is None:
        without("no Go")
    found = go(HERE, "list", "-m", "-json", MODULE, capture_output=True)
    directory = json.loads(found.stdout or "{}").get("Dir") if found.returncode == 0 else None
    if not directory:
        without(f"no module {MODULE}: {found.stderr.strip().splitlines()[-1:]}")
    copy = scratch / "module"
    shutil.copytree(directory, copy)
    for path in [copy, *copy.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)
    return copy


def assets_of(dray, scratch):
    folder = scratch / "assets"
    folder.mkdir()
    for name in ["kube-apiserver", "etcd"]:
        (folder / name).symlink_to(pathlib.Path(dray).resolve())
    kubectl = shutil.which("kubectl")
    if kubectl:
        (folder / "kubectl").symlink_to(kubectl)
    return folder


def run(program, folder, assets, report, left_out):
    """{state of ginkgo: number of tests}, what failed, and seconds."""
    with open(report.with_suffix(".log"), "w", encoding="utf-8") as log:
        subprocess.run([program, "-test.v", f"-ginkgo.json-report={report}",
                        *[f"-ginkgo.skip={test}" for test in left_out]], cwd=folder, stdout=log, stderr=log,
                       env={**os.environ, **PATIENCE, "KUBEBUILDER_ASSETS": str(assets)}, check=False)
    states, failed, seconds = {}, [], 0
    for suite in json.loads(report.read_text(encoding="utf-8")):
        seconds += suite["RunTime"] / 1e9
        for spec in suite["SpecReports"] or []:
            if spec["LeafNodeType"] != "It" and spec["State"] == "passed":
                continue
            states[spec["State"]] = states.get(spec["State"], 0) + 1
            if spec["State"] not in ("passed", "pending", "skipped"):
                failed.append(" ".join((spec["ContainerHierarchyTexts"] or []) + [spec["LeafNodeText"]]))
    if not states:  # tests of Go alone
        for state, test in PLAIN_TEST.findall(report.with_suffix(".log").read_text(encoding="utf-8")):
            states[PLAIN_STATES[state]] = states.get(PLAIN_STATES[state], 0) + 1
            if state == "FAIL":
                failed.append(test)
    return states, failed, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("dray")
    parser.add_argument("--against", metavar="FOLDER")
    parser.add_argument("suites", nargs="*", metavar="SUITE", default=SUITES)
    arguments = parser.parse_intermixed_args()
    is_bad = False
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        module = copy_of_module(scratch)
        sides = {"dray": assets_of(arguments.dray, scratch)}
        if arguments.against:
            sides["kube-apiserver"] = pathlib.Path(arguments.against).resolve()
        for suite in arguments.suites:
            program = scratch / suite.replace("/", "_")
            if go(module, "test", "-c", "-o", program, f"./{suite}").returncode != 0:
                without(f"{suite} does not build: modules are missing")
            left_out = {test: why for (where, test), why in TESTS_LEFT_OUT.items() if where == suite}
            for side, assets in sides.items():
                states, failed, seconds = run(program, module / suite, assets, scratch / "report.json",
                                              left_out if side == "dray" else [])
                counts = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
                print(f"{suite}: {side}: {counts}, {seconds:.1f} s", flush=True)
                for test in failed:
                    print(f"    {test}")
                is_bad |= bool(failed) and side == "dray"
            for test, why in left_out.items():
                print(f"{suite}: left out: {test} …: {why}")
        if arguments.suites == SUITES:
            for suite, why in LEFT_OUT.items():
                print(f"{suite}: left out: {why}")
        if arguments.against:
            begin = scratch / "begin"
            if go(HERE, "build", "-o", begin, "./begin").returncode != 0:
                without("tests/clients/envtest/begin does not build")
            for side, assets in sides.items():
                timed = subprocess.run([begin], env={**os.environ, "KUBEBUILDER_ASSETS": str(assets)},
                                       capture_output=True, text=True, check=True)
                print(f"{side}: {timed.stdout.strip()}")
    sys.exit(1 if is_bad else 0)


if __name__ == "__main__":
    main()
