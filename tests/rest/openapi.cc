// SPDX-License-Identifier: Apache-2.0
#include "tests/rest/openapi.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tests/rest/comparison.h"
#include "tests/vectors/case_files.h"

namespace dray::rest {
namespace {

namespace json = boost::json;
using vectors::ListOf;
using vectors::TextOf;

constexpr std::string_view kKind = "x-kubernetes-group-version-kind";

/// Parameters of gates that Dray does not have, and paths of documents about service accounts.
constexpr std::string_view kParameterOfGate = "shardSelector";
bool IsOfServiceAccounts(std::string_view path) {
  return path.contains("openid");
}

const json::object& OpenApiMember(const json::object& object, std::string_view name) {
  static const json::object kNone;
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_object() ? value->get_object() : kNone;
}

json::value ValueOf(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value == nullptr ? json::value() : *value;
}

/// A document with its references looked up.
class Document {
 public:
  explicit Document(const json::object& root) : root_(root) {}

  const json::object& paths() const { return OpenApiMember(root_, "paths"); }
  const json::object& schemas() const {
    return root_.contains("swagger") ? OpenApiMember(root_, "definitions")
                                     : OpenApiMember(OpenApiMember(root_, "components"), "schemas");
  }

  /// The schema to which `object`, or the one element of its allOf, refers; else `object`.
  const json::object* Resolved(const json::object* object) const {
    const json::array& all = ListOf(*object, "allOf");
    const std::string_view reference =
        all.size() == 1 ? TextOf(all.front().as_object(), "$ref") : TextOf(*object, "$ref");
    if (reference.empty()) return object;
    const json::object* at = &root_;
    for (size_t begin = 2; begin < reference.size() && at != nullptr;) {
      const size_t end = std::min(reference.find('/', begin), reference.size());
      const json::value* found = at->if_contains(reference.substr(begin, end - begin));
      at = found == nullptr ? nullptr : found->if_object();
      begin = end + 1;
    }
    return at == nullptr ? object : at;
  }

  std::set<std::string> ParametersOf(const json::object& item,
                                     const json::object& operation) const {
    std::set<std::string> names;
    for (const json::object* owner : {&item, &operation}) {
      for (const json::value& parameter : ListOf(*owner, "parameters")) {
        names.emplace(TextOf(*Resolved(&parameter.as_object()), "name"));
      }
    }
    return names;
  }

 private:
  const json::object& root_;
};

class OpenApiComparer {
 public:
  OpenApiComparer(const json::object& recorded, const json::object& got) : a_(recorded), b_(got) {}

  std::vector<std::string> Run() {
    for (const auto& [path, item] : a_.paths()) {
      if (IsOfServiceAccounts(path)) continue;
      const json::object& other = OpenApiMember(b_.paths(), path);
      if (other.empty()) {
        Report(path, "no such path");
      } else {
        ComparePath(std::string(path), item.as_object(), other);
      }
    }
    CompareKinds();
    return std::move(reported_);
  }

 private:
  void Report(std::string_view place, std::string_view what) {
    if (reported_.size() < kDifferencesMax) reported_.push_back(fmt::format("{}: {}", place, what));
  }

  void CompareMember(std::string_view place,
                     std::string_view name,
                     const json::object& a,
                     const json::object& b) {
    const json::value before = ValueOf(a, name);
    const json::value now = ValueOf(b, name);
    if (before == now) return;
    Report(
        place,
        fmt::format("{} is {}, expected {}", name, json::serialize(now), json::serialize(before)));
  }

  void ComparePath(const std::string& path, const json::object& a, const json::object& b) {
    for (const auto& [method, operation] : a) {
      if (method == "parameters") continue;
      const std::string place = fmt::format("{} {}", std::string_view(method), path);
      const json::object& other = OpenApiMember(b, method);
      if (other.empty()) {
        Report(place, "no such operation");
        continue;
      }
      const json::object& wanted = operation.as_object();
      for (const std::string_view name : {"operationId", "x-kubernetes-action", "tags"}) {
        CompareMember(place, name, wanted, other);
      }
      CompareMember(place, kKind, wanted, other);
      CompareTypes(place, wanted, other);
      const std::set<std::string> has = b_.ParametersOf(b, other);
      for (const std::string& name : a_.ParametersOf(a, wanted)) {
        if (!has.contains(name) && name != kParameterOfGate) Report(place, "no parameter " + name);
      }
    }
  }

  /// Which bodies may be sent, and which codes and forms come back.
  void CompareTypes(const std::string& place, const json::object& a, const json::object& b) {
    const auto names = [](const json::object& object) {
      std::set<std::string> set;
      for (const auto& [name, value] : object) set.emplace(name);
      return set;
    };
    const auto content = [&](const json::object& operation) {
      return names(OpenApiMember(OpenApiMember(operation, "requestBody"), "content"));
    };
    if (content(a) != content(b)) Report(place, "other types of bodies");
    const json::object& before = OpenApiMember(a, "responses");
    const json::object& now = OpenApiMember(b, "responses");
    if (names(before) != names(now)) Report(place, "other codes");
    for (const auto& [code, response] : before) {
      if (names(OpenApiMember(response.as_object(), "content")) !=
          names(OpenApiMember(OpenApiMember(now, code), "content"))) {
        Report(place, "other types of answers");
      }
    }
  }

  // -------------------------------------------------------------------------------------- schemas

  using ByKind = std::map<std::string, const json::object*>;

  static ByKind KindsOf(const Document& document) {
    ByKind kinds;
    for (const auto& [name, schema] : document.schemas()) {
      const json::array& said = ListOf(schema.as_object(), kKind);
      // Options and events list all groups.
      if (said.empty()) continue;
      const json::object& first = said.front().as_object();
      kinds.emplace(
          fmt::format(
              "{}/{} {}", TextOf(first, "group"), TextOf(first, "version"), TextOf(first, "kind")),
          &schema.as_object());
    }
    return kinds;
  }

  void CompareKinds() {
    const ByKind here = KindsOf(b_);
    for (const auto& [kind, schema] : KindsOf(a_)) {
      const auto found = here.find(kind);
      if (found == here.end()) {
        Report(kind, "no schema");
      } else {
        CompareSchema(kind, *schema, *found->second);
      }
    }
  }

  void CompareSchema(const std::string& place,
                     const json::object& first,
                     const json::object& second) {
    const json::object& a = *a_.Resolved(&first);
    const json::object& b = *b_.Resolved(&second);
    CompareFacets(place, first, second);
    if (!compared_.emplace(&a, &b).second) return;  // recursive, or known
    if (&a != &first) CompareFacets(place, a, b);
    const json::object& properties = OpenApiMember(b, "properties");
    for (const auto& [name, property] : OpenApiMember(a, "properties")) {
      const std::string below = fmt::format("{}.{}", place, std::string_view(name));
      if (properties.contains(name)) {
        CompareSchema(below, property.as_object(), OpenApiMember(properties, name));
      } else {
        Report(below, "no such property");
      }
    }
    for (const std::string_view name : {"items", "additionalProperties"}) {
      if (a.contains(name)) {
        CompareSchema(
            fmt::format("{}.{}", place, name), OpenApiMember(a, name), OpenApiMember(b, name));
      }
    }
  }

  void CompareFacets(const std::string& place, const json::object& a, const json::object& b) {
    constexpr std::array<std::string_view, 8> kFacets = {"type",
                                                         "format",
                                                         "enum",
                                                         "x-kubernetes-list-type",
                                                         "x-kubernetes-list-map-keys",
                                                         "x-kubernetes-map-type",
                                                         "x-kubernetes-patch-merge-key",
                                                         "x-kubernetes-patch-strategy"};
    for (const std::string_view name : kFacets) {
      if (!a.contains(name) || IsFree(name, a)) continue;
      CompareMember(place, name, a, b);
    }
  }

  /// "granular" is the default of maps, and texts are no lists.
  static bool IsFree(std::string_view name, const json::object& schema) {
    if (name == "x-kubernetes-map-type") return TextOf(schema, name) == "granular";
    return name == "x-kubernetes-list-type" && TextOf(schema, "type") == "string";
  }

  const Document a_, b_;
  std::set<std::pair<const json::object*, const json::object*>> compared_;
  std::vector<std::string> reported_;
};

/// The list of the documents of version 3, which names a hash of each.
bool IsIndex(const json::object& answer) {
  const json::object& paths = OpenApiMember(answer, "paths");
  return answer.size() == 1 && !paths.empty() &&
         OpenApiMember(paths, paths.begin()->key()).contains("serverRelativeURL");
}

std::vector<std::string> IndexDifferences(const json::object& recorded, const json::object& got) {
  const auto without_hash = [](std::string_view url) { return url.substr(0, url.find('?')); };
  const auto url_of = [](const json::object& index, std::string_view path) {
    return TextOf(OpenApiMember(OpenApiMember(index, "paths"), path), "serverRelativeURL");
  };
  std::vector<std::string> reported;
  for (const auto& [path, document] : OpenApiMember(recorded, "paths")) {
    if (IsOfServiceAccounts(path) || reported.size() == kDifferencesMax) continue;
    const std::string_view url = url_of(got, path);
    if (without_hash(url) != without_hash(url_of(recorded, path)) || !url.contains("?hash=")) {
      reported.push_back(fmt::format("{}: '{}'", std::string_view(path), url));
    }
  }
  return reported;
}

}  // namespace

bool IsOpenApi(const json::value& answer) {
  const json::object* object = answer.if_object();
  if (object == nullptr) return false;
  return object->contains("openapi") || object->contains("swagger") || IsIndex(*object);
}

std::vector<std::string> OpenApiDifferences(const json::object& recorded, const json::object& got) {
  return IsIndex(recorded) ? IndexDifferences(recorded, got) : OpenApiComparer(recorded, got).Run();
}

}  // namespace dray::rest
