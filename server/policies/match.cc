// SPDX-License-Identifier: Apache-2.0
#include "server/policies/match.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/meta_v1/object_meta.h"
#include "api/selectors/selector_of.h"
#include "base/try.h"
#include "server/errors/errors.h"

namespace dray::server::policies {
namespace {

namespace v1 = api::admissionregistration_v1;
using api::KindInfo;
using NamedRules = api::List<v1::NamedRuleWithOperations>;

bool Names(const api::List<std::string>& items, std::string_view wanted) {
  return std::ranges::any_of(items,
                             [&](const std::string& one) { return one == "*" || one == wanted; });
}

bool IsNamespaces(const KindInfo& resource) {
  return resource.group.empty() && resource.version == "v1" && resource.plural == "namespaces";
}

bool InScope(const v1::Rule& rule, const AdmissionRequest& request, const KindInfo& resource) {
  if (!rule.scope.has_value() || rule.scope == "*") return true;
  const bool is_cluster = IsNamespaces(resource) || request.namespace_.empty();
  if (rule.scope == "Cluster") return is_cluster;
  return rule.scope == "Namespaced" && !is_cluster;
}

bool NamesResource(const v1::Rule& rule, std::string_view resource, std::string_view subresource) {
  return std::ranges::any_of(rule.resources, [&](std::string_view one) {
    const size_t slash = std::min(one.find('/'), one.size());
    const std::string_view main = one.substr(0, slash);
    const std::string_view part = one.substr(std::min(slash + 1, one.size()));
    return (main == "*" || main == resource) && (part == "*" || part == subresource);
  });
}

bool IsAbout(const v1::NamedRuleWithOperations& named,
             const AdmissionRequest& request,
             const KindInfo& resource) {
  const v1::RuleWithOperations& with = named.rule_with_operations;
  const v1::Rule& rule = with.rule;
  const auto& names = named.resource_names;
  return InScope(rule, request, resource) && Names(with.operations, WordOf(request.operation)) &&
         Names(rule.api_groups, resource.group) && Names(rule.api_versions, resource.version) &&
         NamesResource(rule, resource.plural, request.subresource) &&
         (names.empty() || std::ranges::find(names, request.name) != names.end());
}

// The kind of objects sent to an equivalent of the requested resource.
const KindInfo* KindFor(const AdmissionRequest& request, const KindInfo& equivalent) {
  return request.kind == request.resource ? &equivalent : request.kind;
}

std::optional<Match> MatchOfRules(const NamedRules& rules,
                                  bool exact,
                                  const AdmissionRequest& request,
                                  const api::Scheme& scheme) {
  const KindInfo& asked = *request.resource;
  for (const auto& rule : rules) {
    if (IsAbout(rule, request, asked)) return Match{.resource = &asked, .kind = request.kind};
  }
  if (exact) return std::nullopt;
  for (const auto& rule : rules) {
    for (const KindInfo* other : scheme.kinds()) {
      const bool is_equivalent = other != &asked && &other->storage() == &asked.storage() &&
                                 other->plural == asked.plural && other->served &&
                                 other->in.Has(request.release);
      if (is_equivalent && IsAbout(rule, request, *other)) {
        return Match{.resource = other, .kind = KindFor(request, *other)};
      }
    }
  }
  return std::nullopt;
}

// The labels of the request's namespace, which may be its object.
Result<const api::Labels*> NamespaceLabels(const AdmissionRequest& request) {
  if (request.resource->plural == "namespaces" && request.subresource.empty()) {
    const api::Object* const object =
        request.operation == Operation::kDelete ? request.old_object : request.object;
    if (object != nullptr) return &object->metadata().labels;
  }
  if (request.namespace_object != nullptr) return &request.namespace_object->metadata.labels;
  return Fail(errors::NotFound(api::Reflected<api::core_v1::Namespace>::kKind, request.namespace_));
}

Result<bool> MatchesNamespace(const v1::MatchResources& constraints,
                              const AdmissionRequest& request) {
  if (request.namespace_.empty() && request.resource->plural != "namespaces") return true;
  if (!constraints.namespace_selector.has_value()) return true;
  DRAY_TRY(const api::LabelSelector selector, api::SelectorOf(*constraints.namespace_selector));
  if (selector.IsEverything()) return true;
  DRAY_TRY(const api::Labels* labels, NamespaceLabels(request));
  return selector.Matches(*labels);
}

Result<bool> MatchesObject(const v1::MatchResources& constraints, const AdmissionRequest& request) {
  if (!constraints.object_selector.has_value()) return true;
  DRAY_TRY(const api::LabelSelector selector, api::SelectorOf(*constraints.object_selector));
  if (selector.IsEverything()) return true;
  const auto matches = [&](const api::Object* object) {
    return object != nullptr && object->kind().metadata != nullptr &&
           selector.Matches(object->metadata().labels);
  };
  return matches(request.object) || matches(request.old_object);
}

}  // namespace

Result<std::optional<Match>> MatchOf(const v1::MatchResources& constraints,
                                     const AdmissionRequest& request,
                                     const api::Scheme& scheme) {
  const bool exact = constraints.match_policy != "Equivalent";
  const auto& left_out = constraints.exclude_resource_rules;
  if (MatchOfRules(left_out, exact, request, scheme).has_value()) return std::nullopt;
  std::optional<Match> match = Match{.resource = request.resource, .kind = request.kind};
  if (!constraints.resource_rules.empty()) {
    match = MatchOfRules(constraints.resource_rules, exact, request, scheme);
  }
  if (!match.has_value()) return std::nullopt;
  // If one of them does not match, that decides, even if the other has an error.
  Result<bool> in_namespace = MatchesNamespace(constraints, request);
  Result<bool> is_object = MatchesObject(constraints, request);
  const bool is_out =
      (in_namespace.has_value() && !*in_namespace) || (is_object.has_value() && !*is_object);
  if (is_out) return std::nullopt;
  if (!in_namespace.has_value()) return std::move(in_namespace).failure();
  if (!is_object.has_value()) return std::move(is_object).failure();
  return match;
}

}  // namespace dray::server::policies
