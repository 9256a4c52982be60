// SPDX-License-Identifier: Apache-2.0
#include "tests/access/policy_vectors.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/admissionregistration_v1/policy.h"
#include "api/codec/json.h"
#include "api/core_v1/config_map.h"
#include "api/core_v1/namespace.h"
#include "base/try.h"
#include "server/policies/compiled_policy.h"
#include "server/policies/judge.h"
#include "tests/vectors/case_files.h"

namespace dray::access {
namespace {

namespace json = boost::json;
namespace policies = server::policies;
namespace rbac = api::rbac_v1;
using Policy = api::admissionregistration_v1::ValidatingAdmissionPolicy;
using Binding = api::admissionregistration_v1::ValidatingAdmissionPolicyBinding;
using vectors::ListOf;
using vectors::TextOf;

template <class T>
Result<std::vector<api::Object>> ObjectsOf(const json::object& one, std::string_view name) {
  std::vector<api::Object> objects;
  for (const json::value& value : ListOf(one, name)) {
    DRAY_TRY(api::Object object,
             api::DecodeJson(api::Reflected<T>::kKind, json::serialize(value), nullptr));
    objects.push_back(std::move(object));
  }
  return objects;
}

rbac::ClusterRole RoleOf(const char* name, const char* verb, const char* group, const char* what) {
  rbac::ClusterRole role;
  role.metadata.name = name;
  server::access::Rule& rule = role.rules.emplace_back();
  rule.verbs = {verb};
  rule.api_groups = {group};
  rule.resources = {what};
  return role;
}

rbac::ClusterRoleBinding BindingOf(const char* role, rbac::Subject subject) {
  rbac::ClusterRoleBinding binding;
  binding.metadata.name = role;
  binding.role_ref.kind = "ClusterRole";
  binding.role_ref.name = role;
  binding.subjects.push_back(std::move(subject));
  return binding;
}

// The rights of users while policies are evaluated, as in the peer.
server::access::Policy Rights() {
  rbac::Subject alice;
  alice.kind = "User";
  alice.name = "alice";
  rbac::Subject bot;
  bot.kind = "ServiceAccount";
  bot.namespace_ = "lab";
  bot.name = "bot";
  server::access::PolicyObjects objects;
  objects.cluster_roles = {RoleOf("reader", "get", "", "pods"),
                           RoleOf("custom", "custom", "*", "*")};
  objects.cluster_bindings = {BindingOf("reader", alice), BindingOf("custom", bot)};
  return server::access::Policy(objects);
}

// The objects besides policies.
class Cluster final : public policies::Surroundings {
 public:
  Cluster(std::vector<api::Object> namespaces, std::vector<api::Object> params)
      : namespaces_(std::move(namespaces)), params_(std::move(params)), rights_(Rights()) {}

  const api::Scheme& scheme() const override { return scheme_; }

  std::optional<api::Object> Find(const api::KindInfo& kind,
                                  std::string_view namespace_name,
                                  std::string_view name) const override {
    std::optional<api::Object> found;
    Each(kind, namespace_name, [&](const api::Object& one) {
      if (one.metadata().name == name) found = one;
      return !found.has_value();
    });
    return found;
  }

  void Each(const api::KindInfo& kind,
            std::string_view namespace_name,
            const std::function<bool(const api::Object& object)>& take) const override {
    for (const api::Object& one : kind.kind == "Namespace" ? namespaces_ : params_) {
      if (one.metadata().namespace_ == namespace_name && !take(one)) return;
    }
  }

  server::access::Verdict Decide(const server::access::User& user,
                                 const server::access::Attributes& asked) const override {
    return rights_.Decide(user, asked);
  }

 private:
  const api::Scheme scheme_;
  const std::vector<api::Object> namespaces_, params_;
  const server::access::Policy rights_;
};

// ----------------------------------------------------------------------------------- one request

policies::Operation OperationOf(std::string_view word) {
  return word == "CREATE"   ? policies::Operation::kCreate
         : word == "UPDATE" ? policies::Operation::kUpdate
                            : policies::Operation::kDelete;
}

std::string OptionsOf(const json::object& request) {
  const std::string_view operation = TextOf(request, "operation");
  const std::string_view kind = operation == "CREATE"   ? "CreateOptions"
                                : operation == "UPDATE" ? "UpdateOptions"
                                                        : "DeleteOptions";
  json::object options{{"apiVersion", "meta.k8s.io/v1"}, {"kind", kind}};
  if (request.contains("dryRun")) options["dryRun"] = json::array{"All"};
  return json::serialize(options);
}

server::access::User UserOf(const json::object& request) {
  server::access::User user{.name = std::string(TextOf(request, "user")), .uid = {}, .groups = {}};
  for (const json::value& group : ListOf(request, "groups")) {
    user.groups.emplace_back(group.as_string());
  }
  if (const json::value* extra = request.if_contains("extra")) {
    for (const auto& [key, values] : extra->as_object()) {
      for (const json::value& value : values.as_array()) {
        user.extra[key].emplace_back(value.as_string());
      }
    }
  }
  return user;
}

Result<std::optional<api::Object>> ObjectAt(const json::object& request,
                                            std::string_view name,
                                            const api::KindInfo& kind) {
  const json::value* const value = request.if_contains(name);
  if (value == nullptr) return std::nullopt;
  DRAY_TRY(api::Object object, api::DecodeJson(kind, json::serialize(*value), nullptr));
  return object;
}

// The result, in the members that the peer writes.
json::object AnswerOf(policies::Verdict verdict) {
  json::object answer;
  if (verdict.refusal.has_value()) {
    answer["reason"] = ReasonName(verdict.refusal->reason);
    answer["message"] = verdict.refusal->message;
  }
  json::array warnings;
  for (const std::string& warning : verdict.warnings) warnings.emplace_back(warning);
  if (!warnings.empty()) answer["warnings"] = std::move(warnings);
  json::object annotations;
  for (const auto& one : verdict.annotations) annotations[one.key] = one.value;
  if (!annotations.empty()) answer["annotations"] = std::move(annotations);
  return answer;
}

Result<json::object> Ask(const json::object& request,
                         std::span<const policies::BoundPolicy> bound,
                         const Cluster& cluster) {
  const std::string_view group = TextOf(request, "group");
  const std::string version = group.empty() ? "v1" : fmt::format("{}/v1", group);
  const api::KindInfo& kind = *cluster.scheme().FindKind(version, TextOf(request, "kind"));
  DRAY_TRY(const auto object, ObjectAt(request, "object", kind));
  DRAY_TRY(const auto old_object, ObjectAt(request, "oldObject", kind));
  const server::access::User user = UserOf(request);
  const std::string in(TextOf(request, "namespace"));
  std::optional<api::Object> namespace_object;
  if (kind.namespaced) {
    namespace_object =
        cluster.Find(api::Reflected<api::core_v1::Namespace>::kKind, std::string_view(), in);
  }
  const policies::AdmissionRequest asked{
      .operation = OperationOf(TextOf(request, "operation")),
      .resource = &kind,
      .kind = &kind,
      .subresource = std::string(TextOf(request, "subresource")),
      .name = std::string(TextOf(request, "name")),
      .namespace_ = in,
      .user = &user,
      .dry_run = request.contains("dryRun"),
      .options = OptionsOf(request),
      .object = object.has_value() ? &*object : nullptr,
      .old_object = old_object.has_value() ? &*old_object : nullptr,
      .namespace_object =
          namespace_object.has_value() ? namespace_object->If<api::core_v1::Namespace>() : nullptr,
      .release = api::Release::kNewest};
  return AnswerOf(policies::Judge(bound, asked, cluster));
}

// Leaves out parts that are not compared: an admitted request has no code of its own, others have
// that of the reason.
json::object Wanted(const json::object& request) {
  json::object wanted = request.at("answer").as_object();
  wanted.erase("code");
  return wanted;
}

Result<std::vector<policies::BoundPolicy>> BoundOf(const json::object& one) {
  std::vector<policies::BoundPolicy> bound;
  DRAY_TRY(const auto all, ObjectsOf<Policy>(one, "policies"));
  DRAY_TRY(const auto bindings, ObjectsOf<Binding>(one, "bindings"));
  for (const api::Object& policy : all) {
    policies::BoundPolicy& next = bound.emplace_back();
    next.policy = std::make_shared<const policies::CompiledPolicy>(
        policies::CompilePolicy(policy.As<Policy>(), api::Release::kNewest));
    for (const api::Object& object : bindings) {
      const auto& binding = object.As<Binding>();
      if (binding.spec.policy_name == policy.metadata().name) next.bindings.push_back(binding);
    }
  }
  return bound;
}

Result<> RunCase(const json::object& one, vectors::Report& report) {
  DRAY_TRY(auto namespaces, ObjectsOf<api::core_v1::Namespace>(one, "namespaces"));
  DRAY_TRY(auto params, ObjectsOf<api::core_v1::ConfigMap>(one, "params"));
  const Cluster cluster(std::move(namespaces), std::move(params));
  DRAY_TRY(const auto bound, BoundOf(one));
  size_t number = 0;
  for (const json::value& value : ListOf(one, "requests")) {
    const json::object& request = value.as_object();
    DRAY_TRY(const json::object got, Ask(request, bound, cluster));
    const json::object wanted = Wanted(request);
    if (got == wanted) {
      ++report.passed;
    } else {
      report.failures.push_back(fmt::format("{} request {}:\n  want {}\n  got  {}",
                                            TextOf(one, "id"),
                                            number,
                                            json::serialize(wanted),
                                            json::serialize(got)));
    }
    ++number;
  }
  return {};
}

}  // namespace

Result<vectors::Report> RunPolicyVectors(Disk& disk, const std::vector<std::string>& files) {
  vectors::Report report;
  Result<> problem;
  DRAY_TRY_VOID(vectors::ForEachCase(disk, files, [&](const json::object& one) {
    Result<> ran = RunCase(one, report);
    if (!ran.has_value() && problem.has_value()) problem = std::move(ran);
  }));
  if (!problem.has_value()) return std::move(problem).failure();
  return report;
}

}  // namespace dray::access
