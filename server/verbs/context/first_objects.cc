// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/context/first_objects.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/apiregistration_v1.h"
#include "api/flowcontrol_v1.h"

namespace dray::server::verbs::inline context {
namespace {

namespace flow = api::flowcontrol_v1;
using api::apiregistration_v1::APIService;

// ------------------------------------------------------------------------------------------- APIs

constexpr std::string_view kDevices = "resource.k8s.io";
constexpr api::Releases kDevicesLast = {.first = 0, .last = 33};
constexpr int32_t kLastOfAll = 15900;

struct GroupPriority {
  std::string_view group;
  int32_t priority;
};
constexpr GroupPriority kGroups[] = {{"", 18000},
                                     {"apps", 17800},
                                     {"events.k8s.io", 17750},
                                     {"authentication.k8s.io", 17700},
                                     {"authorization.k8s.io", 17600},
                                     {"autoscaling", 17500},
                                     {"batch", 17400},
                                     {"certificates.k8s.io", 17300},
                                     {"networking.k8s.io", 17200},
                                     {"policy", 17100},
                                     {"rbac.authorization.k8s.io", 17000},
                                     {"storage.k8s.io", 16800},
                                     {"apiextensions.k8s.io", 16700},
                                     {"admissionregistration.k8s.io", 16700},
                                     {"scheduling.k8s.io", 16600},
                                     {"coordination.k8s.io", 16500},
                                     {"node.k8s.io", 16300},
                                     {"discovery.k8s.io", 16200},
                                     {kDevices, 16200},
                                     {"flowcontrol.apiserver.k8s.io", 16100},
                                     {"internal.apiserver.k8s.io", 16000},
                                     {"storagemigration.k8s.io", 15800}};

int32_t PriorityOf(std::string_view group, api::Release release) {
  if (group == kDevices && kDevicesLast.Rules(release)) return kLastOfAll;
  const auto* const found = std::ranges::find(kGroups, group, &GroupPriority::group);
  return found == std::end(kGroups) ? kLastOfAll : found->priority;
}

/// Versions with a priority of their own, neither kStable nor kUnstable.
struct VersionPriority {
  std::string_view group, version;
  int32_t priority;
};
constexpr int32_t kStable = 15;
constexpr int32_t kUnstable = 9;
constexpr VersionPriority kVersions[] = {{"", "v1", 1},
                                         {"admissionregistration.k8s.io", "v1beta1", 12},
                                         {"authentication.k8s.io", "v1alpha1", 1},
                                         {"autoscaling", "v2", 30},
                                         {"certificates.k8s.io", "v1alpha1", 1},
                                         {"coordination.k8s.io", "v1alpha1", 12},
                                         {"coordination.k8s.io", "v1alpha2", 12},
                                         {"coordination.k8s.io", "v1beta1", 13},
                                         {"flowcontrol.apiserver.k8s.io", "v1", 21},
                                         {"flowcontrol.apiserver.k8s.io", "v1beta3", 18},
                                         {"networking.k8s.io", "v1alpha1", 1},
                                         {kDevices, "v1", 21},
                                         {kDevices, "v1alpha3", 1},
                                         {kDevices, "v1beta2", 15},
                                         {"scheduling.k8s.io", "v1alpha3", 3},
                                         {"storage.k8s.io", "v1alpha1", 1}};

int32_t PriorityOf(std::string_view group, std::string_view version) {
  for (const VersionPriority& one : kVersions) {
    if (one.group == group && one.version == version) return one.priority;
  }
  const bool is_stable = version.find_first_not_of("v0123456789") == std::string_view::npos;
  return is_stable ? kStable : kUnstable;
}

// ----------------------------------------------------------------------------------- flow control

constexpr std::string_view kByUser = "ByUser";
constexpr std::string_view kByNamespace = "ByNamespace";

/// A priority level; one without queues rejects requests beyond its concurrency.
struct Level {
  std::string_view name;
  int32_t shares, lendable;
  int32_t queues = 0, hand = 0, length = 0;
};
constexpr int32_t kQueueLength = 50;
constexpr Level kLevels[] = {{"catch-all", 5, 0},
                             {"system", 30, 33, 64, 6, kQueueLength},
                             {"node-high", 40, 25, 64, 6, kQueueLength},
                             {"leader-election", 10, 0, 16, 4, kQueueLength},
                             {"workload-high", 40, 50, 128, 6, kQueueLength},
                             {"workload-low", 100, 90, 128, 6, kQueueLength},
                             {"global-default", 20, 50, 128, 6, kQueueLength}};

/// A rule for resources: verbs, groups and resources, separated by blanks, each a list with commas;
/// then "cluster" if cluster-scoped resources match, too.
constexpr std::string_view kEverything = "* * * cluster";
constexpr std::string_view kLeases = "* coordination.k8s.io leases";

/// Subjects are "group/NAME", "user/NAME" or "account/NAMESPACE/NAME". `paths` is a list of verbs,
/// a blank and a list of paths.
struct Schema {
  std::string_view name, level;
  int32_t precedence;
  std::string_view method;
  std::string_view subjects[3];
  std::string_view resources[2];
  std::string_view paths;
};
constexpr std::string_view kEverybody[2] = {"group/system:unauthenticated",
                                            "group/system:authenticated"};
constexpr std::string_view kManager = "user/system:kube-controller-manager";
constexpr std::string_view kScheduler = "user/system:kube-scheduler";
constexpr std::string_view kSystemAccounts = "account/kube-system/*";
constexpr Schema kSchemas[] = {
    {"exempt", "exempt", 1, "", {"group/system:masters"}, {kEverything}, "* *"},
    {"probes", "exempt", 2, "", {kEverybody[0], kEverybody[1]}, {}, "get /healthz,/readyz,/livez"},
    {"system-leader-election",
     "leader-election",
     100,
     kByUser,
     {kManager, kScheduler, kSystemAccounts},
     {"get,create,update coordination.k8s.io leases"},
     ""},
    {"system-node-high",
     "node-high",
     400,
     kByUser,
     {"group/system:nodes"},
     {"* - nodes,nodes/status cluster", kLeases},
     ""},
    {"system-nodes", "system", 500, kByUser, {"group/system:nodes"}, {kEverything}, "* *"},
    {"kube-controller-manager",
     "workload-high",
     800,
     kByNamespace,
     {kManager},
     {kEverything},
     "* *"},
    {"kube-scheduler", "workload-high", 800, kByNamespace, {kScheduler}, {kEverything}, "* *"},
    {"kube-system-service-accounts",
     "workload-high",
     900,
     kByNamespace,
     {kSystemAccounts},
     {kEverything},
     "* *"},
    {"service-accounts",
     "workload-low",
     9000,
     kByUser,
     {"group/system:serviceaccounts"},
     {kEverything},
     "* *"},
    {"global-default",
     "global-default",
     9900,
     kByUser,
     {kEverybody[0], kEverybody[1]},
     {kEverything},
     "* *"},
    {"catch-all",
     "catch-all",
     10000,
     kByUser,
     {kEverybody[0], kEverybody[1]},
     {kEverything},
     "* *"}};

/// Removes the text before the next `at`, and that character, and returns the text.
std::string_view TakeUntil(std::string_view& text, char at) {
  const std::string_view first = text.substr(0, text.find(at));
  text.remove_prefix(std::min(first.size() + 1, text.size()));
  return first;
}

/// The words between commas; "-" stands for the core group (empty name).
api::List<std::string> Words(std::string_view list) {
  api::List<std::string> words;
  while (!list.empty()) {
    const std::string_view word = TakeUntil(list, ',');
    words.emplace_back(word == "-" ? "" : word);
  }
  return words;
}

flow::Subject SubjectOf(std::string_view text) {
  flow::Subject subject;
  const std::string_view kind = TakeUntil(text, '/');
  if (kind == "group") {
    subject.kind = "Group";
    subject.group.emplace().name = text;
  } else if (kind == "user") {
    subject.kind = "User";
    subject.user.emplace().name = text;
  } else {
    subject.kind = "ServiceAccount";
    auto& account = subject.service_account.emplace();
    account.namespace_ = TakeUntil(text, '/');
    account.name = text;
  }
  return subject;
}

flow::ResourcePolicyRule RuleOf(std::string_view text) {
  flow::ResourcePolicyRule rule;
  rule.verbs = Words(TakeUntil(text, ' '));
  rule.api_groups = Words(TakeUntil(text, ' '));
  rule.resources = Words(TakeUntil(text, ' '));
  rule.cluster_scope = text == "cluster";
  rule.namespaces.emplace_back("*");
  return rule;
}

void Mark(api::meta_v1::ObjectMeta& meta, std::string_view name) {
  meta.name = name;
  meta.annotations.insert_or_assign("apf.kubernetes.io/autoupdate-spec", "true");
}

api::Object ObjectOf(const Schema& row) {
  flow::FlowSchema schema;
  Mark(schema.metadata, row.name);
  schema.spec.priority_level_configuration.name = row.level;
  schema.spec.matching_precedence = row.precedence;
  if (!row.method.empty()) schema.spec.distinguisher_method.emplace().type = row.method;
  auto& rules = schema.spec.rules.emplace_back();
  for (const std::string_view subject : row.subjects) {
    if (!subject.empty()) rules.subjects.push_back(SubjectOf(subject));
  }
  for (const std::string_view resources : row.resources) {
    if (!resources.empty()) rules.resource_rules.push_back(RuleOf(resources));
  }
  if (!row.paths.empty()) {
    std::string_view paths = row.paths;
    auto& rule = rules.non_resource_rules.emplace_back();
    rule.verbs = Words(TakeUntil(paths, ' '));
    rule.non_resource_urls = Words(paths);
  }
  return api::Object::Of(std::move(schema));
}

api::Object ObjectOf(const Level& row) {
  flow::PriorityLevelConfiguration level;
  Mark(level.metadata, row.name);
  level.spec.type = "Limited";
  auto& limited = level.spec.limited.emplace();
  limited.nominal_concurrency_shares = row.shares;
  limited.lendable_percent = row.lendable;
  limited.limit_response.type = row.queues == 0 ? "Reject" : "Queue";
  if (row.queues != 0) {
    auto& queuing = limited.limit_response.queuing.emplace();
    queuing.queues = row.queues;
    queuing.hand_size = row.hand;
    queuing.queue_length_limit = row.length;
  }
  return api::Object::Of(std::move(level));
}

api::Object ExemptLevel() {
  flow::PriorityLevelConfiguration level;
  Mark(level.metadata, "exempt");
  level.spec.type = "Exempt";
  auto& exempt = level.spec.exempt.emplace();
  exempt.nominal_concurrency_shares = 0;
  exempt.lendable_percent = 0;
  return api::Object::Of(std::move(level));
}

}  // namespace

std::vector<api::Object> LocalApis(const api::Scheme& scheme, api::Release release) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  std::vector<api::Object> objects;
  for (const api::KindInfo* kind : scheme.kinds()) {
    const bool is_own = kind->group == api::Reflected<APIService>::kKind.group;
    if (!kind->served || is_own || !seen.emplace(kind->group, kind->version).second) continue;
    APIService service;
    service.metadata.name = fmt::format("{}.{}", kind->version, kind->group);
    service.metadata.labels.insert_or_assign(kManagedLabel, "onstart");
    service.spec.group = kind->group;
    service.spec.version = kind->version;
    service.spec.group_priority_minimum = PriorityOf(kind->group, release);
    service.spec.version_priority = PriorityOf(kind->group, kind->version);
    objects.push_back(api::Object::Of(std::move(service)));
  }
  return objects;
}

api::Object ApiServiceOf(std::string_view group, std::string_view version) {
  constexpr int32_t kGroupPriority = 1000;
  constexpr int32_t kVersionPriority = 100;
  APIService service;
  service.metadata.name = fmt::format("{}.{}", version, group);
  service.metadata.labels.insert_or_assign(kManagedLabel, "true");
  service.spec.group = group;
  service.spec.version = version;
  service.spec.group_priority_minimum = kGroupPriority;
  service.spec.version_priority = kVersionPriority;
  return api::Object::Of(std::move(service));
}

std::vector<api::Object> FirstFlowControl() {
  std::vector<api::Object> objects;
  objects.push_back(ExemptLevel());
  for (const Level& level : kLevels) objects.push_back(ObjectOf(level));
  for (const Schema& schema : kSchemas) objects.push_back(ObjectOf(schema));
  return objects;
}

void NoteLevelFound(api::Object& object) {
  if (object.If<flow::FlowSchema>() == nullptr) return;
  auto& schema = object.Mutable<flow::FlowSchema>();
  auto& dangling = schema.status.conditions.emplace_back();
  dangling.type = "Dangling";
  dangling.status = "False";
  dangling.last_transition_time = schema.metadata.creation_timestamp;
  dangling.reason = "Found";
  dangling.message = fmt::format(
      R"(This FlowSchema references the PriorityLevelConfiguration object named "{}" and it exists)",
      schema.spec.priority_level_configuration.name);
}

}  // namespace dray::server::verbs::inline context
