// SPDX-License-Identifier: Apache-2.0
#include "planning/capacity/carving.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace dray::planning::inline capacity {
namespace {

using CarvedFit = CarvingAnswer::Fit;

/// A GPU of four slices: whole, halves and quarters, in that order; `left` of each slice.
CarvingProblem Slices(const std::vector<int64_t>& left) {
  CarvingProblem problem{.shapes = 3, .sets = {{}}};
  for (const int64_t amount : left)
    problem.counters.push_back({.total = 1, .left = amount, .kind = 0});
  const auto part = [&](size_t shape, const std::vector<size_t>& slices) {
    CarvingPart added{.shape = shape, .sets = {{.set = 0}}};
    for (const size_t slice : slices) added.draws.push_back({.counter = slice, .amount = 1});
    problem.parts.push_back(std::move(added));
  };
  part(0, {0, 1, 2, 3});
  part(1, {0, 1});
  part(1, {2, 3});
  for (size_t slice = 0; slice < 4; ++slice) part(2, {slice});
  return problem;
}

TEST(Carving, CountsEachShapeByItselfAndOneMix) {
  const CarvingAnswer all = Carve(Slices({1, 1, 1, 1}));
  EXPECT_EQ(all.fits, (std::vector<CarvedFit>{{1, 1}, {2, 2}, {4, 4}}));
  EXPECT_EQ(all.together, (std::vector<size_t>{1, 0, 0}));
  EXPECT_EQ(all.sizes, (std::vector<double>{1, 0.5, 0.25}));

  const CarvingAnswer side = Carve(Slices({0, 1, 1, 1}));
  EXPECT_EQ(side.fits, (std::vector<CarvedFit>{{0, 0}, {1, 1}, {3, 3}}));
  EXPECT_EQ(side.together, (std::vector<size_t>{0, 1, 1}));
}

TEST(Carving, GivesNothingOfAnOverdrawnPool) {
  CarvingProblem problem = Slices({1, 1, 1, 1});
  problem.is_overdrawn = true;
  EXPECT_EQ(Carve(problem).fits, (std::vector<CarvedFit>(3)));
}

TEST(Carving, DividesWhereAllDrawAlike) {
  CarvingProblem problem{.shapes = 1, .counters = {{.total = 100, .left = 70, .kind = 0}}};
  for (size_t i = 0; i < 5'000; ++i)
    problem.parts.push_back({.shape = 0, .draws = {{.counter = 0, .amount = 7}}});
  const CarvingAnswer answer = Carve(problem);
  EXPECT_EQ(answer.fits, (std::vector<CarvedFit>{{10, 10}}));
  EXPECT_LE(answer.steps, 1U);
}

/// `size` pairs of neighbours in a ring, half of which fit.
CarvingProblem Ring(size_t size) {
  CarvingProblem problem{.shapes = 1};
  for (size_t i = 0; i < size; ++i) {
    problem.counters.push_back({.total = 1, .left = 1, .kind = 0});
    CarvingPart part{
        .draws = {{.counter = i, .amount = 1}, {.counter = (i + 1) % size, .amount = 1}}};
    std::ranges::sort(part.draws);
    problem.parts.push_back(part);
  }
  return problem;
}

TEST(Carving, EndsAtTheLimitOfStepsWithARange) {
  CarvingProblem problem = Ring(9);
  const CarvingAnswer exact = Carve(problem);
  EXPECT_EQ(exact.fits, (std::vector<CarvedFit>{{4, 4}}));
  problem.steps_max = exact.steps;
  EXPECT_EQ(Carve(problem).fits, exact.fits);
  problem.steps_max = exact.steps - 1;
  const CarvingAnswer range = Carve(problem);
  EXPECT_EQ(range.steps, problem.steps_max);
  EXPECT_LE(range.fits[0].least, 4U);
  EXPECT_GE(range.fits[0].most, 4U);
  problem.steps_max = 0;
  EXPECT_FALSE(Carve(problem).fits[0].is_exact());
}

// ------------------------------------------------------------------------------------ brute force

class Brute {
 public:
  explicit Brute(const CarvingProblem& problem) : problem_(problem) {}

  bool Fits(uint64_t chosen) const {
    std::vector<int64_t> left;
    for (const CarvingCounter& counter : problem_.counters) left.push_back(counter.left);
    std::map<size_t, std::vector<CarvingPart::Membership>> on_set;
    for (size_t i = 0; i < problem_.parts.size(); ++i) {
      if ((chosen >> i & 1U) == 0) continue;
      for (const auto& draw : problem_.parts[i].draws) left[draw.counter] -= draw.amount;
      for (const auto& member : problem_.parts[i].sets) on_set[member.set].push_back(member);
    }
    for (const auto& [set, members] : on_set) {
      if (!GoTogether(problem_.sets[set], members)) return false;
    }
    return std::ranges::none_of(left, [](int64_t amount) { return amount < 0; });
  }

  size_t Most(size_t shape) const {
    size_t most = 0;
    for (uint64_t chosen = 0; chosen >> problem_.parts.size() == 0; ++chosen) {
      size_t count = 0;
      bool is_of_shape = true;
      for (size_t i = 0; i < problem_.parts.size(); ++i) {
        if ((chosen >> i & 1U) == 0) continue;
        ++count;
        is_of_shape = is_of_shape && problem_.parts[i].shape == shape;
      }
      if (is_of_shape && count > most && Fits(chosen)) most = count;
    }
    return most;
  }

  /// Whether some choice has these numbers of each shape and leaves room for no other part.
  bool IsFull(const std::vector<size_t>& wanted) const {
    for (uint64_t chosen = 0; chosen >> problem_.parts.size() == 0; ++chosen) {
      std::vector<size_t> counts(problem_.shapes);
      bool can_grow = false;
      for (size_t i = 0; i < problem_.parts.size(); ++i) {
        if ((chosen >> i & 1U) != 0) ++counts[problem_.parts[i].shape];
      }
      if (counts != wanted || !Fits(chosen)) continue;
      for (size_t i = 0; i < problem_.parts.size(); ++i)
        can_grow = can_grow || ((chosen >> i & 1U) == 0 && Fits(chosen | uint64_t{1} << i));
      if (!can_grow) return true;
    }
    return false;
  }

 private:
  static bool GoTogether(const CarvingGroups& there,
                         const std::vector<CarvingPart::Membership>& members) {
    const bool named = there.any ? there.named : members.front().named;
    uint64_t common = there.any ? there.common : ~uint64_t{0};
    for (const auto& member : members) {
      if (member.named != named) return false;
      common &= member.groups;
    }
    return !named || common != 0;
  }

  const CarvingProblem& problem_;
};

/// Shapes are (amount, width): parts of one shape draw the same amount, each from its own counters.
CarvingProblem RandomProblem(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t end) { return static_cast<size_t>(random() % end); };
  CarvingProblem problem{.shapes = 1 + below(3), .sets = {{}}};
  const size_t counters = 2 + below(4);
  for (size_t i = 0; i < counters; ++i)
    problem.counters.push_back({.total = 4, .left = static_cast<int64_t>(below(5)), .kind = 0});
  const bool has_groups = below(3) == 0;
  if (has_groups && below(2) == 0) problem.sets[0] = {.any = true, .named = true, .common = 3};
  struct Shape {
    int64_t amount;
    size_t width;
    uint64_t groups;
  };
  std::vector<Shape> shapes;
  for (size_t i = 0; i < problem.shapes; ++i)
    shapes.push_back({.amount = 1 + static_cast<int64_t>(below(3)),
                      .width = 1 + below(counters),
                      .groups = has_groups ? below(4) : 0});
  const size_t parts = 1 + below(8);
  for (size_t i = 0; i < parts; ++i) {
    CarvingPart part{.shape = below(problem.shapes)};
    const Shape& shape = shapes[part.shape];
    const size_t first = below(counters);
    for (size_t j = 0; j < shape.width; ++j)
      part.draws.push_back({.counter = (first + j) % counters, .amount = shape.amount});
    std::ranges::sort(part.draws);
    part.sets = {{.set = 0, .named = shape.groups != 0, .groups = shape.groups}};
    problem.parts.push_back(std::move(part));
  }
  return problem;
}

TEST(Carving, AgreesWithBruteForce) {
  for (uint64_t seed = 1; seed <= 2'000; ++seed) {
    const CarvingProblem problem = RandomProblem(seed);
    const CarvingAnswer answer = Carve(problem);
    const Brute brute(problem);
    for (size_t shape = 0; shape < problem.shapes; ++shape) {
      const size_t most = brute.Most(shape);
      ASSERT_EQ(answer.fits[shape], (CarvedFit{most, most}))
          << "seed " << seed << " shape " << shape;
    }
    ASSERT_TRUE(brute.IsFull(answer.together)) << "seed " << seed;
    CarvingProblem hasty = problem;
    hasty.steps_max = 1;
    const CarvingAnswer range = Carve(hasty);
    for (size_t shape = 0; shape < problem.shapes; ++shape) {
      ASSERT_LE(range.fits[shape].least, answer.fits[shape].least) << "seed " << seed;
      ASSERT_GE(range.fits[shape].most, answer.fits[shape].most) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace dray::planning::inline capacity
