// SPDX-License-Identifier: Apache-2.0
// The duration of a unit of work: nanoseconds per unit charged by each operator and function of
// expressions as its argument grows. Budgets of requests and attempts use these units, so none may
// take ten times as long as most of them do.
//
//   work_bench [SIZE]     SIZE: bytes of the longest argument, 65536
#include "base/work.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/world.h"
#include "cel/compile.h"
#include "cel/testing/work_cases.h"

namespace {

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

struct Measured {
  double nanoseconds = 0;
  uint64_t units = 0;
};

double Now() {
  return static_cast<double>(RealWorld().clock.Monotonic().time_since_epoch().count());
}

Measured Measure(const cel::eval::Program& program, size_t size) {
  constexpr double kLeastNanoseconds = 2e6;
  const cel::testing::SizedDevice device(size);
  Measured best{.nanoseconds = 1e18};
  for (int sample = 0; sample < 5; ++sample) {
    int runs = 0;
    const double start = Now();
    do {
      Work work(Work::kUnlimited);
      cel::testing::Evaluate(program, device, work);
      best.units = work.spent();
      ++runs;
    } while (Now() - start < kLeastNanoseconds);
    best.nanoseconds = std::min(best.nanoseconds, (Now() - start) / runs);
  }
  return best;
}

struct Row {
  std::string name;
  double per_unit = 0;
};

}  // namespace

int main(int count, char** arguments) {
  constexpr double kSpreadMax = 10;
  const size_t size = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 65536;
  std::vector<Row> rows;
  for (const cel::testing::WorkCase& one : cel::testing::WorkCases()) {
    const auto program = cel::CompileProgram(one.expression,
                                             {.purpose = cel::Purpose::kFree,
                                              .consumable_capacity = true,
                                              .list_type_attributes = true});
    if (!program.has_value()) {
      fmt::print(stderr, "{}: {}\n", one.name, program.error().message);
      return 1;
    }
    const Measured small = Measure(**program, size / one.divisor / 2);
    const Measured large = Measure(**program, size / one.divisor);
    const double grown = large.nanoseconds - small.nanoseconds;
    rows.push_back({std::string(one.name), grown / static_cast<double>(large.units - small.units)});
  }
  std::ranges::sort(rows, {}, &Row::per_unit);
  const double median = rows[rows.size() / 2].per_unit;
  size_t outside = 0;
  for (const Row& row : rows) {
    const bool is_near = row.per_unit * kSpreadMax >= median && row.per_unit <= median * kSpreadMax;
    if (!is_near) ++outside;
    fmt::print("{:<28} {:8.3f} ns/unit{}\n", row.name, row.per_unit, is_near ? "" : "   *");
  }
  fmt::print("median {:.3f} ns/unit; {} of {} beyond a factor of {} (*)\n",
             median,
             outside,
             rows.size(),
             kSpreadMax);
  return 0;
}
