// SPDX-License-Identifier: Apache-2.0
#include "client/leader_election.h"

#include <utility>

#include <fmt/format.h>

#include "api/kind.h"
#include "api/object.h"
#include "api/value/time.h"
#include "base/try.h"

namespace dray::client {
namespace {

using api::coordination_v1::Lease;
using api::coordination_v1::LeaseSpec;

// What a lease that was given up says; upstream's.
constexpr int32_t kGivenUpSeconds = 1;

api::MicroTime MicrosOf(WallTime moment) {
  return api::MicroTime::FromUnixMicros(
      std::chrono::floor<std::chrono::microseconds>(moment).time_since_epoch().count());
}

}  // namespace

LeaderElection::LeaderElection(
    Client& client, World& world, Log log, LeaderElectionOptions options, LeaderCallbacks callbacks)
    : client_(client),
      world_(world),
      log_(std::move(log)),
      options_(std::move(options)),
      callbacks_(std::move(callbacks)) {}

std::optional<MonotonicTime> LeaderElection::Step() {
  // A try that takes long counts from its beginning: others count from the write inside it.
  const MonotonicTime begun = world_.clock.Monotonic();
  const Try outcome = AcquireOrRenew();
  const MonotonicTime now = world_.clock.Monotonic();
  if (outcome == Try::kMine) {
    renewed_ = begun;
    if (!leading_) Lead();
  } else if (leading_ && (outcome == Try::kHeldByAnother ||
                          now - renewed_ >= RenewDeadline(options_.duration))) {
    StepDown();
  }
  if (outcome == Try::kHeldByAnother) return now + options_.look_period;
  return now + RetryPeriod(options_.duration);
}

void LeaderElection::Run() {
  loop_.Run(world_.clock, [this] { return Step(); });
  if (!leading_) return;
  StepDown();
  GiveUp();
}

LeaderElection::Try LeaderElection::AcquireOrRenew() {
  const ObjectRef ref{.kind = &api::Reflected<Lease>::kKind,
                      .namespace_ = options_.lease_namespace,
                      .name = options_.lease_name};
  const Result<api::Object> known = client_.Get(ref);
  Result<> done;
  if (known.has_value()) {
    Observe(*known);
    if (IsHeldByAnother(known->As<Lease>().spec)) return Try::kHeldByAnother;
    done = Take(*known);
  } else if (known.error().reason == StatusReason::kNotFound) {
    done = Create(ref);
  } else {
    done = Fail(known.error());
  }
  if (done.has_value()) {
    last_failure_.clear();
    return Try::kMine;
  }
  // Another candidate was faster. The next try reads which one.
  const bool raced = done.error().reason == StatusReason::kConflict ||
                     done.error().reason == StatusReason::kAlreadyExists;
  if (!raced && last_failure_ != done.error().message) {
    last_failure_ = done.error().message;
    log_.Warning("cannot write the leader's lease", "error", last_failure_);
  }
  return Try::kFailed;
}

Result<> LeaderElection::Create(const ObjectRef& ref) {
  Lease lease;
  lease.metadata.namespace_ = ref.namespace_;
  lease.metadata.name = ref.name;
  lease.spec = NextSpec({});
  DRAY_TRY(const api::Object created, client_.Create(api::Object::Of(std::move(lease))));
  Observe(created);
  transitions_ = created.As<Lease>().spec.lease_transitions.value_or(0);
  return {};
}

Result<> LeaderElection::Take(const api::Object& known) {
  api::Object next = known.Clone();
  next.Mutable<Lease>().spec = NextSpec(known.As<Lease>().spec);
  DRAY_TRY(const api::Object taken, client_.Update(next));
  Observe(taken);
  transitions_ = taken.As<Lease>().spec.lease_transitions.value_or(0);
  return {};
}

void LeaderElection::Observe(const api::Object& lease) {
  const std::string& version = lease.metadata().resource_version;
  if (version == observed_) return;
  observed_ = version;
  observed_at_ = world_.clock.Monotonic();
}

bool LeaderElection::IsHeldByAnother(const LeaseSpec& spec) const {
  const std::string holder = spec.holder_identity.value_or("");
  if (holder.empty() || holder == options_.identity) return false;
  const std::chrono::seconds duration(spec.lease_duration_seconds.value_or(0));
  return world_.clock.Monotonic() < observed_at_ + duration;
}

LeaseSpec LeaderElection::NextSpec(const LeaseSpec& known) const {
  LeaseSpec next = known;
  const api::MicroTime now = MicrosOf(world_.clock.Now());
  if (known.holder_identity != options_.identity) {
    next.acquire_time = now;
    if (known.holder_identity.has_value()) {
      next.lease_transitions = known.lease_transitions.value_or(0) + 1;
    } else {
      next.lease_transitions = 0;
    }
  }
  next.holder_identity = options_.identity;
  next.lease_duration_seconds = static_cast<int32_t>(options_.duration.count());
  next.renew_time = now;
  return next;
}

void LeaderElection::Lead() {
  log_.Info("leads", "lease", options_.lease_name, "identity", options_.identity);
  leading_ = callbacks_.started({.lease_namespace = options_.lease_namespace,
                                 .lease_name = options_.lease_name,
                                 .holder = options_.identity,
                                 .transitions = transitions_});
}

void LeaderElection::StepDown() {
  leading_ = false;
  log_.Info("leads no more", "lease", options_.lease_name, "identity", options_.identity);
  callbacks_.stopped();
}

void LeaderElection::GiveUp() {
  const Result<api::Object> known = client_.Get({.kind = &api::Reflected<Lease>::kKind,
                                                 .namespace_ = options_.lease_namespace,
                                                 .name = options_.lease_name});
  if (!known.has_value()) return;  // it ends by itself
  if (known->As<Lease>().spec.holder_identity != options_.identity) return;
  api::Object free = known->Clone();
  LeaseSpec& spec = free.Mutable<Lease>().spec;
  spec.holder_identity = "";
  spec.lease_duration_seconds = kGivenUpSeconds;
  spec.renew_time = spec.acquire_time = MicrosOf(world_.clock.Now());
  const Result<api::Object> freed = client_.Update(free);
  if (!freed.has_value()) log_.Debug("the lease ends by itself", "error", freed.error().message);
}

}  // namespace dray::client
