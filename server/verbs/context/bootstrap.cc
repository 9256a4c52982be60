// SPDX-License-Identifier: Apache-2.0
// Creates the first objects of a new server.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "api/core_v1/endpoints.h"
#include "api/core_v1/namespace.h"
#include "api/core_v1/service.h"
#include "api/discovery_v1.h"
#include "api/pods/priority.h"
#include "api/scheduling_v1.h"
#include "base/try.h"
#include "server/access/bootstrap_policy.h"
#include "server/access/bootstrap_repair.h"
#include "server/access/user.h"
#include "server/errors/errors.h"
#include "server/storage/keys.h"
#include "server/storage/transactions.h"
#include "server/verbs/context/call.h"
#include "server/verbs/context/first_objects.h"

namespace dray::server::verbs::inline context {
namespace {

namespace core_v1 = api::core_v1;

constexpr std::string_view kServer = "kube-apiserver";
constexpr std::string_view kService = "kubernetes";
constexpr std::string_view kServiceAddress = "10.0.0.1";
constexpr int32_t kServicePort = 443;

// The descriptions of api::pods::kSystemPriorities, in their order.
constexpr std::string_view kPriorityDescriptions[] = {
    "Pods of the system that must stay on their node.",
    "Pods of the system that may run on another node."};
static_assert(std::size(kPriorityDescriptions) == std::size(api::pods::kSystemPriorities));

ResourceRequest RequestFor(Verb verb, api::Object object) {
  ResourceRequest request;
  request.verb = verb;
  request.kind = &object.kind();
  request.namespace_ = object.metadata().namespace_;
  request.user = User{.name = {}, .uid = {}, .groups = {std::string(access::kMasters)}};
  request.write.field_manager = kServer;
  if (verb != Verb::kCreate) request.name = object.metadata().name;
  if (verb != Verb::kDelete) request.body = std::move(object);
  return request;
}

api::Object PriorityClassOf(const api::pods::SystemPriority& priority,
                            std::string_view description) {
  api::scheduling_v1::PriorityClass object;
  object.metadata.name = priority.name;
  object.value = priority.value;
  object.description = description;
  object.preemption_policy = "PreemptLowerPriority";
  return api::Object::Of(std::move(object));
}

api::Object ServiceAt(int32_t port) {
  core_v1::Service service;
  service.metadata.name = kService;
  service.metadata.namespace_ = "default";
  service.metadata.labels.insert_or_assign("component", "apiserver");
  service.metadata.labels.insert_or_assign("provider", "kubernetes");
  service.spec.cluster_ip = kServiceAddress;
  service.spec.ip_family_policy = "SingleStack";
  core_v1::ServicePort https;
  https.name = "https";
  https.protocol = "TCP";
  https.port = kServicePort;
  https.target_port = api::IntOrString(port);
  service.spec.ports.push_back(std::move(https));
  return api::Object::Of(std::move(service));
}

api::Object EndpointsAt(const std::string& address, int32_t port) {
  core_v1::Endpoints endpoints;
  endpoints.metadata.name = kService;
  endpoints.metadata.namespace_ = "default";
  endpoints.metadata.labels.insert_or_assign("endpointslice.kubernetes.io/skip-mirror", "true");
  core_v1::EndpointSubset& subset = endpoints.subsets.emplace_back();
  subset.addresses.emplace_back().ip = address;
  core_v1::EndpointPort& https = subset.ports.emplace_back();
  https.name = "https";
  https.port = port;
  https.protocol = "TCP";
  return api::Object::Of(std::move(endpoints));
}

api::Object SliceAt(const std::string& address, int32_t port) {
  api::discovery_v1::EndpointSlice slice;
  slice.metadata.name = kService;
  slice.metadata.namespace_ = "default";
  slice.metadata.labels.insert_or_assign("kubernetes.io/service-name", std::string(kService));
  slice.address_type = address.contains(':') ? "IPv6" : "IPv4";
  api::discovery_v1::Endpoint& endpoint = slice.endpoints.emplace_back();
  endpoint.addresses.push_back(address);
  endpoint.conditions.ready = true;
  api::discovery_v1::EndpointPort& https = slice.ports.emplace_back();
  https.name = "https";
  https.port = port;
  https.protocol = "TCP";
  return api::Object::Of(std::move(slice));
}

// Rounds of creates: another server on the same store may create the same objects at once, or the
// store may be too busy.
constexpr int kFirstTries = 5;

/// The transaction that creates `object`.
Result<store::Txn> MakingOf(const Core& core, const api::Object& object) {
  const api::KindInfo& kind = object.kind();
  const ResourceRequest request = RequestFor(Verb::kCreate, object.Clone());
  std::vector<std::string> warnings;
  const Call call{.core = &core, .request = &request, .session = nullptr, .warnings = &warnings};
  registry::WriteContext context = WriteContextOf(call, registry::Subresource::kNone, {});
  context.uid = NewUuid(core.world.random);
  api::Object stored = object.Clone();
  registry::BeginCreate(stored, context);
  DRAY_TRY_VOID(registry::BeforeCreate(registry::StrategyOf(kind), stored, context));
  NoteLevelFound(stored);
  const std::string key =
      storage::ObjectKey(kind, object.metadata().namespace_, object.metadata().name);
  store::Txn txn{.compares = {{.key = key, .modified = store::kAbsent}}};
  txn.operations.emplace_back(
      storage::PutOf(key, storage::StoredObject::Of(std::move(stored)), core.world.clock.Now()));
  return txn;
}

/// The transactions that create those of `objects` that are not in `snapshot`.
Result<std::vector<store::Txn>> MakingOfMissing(const Core& core,
                                                const store::Snapshot& snapshot,
                                                const std::vector<api::Object>& objects) {
  std::vector<store::Txn> txns;
  for (const api::Object& object : objects) {
    const api::meta_v1::ObjectMeta& meta = object.metadata();
    if (snapshot.Find(storage::ObjectKey(object.kind(), meta.namespace_, meta.name)) != nullptr) {
      continue;
    }
    DRAY_TRY(store::Txn txn, MakingOf(core, object));
    txns.push_back(std::move(txn));
  }
  return txns;
}

std::vector<api::Object> BootstrapPolicyOf(const Core& core) {
  return access::BootstrapPolicy(
      core.options.rules.For(api::Reflected<core_v1::Namespace>::kKind, nullptr).profile);
}

std::vector<api::Object> FirstObjects(const Core& core) {
  std::vector<api::Object> objects;
  if (core.rights != nullptr) objects = BootstrapPolicyOf(core);
  std::ranges::move(FirstFlowControl(), std::back_inserter(objects));
  std::ranges::move(LocalApis(core.scheme.first(), core.options.release),
                    std::back_inserter(objects));
  return objects;
}

/// The requests that repair the bootstrap policy, in the order in which they must run.
std::vector<ResourceRequest> RepairsIn(const Core& core, const store::Snapshot& snapshot) {
  std::vector<ResourceRequest> repairs;
  for (const api::Object& expected : BootstrapPolicyOf(core)) {
    const api::KindInfo& kind = expected.kind();
    const api::meta_v1::ObjectMeta& meta = expected.metadata();
    const store::Record* const record =
        snapshot.Find(storage::ObjectKey(kind, meta.namespace_, meta.name));
    if (record == nullptr) continue;
    const auto there = storage::ItemOf(storage::View::OfStorage(kind), *record);
    if (!there.has_value() || !there->has_value()) continue;
    std::optional<api::Object> repair = access::RepairOf((*there)->object, expected);
    if (!repair.has_value()) continue;
    const bool is_new = access::IsReplacement(*repair);
    if (is_new) repairs.push_back(RequestFor(Verb::kDelete, (*there)->object.Clone()));
    repairs.push_back(RequestFor(is_new ? Verb::kCreate : Verb::kUpdate, *std::move(repair)));
  }
  return repairs;
}

bool IsThere(const Answer& answer) {
  return answer.outcome.has_value() ||
         answer.outcome.error().reason == StatusReason::kAlreadyExists;
}

/// Records the result of a write of the server itself. A refusal counts as success here, so that
/// the caller continues with the other writes.
Result<> Noted(const Core& core, const std::string& what, const Answer& answer) {
  const Result<> made = IsThere(answer) ? Result<>() : Result<>(Fail(answer.outcome.error()));
  core.own_writes->Note(what, made);
  return made.has_value() || IsRefusal(made.error()) ? Result<>() : made;
}

}  // namespace

Task<> MakeNamespaces(const Core* core) {
  constexpr std::string_view kNamespaces[] = {
      "default", "kube-system", "kube-public", "kube-node-lease"};
  storage::WriteSession session(core->store, {.workers = core->options.workers});
  for (const std::string_view name : kNamespaces) {
    core_v1::Namespace object;
    object.metadata.name = name;
    DRAY_CO_TRY(const Answer answer,
                co_await CarryOutOwn(
                    core, &session, RequestFor(Verb::kCreate, api::Object::Of(std::move(object)))));
    DRAY_CO_TRY_VOID(Noted(*core, fmt::format("Namespace {}", name), answer));
  }
  co_return {};
}

Task<> MakeFirstObjects(const Core* core) {
  const std::vector<api::Object> objects = FirstObjects(*core);
  storage::WriteSession session(core->store, {.workers = core->options.workers});
  for (int tries = 0; tries < kFirstTries; ++tries) {
    DRAY_CO_TRY(const Frozen<store::Snapshot> snapshot, co_await session.ReadNewest());
    DRAY_CO_TRY(std::vector<store::Txn> txns, MakingOfMissing(*core, *snapshot, objects));
    if (txns.empty()) co_return {};
    // The commits run concurrently, so that they share the disk's flushes; the next round retries
    // the failed ones.
    for (size_t i = 0; i + 1 < txns.size(); ++i) {
      core->store.Commit(std::move(txns[i]), [](const auto& /*outcome*/) {});
    }
    DRAY_CO_TRY_VOID(co_await session.Commit(std::move(txns.back())));
  }
  co_return Fail(errors::Internal("the first objects cannot be made"));
}

Task<> RepairPolicy(const Core* core) {
  if (core->rights == nullptr) co_return {};
  storage::WriteSession session(core->store, {.workers = core->options.workers});
  DRAY_CO_TRY(const Frozen<store::Snapshot> snapshot, co_await session.ReadNewest());
  for (ResourceRequest& request : RepairsIn(*core, *snapshot)) {
    const auto* const object = std::get_if<api::Object>(&request.body);
    const std::string what = object != nullptr
                                 ? NameOfWrite(*object)
                                 : fmt::format("{} {}", request.kind->kind, request.name);
    DRAY_CO_TRY(const Answer answer, co_await CarryOutOwn(core, &session, std::move(request)));
    // Another server on the same store has already made the repair.
    const bool is_late =
        !answer.outcome.has_value() && (answer.outcome.error().reason == StatusReason::kConflict ||
                                        answer.outcome.error().reason == StatusReason::kNotFound);
    if (!is_late) DRAY_CO_TRY_VOID(Noted(*core, what, answer));
  }
  co_return {};
}

Task<> MakeCluster(const Core* core, std::string address, uint16_t port) {
  storage::WriteSession session(core->store, {.workers = core->options.workers});
  for (size_t i = 0; i < std::size(api::pods::kSystemPriorities); ++i) {
    const auto& priority = api::pods::kSystemPriorities[i];
    DRAY_CO_TRY(
        const Answer answer,
        co_await CarryOutOwn(
            core,
            &session,
            RequestFor(Verb::kCreate, PriorityClassOf(priority, kPriorityDescriptions[i]))));
    DRAY_CO_TRY_VOID(Noted(*core, fmt::format("PriorityClass {}", priority.name), answer));
  }
  std::vector<api::Object> objects;
  objects.push_back(ServiceAt(port));
  objects.push_back(EndpointsAt(address, port));
  objects.push_back(SliceAt(address, port));
  for (const api::Object& object : objects) {
    DRAY_CO_TRY(Answer answer,
                co_await CarryOutOwn(core, &session, RequestFor(Verb::kCreate, object.Clone())));
    // An object from an earlier start may name another port: update it.
    if (!answer.outcome.has_value() && IsThere(answer)) {
      DRAY_CO_TRY(answer,
                  co_await CarryOutOwn(core, &session, RequestFor(Verb::kUpdate, object.Clone())));
    }
    DRAY_CO_TRY_VOID(Noted(*core, NameOfWrite(object), answer));
  }
  co_return {};
}

}  // namespace dray::server::verbs::inline context
