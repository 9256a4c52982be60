// SPDX-License-Identifier: Apache-2.0
#include "scheduler/bind/bind.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/claims/either_claim.h"
#include "api/claims/pod_claims.h"
#include "api/claims/pod_groups.h"
#include "api/codec/json_writer.h"
#include "api/core_v1/binding.h"
#include "api/core_v1/pod.h"
#include "api/meta_v1/options.h"
#include "api/resource_v1/claim.h"
#include "base/out_of_memory.h"
#include "base/result.h"
#include "base/task.h"
#include "base/try.h"
#include "client/outcome.h"
#include "client/read_modify_write.h"
#include "client/write_rounds.h"
#include "scheduler/cluster/extended_resources.h"

namespace dray::scheduler::inline bind {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using resource_v1::ResourceClaim;

/// A claim on its way through the writes; `newest` is always what the server answered last.
struct ClaimWriter {
  client::WriteRounds& rounds;
  client::Client& client;  // of the rounds
  const api::Object& pod;
  std::optional<api::Time> allocated_at;
  const api::Maybe<resource_v1::AllocationResult>& allocation;
  resource_v1::ResourceClaimConsumerReference consumer;
  bool is_pending;  // others may have written the same allocation
  api::Object newest;
  bool unsure;  // a write on top of `newest` may have been carried out, or may still be

  const ResourceClaim& claim() const { return newest.As<ResourceClaim>(); }
  std::string key() const { return api::ObjectKey(newest.metadata()); }

  Result<> FailMeantime(std::string_view what) const {
    return Fail(StatusReason::kNotFound,
                fmt::format("claim {} got {} in the meantime", key(), what));
  }

  /// Whether the allocation that is to be written is there.
  bool IsAllocated() const {
    const auto& there = claim().status.allocation;
    return allocation && there && there->devices == allocation->devices &&
           there->node_selector == allocation->node_selector;
  }

  /// Whether everything that is to be written is there.
  bool IsDone() const {
    if (!api::claims::IsReservedFor(claim(), consumer.uid)) return false;
    return !allocation || IsAllocated();
  }

  Result<> CheckMeantime() const {
    if (is_pending && IsAllocated()) return {};
    if (allocation && claim().status.allocation) return FailMeantime("allocated elsewhere");
    if (!allocation && !claim().status.allocation) return FailMeantime("deallocated elsewhere");
    return {};
  }

  Task<> Write(api::Object next, std::string subresource, std::string_view what) {
    Result<api::Object> written = co_await rounds.Update(std::move(next), std::move(subresource));
    co_return Note(std::move(written), what);
  }

  /// The same at once.
  Result<> WriteNow(const api::Object& next, std::string_view subresource, std::string_view what) {
    return Note(client.Update(next, subresource), what);
  }

  Result<> Note(Result<api::Object> written, std::string_view what) {
    if (!written) {
      Error error = std::move(written).error();
      unsure = unsure || client::MayBeCarriedOut(error);
      error.message = fmt::format("{} to claim {}: {}", what, key(), error.message);
      return Fail(std::move(error));
    }
    newest = *std::move(written);
    unsure = false;  // whatever was written on the version before
    return {};
  }

  bool NeedsFinalizer() const {
    return allocation && !api::claims::HasFinalizer(newest.metadata());
  }

  api::Object WithFinalizer() const {
    api::Object copy = newest.Clone();
    copy.mutable_metadata().finalizers.emplace_back(api::claims::kFinalizer);
    return copy;
  }

  bool Allocates() const { return allocation && !claim().status.allocation; }

  api::Object WithStatus() const {
    api::Object copy = newest.Clone();
    resource_v1::ResourceClaimStatus& status = copy.Mutable<ResourceClaim>().status;
    if (Allocates()) {
      status.allocation = *allocation;
      status.allocation->allocation_timestamp = allocated_at;
    }
    status.reserved_for.push_back(consumer);
    return copy;
  }

  /// All that is to be written, as parts of a sequence; false if that cannot be right.
  bool AddWrites(std::vector<client::Write>& writes) const {
    if (newest.metadata().deletion_timestamp || !CheckMeantime()) return false;
    api::Object status = WithStatus();
    if (NeedsFinalizer()) {
      writes.push_back({.verb = client::Write::Verb::kUpdate, .object = WithFinalizer()});
      status.mutable_metadata().resource_version.clear();  // the one that this leaves
    }
    writes.push_back({.verb = client::Write::Verb::kUpdate,
                      .object = std::move(status),
                      .subresource = "status"});
    return true;
  }

  Task<> TryOnce() {
    if (newest.metadata().deletion_timestamp) co_return FailMeantime("deleted");
    if (IsDone()) co_return {};
    DRAY_CO_TRY_VOID(CheckMeantime());
    if (NeedsFinalizer()) {
      DRAY_CO_TRY_VOID(co_await Write(WithFinalizer(), "", "add finalizer"));
    }
    co_return co_await Write(
        WithStatus(), "status", Allocates() ? "add allocation and reservation" : "add reservation");
  }

  /// Reads the claim, which shows whether a write on top of `newest` has been carried out: not, and
  /// never will be, if the version is another one without it.
  Result<> LookAgain() {
    Result<api::Object> read = client.Get(client::RefOf(newest));
    if (!read) {
      if (read.error().reason == StatusReason::kNotFound) unsure = false;
      return std::move(read).failure();
    }
    if (read->metadata().uid != newest.metadata().uid) {
      unsure = false;
      return FailMeantime("deleted and made again");
    }
    if (read->metadata().resource_version != newest.metadata().resource_version) unsure = false;
    newest = *std::move(read);
    return {};
  }

  Result<> RemoveFinalizer() {
    api::Object copy = newest.Clone();
    if (std::erase(copy.mutable_metadata().finalizers, api::claims::kFinalizer) == 0) return {};
    return WriteNow(copy, {}, "remove finalizer");
  }

  /// Sees to it that an unanswered write on top of `newest` is never carried out: by another one.
  Result<> Revoke() {
    if (!allocation) return {};
    if (NeedsFinalizer()) DRAY_TRY_VOID(WriteNow(WithFinalizer(), {}, "add finalizer"));
    return RemoveFinalizer();
  }

  Result<> UnreserveOnce(bool pod_goes) {
    const bool is_ours = consumer.uid == pod.metadata().uid;
    if (!is_ours || !api::claims::IsReservedFor(claim(), consumer.uid)) return {};
    api::Object copy = newest.Clone();
    resource_v1::ResourceClaimStatus& status = copy.Mutable<ResourceClaim>().status;
    std::erase_if(status.reserved_for,
                  [&](const auto& user) { return user.uid == pod.metadata().uid; });
    const bool gives_back = pod_goes && status.reserved_for.empty();
    if (gives_back) api::claims::ClearAllocation(status);
    DRAY_TRY_VOID(WriteNow(copy, "status", "remove reservation"));
    return gives_back ? RemoveFinalizer() : Result<>();
  }

  /// A conflict means that another client changed the claim. Reads the claim again, and continues
  /// if the change is harmless.
  Task<> Run() {
    for (int tries = 1;; ++tries) {
      if (unsure) DRAY_CO_TRY_VOID(LookAgain());
      Result<> done = co_await TryOnce();
      const bool is_last = tries == kClaimTriesMax;
      if (done || (is_last && !unsure)) co_return done;
      if (client::MayBeCarriedOut(done.error())) {
        if (is_last) co_return done;
      } else if (done.error().reason == StatusReason::kConflict && !is_last) {
        if (!unsure) DRAY_CO_TRY_VOID(LookAgain());
      } else {
        if (unsure) (void)Revoke();
        co_return done;
      }
    }
  }

  /// Drops the pod from the claim's consumers. The claim controller repairs what is refused.
  void Unreserve(bool pod_goes) {
    for (int tries = 1; tries <= client::kConflictTriesMax; ++tries) {
      if (unsure && !LookAgain()) return;
      const Result<> done = UnreserveOnce(pod_goes);
      if (done) return;
      const bool is_conflict = done.error().reason == StatusReason::kConflict;
      if (is_conflict && !unsure && !LookAgain()) return;
      if (!is_conflict && !unsure) return;
    }
  }
};

ClaimWriter WriterOf(client::WriteRounds& rounds, const BindTask& task, const ClaimToBind& claim) {
  return {.rounds = rounds,
          .client = rounds.client(),
          .pod = task.pod,
          .allocated_at = task.allocated_at,
          .allocation = claim.allocation,
          .consumer = claim.consumer.value_or(api::claims::ConsumerOf(task.pod.As<core_v1::Pod>())),
          .is_pending = claim.is_pending,
          .newest = claim.claim,
          .unsure = claim.unsure};
}

void Remember(const ClaimWriter& writer, ClaimToBind& claim) {
  claim.claim = writer.newest;
  claim.unsure = writer.unsure;
}

api::Object BindingOf(const BindTask& task) {
  core_v1::Binding binding;
  binding.metadata.namespace_ = task.pod.metadata().namespace_;
  binding.metadata.name = task.pod.metadata().name;
  binding.metadata.uid = task.pod.metadata().uid;
  binding.target.kind = "Node";
  binding.target.name = task.node;
  return api::Object::Of(std::move(binding));
}

/// Binds the pod once; nothing, if it is bound as wanted.
Task<> BindPodOnce(client::WriteRounds* rounds, const BindTask* task) {
  DRAY_CO_TRY_VOID(
      co_await rounds->CreateSubresource(client::RefOf(task->pod), "binding", BindingOf(*task)));
  co_return {};
}

enum class PodState : uint8_t { kWaits, kBound, kElsewhere, kGone };

/// The state of the pod; kGone: it was deleted or has ended, so it can no longer be bound.
Result<PodState> LookAtPod(client::Client& client, const BindTask& task) {
  const Result<api::Object> read = client.Get(client::RefOf(task.pod));
  if (!read) {
    if (read.error().reason == StatusReason::kNotFound) return PodState::kGone;
    return Fail(read.error());
  }
  if (read->metadata().uid != task.pod.metadata().uid) return PodState::kGone;
  const std::string& node = read->As<core_v1::Pod>().spec.node_name;
  if (node == task.node) return PodState::kBound;
  if (!node.empty()) return PodState::kElsewhere;
  return read->metadata().deletion_timestamp ? PodState::kGone : PodState::kWaits;
}

/// Binds the pod. kWaits: it was refused (`refusal` has the reason) or is unknown (task.unsure).
Task<PodState> BindPod(client::WriteRounds* rounds, BindTask* task, Error* refusal) {
  for (int tries = 1; tries <= client::kConflictTriesMax; ++tries) {
    if (task->unsure) {
      DRAY_CO_TRY(const PodState state, LookAtPod(rounds->client(), *task));
      task->unsure = state == PodState::kWaits;
      if (!task->unsure) co_return state;
    }
    Result<> bound = co_await BindPodOnce(rounds, task);
    if (bound) {
      task->unsure = false;
      co_return PodState::kBound;
    }
    *refusal = std::move(bound).error();
    if (client::MayBeCarriedOut(*refusal)) task->unsure = true;
    if (task->unsure) continue;
    if (refusal->reason != StatusReason::kConflict) co_return PodState::kWaits;
    co_return LookAtPod(rounds->client(), *task);
  }
  co_return PodState::kWaits;
}

/// Creates the claim for extended resources. If that is not answered, whatever there may be is
/// found and deleted by the next attempt: nothing is allocated to it yet.
Task<> CreateExtended(client::WriteRounds* rounds, ClaimToBind* claim) {
  Result<api::Object> created = co_await rounds->Create(claim->claim);
  if (!created) {
    Error error = std::move(created).error();
    error.message = fmt::format("create claim for extended resources {}/: {}",
                                claim->claim.metadata().namespace_,
                                error.message);
    co_return Fail(std::move(error));
  }
  claim->claim = *std::move(created);
  co_return {};
}

bool IsToCreate(const ClaimToBind& claim) {
  return claim.is_extended && claim.claim.metadata().name.empty();
}

Task<> BindClaim(client::WriteRounds* rounds, const BindTask* task, ClaimToBind* claim) {
  if (IsToCreate(*claim)) DRAY_CO_TRY_VOID(co_await CreateExtended(rounds, claim));
  ClaimWriter writer = WriterOf(*rounds, *task, *claim);
  Result<> done = co_await writer.Run();
  Remember(writer, *claim);
  co_return done;
}

/// Changes the status of the pod, if it is still the one of the task. `edit`: whether there was
/// anything to change. Errors are reported as those of `what`.
Task<> WritePodStatus(client::WriteRounds* rounds,
                      const BindTask* task,
                      std::string_view what,
                      std::function<bool(core_v1::PodStatus& status)> edit) {
  const client::Edit edit_pod = [&](api::Object& copy) -> Result<client::Change> {
    auto& pod = copy.Mutable<core_v1::Pod>();
    const bool is_same = pod.metadata.uid == task->pod.metadata().uid;
    return is_same && edit(pod.status) ? client::Change::kWrite : client::Change::kNothing;
  };
  Result<api::Object> written =
      co_await client::ReadModifyWrite(rounds, task->pod, "status", &edit_pod);
  if (written) co_return {};
  Error error = std::move(written).error();
  error.message = fmt::format("{} pod {} {}: {}",
                              what.starts_with("Ext") ? "update" : "updating",  // upstream's words
                              api::ObjectKey(task->pod.metadata()),
                              what,
                              error.message);
  co_return Fail(std::move(error));
}

/// The name of the claim for extended resources; empty: there is none.
std::string ExtendedClaimOf(const BindTask& task) {
  const auto claim = std::ranges::find_if(task.claims, &ClaimToBind::is_extended);
  return claim == task.claims.end() ? std::string() : claim->claim.metadata().name;
}

/// Says in the pod's status which claim serves its extended resources.
Task<> ShowExtendedClaim(client::WriteRounds* rounds, const BindTask* task) {
  core_v1::PodExtendedResourceClaimStatus shown;
  shown.resource_claim_name = ExtendedClaimOf(*task);
  if (shown.resource_claim_name.empty()) co_return {};
  std::ranges::copy(task->extended_mappings, std::back_inserter(shown.request_mappings));
  co_return co_await WritePodStatus(
      rounds, task, "ExtendedResourceClaimStatus", [shown](core_v1::PodStatus& status) {
        if (status.extended_resource_claim_status == shown) return false;
        status.extended_resource_claim_status = shown;
        return true;
      });
}

/// Says in the pod's status what its devices take of the node.
Task<> ShowTaken(client::WriteRounds* rounds, const BindTask* task) {
  if (task->taken.empty()) co_return {};
  api::List<core_v1::NodeAllocatableResourceClaimStatus> shown;
  for (core_v1::NodeAllocatableResourceClaimStatus one : task->taken) {
    if (one.resource_claim_name == kExtendedClaimName) {
      one.resource_claim_name = ExtendedClaimOf(*task);
    }
    shown.push_back(std::move(one));
  }
  co_return co_await WritePodStatus(
      rounds, task, "NodeAllocatableResourceClaimStatuses", [shown](core_v1::PodStatus& status) {
        if (status.node_allocatable_resource_claim_statuses == shown) return false;
        status.node_allocatable_resource_claim_statuses = shown;
        return true;
      });
}

/// An empty list that is said clears it; one that is left out would mean nothing.
void ClearTaken(client::Client& client, const BindTask& task) {
  if (task.taken.empty()) return;
  std::string patch;
  api::JsonWriter json(patch);
  json.Object([&] {
    json.Member("metadata").Object({{"uid", task.pod.metadata().uid}});
    json.Member("status").Object(
        [&] { json.Member("nodeAllocatableResourceClaimStatuses").Array([] {}); });
  });
  (void)client.Patch(client::RefOf(task.pod), client::PatchType::kMerge, patch, "status");
}

/// What upstream's plugin does before the binding.
Task<> PreBind(client::WriteRounds* rounds, BindTask* task) {
  for (ClaimToBind& claim : task->claims) {
    DRAY_CO_TRY_VOID(co_await BindClaim(rounds, task, &claim));
  }
  DRAY_CO_TRY_VOID(co_await ShowExtendedClaim(rounds, task));
  co_return co_await ShowTaken(rounds, task);
}

/// Whether nothing is known that makes the writes of the task depend on more than each other.
bool IsPlain(const BindTask& task) {
  if (task.waits || task.unsure || !task.taken.empty()) return false;
  return std::ranges::none_of(task.claims, [](const ClaimToBind& claim) {
    return claim.unsure || claim.is_pending || claim.is_extended;
  });
}

/// Tries to write everything as one sequence, so that a disk is waited for once: whether the pod is
/// bound. If not, nothing has been written, or the claims say that this is not known: the binding
/// shares their fate.
Task<bool> BindAtOnce(client::WriteRounds* rounds, BindTask* task) {
  if (!rounds->client().takes_sequences() || !IsPlain(*task)) co_return false;
  std::vector<client::Write> writes;
  std::vector<std::pair<ClaimToBind*, size_t>> last;  // and which write leaves it as it will be
  for (ClaimToBind& claim : task->claims) {
    const ClaimWriter writer = WriterOf(*rounds, *task, claim);
    if (writer.IsDone()) continue;
    if (!writer.AddWrites(writes)) co_return false;
    last.emplace_back(&claim, writes.size() - 1);
  }
  if (writes.empty()) co_return false;  // one write needs no sequence
  writes.push_back({.verb = client::Write::Verb::kCreate,
                    .object = BindingOf(*task),
                    .subresource = "binding",
                    .parent = client::RefOf(task->pod)});
  const Result<std::vector<api::Object>> written = co_await rounds->InSequence(std::move(writes));
  const bool is_unknown = !written && client::MayBeCarriedOut(written.error());
  for (const auto& [claim, index] : last) {
    claim->unsure = is_unknown;
    if (written) claim->claim = (*written)[index];
  }
  co_return written.has_value();
}

/// Shows for which node the pod waits. That it may be refused is no reason to give up.
Task<> Nominate(client::WriteRounds* rounds, const BindTask* task) {
  (void)co_await WritePodStatus(
      rounds, task, "NominatedNodeName", [task](core_v1::PodStatus& status) {
        if (status.nominated_node_name == task->node) return false;
        status.nominated_node_name = task->node;
        return true;
      });
  co_return {};
}

bool IsUnsure(const BindTask& task) {
  return task.unsure || std::ranges::any_of(task.claims, &ClaimToBind::unsure);
}

/// What Bind is about, without what follows from a failure: why the pod is not bound, empty if it
/// is, or waits. `is_elsewhere`: another scheduler bound it, and it needs the reservations.
Task<std::string> TryToBind(client::WriteRounds* rounds, BindTask* task, bool* is_elsewhere) {
  DRAY_CO_TRY(const bool is_bound, co_await BindAtOnce(rounds, task));
  if (is_bound) co_return std::string();
  if (task->waits) (void)co_await Nominate(rounds, task);
  const Result<> done = co_await PreBind(rounds, task);
  if (!done) {
    co_return "running PreBind plugin \"DynamicResources\": " + done.error().message;
  }
  if (task->waits) co_return std::string();
  Error refusal{.message = "the pod is gone, or bound to another node"};
  const Result<PodState> state = co_await BindPod(rounds, task, &refusal);
  if (state && *state == PodState::kBound) co_return std::string();
  *is_elsewhere = state && *state == PodState::kElsewhere;
  co_return "running Bind plugin \"DefaultBinder\": " + refusal.message;
}

/// The pod as it is if it may be bound, by another scheduler perhaps; empty if that is all that is
/// known; nothing if it is not bound.
std::optional<api::Object> BoundPod(client::Client& client, const BindTask& task) {
  Result<api::Object> read = client.Get(client::RefOf(task.pod));
  if (!read) {
    if (read.error().reason == StatusReason::kNotFound) return std::nullopt;
    return api::Object();
  }
  const bool is_other = read->metadata().uid != task.pod.metadata().uid;
  if (is_other || read->As<core_v1::Pod>().spec.node_name.empty()) return std::nullopt;
  return *std::move(read);
}

/// Whether the claim for extended resources is unused: the bound pod does not name it.
bool IsLeftOver(const ClaimToBind& claim, const std::optional<api::Object>& bound) {
  if (!bound) return true;
  if (bound->empty()) return false;
  const auto& shown = bound->As<core_v1::Pod>().status.extended_resource_claim_status;
  return !shown || shown->resource_claim_name != claim.claim.metadata().name;
}

/// A bound pod needs its reservations, also those of other schedulers. The claim controller frees
/// those that are not needed.
void TakeBack(client::WriteRounds& rounds, BindTask& task) {
  client::Client& client = rounds.client();
  const std::optional<api::Object> bound = BoundPod(client, task);
  for (ClaimToBind& claim : task.claims) {
    if (claim.is_extended && !claim.unsure) {
      // What cannot be deleted now is in the way of the next attempt, which deletes it.
      const bool goes = !IsToCreate(claim) && IsLeftOver(claim, bound);
      if (goes) (void)DeleteExtendedClaim(client, claim.claim);
      continue;
    }
    if (bound) {
      // If a late write removes a reservation, the claim controller makes it again. If the pod
      // cannot be read, its state is still unknown.
      if (!bound->empty()) claim.unsure = false;
      continue;
    }
    ClaimWriter writer = WriterOf(rounds, task, claim);
    writer.Unreserve(task.pod_goes);
    Remember(writer, claim);
  }
  if (!bound) ClearTaken(client, task);
}

}  // namespace

Task<BindOutcome> Bind(client::WriteRounds* rounds, BindTask* task) {
  BindOutcome outcome{.pod_key = task->pod_key, .pod = task->pod, .node = task->node};
  outcome.written.reserve(task->claims.size());
  bool is_elsewhere = false;
  const bool has_failed = !task->refusal.empty();
  if (has_failed) {
    outcome.error = task->refusal;
  } else {
    Result<std::string> error = co_await TryToBind(rounds, task, &is_elsewhere);
    if (!error) EndOutOfMemory();  // the task fails for no other reason
    outcome.error = *std::move(error);
  }
  if (has_failed || (!outcome.error.empty() && !is_elsewhere && !IsUnsure(*task))) {
    task->refusal = outcome.error;
    TakeBack(*rounds, *task);
  }
  for (const ClaimToBind& claim : task->claims) {
    if (!IsToCreate(claim)) outcome.written.push_back(claim.claim);
  }
  if (IsUnsure(*task)) {
    outcome.unknown = std::move(*task);
    co_return outcome;
  }
  outcome.holds = std::exchange(task->holds, {});
  if (task->waits && outcome.error.empty()) {
    outcome.waiting = std::move(*task);
  }
  co_return outcome;
}

BindOutcome Bind(client::Client& client, BindTask task) {
  Result<BindOutcome> outcome = client::RunAlone<BindOutcome>(
      client, [&](client::WriteRounds& rounds) { return Bind(&rounds, &task); });
  if (!outcome) EndOutOfMemory();  // the task fails for no other reason
  return *std::move(outcome);
}

Result<> DeleteExtendedClaim(client::Client& client, const api::Object& claim) {
  const std::string& uid = claim.metadata().uid;
  const Result<api::Object> freed =
      client::ReadModifyWrite(client, claim, {}, [&](api::Object& copy) -> Result<client::Change> {
        const bool is_same = copy.metadata().uid == uid;
        if (!is_same ||
            std::erase(copy.mutable_metadata().finalizers, api::claims::kFinalizer) == 0) {
          return client::Change::kNothing;
        }
        return client::Change::kWrite;
      });
  const auto is_gone = [](const Error& error) { return error.reason == StatusReason::kNotFound; };
  if (!freed) return is_gone(freed.error()) ? Result<>() : Fail(freed.error());
  if (freed->metadata().uid != uid) return {};
  api::meta_v1::DeleteOptions options;
  options.preconditions = api::meta_v1::Preconditions{.uid = uid};
  const Result<> deleted = client.Delete(client::RefOf(claim), options);
  return deleted || is_gone(deleted.error()) ? Result<>() : Fail(deleted.error());
}

Result<api::Object> Deallocate(client::Client& client, const api::Object& claim) {
  api::Object copy = claim.Clone();
  resource_v1::ResourceClaimStatus& status = copy.Mutable<ResourceClaim>().status;
  api::claims::ClearAllocation(status);
  status.reserved_for.clear();
  return client.Update(copy, "status");
}

}  // namespace dray::scheduler::inline bind
