// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/admitted_client.h"

#include <utility>

#include "api/core_v1/limit_range.h"
#include "api/core_v1/namespace.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/resource_quota.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/scheduling_v1.h"
#include "api/scheduling_v1beta1.h"
#include "base/check.h"
#include "base/log.h"
#include "base/task.h"
#include "base/try.h"

namespace dray::judges {
namespace {

namespace core = api::core_v1;

/// Whether the whole server stores the kind: objects that it admits, or that admission reads.
bool IsOfServer(const api::Object& object) {
  if (object.If<api::resource_v1::ResourceClaim>() != nullptr)
    return !object.metadata().owner_references.empty();
  return object.If<core::Pod>() != nullptr || object.If<core::Namespace>() != nullptr ||
         object.If<core::ResourceQuota>() != nullptr || object.If<core::LimitRange>() != nullptr ||
         object.If<api::resource_v1::DeviceClass>() != nullptr ||  // quotas of extended resources
         object.If<api::scheduling_v1::PriorityClass>() != nullptr ||
         object.If<api::scheduling_v1beta1::PodGroup>() != nullptr;
}

constexpr const api::KindInfo& kPods = api::Reflected<core::Pod>::kKind;

}  // namespace

AdmittedClient::AdmittedClient(World& world)
    : resources_(scheme_, store_, world, Log::Silent(), {}),
      server_(resources_, {.name = "judge"}) {
  DRAY_CHECK(Wait(resources_.Bootstrap()).has_value());
  DRAY_CHECK(Wait(resources_.BootstrapCluster("127.0.0.1", 6443)).has_value());
}

Result<api::Object> AdmittedClient::LetIn(const api::Object& object) {
  api::Object wanted = object.Clone();
  wanted.mutable_metadata().uid.clear();
  for (auto& owner : wanted.mutable_metadata().owner_references) {
    if (owner.kind != kPods.kind) continue;
    const auto pod = server_.Get({&kPods, wanted.metadata().namespace_, owner.name});
    if (pod) owner.uid = pod->metadata().uid;  // memory gave the pod another one
  }
  DRAY_TRY(api::Object stored, server_.Create(wanted));
  if (object.If<core::ResourceQuota>() == nullptr) return stored;
  api::Object counted = stored.Clone();
  counted.Mutable<core::ResourceQuota>().status = object.As<core::ResourceQuota>().status;
  return server_.Update(counted, "status");
}

Result<api::Object> AdmittedClient::Create(const api::Object& object) {
  if (!IsOfServer(object)) return memory_.Create(object);
  const bool is_of_devices = object.If<api::resource_v1::ResourceClaim>() != nullptr ||
                             object.If<api::resource_v1::DeviceClass>() != nullptr;
  const Result<api::Object> stored = LetIn(object);
  if (stored) return memory_.Create(is_of_devices ? object : *stored);
  // Random mistakes about devices do not concern admission, so memory has the claim or class all
  // the same.
  if (is_of_devices && stored.error().reason == StatusReason::kInvalid)
    return memory_.Create(object);
  return Fail(stored.error());
}

Result<> AdmittedClient::Delete(const client::ObjectRef& ref,
                                const api::meta_v1::DeleteOptions& options) {
  if (ref.kind != &api::Reflected<api::resource_v1::ResourceClaim>::kKind)
    return memory_.Delete(ref, options);
  // The server does not have claims that no pod owns.
  if (Result<api::Object> stored = server_.Get(ref)) {
    // Finalizers went in memory only, and the uid is another one there.
    stored->mutable_metadata().finalizers.clear();
    DRAY_TRY_VOID(server_.Update(*stored, ""));
    DRAY_TRY_VOID(server_.Delete(ref, {}));
  }
  return memory_.Delete(ref, options);
}

}  // namespace dray::judges
