// SPDX-License-Identifier: Apache-2.0
// Sources: structured/internal/{stable,incubating,experimental} at v0.36.6 and v0.37.2, structured
// at v0.31.8; measured with the vectors.
#include "allocator/rules/release_rules.h"

#include "base/check.h"

namespace dray::allocator::rules {
namespace {

constexpr Rules kExperimental37 = {};

constexpr Rules Incubating(Rules rules) {
  rules.knows_skipped_operations = false;
  return rules;
}

constexpr Rules Stable(Rules rules) {
  rules = Incubating(rules);
  rules.knows_capacity_requests = false;
  rules.knows_distinct = false;
  rules.knows_shares = false;
  rules.knows_binding = false;
  rules.orders_pools = false;
  rules.sorts_slices = false;
  rules.sees_own_slices_first = false;
  rules.counter_slices_are_everywhere = true;
  rules.chooses_combinations = false;
  rules.pins_to_tried_node = false;
  return rules;
}

/// What the implementations of v0.36.6 have in common; each is otherwise like its successor.
constexpr Rules In36(Rules rules) {
  rules.knows_groups_and_derived = false;
  rules.knows_skipped_operations = false;
  rules.counter_slices_are_everywhere = true;
  rules.all_is_what_is_left = true;
  rules.selector_errors_name_device = false;
  rules.bare_share_pays_again = true;
  rules.set_match_never_widens = true;
  rules.distinct_remembers_one = true;
  rules.bad_amounts_abort = false;
  rules.big_requests_grow = true;
  rules.rounds_in_format_of_step = false;
  rules.repeats_claim_config = true;
  rules.clears_full_config_lists = false;
  return rules;
}

constexpr Rules In31(Rules rules) {
  rules = Stable(rules);
  rules.knows_groups_and_derived = false;
  rules.counter_slices_are_everywhere = false;
  rules.checks_whole_pools = false;
  rules.stores_newer_slice_twice = true;
  rules.takes_from_incomplete_pools = true;
  rules.checks_limit_last = true;
  rules.all_ignores_class = true;
  rules.needs_basic_part = true;
  rules.selector_errors_name_device = false;
  rules.limits_branches = false;
  rules.all_needs_every_device = false;
  rules.admin_use_counts = false;
  rules.marks_admin_results = false;
  rules.merges_class_config = false;
  rules.filters_claim_config = false;
  rules.clears_full_config_lists = false;
  return rules;
}

constexpr Rules kIncubating37 = Incubating(kExperimental37);
constexpr Rules kStable37 = Stable(kExperimental37);
constexpr Rules kExperimental36 = In36(kExperimental37);
constexpr Rules kIncubating36 = In36(kIncubating37);
constexpr Rules kStable36 = In36(kStable37);
constexpr Rules kOnly31 = In31(kExperimental37);

}  // namespace

const Rules& RulesOf(api::Release release, Implementation implementation) {
  if (release == api::Release::k1_31) return kOnly31;
  const bool is_36 = release == api::Release::k1_36;
  switch (implementation) {
    case Implementation::kStable: return is_36 ? kStable36 : kStable37;
    case Implementation::kIncubating: return is_36 ? kIncubating36 : kIncubating37;
    case Implementation::kExperimental: return is_36 ? kExperimental36 : kExperimental37;
  }
  DRAY_CHECK(false);
}

const Rules& RulesOf(const Features& features) {
  return RulesOf(features.release, features.Picked());
}

}  // namespace dray::allocator::rules
