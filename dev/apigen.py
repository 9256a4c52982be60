#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns api/schema/ into C++ structs and tables (docs/design/schema.md).

    apigen.py --out FOLDER SCHEMA…            core_v1/pod.h, core_v1/pod.cc, … and kinds.cc
    apigen.py --out FOLDER --no-kinds SCHEMA… without the list of all kinds (tests with toy kinds)
    … --import SCHEMA…                        is read for its types; nothing is written for it

A group and version is one file, batch.v1.api, or a folder of files, core.v1/pod.api.

Declarations and tables only, never behaviour. Standard library only."""
import argparse
import pathlib
import re
import shlex
import sys

SCALARS = {"bool": "bool", "int32": "int32_t", "int64": "int64_t", "string": "std::string",
           "bytes": "Bytes", "Quantity": "Quantity", "Time": "Time", "MicroTime": "MicroTime",
           "Duration": "Duration", "IntOrString": "IntOrString", "RawJson": "RawJson",
           "float64": "double", "AnyJson": "AnyJson"}
KEYWORDS = set("""alignas alignof and asm auto bool break case catch char class compl concept const
    continue decltype default delete do double else enum explicit export extern false float for
    friend goto if inline int long mutable namespace new not operator or private protected public
    register requires return short signed sizeof static struct switch template this throw true try
    typedef typeid typename union unsigned using virtual void volatile while xor linux unix""".split())
FIELD = re.compile(r"^  ([$A-Za-z][-A-Za-z0-9]*) +(\d+) +(\S+)((?: +\S+)*)$")
FLAGS = {"required": "required", "omitempty": "omit_empty", "omitzero": "omit_zero",
         "inline": "inlined", "hub": "hub"}
UNUSUAL = {"required", "omitempty", "omitzero", "inline", "hub", "in", "nullable", "plain"}
ALWAYS = {"omitzero", "inline", "nullable", "plain"}
AGGREGATE_MEMBERS_MAX = 60  # of a struct, with those of its members
RELEASES = {"in": "in", "nullable": "nullable", "plain": "plain"}
KIND_FLAGS = {"namespaced", "cluster", "status", "generation", "returns-deleted", "graceful",
              "unconditional-update", "create-on-update", "create-only", "unserved"}
NAME_RULES = {"dns-subdomain": "kDnsSubdomain", "dns-label": "kDnsLabel",
              "path-segment": "kPathSegment"}


class SchemaError(Exception):
    pass


def snake(name):
    """firstAvailable → first_available, podIPs → pod_ips, shareID → share_id, $ref → ref."""
    name = name.removeprefix("$").replace("-", "_")
    name = re.sub(r"([A-Z]{2,})s(?=[A-Z]|$)", lambda m: m[1].capitalize() + "s", name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    name = re.sub(r"([A-Z])([A-Z][a-z])", r"\1_\2", name).lower()
    return name + "_" if name in KEYWORDS else name


def releases(text):
    """"31", "31-33", "34-" and "-33" as a run of releases."""
    first, dash, last = text.partition("-")
    last = last if dash else first
    return f"{{.first = {first or 0}, .last = {last or 255}}}"


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Struct:
    def __init__(self, name, doc):
        self.name, self.doc, self.fields, self.kind = name, doc, [], None
        self.atomic, self.one_form, self.in_own_map = False, False, False


class Kind:
    def __init__(self):
        self.values, self.flags, self.columns = {}, set(), []
        self.selectable, self.subresources = [], []


def cpp_name(name):
    return name.removesuffix(".api").replace(".", "_").replace("-", "_")


class Schema:
    """One parsed file: a group and version or a part of one, and the header made from it."""

    def __init__(self, path):
        self.path = path
        is_part = re.fullmatch(r".+\.v\d\w*", path.parent.name)
        self.cpp = cpp_name(path.parent.name if is_part else path.name)
        self.file = f"{self.cpp}/{cpp_name(path.name)}" if is_part else self.cpp
        self.group, self.version, self.imports, self.structs = None, None, {}, []
        self.homes = {}
        self.where = ""
        self.parse()

    def fail(self, text):
        raise SchemaError(f"{self.where}: {text}")

    def parse(self):
        doc, current = [], None
        for number, line in enumerate(self.path.read_text().splitlines(), 1):
            self.where = f"{self.path}:{number}"
            line = line.rstrip()
            if not line:
                doc = []
            elif line.lstrip().startswith("#"):
                doc.append(line.lstrip()[1:].strip())
            elif line.startswith(("struct ", "kind ")):
                current = self.start(line, " ".join(doc))
                doc = []
            elif line.startswith("  "):
                if current is None:
                    self.fail("a field stands outside of any struct")
                self.member(current, line, " ".join(doc))
                doc = []
            else:
                self.header(shlex.split(line))
                doc = []

    def header(self, words):
        if words[0] == "group" and len(words) == 4 and words[2] == "version":
            self.group, self.version = words[1], words[3]
        elif words[0] == "import" and len(words) == 4 and words[2] == "as":
            self.imports[words[3]] = words[1].replace(".", "_")
        else:
            self.fail(f"expected group, import, struct or kind, found {words[0]!r}")

    def start(self, line, doc):
        words = shlex.split(line)
        struct = Struct(words[1], doc)
        if any(s.name == struct.name for s in self.structs):
            self.fail(f"{struct.name} stands twice")
        if words[0] == "kind":
            struct.kind = Kind()
            for word in words[2:]:
                key, equals, value = word.partition("=")
                if equals:
                    struct.kind.values[key] = value
                elif key in KIND_FLAGS:
                    struct.kind.flags.add(key)
                else:
                    self.fail(f"unknown kind facet {word!r}; known: {', '.join(sorted(KIND_FLAGS))}")
        elif words[2:] == ["map=atomic"]:
            struct.atomic = True
        elif words[2:] == ["json=first"]:
            struct.one_form = True
        elif len(words) != 2:
            self.fail("a struct line holds its name, and map=atomic or json=first at most")
        self.structs.append(struct)
        return struct

    def member(self, struct, line, doc):
        found = FIELD.match(line)
        if found:
            field = {"name": found[1], "number": int(found[2]), "type": found[3], "doc": doc,
                     "facets": found[4].split()}
            for other in struct.fields:
                if other["name"] == field["name"] or other["number"] == field["number"]:
                    self.fail(f"{struct.name}: {field['name']} repeats a name or number")
            struct.fields.append(field)
            return
        words = shlex.split(line)
        if struct.kind is None:
            self.fail(f"expected NAME NUMBER TYPE FACETS…, found {line.strip()!r}")
        if words[0] == "column":
            struct.kind.columns.append(words[1:])
        elif words[0] == "selectable":
            struct.kind.selectable += words[1:]
        elif words[0] == "subresource":
            struct.kind.subresources += words[1:]
        else:
            self.fail(f"expected column, selectable, subresource or a field, found {words[0]!r}")

    def cpp_type(self, text):
        if text.endswith("?"):
            holder = "std::optional" if text[:-1] in SCALARS else "Maybe"
            return f"{holder}<{self.cpp_type(text[:-1])}>"
        if text.endswith("*"):
            return f"Box<{self.cpp_type(text[:-1])}>"
        if text.startswith("["):
            inner = self.cpp_type(text[1:-1])
            return f"List<{'Bool' if inner == 'bool' else inner}>"
        if text.startswith("{"):
            return f"Map<{self.cpp_type(text[1:-1])}>"
        if text in SCALARS:
            return SCALARS[text]
        prefix, dot, name = text.rpartition(".")
        if dot:
            if prefix not in self.imports:
                self.fail(f"{text}: no import named {prefix}")
            return f"{self.imports[prefix]}::{name}"
        if (self.cpp, text) not in self.homes:
            self.fail(f"unknown type {text}")
        return text

    def field_type(self, field):
        """The type of a member: a `rare` one takes a pointer until it is there, and a `shared` map
        may hold its entries together with others."""
        text = field["type"]
        if "shared" in field["facets"]:
            if not text.startswith("{"):
                self.fail("only the entries of a map are shared")
            return "Shared" + self.cpp_type(text)
        if "rare" not in field["facets"]:
            return self.cpp_type(text)
        if text.startswith("["):
            return "Rare" + self.cpp_type(text)
        if text.endswith("?"):
            return f"Box<{self.cpp_type(text[:-1])}>"
        self.fail("only lists and what may be absent is rare")

    def home(self, text):
        """The schema that holds the struct a type names; None for scalars."""
        prefix, dot, name = text.strip("?*[]{}").rpartition(".")
        key = (self.imports.get(prefix) if dot else self.cpp, name)
        if dot and key not in self.homes:
            self.fail(f"unknown type {text}")
        return self.homes.get(key)

    def includes(self):
        """The headers that complete the types of all fields."""
        homes = {self.home(f["type"]) for s in self.structs for f in s.fields}
        return sorted(f'#include "api/{home.file}.h"' for home in homes - {None, self})

    def table_includes(self):
        """What the tables need besides: the metadata and hubs of kinds."""
        kinds = [s for s in self.structs if s.kind is not None]
        homes = {self.home(s.kind.values["hub"].replace(":", ".")
                           if ":" in s.kind.values["hub"] else f"{s.kind.values['hub']}.{s.name}")
                 for s in kinds if "hub" in s.kind.values}
        return sorted(f'#include "api/{home.file}.h"' for home in homes - {None, self})

    def needs(self, struct):
        """Structs of this file before `struct`; whether they must be complete there: those in lists
        and boxes may come later, those in maps when they cannot come before."""
        for field in struct.fields:
            word = field["type"]
            if not word.startswith("[") and not word.endswith("*"):
                yield word.strip("?{}[]"), not word.startswith("{")

    def order(self):
        self.where = str(self.path)
        by_name, done, ordered = {s.name: s for s in self.structs}, {}, []

        def visit(struct, is_value=True):
            if done.get(struct.name) == "open" and is_value:
                self.fail(f"{struct.name} contains itself by value")
            if struct.name in done:
                struct.in_own_map |= done[struct.name] == "open"
                return
            done[struct.name] = "open"
            for name, is_value in self.needs(struct):
                if name in by_name:
                    visit(by_name[name], is_value)
            done[struct.name] = "closed"
            ordered.append(struct)

        for struct in self.structs:
            visit(struct)
        self.structs = ordered

    # ---- C++ -----------------------------------------------------------------------------------

    def head(self):
        out = ["// Generated by dev/apigen.py from " + self.path.name + ". Do not edit.", "#pragma once",
               "", "#include <cstdint>", "#include <optional>", "#include <string>",
               ""]
        if any(s.kind is not None for s in self.structs):
            out.append('#include "api/kind.h"')
        out.append('#include "api/reflect.h"')
        out += self.includes()
        out += ["", f"namespace dray::api::{self.cpp} {{", ""]
        out += [f"struct {s.name};" for s in self.structs] + [""]
        for s in self.structs:
            if s.doc:
                out.append("/// " + s.doc)
            out.append(f"struct {s.name} {{")
            for f in s.fields:
                self.where = f"{self.path}: {s.name}.{f['name']}"
                if f["doc"]:
                    out.append("  /// " + f["doc"])
                cpp = self.field_type(f)
                zero = {"bool": " = false", "int32_t": " = 0", "int64_t": " = 0", "double": " = 0"}.get(cpp, "")
                out.append(f"  {cpp} {snake(f['name'])}{zero};")
            out += self.special_members(s)
            out += [f"  bool operator==(const {s.name}&) const;", "};", ""]
        out += ["}  // namespace", "", "namespace dray::api {", ""]
        for s in self.structs:
            out += ["template <>", f"struct Reflected<{self.cpp}::{s.name}> {{",
                    "  static const Type kType;"]
            if s.kind is not None:
                out.append("  static const KindInfo kKind;")
            out.append("};")
        out += ["", "}  // namespace dray::api", ""]
        return "\n".join(out)

    def members_in(self, type_, open_=frozenset()):
        """How many members a copy of such a value copies, with those of its elements, once each."""
        home = self.home(type_)
        name = type_.strip("?*[]{}").rpartition(".")[2]
        if home is None or (home, name) in open_:
            return 1
        struct = next(s for s in home.structs if s.name == name)
        return 1 + sum(home.members_in(f["type"], open_ | {(home, name)}) for f in struct.fields)

    def special_members(self, s):
        """Constructors, assignments and the destructor. Those of a big struct are defined beside its
        tables: else each source that copies an object compiles the copies of all that it holds. So are
        those of a struct in a map of its own, which asks what it can before it is complete. Others
        are aggregates."""
        if self.members_in(s.name) <= AGGREGATE_MEMBERS_MAX and not s.in_own_map:
            return []
        return [f"  {s.name}();", f"  {s.name}(const {s.name}&);", f"  {s.name}({s.name}&&) noexcept;",
                f"  {s.name}& operator=(const {s.name}&);",
                f"  {s.name}& operator=({s.name}&&) noexcept;", f"  ~{s.name}();"]

    def facets(self, field):
        out = {}
        for word in field["facets"]:
            key, equals, value = word.partition("=")
            if word in ("rare", "shared"):
                continue
            if not equals and key in FLAGS:
                out[FLAGS[key]] = "true"
            elif key == "nullable" and not equals:
                out["nullable"] = "{}"
            elif key in RELEASES and equals:
                out[RELEASES[key]] = releases(value)
            elif key == "list":
                kind, _, keys = value.partition(":")
                out["list"] = {"atomic": "ListKind::kAtomic", "set": "ListKind::kSet",
                               "map": "ListKind::kMap"}[kind]
                if keys:
                    out["list_keys"] = quoted(keys)
            elif key == "map" and value == "atomic":
                out["atomic_map"] = "true"
            elif key == "patch":
                out["patch_strategy"] = quoted(value)
            elif key == "mergekey":
                out["merge_key"] = quoted(value)
            elif key == "default":
                out["default_value"] = quoted(value)
            elif key == "oneof":
                out["one_of"] = quoted(value)
            elif key == "gate":
                out["gate"] = quoted(value)
            elif key == "enum":
                out["values"] = quoted(value.replace("_", " "))
            elif key == "max":
                out["max_items"] = value
            else:
                self.fail(f"unknown facet {word!r}")
        order = ["required", "omit_empty", "omit_zero", "hub", "inlined", "atomic_map", "in",
                 "nullable", "plain", "list", "list_keys", "patch_strategy", "merge_key",
                 "default_value", "one_of", "gate", "max_items", "values"]
        return ", ".join(f".{key} = {out[key]}" for key in order if key in out)

    def tables(self):
        out = ["// Generated by dev/apigen.py from " + self.path.name + ". Do not edit.",
               f'#include "api/{self.file}.h"', "", "#include <cstddef>", "#include <string_view>", ""]
        out += self.table_includes()
        out += ["", f"namespace dray::api::{self.cpp} {{", ""]
        for s in self.structs:
            out += [re.sub(r"^  (\S+ )?(\S+\(.*);$", rf"\1{s.name}::\2 = default;", line)
                    for line in self.special_members(s)]
        out += [f"bool {s.name}::operator==(const {s.name}&) const = default;" for s in self.structs]
        out += ["", "}  // namespace", "", "namespace dray::api {", "",
               "// The structs are not of standard layout, but have no virtual bases: offsets are fixed.",
               '#pragma clang diagnostic ignored "-Winvalid-offsetof"', ""]
        for s in self.structs:
            out += self.struct_table(s)
        for s in self.structs:
            if s.kind is not None:
                out += self.kind_table(s)
        out += ["}  // namespace dray::api", ""]
        return "\n".join(out)

    def struct_table(self, s):
        out, more, always = [], "", 0
        if s.fields:
            out += [f"namespace {self.cpp} {{", "namespace {", f"constexpr Field k{s.name}Fields[] = {{"]
            for f in s.fields:
                self.where = f"{self.path}: {s.name}.{f['name']}"
                words = {word.partition("=")[0] for word in f["facets"]}
                usual = not words & UNUSUAL
                left_out = not words & ALWAYS and ("required" not in words or "omitempty" in words)
                always |= (not left_out) << s.fields.index(f)
                out.append(f"    {{{quoted(f['name'])}, &Reflected<{self.field_type(f)}>::kType, "
                           f"offsetof({s.name}, {snake(f['name'])}), {f['number']}, "
                           f"{str(usual).lower()}, {str(left_out).lower()}, {{{self.facets(f)}}}, {quoted(f['doc'])}}},")
            order = sorted(range(len(s.fields)), key=lambda i: s.fields[i]["number"])
            out += ["};", f"constexpr uint16_t k{s.name}ByNumber[] = {{{', '.join(map(str, order))}}};",
                    "}  // namespace", f"}}  // namespace {self.cpp}"]
            name = f"{self.cpp}::{s.name}"
            members = "".join(f", &{name}::{snake(f['name'])}" for f in s.fields)
            more = (f", .fields = {self.cpp}::k{s.name}Fields, .by_number = {self.cpp}::k{s.name}ByNumber"
                    f", .filled = &FilledMembers<{name}{members}>, .always = {always:#x}"
                    + (", .atomic = true" if s.atomic else "")
                    + (", .one_form = true" if s.one_form else ""))
        out += [f"constinit const Type Reflected<{self.cpp}::{s.name}>::kType{{",
                f"    .kind = TypeKind::kStruct, .name = {quoted(s.name)}, "
                f".size = sizeof({self.cpp}::{s.name}){more}}};", ""]
        return out

    def kind_table(self, s):
        kind, flags, values = s.kind, s.kind.flags, s.kind.values
        self.where = f"{self.path}: kind {s.name}"
        if "unserved" not in flags and ("plural" not in values or
                                        not {"namespaced", "cluster"} & flags):
            self.fail("a served kind says plural=… and namespaced or cluster")
        unknown = set(values) - {"plural", "short", "category", "name", "in", "status-in", "hub",
                                 "deprecated", "removed"}
        if unknown:
            self.fail(f"unknown kind facet {sorted(unknown)[0]}")
        out = [f"namespace {self.cpp} {{", "namespace {"]

        def words(label, items):
            name = f"k{s.name}{label}"
            if not items:
                return "{}"
            out.append(f"constexpr std::string_view {name}[] = "
                       f"{{{', '.join(quoted(i) for i in items)}}};")
            return f"{self.cpp}::{name}"

        short = words("ShortNames", [w for w in values.get("short", "").split(",") if w])
        categories = words("Categories", [w for w in values.get("category", "").split(",") if w])
        subresources = words("Subresources", kind.subresources)
        selectable = words("Selectable", kind.selectable)
        columns = "{}"
        if kind.columns:
            columns = f"{self.cpp}::k{s.name}Columns"
            out.append(f"constexpr Column k{s.name}Columns[] = {{")
            for name, type_, source, *wide in kind.columns:
                way, _, target = source.partition("=")
                if way not in {"path", "compute"}:
                    self.fail(f"column {name}: expected path=… or compute=…")
                path, compute = (target, "") if way == "path" else ("", target)
                out.append(f"    {{{quoted(name)}, {quoted(type_)}, {quoted(path)}, "
                           f"{quoted(compute)}, {1 if wide == ['wide'] else 0}}},")
            out.append("};")
        has_metadata = any(f["name"] == "metadata" and f["type"].endswith("ObjectMeta")
                           for f in s.fields)
        metadata = (f"[](const void* o) -> const meta_v1::ObjectMeta& {{ return "
                    f"static_cast<const {self.cpp}::{s.name}*>(o)->metadata; }}" if has_metadata else "nullptr")

        hub = "nullptr"
        if "hub" in values:
            module, _, name = values["hub"].partition(":")
            if module not in self.imports:
                self.fail(f"hub={values['hub']}: no import named {module}")
            hub = f"&Reflected<{self.imports[module]}::{name or s.name}>::kKind"

        def flag(word):
            return "true" if word in flags else "false"

        nameless = self.group in ("", "meta.k8s.io")  # on the wire
        api_version = self.version if nameless else f"{self.group}/{self.version}"
        out += ["}  // namespace", f"}}  // namespace {self.cpp}",
                f"const KindInfo Reflected<{self.cpp}::{s.name}>::kKind{{",
                f"    .group = {quoted(self.group)}, .version = {quoted(self.version)}, "
                f".api_version = {quoted(api_version)}, .kind = {quoted(s.name)},",
                f"    .plural = {quoted(values.get('plural', ''))}, "
                f".singular = {quoted(s.name.lower())},",
                f"    .hub = {hub}, .in = {releases(values.get('in', '-'))}, "
                f".deprecated_in = {values.get('deprecated', 0)}, "
                f".removed_in = {values.get('removed', 0)},",
                f"    .namespaced = {flag('namespaced')}, "
                f".served = {'false' if 'unserved' in flags else 'true'}, "
                f".create_only = {flag('create-only')}, .has_status = {flag('status')}, "
                f".status_in = {releases(values.get('status-in', '-'))},",
                f"    .tracks_generation = {flag('generation')}, "
                f".unconditional_update = {flag('unconditional-update')}, "
                f".create_on_update = {flag('create-on-update')}, "
                f".graceful_delete = {flag('graceful')},",
                "    .delete_answer = DeleteAnswer::"
                + ("kObject" if "returns-deleted" in flags else "kStatus") + ", "
                f".name_rule = NameRule::{NAME_RULES[values.get('name', 'dns-subdomain')]},",
                f"    .short_names = {short}, .categories = {categories}, "
                f".subresources = {subresources}, .selectable = {selectable}, "
                f".columns = {columns},",
                f"    .type = &TypeOf<{self.cpp}::{s.name}>, .object = &kObjectOperations<{self.cpp}::{s.name}>, "
                f".metadata = {metadata}}};", ""]
        return out


def all_kinds(schemas):
    out = ["// Generated by dev/apigen.py. Do not edit.", '#include "api/kind.h"', ""]
    out += sorted(f'#include "api/{schema.file}.h"' for schema in schemas
                  if any(s.kind is not None for s in schema.structs))
    out += ["", "namespace dray::api {", "",
            "std::span<const KindInfo* const> BuiltinKinds() {",
            "  static const KindInfo* const kKinds[] = {"]
    for schema in schemas:
        out += [f"      &Reflected<{schema.cpp}::{s.name}>::kKind," for s in schema.structs
                if s.kind is not None]
    out += ["  };", "  return kKinds;", "}", "", "}  // namespace dray::api", ""]
    return "\n".join(out)


def all_docs(schemas):
    out = ["// Generated by dev/apigen.py. Do not edit.", '#include "api/docs.h"', "", "#include <algorithm>",
           "#include <iterator>", ""]
    out += sorted(f'#include "api/{schema.file}.h"' for schema in schemas)
    out += ["", "namespace dray::api {", "namespace {", "struct Documented {", "  const Type* type;",
            "  std::string_view doc;", "};", "constexpr Documented kDocs[] = {"]
    for schema in schemas:
        out += [f"    {{&Reflected<{schema.cpp}::{s.name}>::kType, {quoted(s.doc)}}},"
                for s in schema.structs if s.doc]
    out += ["};", "}  // namespace", "", "std::string_view DocOf(const Type& type) {",
            "  const auto* const found = std::ranges::find(kDocs, &type, &Documented::type);",
            "  return found == std::end(kDocs) ? std::string_view() : found->doc;", "}", "",
            "}  // namespace dray::api", ""]
    return "\n".join(out)


def link(schemas):
    """Tells every schema where the structs of all are, and orders the structs of each."""
    homes = {}
    for schema in schemas:
        schema.homes = homes
        for struct in schema.structs:
            if homes.setdefault((schema.cpp, struct.name), schema) is not schema:
                schema.fail(f"{struct.name} stands twice")
    for schema in schemas:
        schema.order()
    done = {}

    def visit(schema):
        if done.get(schema) == "open":
            raise SchemaError(f"{schema.path}: its header would include itself")
        if schema in done:
            return
        done[schema] = "open"
        for other in {schema.home(f["type"]) for s in schema.structs for f in s.fields}:
            if other is not None and other is not schema:
                visit(other)
        done[schema] = "closed"

    for schema in schemas:
        visit(schema)


def remove_old(folder, written):
    """Headers of an earlier schema must not be found any more."""
    for path in folder.rglob("*.*"):
        if path.suffix in {".h", ".cc"} and path not in written:
            path.unlink()


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--no-kinds", action="store_true")
    parser.add_argument("--import", type=pathlib.Path, nargs="+", default=[], dest="imports")
    parser.add_argument("schemas", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    try:
        schemas = [Schema(path) for path in options.schemas]
        link(schemas + [Schema(path) for path in options.imports])
        files = {}
        for schema in schemas:
            files[options.out / (schema.file + ".h")] = schema.head()
            files[options.out / (schema.file + ".cc")] = schema.tables()
        if not options.no_kinds:
            files[options.out / "kinds.cc"] = all_kinds(schemas)
            files[options.out / "docs.cc"] = all_docs(schemas)
        remove_old(options.out, files)
        for path, text in files.items():
            write(path, text)
    except SchemaError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
