// SPDX-License-Identifier: Apache-2.0
// dray-access rbac SEED WORLDS: random roles, bindings and requests, a world in each line, for
// tests/access/peer to answer. dray-access answers SEED WORLDS: Dray's answers to the same, in the
// peer's form; details instead: with reasons. dray-access policies FILE…: cases of admission
// policies that the peer made; exit code 1 if one of Dray's answers differs.
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/world.h"
#include "tests/access/policy_vectors.h"
#include "tests/access/rbac_cases.h"

namespace {

bool Read(std::string_view text, uint64_t& number) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end;
}

int JudgePolicies(const std::vector<std::string>& files) {
  const auto report = dray::access::RunPolicyVectors(dray::RealWorld().disk, files);
  if (!report.has_value()) {
    fmt::print(stderr, "dray-access: {}\n", report.error().message);
    return 2;
  }
  for (const std::string& failure : report->failures) fmt::print("{}\n", failure);
  fmt::print("{} alike, {} not\n", report->passed, report->failures.size());
  return report->failures.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  namespace cases = dray::access;
  if (argc > 2 && std::string_view(argv[1]) == "policies") {
    return JudgePolicies(std::vector<std::string>(argv + 2, argv + argc));
  }
  const std::string_view what = argc == 4 ? argv[1] : "";
  uint64_t seed = 0;
  uint64_t worlds = 0;
  const bool is_known = what == "rbac" || what == "answers" || what == "details";
  if (!is_known || !Read(argv[2], seed) || !Read(argv[3], worlds)) {
    fmt::print(stderr,
               "usage: dray-access rbac|answers|details SEED WORLDS\n       dray-access policies "
               "FILE...\n");
    return 2;
  }
  for (uint64_t i = 0; i < worlds; ++i) {
    const cases::World world = cases::WorldOf(seed + i);
    fmt::print("{}\n",
               what == "rbac"      ? cases::JsonOf(world)
               : what == "answers" ? cases::AnswerOf(world)
                                   : cases::DetailsOf(world));
  }
  return 0;
}
