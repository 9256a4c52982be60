// SPDX-License-Identifier: Apache-2.0
#include "allocator/release_rules.h"

#include "base/check.h"

namespace dray::allocator {
namespace {

constexpr Rules kExperimental37 = {};
constexpr Rules kIncubating37 = {};
constexpr Rules kStable37 = {.chooses_combinations = false};

constexpr Rules kExperimental36 = {
    .set_match_never_widens = true, .distinct_remembers_one = true, .bare_share_pays_again = true};
constexpr Rules kIncubating36 = {.distinct_remembers_one = true, .bare_share_pays_again = true};
constexpr Rules kStable36 = {.chooses_combinations = false};

constexpr Rules kOnly31 = {.chooses_combinations = false};

}  // namespace

const Rules& RulesOf(api::Release release, Implementation implementation) {
  if (api::MinorOf(release) == 31) return kOnly31;
  const bool is_36 = release == api::Release::k1_36;
  switch (implementation) {
    case Implementation::kStable: return is_36 ? kStable36 : kStable37;
    case Implementation::kIncubating: return is_36 ? kIncubating36 : kIncubating37;
    case Implementation::kExperimental: return is_36 ? kExperimental36 : kExperimental37;
  }
  DRAY_CHECK(false);
}

}  // namespace dray::allocator
