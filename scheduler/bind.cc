// SPDX-License-Identifier: Apache-2.0
#include "scheduler/bind.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1/binding.h"
#include "api/resource_v1/claim.h"
#include "base/result.h"
#include "client/read_modify_write.h"
#include "scheduler/pod_claims.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using resource_v1::ResourceClaim;

/// A claim on its way through the writes; `newest` is always what the server answered last.
struct ClaimWriter {
  client::Client& client;
  const api::Object& pod;
  api::Time now;
  const std::optional<resource_v1::AllocationResult>& allocation;
  api::Object newest;

  const ResourceClaim& claim() const { return newest.As<ResourceClaim>(); }
  std::string key() const { return api::ObjectKey(newest.metadata()); }

  Result<> Explain(std::string_view what, Error error) const {
    error.message = fmt::format("{} to claim {}: {}", what, key(), error.message);
    return Fail(std::move(error));
  }

  Result<> CheckMeantime() const {
    const auto fail = [&](std::string_view what) {
      return Fail(StatusReason::kUnknown,
                  fmt::format("claim {} got {} in the meantime", key(), what));
    };
    if (newest.metadata().deletion_timestamp) return fail("deleted");
    if (allocation && claim().status.allocation) return fail("allocated elsewhere");
    if (!allocation && !claim().status.allocation) return fail("deallocated elsewhere");
    return {};
  }

  Result<> AddFinalizer() {
    const auto& finalizers = newest.metadata().finalizers;
    if (std::ranges::find(finalizers, kClaimFinalizer) != finalizers.end()) return {};
    api::Object copy = newest.Clone();
    copy.mutable_metadata().finalizers.emplace_back(kClaimFinalizer);
    Result<api::Object> written = client.Update(copy);
    if (!written) return Explain("add finalizer", std::move(written).error());
    newest = *std::move(written);
    return {};
  }

  Result<> WriteStatus() {
    api::Object copy = newest.Clone();
    resource_v1::ResourceClaimStatus& status = copy.Mutable<ResourceClaim>().status;
    if (allocation) {
      status.allocation = *allocation;
      status.allocation->allocation_timestamp = now;
    }
    status.reserved_for.push_back({.api_group = {},
                                   .resource = "pods",
                                   .name = pod.metadata().name,
                                   .uid = pod.metadata().uid});
    Result<api::Object> written = client.Update(copy, "status");
    if (!written) {
      return Explain(allocation ? "add allocation and reservation" : "add reservation",
                     std::move(written).error());
    }
    newest = *std::move(written);
    return {};
  }

  Result<> TryOnce() {
    DRAY_TRY_VOID(CheckMeantime());
    if (allocation) DRAY_TRY_VOID(AddFinalizer());
    if (!allocation && IsReservedFor(claim(), pod.metadata().uid)) return {};
    return WriteStatus();
  }

  /// A conflict means that somebody changed the claim: look again, and go on if that is harmless.
  Result<> Run() {
    for (int tries = 1;; ++tries) {
      Result<> done = TryOnce();
      if (done || done.error().reason != StatusReason::kConflict) return done;
      if (tries == client::kConflictTriesMax) return done;
      DRAY_TRY(newest, client.Get(client::RefOf(newest)));
    }
  }
};

/// Drops the pod from the claim's consumers. Best effort: the claim controller repairs the rest.
void Unreserve(client::Client& client, api::Object& claim, const std::string& pod_uid) {
  const Result<api::Object> written = client::ReadModifyWrite(
      client, claim, "status", [&](api::Object& copy) -> Result<client::Change> {
        const size_t erased = std::erase_if(copy.Mutable<ResourceClaim>().status.reserved_for,
                                            [&](const auto& user) { return user.uid == pod_uid; });
        return erased > 0 ? client::Change::kWrite : client::Change::kNothing;
      });
  if (written) claim = *written;
}

Result<> BindPod(client::Client& client, const BindTask& task) {
  core_v1::Binding binding;
  binding.metadata.namespace_ = task.pod.metadata().namespace_;
  binding.metadata.name = task.pod.metadata().name;
  binding.metadata.uid = task.pod.metadata().uid;
  binding.target.kind = "Node";
  binding.target.name = task.node;
  Result<> bound = client.CreateSubresource(
      client::RefOf(task.pod), "binding", api::Object::Of(std::move(binding)));
  if (bound) return bound;
  Error error = std::move(bound).error();
  error.message = "running Bind plugin \"DefaultBinder\": " + error.message;
  return Fail(std::move(error));
}

Result<> BindClaims(client::Client& client,
                    const BindTask& task,
                    std::vector<api::Object>& written) {
  for (const ClaimToBind& claim : task.claims) {
    ClaimWriter writer{.client = client,
                       .pod = task.pod,
                       .now = task.now,
                       .allocation = claim.allocation,
                       .newest = claim.claim};
    Result<> done = writer.Run();
    written.push_back(writer.newest);
    if (done) continue;
    Error error = std::move(done).error();
    error.message = "running PreBind plugin \"DynamicResources\": " + error.message;
    return Fail(std::move(error));
  }
  return {};
}

}  // namespace

BindOutcome Bind(client::Client& client, const BindTask& task) {
  BindOutcome outcome{.pod_key = task.pod_key, .pod = task.pod, .node = task.node};
  for (const ClaimToBind& claim : task.claims) {
    outcome.claim_uids.push_back(claim.claim.metadata().uid);
  }
  Result<> done = BindClaims(client, task, outcome.written);
  if (done) done = BindPod(client, task);
  if (done) return outcome;
  outcome.error = done.error().message;
  const std::string& pod_uid = task.pod.metadata().uid;
  for (api::Object& claim : outcome.written) {
    if (IsReservedFor(claim.As<ResourceClaim>(), pod_uid)) Unreserve(client, claim, pod_uid);
  }
  return outcome;
}

Result<api::Object> Deallocate(client::Client& client, const api::Object& claim) {
  api::Object copy = claim.Clone();
  resource_v1::ResourceClaimStatus& status = copy.Mutable<ResourceClaim>().status;
  status.allocation.reset();
  status.reserved_for.clear();
  status.devices.clear();
  return client.Update(copy, "status");
}

}  // namespace dray::scheduler
