// SPDX-License-Identifier: Apache-2.0
#include "scheduler/classic/classic_writes.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/claims/either_claim.h"
#include "api/claims/pod_claims.h"
#include "api/codec/json_writer.h"
#include "api/pods/life.h"
#include "api/resource_v1/claim.h"
#include "client/read_modify_write.h"

namespace dray::scheduler::inline classic {
namespace {

namespace resource_v1 = api::resource_v1;
namespace classic = api::resource_v1alpha2;
using api::resource_v1alpha2::PodSchedulingContext;

PodSchedulingContext NewContext(const api::Object& pod,
                                const classic::PodSchedulingContextSpec& spec) {
  PodSchedulingContext context;
  context.metadata.namespace_ = pod.metadata().namespace_;
  context.metadata.name = pod.metadata().name;
  context.metadata.owner_references.push_back(api::pods::AsController(pod.metadata()));
  context.metadata.owner_references.back().block_owner_deletion = true;
  context.spec = spec;
  return context;
}

/// A strategic merge patch of one entry of status.reservedFor.
Result<api::Object> PatchConsumers(client::Client& client,
                                   const api::Object& claim,
                                   std::initializer_list<api::JsonMember> entry) {
  std::string patch;
  api::JsonWriter json(patch);
  json.Object([&] {
    json.Member("metadata").Object({{"uid", claim.metadata().uid}});
    json.Member("status").Object(
        [&] { json.Member("reservedFor").Array([&] { json.Object(entry); }); });
  });
  return client.Patch(client::RefOf(claim), client::PatchType::kStrategicMerge, patch, "status");
}

void GiveUp(const classic::ResourceClaim& claim, classic::ResourceClaimStatus& status) {
  if (std::ranges::count(claim.metadata.finalizers, api::claims::kClassicFinalizer) > 0) {
    api::claims::ClearAllocation(status);
  } else {
    status.deallocation_requested = true;
  }
}

void GiveUp(const resource_v1::ResourceClaim& claim, resource_v1::ResourceClaimStatus& status) {
  if (claim.status.allocation && !claim.status.allocation->controller.empty()) {
    status.deallocation_requested = true;
  } else {
    api::claims::ClearAllocation(status);
  }
}

}  // namespace

bool IsAbout(const api::Object& context, std::string_view pod_uid) {
  return std::ranges::any_of(context.metadata().owner_references, [&](const auto& owner) {
    return owner.controller.value_or(false) && owner.uid == pod_uid;
  });
}

Result<api::Object> Say(client::Client& client,
                        const api::Object& pod,
                        const api::Object* known,
                        const classic::PodSchedulingContextSpec& spec) {
  if (known == nullptr) return client.Create(api::Object::Of(NewContext(pod, spec)));
  return client::ReadModifyWrite(
      client, *known, {}, [&](api::Object& copy) -> Result<client::Change> {
        if (!IsAbout(copy, pod.metadata().uid)) {
          return Fail(StatusReason::kConflict,
                      fmt::format("PodSchedulingContext {} is about another pod",
                                  api::ObjectKey(copy.metadata())));
        }
        copy.Mutable<PodSchedulingContext>().spec = spec;
        return client::Change::kWrite;
      });
}

Result<api::Object> AddReservation(client::Client& client,
                                   const api::Object& claim,
                                   const api::Object& pod) {
  return PatchConsumers(
      client,
      claim,
      {{"resource", "pods"}, {"name", pod.metadata().name}, {"uid", pod.metadata().uid}});
}

Result<api::Object> DropReservation(client::Client& client,
                                    const api::Object& claim,
                                    std::string_view pod_uid) {
  return PatchConsumers(client, claim, {{"$patch", "delete"}, {"uid", pod_uid}});
}

Result<api::Object> GiveUpAllocation(client::Client& client, const api::Object& claim) {
  api::Object copy = claim.Clone();
  api::claims::EditClaim(copy, [](auto& value) {
    value.status.reserved_for.clear();
    GiveUp(value, value.status);
  });
  return client.Update(copy, "status");
}

}  // namespace dray::scheduler::inline classic
