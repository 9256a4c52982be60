// SPDX-License-Identifier: Apache-2.0
// The budget of an attempt, and the handling of pods whose attempt spends it: docs/design/
// control-plane.md.
#include "scheduler/cycle/decider.h"

#include <algorithm>

#include <fmt/format.h>

namespace dray::scheduler::inline cycle {
namespace {

// The budget of an attempt, in units of Work: at first, how often it is doubled, and the extra for
// the size of the cluster, which is not the pod's fault.
constexpr uint64_t kFirstWork = 50'000'000;
constexpr int kWorkDoublings = 3;
constexpr uint64_t kWorkForNode = 1'000;
constexpr uint64_t kWorkForPod = 200;
// The cost of any attempt, in addition to the work that it counts.
constexpr uint64_t kWorkOfAttempt = 100'000;
// The most members of a group that have a share each.
constexpr size_t kGroupSharesMax = 16;
// How long a share rests per unit of an attempt that spent its budget: its attempts take 1 % of the
// time.
constexpr int64_t kRestPerWork = 100;
constexpr std::chrono::seconds kRestMax{30};

}  // namespace

void Decider::Begin(const std::string& entry, size_t pods) {
  const int times = std::min(uses_.queue.TimesAside(entry), kWorkDoublings);
  const ClusterObjects& objects = uses_.cluster.objects();
  const uint64_t of_cluster =
      kWorkForNode * objects.nodes.objects().size() + kWorkForPod * objects.pods.objects().size();
  const uint64_t work = (kFirstWork + of_cluster) << static_cast<unsigned>(times);
  rest_ =
      std::min(kRestPerWork * std::chrono::nanoseconds(work), std::chrono::nanoseconds(kRestMax));
  granted_ = work * std::clamp<size_t>(pods, 1, kGroupSharesMax);
  work_.emplace(granted_);
}

Decision Decider::Decide(const api::core_v1::Pod& pod,
                         std::span<const api::Object> claims,
                         const AsMember& member,
                         const OtherClaims* others) {
  const Profile& profile = *ProfileOf(uses_.configuration, pod);
  return TryPod(uses_.cluster,
                pod,
                claims,
                {.profile = profile,
                 .budget = BudgetFor(pod),
                 .cycle = options_.cycle,
                 .now = uses_.clock.Now(),
                 .first_node = first_node_,
                 .member = member,
                 .others = others,
                 .verdicts = &verdicts_,
                 .too_much_is_unresolvable = options_.too_much_is_unresolvable});
}

uint64_t Decider::Charge(std::string_view entry) {
  const uint64_t work = kWorkOfAttempt + granted_ - work_->left();
  uses_.queue.Charge(entry, work);
  return work;
}

std::string Decider::PutAside(const std::string& entry) {
  const std::chrono::nanoseconds aside =
      uses_.queue.PutAside(entry, rest_, uses_.clock.Monotonic());
  return fmt::format("it is put aside for {} s",
                     std::chrono::duration_cast<std::chrono::seconds>(aside).count());
}

allocator::Budget Decider::BudgetFor(const api::core_v1::Pod& pod) {
  if (!work_.has_value()) Begin({}, 1);
  allocator::Budget budget = BudgetOf(*ProfileOf(uses_.configuration, pod));
  budget.cancelled = &uses_.cancelled;
  budget.work = &*work_;
  return budget;
}

}  // namespace dray::scheduler::inline cycle
