#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a program was made of, as SPDX 2.3 JSON, and the licences that go with it.

sbom.py --build FOLDER --program FILE --version VERSION --output FILE [--licences FOLDER]

Nothing is listed by hand: the linker wrote down which libraries went into bin/dray (dray.d beside it) and its
module, ninja knows which headers their sources read, and dpkg knows which package each of these files is from. With
--licences the copyright file of every package whose code is inside the program is copied there.
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

# packaging/static-libraries.sh makes these from the sources of the packages.
OWN_ARCHIVES = {"libfmt.a": "libfmt-dev", "libprometheus-cpp-core.a": "prometheus-cpp-dev"}
# Headers that declare what the system has, and leave nothing in the program.
SYSTEM_HEADERS = re.compile(r"libc6-dev|linux-libc-dev|libclang-common-.*|libgcc-.*-dev|libcrypt-dev")
AT_ONCE = 500  # arguments of dpkg-query


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def linked_files(build):
    """The libraries and startup files that the linker read, for the program and its module, as real paths."""
    rules = [path.read_text().split(":", 1)[1] for path in (build / "bin").glob("dray*.d")
             if path.name in ("dray.d", "dray-etcd.so.d")]
    words = " ".join(rules).replace("\\\n", " ").split()
    paths = {pathlib.Path(build, word).resolve() for word in words if not word.endswith(":")}
    return {path for path in paths if re.search(r"\.(a|o|so[.\d]*)$", path.name)}


def headers(build):
    """The headers from outside the project that the program's sources read."""
    objects = {line.strip() for line in run("ninja", "-C", str(build), "-t", "inputs", "dray").split("\n")
               if line.endswith(".o")}
    found, wanted = set(), False
    for line in run("ninja", "-C", str(build), "-t", "deps").split("\n"):
        if line.startswith("    "):
            if wanted and line.strip().startswith("/usr/"):
                found.add(line.strip())
        elif line:
            wanted = line.split(":")[0] in objects
    return {pathlib.Path(path).resolve() for path in found}


def owners(paths):
    """The names of the Debian packages that the files are from."""
    packages = {OWN_ARCHIVES[path.name] for path in paths if path.name in OWN_ARCHIVES}
    files = sorted(str(path) for path in paths if str(path).startswith("/usr/"))
    for begin in range(0, len(files), AT_ONCE):
        some = files[begin:begin + AT_ONCE]
        some += [path[len("/usr"):] for path in some if path.startswith("/usr/lib/")]  # before the merge of /usr
        found = subprocess.run(["dpkg-query", "--search", *some], capture_output=True, text=True)
        packages |= {line.split(":")[0].strip() for line in found.stdout.splitlines()
                     if not line.startswith("diversion")}
    return packages


def spdx_id(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package_of(name):
    version, source, source_version, architecture = run(
        "dpkg-query", "--show", "--showformat",
        "${Version}\t${source:Package}\t${source:Version}\t${Architecture}\n", name).splitlines()[0].split("\t")
    return {
        "name": name, "SPDXID": spdx_id(name), "versionInfo": version,
        "supplier": "Organization: Debian", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
        "sourceInfo": f"built from Debian's source package {source} {source_version}",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}?arch={architecture}"}]}


def document(program, version, contained, loaded):
    bytes_ = program.read_bytes()
    sha256 = hashlib.sha256(bytes_).hexdigest()
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)

    def related(one, how, other):
        return {"spdxElementId": one, "relationshipType": how, "relatedSpdxElement": other}
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"dray-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/dray-{version}-{sha256[:32]}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: packaging/sbom.py"]},
        "packages": [{
            "name": "dray", "SPDXID": "SPDXRef-dray", "versionInfo": version,
            "supplier": "NOASSERTION", "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
            "primaryPackagePurpose": "APPLICATION"}] + [package_of(name) for name in sorted(contained | loaded)],
        "files": [{
            "fileName": "./bin/dray", "SPDXID": "SPDXRef-program", "fileTypes": ["BINARY"],
            "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION",
            "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(bytes_).hexdigest()},
                          {"algorithm": "SHA256", "checksumValue": sha256}]}],
        "relationships": [related("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-dray"),
                          related("SPDXRef-dray", "CONTAINS", "SPDXRef-program")] +
                         [related("SPDXRef-program", "STATIC_LINK", spdx_id(name)) for name in sorted(contained)] +
                         [related("SPDXRef-program", "DYNAMIC_LINK", spdx_id(name)) for name in sorted(loaded)]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree of the program")
    parser.add_argument("--program", type=pathlib.Path, required=True, help="the program as it is shipped")
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--licences", type=pathlib.Path)
    options = parser.parse_args()
    linked = linked_files(options.build)
    loaded = owners({path for path in linked if ".so" in path.name})
    contained = owners({path for path in linked if ".so" not in path.name})
    contained |= {name for name in owners(headers(options.build)) if not SYSTEM_HEADERS.fullmatch(name)}
    if not contained or not loaded and "libc6-dev" not in contained:
        sys.exit("sbom: the packages of the linked libraries were not found")
    whole = document(options.program, options.version, contained, loaded)
    options.output.write_text(json.dumps(whole, indent=2) + "\n")
    if options.licences:
        options.licences.mkdir(parents=True, exist_ok=True)
        for name in sorted(contained):
            shutil.copyfile(f"/usr/share/doc/{name}/copyright", options.licences / name)


if __name__ == "__main__":
    main()
