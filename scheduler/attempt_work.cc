// SPDX-License-Identifier: Apache-2.0
// What an attempt may do, and what becomes of a pod whose attempt takes more (docs/design/
// control-plane.md).
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "scheduler/scheduler.h"

namespace dray::scheduler {
namespace {

// Of an attempt, in units of Work: what it may do at first, how often that is doubled, and what is
// added for what the cluster holds, which the pod is not to blame for.
constexpr uint64_t kFirstWork = 50'000'000;
constexpr int kWorkDoublings = 3;
constexpr uint64_t kWorkForNode = 1'000;
constexpr uint64_t kWorkForPod = 200;
// Of any attempt, beside what it counts itself.
constexpr uint64_t kWorkOfAttempt = 100'000;
// Members of a group with a share each.
constexpr size_t kGroupSharesMax = 16;
// What a share rests for each unit of an attempt that took too much: its attempts take one part in
// a hundred of the time.
constexpr int64_t kRestPerWork = 100;
constexpr std::chrono::seconds kRestMax{30};

}  // namespace

/// What an attempt may do: little at first, so that others wait little for one that leads to
/// nothing; more each time that it was not enough, up to half a second. `pods` of a group have a
/// share each.
void Scheduler::BeginWork(const std::string& entry, size_t pods) {
  const int times = std::min(queue_.TimesAside(entry), kWorkDoublings);
  const uint64_t of_cluster = kWorkForNode * cluster_.objects().nodes.objects().size() +
                              kWorkForPod * cluster_.objects().pods.objects().size();
  const uint64_t work = (kFirstWork + of_cluster) << static_cast<unsigned>(times);
  rest_ =
      std::min(kRestPerWork * std::chrono::nanoseconds(work), std::chrono::nanoseconds(kRestMax));
  granted_ = work * std::clamp<size_t>(pods, 1, kGroupSharesMax);
  work_.emplace(granted_);
}

/// Counts the attempt for the entry against its namespace. Returns what the attempt has taken.
uint64_t Scheduler::ChargeAttempt(std::string_view entry) {
  const uint64_t work = kWorkOfAttempt + granted_ - work_->left();
  queue_.Charge(entry, work);
  return work;
}

/// After an attempt that took too much; says for how long.
std::string Scheduler::PutAside(const std::string& entry) {
  const std::chrono::nanoseconds aside = queue_.PutAside(entry, rest_, Now());
  return fmt::format("it is put aside for {} s",
                     std::chrono::duration_cast<std::chrono::seconds>(aside).count());
}

allocator::Budget Scheduler::BudgetFor(const Profile& profile) {
  allocator::Budget budget = BudgetOf(profile);
  budget.cancelled = &stopping_;
  budget.work = &*work_;
  return budget;
}

void Scheduler::HandleFailure(const std::string& key,
                              const api::Object& pod,
                              const AttemptFailed& failed) {
  if (!failed.took_too_much) return HandleFailure(key, pod, failed.message);
  const std::string message = fmt::format("{}; {}", failed.message, PutAside(key));
  log_.Warning("attempt given up", "pod", key, "error", message);
  RecordFailure(pod, {.reason = "SchedulerError", .message = message, .nomination = ""});
}

}  // namespace dray::scheduler
