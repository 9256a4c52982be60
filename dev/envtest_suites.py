#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the suites of other projects that use envtest, unmodified, with Dray as kube-apiserver and etcd,
and prints what passed: the tables of docs/envtest.md.

    dev/envtest_suites.py DRAY [--against FOLDER] [SUITE ...]
    dev/envtest_suites.py DRAY --kueue CHECKOUT [--against FOLDER] [SUITE ...]

The suites are controller-runtime's, or those below test/integration of a checkout of kueue, which is
not changed. FOLDER has the real kube-apiserver and etcd: the suites run there, too, and without --kueue
both are timed until envtest's Environment.Start is over. Needs Go and the modules that the suites
import, for kueue also kubectl: exit status 77 without them, 1 when a test failed.
"""
import argparse
import dataclasses
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import kueue_project

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


@dataclasses.dataclass
class Project:
    """A project with suites: where Go finds it, and what its suites want in their environment."""

    folder: pathlib.Path
    mod: str  # whether Go may add to go.mod: its -mod
    suites: list
    environment: dict = dataclasses.field(default_factory=dict)
    left_out: dict = dataclasses.field(default_factory=dict)


def without(why):
    print(f"skipped: {why}", file=sys.stderr)
    sys.exit(77)


def go(folder, *words, mod="mod", **options):
    environment = {**os.environ, "GOFLAGS": f"-mod={mod} -buildvcs=false", "GOTOOLCHAIN": "local"}
    return subprocess.run(["go", *words], cwd=folder, env=environment, text=True, **options)


def controller_runtime(scratch):
    """The module's sources in a folder that can be written to."""
    found = go(HERE, "list", "-m", "-json", MODULE, capture_output=True)
    directory = json.loads(found.stdout or "{}").get("Dir") if found.returncode == 0 else None
    if not directory:
        without(f"no module {MODULE}: {found.stderr.strip().splitlines()[-1:]}")
    copy = scratch / "module"
    shutil.copytree(directory, copy)
    for path in [copy, *copy.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)
    return Project(copy, "mod", SUITES, left_out=LEFT_OUT)


def kueue(checkout, scratch):
    """The checkout where it is, and what kueue's Makefile would put into it in a scratch folder."""
    checkout = checkout.resolve()
    suites = kueue_project.suites(checkout)
    if not suites:
        without(f"no suites below {checkout}/test/integration")
    try:
        environment = kueue_project.make(checkout, functools.partial(go, mod="readonly"), scratch / "kueue")
    except RuntimeError as error:
        without(error)
    return Project(checkout, "readonly", suites, environment)


def assets_of(dray, scratch):
    folder = scratch / "assets"
    folder.mkdir()
    for name in ["kube-apiserver", "etcd"]:
        (folder / name).symlink_to(pathlib.Path(dray).resolve())
    kubectl = shutil.which("kubectl")
    if kubectl:
        (folder / "kubectl").symlink_to(kubectl)
    return folder


def run(program, folder, environment, report, left_out):
    """{state of ginkgo: number of tests}, what failed, and seconds."""
    report.unlink(missing_ok=True)
    with open(report.with_suffix(".log"), "w", encoding="utf-8") as log:
        subprocess.run([program, "-test.v", "-ginkgo.timeout=12h", f"-ginkgo.json-report={report}",
                        *[f"-ginkgo.skip={test}" for test in left_out]], cwd=folder, stdout=log, stderr=log,
                       env={**os.environ, **PATIENCE, **environment}, check=False)
    states, failed, seconds = {}, [], 0
    for suite in json.loads(report.read_text(encoding="utf-8")) if report.exists() else []:
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
    if not states:
        return {"failed": 1}, ["it ended before a test did"], seconds
    return states, failed, seconds


def run_suite(project, suite, sides, scratch):
    """Prints what passed and what failed on each side; whether a test failed with Dray."""
    program = scratch / suite.replace("/", "_")
    compiled = go(project.folder, "test", "-c", "-ldflags=-s -w", "-o", program, f"./{suite}", mod=project.mod)
    if compiled.returncode != 0:
        without(f"{suite} does not build: modules are missing")
    left_out = {test: why for (where, test), why in TESTS_LEFT_OUT.items() if where == suite}
    is_bad = False
    for side, assets in sides.items():
        environment = {**project.environment, "KUBEBUILDER_ASSETS": str(assets)}
        states, failed, seconds = run(program, project.folder / suite, environment, scratch / "report.json",
                                      left_out if side == "dray" else [])
        counts = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
        print(f"{suite}: {side}: {counts}, {seconds:.1f} s", flush=True)
        for test in failed:
            print(f"    {test}")
        is_bad |= bool(failed) and side == "dray"
    for test, why in left_out.items():
        print(f"{suite}: left out: {test} …: {why}")
    program.unlink()
    return is_bad


def time_start(sides, scratch):
    begin = scratch / "begin"
    if go(HERE, "build", "-o", begin, "./begin").returncode != 0:
        without("tests/clients/envtest/begin does not build")
    for side, assets in sides.items():
        timed = subprocess.run([begin], env={**os.environ, "KUBEBUILDER_ASSETS": str(assets)},
                               capture_output=True, text=True, check=True)
        print(f"{side}: {timed.stdout.strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("dray")
    parser.add_argument("--against", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("--kueue", metavar="CHECKOUT", type=pathlib.Path)
    parser.add_argument("suites", nargs="*", metavar="SUITE")
    arguments = parser.parse_intermixed_args()
    if shutil.which("go") is None:
        without("no Go")
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        project = kueue(arguments.kueue, scratch) if arguments.kueue else controller_runtime(scratch)
        sides = {"dray": assets_of(arguments.dray, scratch)}
        if arguments.against:
            sides["kube-apiserver"] = arguments.against.resolve()
        is_bad = False
        for suite in arguments.suites or project.suites:
            is_bad |= run_suite(project, suite, sides, scratch)
        if not arguments.suites:
            for suite, why in project.left_out.items():
                print(f"{suite}: left out: {why}")
        if arguments.against and not arguments.kueue:
            time_start(sides, scratch)
    sys.exit(1 if is_bad else 0)


if __name__ == "__main__":
    main()
