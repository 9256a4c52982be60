// SPDX-License-Identifier: Apache-2.0
#include "tests/stories/normal_form.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/vectors/case_files.h"

namespace dray::stories {
namespace {

namespace json = boost::json;
using vectors::ListOf;
using vectors::TextOf;

constexpr std::array<std::string_view, 7> kMetadata = {"name",
                                                       "generateName",
                                                       "labels",
                                                       "annotations",
                                                       "finalizers",
                                                       "ownerReferences",
                                                       "deletionTimestamp"};
constexpr std::array<std::string_view, 6> kPodSpec = {"nodeName",
                                                      "schedulerName",
                                                      "schedulingGates",
                                                      "resourceClaims",
                                                      "schedulingGroup",
                                                      "priority"};
constexpr std::array<std::string_view, 6> kPodStatus = {"phase",
                                                        "resourceClaimStatuses",
                                                        "extendedResourceClaimStatus",
                                                        "nominatedNodeName",
                                                        "nodeAllocatableResourceClaimStatuses",
                                                        "conditions"};
constexpr std::array<std::string_view, 4> kCondition = {"type", "status", "reason", "message"};

// The characters at the end of generated names.
constexpr std::string_view kGenerated = "bcdfghjklmnpqrstvwxz2456789";
constexpr size_t kGeneratedLength = 5;

/// A time of the form 2026-11-21T16:00:27Z, with or without fractions.
bool IsTime(std::string_view text) {
  return text.size() >= 20 && text[4] == '-' && text[7] == '-' && text[10] == 'T' &&
         text[13] == ':' && text.ends_with('Z');
}

json::object Chosen(const json::object& object, std::span<const std::string_view> names) {
  json::object chosen;
  for (const std::string_view name : names) {
    if (const json::value* value = object.if_contains(name)) chosen[name] = *value;
  }
  return chosen;
}

/// Members that mean something by being there, although they are empty: choices of unions, and the
/// selector of a taint rule, which chooses all devices then.
constexpr std::array<std::string_view, 4> kSaysAll = {"basic", "single", "all", "deviceSelector"};

bool IsEmpty(const json::value& value) {
  if (value.is_object()) return value.get_object().empty();
  if (value.is_array()) return value.get_array().empty();
  return value.is_null() || (value.is_string() && value.get_string().empty());
}

/// How values are made comparable.
struct Tidying {
  const Symbols& symbols;
  Uids uids;
};

json::value Tidy(const json::value& value, std::string_view name, const Tidying& tidying);

json::array TidyList(const json::array& list, std::string_view name, const Tidying& tidying) {
  json::array tidy;
  for (const json::value& element : list) {
    json::value one = element;
    if (name == "conditions") one = Chosen(element.as_object(), kCondition);
    const bool has_uid = name == "reservedFor" || name == "ownerReferences";
    if (has_uid && one.is_object() && tidying.uids == Uids::kLeftOut) {
      one.as_object().erase("uid");
    }
    tidy.push_back(Tidy(one, "", tidying));
  }
  const auto sort_by = [&](std::string_view member) {
    std::ranges::sort(tidy, {}, [&](const json::value& one) {
      return std::string(TextOf(one.as_object(), member));
    });
  };
  if (name == "conditions") sort_by("type");
  if (name == "reservedFor") sort_by("name");
  return tidy;
}

json::value Tidy(const json::value& value, std::string_view name, const Tidying& tidying) {
  if (value.is_string()) {
    const std::string text(value.get_string());
    return IsTime(text) ? json::value("present") : json::value(tidying.symbols.Put(text));
  }
  if (value.is_array()) return TidyList(value.get_array(), name, tidying);
  if (!value.is_object()) return value;
  json::object tidy;
  for (const auto& [key, member] : value.get_object()) {
    json::value one = Tidy(member, key, tidying);
    const bool says_all = std::ranges::find(kSaysAll, std::string_view(key)) != kSaysAll.end();
    if (says_all || !IsEmpty(one)) tidy[key] = std::move(one);
  }
  return tidy;
}

/// The results of an allocated claim.
const json::array& ResultsOf(const json::object& object) {
  static const json::object kNothing;
  const auto member = [](const json::object& of, std::string_view name) -> const json::object& {
    const json::value* value = of.if_contains(name);
    return value != nullptr && value->is_object() ? value->get_object() : kNothing;
  };
  return ListOf(member(member(member(object, "status"), "allocation"), "devices"), "results");
}

/// The parts of an object that a story's write names, with their values: whole members of metadata
/// and status, conditions by type, members of the spec of a pod or a PodSchedulingContext.
std::map<std::string, json::value> PartsOf(const json::object& object) {
  std::map<std::string, json::value> parts;
  const bool has_parts = TextOf(object, "kind").starts_with("Pod");
  for (const auto& [room, value] : object) {
    if (!value.is_object()) continue;
    if (room == "spec" && !has_parts) {
      parts["spec"] = value;
      continue;
    }
    for (const auto& [name, member] : value.get_object()) {
      const std::string path = fmt::format("{}.{}", std::string_view(room), std::string_view(name));
      if (path != "status.conditions") {
        parts[path] = member;
        continue;
      }
      for (const json::value& condition : member.as_array()) {
        parts[fmt::format("{}[{}]", path, TextOf(condition.as_object(), "type"))] = condition;
      }
    }
  }
  return parts;
}

}  // namespace

void Symbols::See(const json::object& object) {
  const auto note = [this](std::string_view chosen, const std::string& before) {
    if (chosen.empty() || chosen_.contains(std::string(chosen))) return;
    chosen_[std::string(chosen)] = fmt::format("{}#{}", before, ++counts_[before]);
  };
  const json::object& metadata = object.at("metadata").as_object();
  const std::string_view name = TextOf(metadata, "name");
  if (TextOf(object, "kind") == "Pod") {
    for (const json::value& entry : ListOf(object.at("spec").as_object(), "resourceClaims")) {
      prefixes_.insert(fmt::format("{}-{}-", name, TextOf(entry.as_object(), "name")));
    }
  }
  if (const std::string_view prefix = TextOf(metadata, "generateName"); !prefix.empty()) {
    note(name, std::string(prefix));
  }
  note(TextOf(metadata, "uid"),
       fmt::format("uid:{}/{}", TextOf(object, "kind"), Put(std::string(name))));
  for (const json::value& result : ResultsOf(object)) {
    note(TextOf(result.as_object(), "shareID"), "share");
  }
}

std::string Symbols::Put(std::string text) const {
  for (const auto& [chosen, symbol] : chosen_) {
    for (size_t at = text.find(chosen); at != std::string::npos;
         at = text.find(chosen, at + symbol.size())) {
      text.replace(at, chosen.size(), symbol);
    }
  }
  for (const std::string& prefix : prefixes_) {
    for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
      at += prefix.size();
      const size_t end = std::min(text.find_first_not_of(kGenerated, at), text.size());
      if (end - at == kGeneratedLength) text.replace(at, end - at, "#?");
    }
  }
  return text;
}

std::string Symbols::Resolve(std::string text) const {
  for (const auto& [chosen, symbol] : chosen_) {
    const std::string place = fmt::format("${{{}}}", symbol);
    for (size_t at = text.find(place); at != std::string::npos; at = text.find(place, at)) {
      text.replace(at, place.size(), chosen);
    }
  }
  return text;
}

json::object NormalForm(const json::object& object, const Symbols& symbols, Uids uids) {
  const bool is_pod = TextOf(object, "kind") == "Pod";
  json::object shown;
  shown["kind"] = TextOf(object, "kind");
  for (const auto& [room, value] : object) {
    if (!value.is_object()) continue;
    if (room == "metadata") shown[room] = Chosen(value.get_object(), kMetadata);
    if (room == "spec") shown[room] = is_pod ? Chosen(value.get_object(), kPodSpec) : value;
    if (room == "status") shown[room] = is_pod ? Chosen(value.get_object(), kPodStatus) : value;
  }
  if (TextOf(object, "kind") == "ResourcePoolStatusRequest") shown.erase("spec");
  if (is_pod && shown.contains("spec")) {
    json::object& spec = shown["spec"].as_object();
    if (TextOf(spec, "schedulerName") == "default-scheduler") spec.erase("schedulerName");
    const json::value* priority = spec.if_contains("priority");
    if (priority != nullptr && priority->is_int64() && priority->as_int64() == 0)
      spec.erase("priority");
  }
  return Tidy(shown, "", {.symbols = symbols, .uids = uids}).as_object();
}

std::string WithoutAddresses(std::string text) {
  constexpr std::string_view kPrefix = "(0x";
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (size_t at = text.find(kPrefix); at != std::string::npos; at = text.find(kPrefix, at)) {
    at += kPrefix.size();
    const size_t end = std::min(text.find_first_not_of(kDigits, at), text.size());
    text.replace(at, end - at, "ADDRESS");
  }
  return text;
}

std::vector<std::string> MembersChanged(const json::object& before, const json::object& after) {
  const auto old = PartsOf(before);
  const auto now = PartsOf(after);
  std::vector<std::string> changed;
  for (const auto& [name, value] : now) {
    const auto known = old.find(name);
    if (known == old.end()) {
      changed.push_back("+" + name);
    } else if (known->second != value) {
      changed.push_back("~" + name);
    }
  }
  for (const auto& [name, value] : old) {
    if (!now.contains(name)) changed.push_back("-" + name);
  }
  return changed;
}

}  // namespace dray::stories
