# SPDX-License-Identifier: Apache-2.0
"""Projects whose tests run on controller-runtime's envtest: where their suites are, and what those want.

controller-runtime comes as a Go module, all others as a checkout that stays as it is. A checkout is
known by the module that its go.mod declares. One that is not in PREPARED wants nothing but the server.
"""
import dataclasses
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess

import kueue_project

CONTROLLER_RUNTIME = "sigs.k8s.io/controller-runtime"
CONTROLLER_RUNTIME_SUITES = [
    "pkg/cluster", "pkg/internal/recorder", "pkg/handler", "pkg/source", "pkg/webhook", "pkg/builder",
    "pkg/controller", "pkg/envtest", "pkg/client", "pkg/internal/controller", "pkg/cache", "pkg/manager"]
CONTROLLER_RUNTIME_LEFT_OUT = {"pkg/client/apiutil": "downloads releases of kube-apiserver from the internet"}
# A folder has a suite if one of its tests starts a server: by envtest itself, or by karpenter's wrapper of it.
STARTS_SERVER = re.compile(r"\benvtest\.Environment\b|\b\w*test\.NewEnvironment\(")
# By module: folders(checkout) with suites that STARTS_SERVER does not find, and make(checkout, go, folder),
# which prepares a scratch folder and returns an environment.
PREPARED = {"sigs.k8s.io/kueue": kueue_project}


@dataclasses.dataclass
class Project:
    """A project with suites: where Go finds it, and what its suites want in their environment."""

    folder: pathlib.Path
    mod: str  # whether Go may add to go.mod: its -mod
    suites: list
    environment: dict = dataclasses.field(default_factory=dict)
    left_out: dict = dataclasses.field(default_factory=dict)


def go(folder, *words, mod="mod", **options):
    environment = {**os.environ, "GOFLAGS": f"-mod={mod} -buildvcs=false", "GOTOOLCHAIN": "local", "GOWORK": "off"}
    return subprocess.run(["go", *words], cwd=folder, env=environment, text=True, **options)


def controller_runtime(module_user, scratch):
    """The module's sources in a folder that can be written to. Raises RuntimeError without the module.

    `module_user` is a folder whose go.mod names the module.
    """
    found = go(module_user, "list", "-m", "-json", CONTROLLER_RUNTIME, capture_output=True)
    directory = json.loads(found.stdout or "{}").get("Dir") if found.returncode == 0 else None
    if not directory:
        raise RuntimeError(f"no module {CONTROLLER_RUNTIME}: {found.stderr.strip().splitlines()[-1:]}")
    copy = scratch / "module"
    shutil.copytree(directory, copy)
    for path in [copy, *copy.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)
    return Project(copy, "mod", CONTROLLER_RUNTIME_SUITES, left_out=CONTROLLER_RUNTIME_LEFT_OUT)


def of_checkout(checkout, scratch, named=()):
    """The checkout where it is, with the `named` suites or, without any, those that are found.

    Raises RuntimeError with what is missing.
    """
    checkout = checkout.resolve()
    prepared = PREPARED.get(module_of(checkout))
    suites = named or (prepared.suites(checkout) if prepared else suites_of(checkout))
    if not suites:
        raise RuntimeError(f"{checkout} has no suites")
    run_go = functools.partial(go, mod="readonly")
    environment = prepared.make(checkout, run_go, scratch / "project") if prepared else {}
    return Project(checkout, "readonly", suites, environment)


def module_of(checkout):
    found = go(checkout, "list", "-m", mod="readonly", capture_output=True)
    if found.returncode != 0:
        raise RuntimeError(f"{checkout}: {found.stderr.strip()}")
    return found.stdout.strip()


def suites_of(checkout):
    """Folders of the checkout with a test that starts a server, by name."""
    return sorted({str(test.parent.relative_to(checkout)) for test in checkout.rglob("*_test.go")
                   if STARTS_SERVER.search(test.read_text(encoding="utf-8"))})
