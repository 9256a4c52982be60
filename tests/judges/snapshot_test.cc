// SPDX-License-Identifier: Apache-2.0
// A snapshot that is updated event by event gives the answers of one built anew, and forks are
// independent of each other.
#include "dray/snapshot.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "allocator/internals.h"
#include "allocator/snapshot/cluster_state.h"
#include "api/core_v1/node.h"
#include "dray/allocator.h"
#include "dray/profile.h"
#include "tests/judges/engines.h"
#include "tests/judges/random_events.h"
#include "tests/judges/random_problem.h"
#include "tests/soak.h"

namespace dray::judges {
namespace {

using allocator::Attempt;
using allocator::ClusterChange;
using allocator::Snapshot;

Snapshot SnapshotOf(const Problem& problem) {
  return Snapshot(
      {.features = problem.features}, problem.slices, problem.classes, problem.allocated);
}

/// Applies the event to the snapshot; `after` is the problem after it.
Snapshot Follow(const Snapshot& snapshot, const Event& event, const Problem& after) {
  if (const auto* slice = std::get_if<SliceEvent>(&event)) {
    const ClusterChange change = slice->slice == nullptr
                                     ? ClusterChange(allocator::SliceRemoved{slice->name})
                                     : ClusterChange(slice->slice);
    return snapshot.With({&change, 1});
  }
  if (const auto* device_class = std::get_if<ClassEvent>(&event)) {
    const ClusterChange change = device_class->device_class == nullptr
                                     ? ClusterChange(allocator::ClassRemoved{device_class->name})
                                     : ClusterChange(device_class->device_class);
    return snapshot.With({&change, 1});
  }
  std::vector<allocator::DeviceUseChange> changes;
  for (const allocator::DeviceId& id : std::get<ClaimEvent>(event).Touched())
    changes.push_back({.device = id, .use = allocator::UseOf(after.allocated, id.view())});
  return snapshot.With(changes);
}

std::vector<std::string> AnswersOf(const Snapshot& snapshot, const Problem& problem) {
  const Attempt attempt(snapshot, problem.claims);
  std::vector<std::string> answers;
  for (const api::core_v1::Node& node : problem.nodes)
    answers.push_back(Render(attempt.Allocate(node, {.steps_max = 20'000})));
  return answers;
}

TEST(SnapshotFollows, EveryEvent) {
  for (uint64_t seed = 1; seed <= Instances(150); ++seed) {
    // Without mistakes, because an event is ambiguous if two slices have one name.
    Problem problem = RandomProblem(seed, {.mistakes_percent = 0});
    Snapshot snapshot = SnapshotOf(problem);
    for (const Event& event : RandomEvents(problem, seed, 12)) {
      const Snapshot before = snapshot;
      const std::vector<std::string> answers_before = AnswersOf(before, problem);
      const Problem problem_before = problem;
      Apply(event, problem);
      snapshot = Follow(before, event, problem);
      ASSERT_EQ(allocator::Internals::ClusterOf(snapshot)->DifferenceFromRebuild(), "")
          << "seed " << seed;
      ASSERT_EQ(AnswersOf(snapshot, problem), AnswersOf(SnapshotOf(problem), problem))
          << "seed " << seed;
      ASSERT_EQ(AnswersOf(before, problem_before), answers_before)
          << "the older one has changed, seed " << seed;
    }
  }
}

TEST(SnapshotFollows, LabelsOfANode) {
  for (uint64_t seed = 1; seed <= Instances(150); ++seed) {
    Problem problem = RandomProblem(seed);
    const Snapshot snapshot = SnapshotOf(problem);
    AnswersOf(snapshot, problem);  // from now on the snapshot has cached views
    for (size_t i = 0; i + 1 < problem.nodes.size(); ++i)
      std::swap(problem.nodes[i].metadata.labels, problem.nodes[i + 1].metadata.labels);
    ASSERT_EQ(AnswersOf(snapshot, problem), AnswersOf(SnapshotOf(problem), problem))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace dray::judges
