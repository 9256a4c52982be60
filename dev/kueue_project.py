# SPDX-License-Identifier: Apache-2.0
"""What kueue's integration tests want to find, made beside a checkout of kueue that stays as it is.

kueue's Makefile-test.mk makes the same inside the checkout: definitions of its own kinds, put together
by kustomize, and those of other projects, copied from the Go modules that its go.mod names.
"""
import pathlib
import shutil
import subprocess

OWN_DEFINITIONS = "config/components/crd"
# Folder in dep-crds, module, pattern in the module, and a file's name that is left out, because
# another project in the list defines that kind too.
DEFINITIONS_OF_OTHERS = [
    ("mpi-operator", "github.com/kubeflow/mpi-operator", "manifests/base/*", None),
    ("training-operator-crds", "github.com/kubeflow/training-operator", "manifests/base/crds/*",
     "kubeflow.org_mpijobs.yaml"),
    ("kf-trainer-crds", "github.com/kubeflow/trainer/v2", "manifests/base/crds/*", None),
    ("kf-trainer-runtimes", "github.com/kubeflow/trainer/v2", "manifests/base/runtimes/*_distributed.yaml", None),
    ("ray-operator-crds", "github.com/ray-project/kuberay/ray-operator", "config/crd/bases/*", None),
    ("jobset-operator", "sigs.k8s.io/jobset", "config/components/crd/bases/*", None),
    ("cluster-autoscaler", "k8s.io/autoscaler/cluster-autoscaler/apis", "config/crd/*", None),
    ("appwrapper-crds", "github.com/project-codeflare/appwrapper", "config/crd/bases/*", None),
    ("leaderworkerset-operator", "sigs.k8s.io/lws", "config/crd/bases/*", None),
    ("clusterprofile", "sigs.k8s.io/cluster-inventory-api", "config/crd/bases/*", None),
    ("spark-operator-crds", "github.com/kubeflow/spark-operator/v2", "config/crd/bases/*", None),
]
KUBECTL_PLUGIN = ("kubectl-kueue", "./cmd/kueuectl")  # which the suite `kueuectl` calls


def suites(checkout):
    """Folders of the checkout with a suite, by name."""
    return sorted(str(found.parent.relative_to(checkout))
                  for found in (checkout / "test" / "integration").rglob("suite_test.go"))


def make(checkout, go, folder):
    """Makes `folder`, a project as the suites look for it, and returns the environment that says so.

    `go(folder, *words, **options)` runs Go. Raises RuntimeError with what is missing.
    """
    shutil.copytree(checkout / "config", folder / "config")
    if shutil.which("kubectl") is None:
        raise RuntimeError("no kubectl, whose kustomize puts kueue's definitions together")
    together = subprocess.run(["kubectl", "kustomize", checkout / OWN_DEFINITIONS], capture_output=True,
                              text=True, check=False)
    if together.returncode != 0:
        raise RuntimeError(f"kubectl kustomize: {together.stderr.strip()}")
    output = folder / OWN_DEFINITIONS / "_output"
    output.mkdir(exist_ok=True)
    (output / "crds-with-webhooks.yaml").write_text(together.stdout, encoding="utf-8")
    for name, module, pattern, left_out in DEFINITIONS_OF_OTHERS:
        copy(module_folder(checkout, go, module), pattern, left_out, folder / "dep-crds" / name)
    plugin, package = KUBECTL_PLUGIN
    if go(checkout, "build", "-o", folder / plugin, package).returncode != 0:
        raise RuntimeError(f"{package} does not build")
    return {"PROJECT_DIR": f"{folder}/", "KUEUE_BIN": str(folder), "ARTIFACTS": str(folder)}


def module_folder(checkout, go, module):
    go(checkout, "mod", "download", module, capture_output=True)  # what fails, the next line says
    found = go(checkout, "list", "-m", "-f", "{{.Dir}}", module, capture_output=True)
    if found.returncode != 0 or not found.stdout.strip():
        raise RuntimeError(f"no module {module}: {found.stderr.strip()}")
    return pathlib.Path(found.stdout.strip())


def copy(module, pattern, left_out, folder):
    folder.mkdir(parents=True)
    for file in module.glob(pattern):
        if file.is_file() and file.name != left_out:
            shutil.copyfile(file, folder / file.name)
    if not any(folder.iterdir()):
        raise RuntimeError(f"{module} has no {pattern}")
