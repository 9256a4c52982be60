// SPDX-License-Identifier: Apache-2.0
// Compares the declarations of every release and environment with upstream's
// (cel-env-signatures/1): nothing may be missing, nothing more may be there.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cel/check/overload_table.h"
#include "cel/check/type.h"
#include "cel/compile.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/cel_cases.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
using api::Release;
using cel::ExpressionUse;

constexpr Release kReleases[] = {Release::k1_31,
                                 Release::k1_32,
                                 Release::k1_33,
                                 Release::k1_34,
                                 Release::k1_35,
                                 Release::k1_36,
                                 Release::kNewest};
constexpr ExpressionUse kUses[] = {ExpressionUse::kStored, ExpressionUse::kNew};

// An expression that compiles if the macro exists; otherwise it calls an undeclared function.
struct MacroProbe {
  std::string_view name;
  int arguments;
  std::string_view expression;
};

constexpr MacroProbe kMacroProbes[] = {
    {"all", 2, "[1].all(x, x > 0)"},
    {"all", 3, "[1].all(i, x, x > i)"},
    {"bind", 3, "cel.bind(x, 1, x)"},
    {"exists", 2, "[1].exists(x, x > 0)"},
    {"exists", 3, "[1].exists(i, x, x > i)"},
    {"existsOne", 2, "[1].existsOne(x, x > 0)"},
    {"existsOne", 3, "[1].existsOne(i, x, x > i)"},
    {"exists_one", 2, "[1].exists_one(x, x > 0)"},
    {"exists_one", 3, "[1].exists_one(i, x, x > i)"},
    {"filter", 2, "[1].filter(x, x > 0)"},
    {"filter", 3, "[1].filter(i, x, x > i)"},
    {"has", 1, "has({'a': 1}.a)"},
    {"map", 2, "[1].map(x, x)"},
    {"map", 3, "[1].map(x, x > 0, x)"},
    {"optFlatMap", 2, "optional.of(1).optFlatMap(x, optional.of(x))"},
    {"optMap", 2, "optional.of(1).optMap(x, x)"},
    {"sortBy", 2, "[1].sortBy(x, -x)"},
    {"transformList", 3, "[1].transformList(i, x, x + i)"},
    {"transformList", 4, "[1].transformList(i, x, x > i, x)"},
    {"transformMap", 3, "{'a': 1}.transformMap(k, x, k)"},
    {"transformMap", 4, "{'a': 1}.transformMap(k, x, x > 0, k)"},
    {"transformMapEntry", 3, "{'a': 1}.transformMapEntry(k, x, {x: k})"},
    {"transformMapEntry", 4, "{'a': 1}.transformMapEntry(k, x, x > 0, {x: k})"},
};

// Signatures with type parameters named by their order, so that $A and $T are the same.
std::string WriteType(const cel::check::Type& type) {
  if (type.kind == cel::check::TypeKind::kParameter) return fmt::format("${}", type.variable);
  std::string name = cel::check::DeclaredName(type);
  if (type.parameters.empty()) return name;
  std::vector<std::string> inside;
  for (const cel::check::Type* parameter : type.parameters) inside.push_back(WriteType(*parameter));
  return fmt::format("{}({})", name.substr(0, name.find('(')), fmt::join(inside, ", "));
}

std::string WriteSignature(std::string_view name,
                           cel::check::Style style,
                           const std::vector<std::string>& parameters,
                           std::string_view result) {
  cel::check::TypePool pool;
  std::array<std::string_view, 4> room;
  cel::check::TypePool::Names names = {.names = room};
  std::vector<std::string> types;
  types.reserve(parameters.size());
  for (const std::string& type : parameters) types.push_back(WriteType(*pool.Parse(type, names)));
  return fmt::format("{}{}({}): {}",
                     style == cel::check::Style::kMember ? "." : "",
                     name,
                     fmt::join(types, ", "),
                     WriteType(*pool.Parse(result, names)));
}

// One environment of one release.
struct Place {
  Release release;
  ExpressionUse use;
  auto operator<=>(const Place&) const = default;
};

// The declarations, and their places.
using Declared = std::map<std::string, std::set<Place>>;

void Add(Declared& declared, const std::string& what, const cel::Availability& available) {
  std::set<Place>& places = declared[what];
  for (const Release release : kReleases) {
    for (const ExpressionUse use : kUses) {
      if (available.Has({.release = release, .use = use})) places.insert({release, use});
    }
  }
}

// "1.33" to "1.36", or on; none without a first.
api::Releases RunOf(const json::object& json, std::string_view first, std::string_view last) {
  const auto since = ReleaseOf(TextOf(json, first));
  if (!since) return api::Releases::None();
  const auto until = ReleaseOf(TextOf(json, last));
  api::Releases run = {.first = static_cast<uint8_t>(api::MinorOf(*since))};
  if (until) run.last = static_cast<uint8_t>(api::MinorOf(*until));
  return run;
}

cel::Availability AvailabilityOf(const json::object& json) {
  return {.stored = RunOf(json, "stored_since", "stored_until"),
          .fresh = RunOf(json, "new_since", "new_until")};
}

cel::check::Style StyleOf(const json::object& json) {
  return TextOf(json, "style") == "member" ? cel::check::Style::kMember
                                           : cel::check::Style::kGlobal;
}

Declared DeclaredUpstream(const json::object& file) {
  Declared declared;
  for (const json::value& one : ListOf(file, "functions")) {
    const json::object& function = one.as_object();
    std::vector<std::string> parameters;
    for (const json::value& parameter : ListOf(function, "params")) {
      parameters.emplace_back(parameter.as_string());
    }
    Add(declared,
        WriteSignature(
            TextOf(function, "name"), StyleOf(function), parameters, TextOf(function, "result")),
        AvailabilityOf(function));
  }
  return declared;
}

std::vector<std::string> SplitAt(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return parts;
}

Declared DeclaredHere() {
  Declared declared;
  for (const cel::check::OverloadText& overload : cel::check::OverloadTable()) {
    for (const std::string& name : SplitAt(overload.names, " ")) {
      Add(declared,
          WriteSignature(name, overload.style, SplitAt(overload.parameters, "; "), overload.result),
          overload.available);
    }
  }
  return declared;
}

std::string MacroName(std::string_view name, int64_t arguments) {
  return fmt::format("macro {} of {}", name, arguments);
}

Declared MacrosUpstream(const json::object& file) {
  Declared declared;
  for (const json::value& one : ListOf(file, "macro_list")) {
    const json::object& macro = one.as_object();
    Add(declared,
        MacroName(TextOf(macro, "name"), macro.at("args").to_number<int64_t>()),
        AvailabilityOf(macro));
  }
  return declared;
}

Declared MacrosHere() {
  Declared declared;
  for (const MacroProbe& probe : kMacroProbes) {
    std::set<Place>& places = declared[MacroName(probe.name, probe.arguments)];
    for (const Release release : kReleases) {
      for (const ExpressionUse use : kUses) {
        const cel::Environment environment = {.release = release,
                                              .use = use,
                                              .purpose = cel::Purpose::kFree,
                                              .consumable_capacity = true,
                                              .list_type_attributes = true};
        if (cel::CompileProgram(probe.expression, environment)) places.insert({release, use});
      }
    }
  }
  return declared;
}

const std::set<Place>& PlacesOf(const Declared& declared, const std::string& what) {
  static const std::set<Place> kNowhere;
  const auto found = declared.find(what);
  return found == declared.end() ? kNowhere : found->second;
}

// Empty when `what` is for both or for neither in all environments of `release`.
std::string DifferenceIn(Release release, const std::set<Place>& got, const std::set<Place>& want) {
  std::string text;
  for (const ExpressionUse use : kUses) {
    const bool is_here = got.contains({release, use});
    if (is_here == want.contains({release, use})) continue;
    text += fmt::format("{}for {} expressions, {}",
                        text.empty() ? "" : "; ",
                        use == ExpressionUse::kStored ? "stored" : "new",
                        is_here ? "upstream has none" : "only upstream has it");
  }
  return text;
}

void Compare(CelFile& file, const Declared& got, const Declared& want) {
  std::set<std::string> everything;
  for (const auto& one : got) everything.insert(one.first);
  for (const auto& one : want) everything.insert(one.first);
  for (const std::string& what : everything) {
    for (const Release release : kReleases) {
      if (!file.IsChosen(what, release)) continue;
      file.Record(what, release, DifferenceIn(release, PlacesOf(got, what), PlacesOf(want, what)));
    }
  }
}

}  // namespace

void RunSignatures(CelFile& file) {
  Compare(file, DeclaredHere(), DeclaredUpstream(file.json()));
  Compare(file, MacrosHere(), MacrosUpstream(file.json()));
}

}  // namespace dray::vectors
