// SPDX-License-Identifier: Apache-2.0
#include "server/audit/policy.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json_reader.h"
#include "api/codec/json_tree.h"
#include "api/codec/yaml.h"
#include "api/text/go_quote.h"
#include "api/text/names.h"
#include "base/try.h"

namespace dray::server::audit {
namespace {

using api::JsonTree;

constexpr std::array<std::string_view, 4> kLevels = {
    "None", "Metadata", "Request", "RequestResponse"};
constexpr std::array<std::string_view, 4> kStages = {
    "RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"};
constexpr size_t kDepthMax = 100;

Failure Bad(std::string message) {
  return Fail(StatusReason::kBadRequest, std::move(message));
}

// ------------------------------------------------------------------------------------ the document

/// One object of the file, and the path of its field.
class Fields {
 public:
  Fields(const JsonTree& tree, std::string path, std::vector<std::string>& warnings)
      : tree_(tree), path_(std::move(path)), warnings_(warnings) {}

  std::string At(std::string_view name) const {
    return path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name);
  }

  /// Adds a warning for each field that is not in `known`.
  void WarnOfOthers(std::initializer_list<std::string_view> known) const {
    for (const auto& [name, value] : tree_.members().All()) {
      if (std::ranges::find(known, name) == known.end()) {
        warnings_.push_back(fmt::format("unknown field \"{}\"", At(name)));
      }
    }
  }

  const JsonTree* Find(std::string_view name) const {
    const JsonTree* const found = tree_.members().Find(name);
    return found == nullptr || found->is_null() ? nullptr : found;
  }

  Result<std::string> Text(std::string_view name) const {
    const JsonTree* const found = Find(name);
    if (found == nullptr) return std::string();
    if (!found->is_string()) return Wrong(At(name), "a string", *found);
    return found->text;
  }

  Result<std::optional<bool>> Truth(std::string_view name) const {
    const JsonTree* const found = Find(name);
    if (found == nullptr) return std::nullopt;
    if (found->kind != api::JsonKind::kBool) return Wrong(At(name), "true or false", *found);
    return found->text == "true";
  }

  Result<std::vector<std::string>> Texts(std::string_view name) const {
    std::vector<std::string> texts;
    DRAY_TRY_VOID(ForEach(name, "a string", [&](const JsonTree& one, const std::string& at) {
      if (!one.is_string()) return Result<>(Wrong(at, "a string", one));
      texts.push_back(one.text);
      return Result<>();
    }));
    return texts;
  }

  /// Calls visit(fields of the element) for each object of a list.
  template <class Visit>
  Result<> ForEachObject(std::string_view name, Visit visit) const {
    return ForEach(name, "an object", [&](const JsonTree& one, const std::string& at) {
      if (!one.is_object()) return Result<>(Wrong(at, "an object", one));
      return visit(Fields(one, at, warnings_));
    });
  }

 private:
  static Failure Wrong(std::string_view at, std::string_view wanted, const JsonTree& found) {
    return Bad(
        fmt::format("{}: {} is expected, not {}", at, wanted, api::JsonKindName(found.kind)));
  }

  template <class Visit>
  Result<> ForEach(std::string_view name, std::string_view /*of*/, Visit visit) const {
    const JsonTree* const found = Find(name);
    if (found == nullptr) return {};
    if (!found->is_array()) return Wrong(At(name), "a list", *found);
    for (size_t i = 0; i < found->elements().size(); ++i) {
      DRAY_TRY_VOID(visit(found->elements()[i], fmt::format("{}[{}]", At(name), i)));
    }
    return {};
  }

  const JsonTree& tree_;
  const std::string path_;
  std::vector<std::string>& warnings_;
};

Result<Level> ReadLevel(const Fields& fields) {
  DRAY_TRY(const std::string word, fields.Text("level"));
  if (word.empty()) return Bad(fields.At("level") + ": Required value");
  const auto* const found = std::ranges::find(kLevels, word);
  if (found != kLevels.end()) return static_cast<Level>(found - kLevels.begin());
  return Bad(
      fmt::format("{}: Unsupported value: {}: supported values: \"None\", \"Metadata\", "
                  "\"Request\", \"RequestResponse\"",
                  fields.At("level"),
                  api::GoQuote(word)));
}

Result<Stages> ReadStages(const Fields& fields) {
  Stages stages;
  DRAY_TRY(const std::vector<std::string> words, fields.Texts("omitStages"));
  for (size_t i = 0; i < words.size(); ++i) {
    const auto* const found = std::ranges::find(kStages, words[i]);
    if (found == kStages.end()) {
      return Bad(fmt::format("{}[{}]: Invalid value: {}: allowed stages are {}",
                             fields.At("omitStages"),
                             i,
                             api::GoQuote(words[i]),
                             fmt::join(kStages, ",")));
    }
    stages.Add(static_cast<Stage>(found - kStages.begin()));
  }
  return stages;
}

Result<> CheckPaths(const Fields& fields, const std::vector<std::string>& paths) {
  for (size_t i = 0; i < paths.size(); ++i) {
    const std::string& path = paths[i];
    const auto refuse = [&](std::string_view why) {
      return Bad(fmt::format("{}[{}]: Invalid value: {}: {}",
                             fields.At("nonResourceURLs"),
                             i,
                             api::GoQuote(path),
                             why));
    };
    if (path == "*") continue;
    if (!path.starts_with('/')) {
      return refuse("non-resource URL rules must begin with a '/' character");
    }
    if (path.find('*') < path.size() - 1) {
      return refuse("non-resource URL wildcards '*' must be the final character of the rule");
    }
  }
  return {};
}

Result<Resources> ReadResources(const Fields& fields) {
  fields.WarnOfOthers({"group", "resources", "resourceNames"});
  Resources resources;
  DRAY_TRY(resources.group, fields.Text("group"));
  DRAY_TRY(resources.resources, fields.Texts("resources"));
  DRAY_TRY(resources.names, fields.Texts("resourceNames"));
  if (!resources.group.empty() && resources.group != "*") {
    const api::NameErrors problems = api::CheckDnsSubdomain(resources.group);
    if (!problems.empty()) {
      return Bad(fmt::format("{}: Invalid value: {}: {}",
                             fields.At("group"),
                             api::GoQuote(resources.group),
                             fmt::join(problems, ",")));
    }
  }
  if (!resources.names.empty() && resources.resources.empty()) {
    return Bad(fields.At("resourceNames") +
               ": Invalid value: using resourceNames requires at least one resource");
  }
  return resources;
}

Result<Rule> ReadRule(const Fields& fields) {
  fields.WarnOfOthers({"level",
                       "users",
                       "userGroups",
                       "verbs",
                       "namespaces",
                       "resources",
                       "nonResourceURLs",
                       "omitStages",
                       "omitManagedFields"});
  Rule rule;
  DRAY_TRY(rule.level, ReadLevel(fields));
  DRAY_TRY(rule.users, fields.Texts("users"));
  DRAY_TRY(rule.groups, fields.Texts("userGroups"));
  DRAY_TRY(rule.verbs, fields.Texts("verbs"));
  DRAY_TRY(rule.namespaces, fields.Texts("namespaces"));
  DRAY_TRY(rule.paths, fields.Texts("nonResourceURLs"));
  DRAY_TRY_VOID(CheckPaths(fields, rule.paths));
  DRAY_TRY_VOID(fields.ForEachObject("resources", [&](const Fields& one) -> Result<> {
    DRAY_TRY(Resources resources, ReadResources(one));
    rule.resources.push_back(std::move(resources));
    return {};
  }));
  DRAY_TRY(rule.omitted, ReadStages(fields));
  DRAY_TRY(rule.omit_managed_fields, fields.Truth("omitManagedFields"));
  if (!rule.paths.empty() && (!rule.resources.empty() || !rule.namespaces.empty())) {
    return Bad(fields.At("nonResourceURLs") +
               ": Invalid value: rules cannot apply to both regular resources and non-resource "
               "URLs");
  }
  return rule;
}

// -------------------------------------------------------------------------------- matching a rule

bool Has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool FitsPath(const Rule& rule, std::string_view path) {
  return std::ranges::any_of(rule.paths, [&](std::string_view spec) {
    if (spec == "*" || spec == path) return true;
    return spec.ends_with('*') && path.starts_with(spec.substr(0, spec.size() - 1));
  });
}

bool NamesResource(std::string_view word, const access::Attributes& asked) {
  if (word == "*") return true;
  if (asked.subresource.empty() ? word == asked.resource
                                : word == asked.resource + "/" + asked.subresource) {
    return true;
  }
  if (!asked.subresource.empty() && word.starts_with("*/") && word.substr(2) == asked.subresource) {
    return true;
  }
  return word.ends_with("/*") && word.substr(0, word.size() - 2) == asked.resource;
}

bool FitsResource(const Resources& resources, const access::Attributes& asked) {
  if (resources.group != "*" && resources.group != asked.group) return false;
  if (resources.resources.empty()) return true;
  if (!resources.names.empty() && !Has(resources.names, asked.name)) return false;
  return std::ranges::any_of(resources.resources,
                             [&](const std::string& word) { return NamesResource(word, asked); });
}

bool Fits(const Rule& rule, const access::User& user, const access::Attributes& asked) {
  if (!rule.users.empty() && !Has(rule.users, user.name)) return false;
  if (!rule.groups.empty() &&
      std::ranges::none_of(user.groups, [&](const auto& one) { return Has(rule.groups, one); })) {
    return false;
  }
  if (!rule.verbs.empty() && !Has(rule.verbs, asked.verb)) return false;
  const bool is_resource = asked.path.empty();
  if (!rule.namespaces.empty() || !rule.resources.empty()) {
    if (!is_resource) return false;
    if (!rule.namespaces.empty() && !Has(rule.namespaces, asked.namespace_)) return false;
    return rule.resources.empty() || std::ranges::any_of(rule.resources, [&](const Resources& one) {
             return FitsResource(one, asked);
           });
  }
  return rule.paths.empty() || (!is_resource && FitsPath(rule, asked.path));
}

}  // namespace

std::string_view WordOf(Level level) {
  return kLevels.at(static_cast<size_t>(level));
}

std::string_view WordOf(Stage stage) {
  return kStages.at(static_cast<size_t>(stage));
}

Result<Policy> ReadPolicy(std::string_view text) {
  DRAY_TRY(const api::YamlDocument document, api::YamlToJson(text));
  DRAY_TRY(const JsonTree tree, api::ParseJsonTree(document.json, kDepthMax));
  if (!tree.is_object()) return Bad("a Policy of audit.k8s.io/v1 is expected");
  Policy policy;
  policy.warnings = document.duplicates;
  const Fields fields(tree, "", policy.warnings);
  fields.WarnOfOthers(
      {"apiVersion", "kind", "metadata", "rules", "omitStages", "omitManagedFields"});
  DRAY_TRY(const std::string version, fields.Text("apiVersion"));
  DRAY_TRY(const std::string kind, fields.Text("kind"));
  if (version != "audit.k8s.io/v1") {
    return Bad(fmt::format("apiVersion: {} is not audit.k8s.io/v1", api::GoQuote(version)));
  }
  if (kind != "Policy") return Bad(fmt::format("kind: {} is not Policy", api::GoQuote(kind)));
  DRAY_TRY(policy.omitted, ReadStages(fields));
  DRAY_TRY(const std::optional<bool> omits, fields.Truth("omitManagedFields"));
  policy.omit_managed_fields = omits.value_or(false);
  DRAY_TRY_VOID(fields.ForEachObject("rules", [&](const Fields& one) -> Result<> {
    if (policy.rules.size() == kRulesMax) {
      return Bad(fmt::format("rules: there are more than {}", kRulesMax));
    }
    DRAY_TRY(Rule rule, ReadRule(one));
    policy.rules.push_back(std::move(rule));
    return {};
  }));
  if (policy.rules.empty()) return Bad("rules: at least one is needed");
  return policy;
}

Decision DecisionOf(const Policy& policy,
                    const access::User& user,
                    const access::Attributes& asked) {
  for (const Rule& rule : policy.rules) {
    if (!Fits(rule, user, asked)) continue;
    Stages omitted = policy.omitted;
    omitted.Add(rule.omitted);
    return {.level = rule.level,
            .omitted = omitted,
            .omit_managed_fields = rule.omit_managed_fields.value_or(policy.omit_managed_fields)};
  }
  return {};
}

}  // namespace dray::server::audit
