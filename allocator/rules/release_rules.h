// SPDX-License-Identifier: Apache-2.0
// Where the releases and implementations of upstream's allocator differ, apart from the feature
// switches: one table of rules, looked up once, instead of release numbers all over the code.
// Q6, Q7, Q17: upstream's known defects, in docs/design/allocator-profiles.md.
#pragma once

#include "api/release.h"
#include "dray/features.h"

namespace dray::allocator::rules {

/// What holds. The defaults are experimental of v0.37.2, so every value that a table sets is a
/// difference from it. A defect of a release is a rule like any other, because a caller that asks
/// for an old release wants its answers.
struct Rules {
  // Fields that a release or implementation does not know are ignored.

  /// Slices with compatibility groups are left out while their switch is off, and requests with
  /// derived attributes are refused.
  bool knows_groups_and_derived = true;
  /// skipNodeOperations of a slice.
  bool knows_skipped_operations = true;
  /// Capacity requests are refused while their switch is off.
  bool knows_capacity_requests = true;
  /// distinctAttribute; otherwise such a constraint is of an unknown kind.
  bool knows_distinct = true;
  /// Committed shares, and allowMultipleAllocations in selectors.
  bool knows_shares = true;
  /// bindsToNode, and that pools with binding conditions come last.
  bool knows_binding = true;

  // Pools (rules/pools.h)

  /// Pools are tried by name; otherwise in random order, of which Dray takes the same one.
  bool orders_pools = true;
  /// Slices of a pool are tried by name; otherwise as given.
  bool sorts_slices = true;
  /// Slices of the node come before those of several nodes; otherwise all are seen as given. That
  /// decides which slice of a pool speaks for it, and which error comes first.
  bool sees_own_slices_first = true;
  /// Slices with counters can be seen from every node, and what their devices consume is checked.
  bool counter_slices_are_everywhere = false;
  /// A pool is complete when slices for other nodes complete it, out-dated when they are newer, and
  /// may contradict itself. Otherwise only the slices of this node count.
  bool checks_whole_pools = true;
  /// The first slice of a newer generation is stored twice.
  bool stores_newer_slice_twice = false;
  /// A request for a number of devices may take them from incomplete pools.
  bool takes_from_incomplete_pools = false;

  // Requests (rules/plan.h)

  /// The limit on devices is checked after all requests of a claim, not at the one that passes it.
  bool checks_limit_last = false;
  /// "All devices" are those that match the request's own selectors, whatever the class says.
  bool all_ignores_class = false;
  /// A device is among "all devices" while what committed shares have left of it suffices;
  /// otherwise when the device could hold the request if no other claim used it.
  bool all_is_what_is_left = false;
  /// A device without the part "basic" of v1alpha3 and v1beta1 cannot be selected.
  bool needs_basic_part = false;

  // Selectors (literal/selection.h)

  /// Errors of selectors name the device, with a hint.
  bool selector_errors_name_device = true;

  // Search (literal/search.h, literal/admission.h)

  /// The devices of one request are chosen at increasing places; otherwise every scan begins with
  /// the first device, which finds the same first solution, but takes longer to fail.
  bool chooses_combinations = true;
  /// A branch that passes the limit on devices is given up.
  bool limits_branches = true;
  /// "All devices" must be at least one, and all must be free. Otherwise those in use are left out,
  /// and when nothing comes of the rest the call ends with the error "stop allocation".
  bool all_needs_every_device = true;
  /// Admin access takes a device of the claim once, and counts as use. Otherwise it does not count
  /// as use.
  bool admin_use_counts = true;
  /// A committed share without a record of capacity does not count as paid for: the next share pays
  /// the counters of the device again (Q17).
  bool bare_share_pays_again = false;
  /// In set mode what the devices of a matchAttribute have in common stays narrowed when the search
  /// takes one back (Q6).
  bool set_match_never_widens = false;
  /// A distinctAttribute remembers one device of a request, and forgets it as soon as any device of
  /// that request is taken back (Q7).
  bool distinct_remembers_one = false;

  // Capacity (rules/consumable_capacity.h)

  /// An amount that is negative, or cannot be counted, ends the call. Otherwise 64-bit arithmetic
  /// takes its course, and a device that lacks a capacity is skipped like one that lacks the
  /// amount.
  bool bad_amounts_abort = true;
  /// A request too big for 64 bits shares its number with what is computed from it: it grows by
  /// what the search has given of the device, each time it is compared with one.
  bool big_requests_grow = false;
  /// Amounts rounded up to a step are spelt like the step; otherwise in binary units.
  bool rounds_in_format_of_step = true;

  // Results (rules/result.h)

  /// Admin access stands in the result.
  bool marks_admin_results = true;
  /// A device of one node ties the claim to the node that is tried; otherwise to the name in its
  /// slice, if there is one.
  bool pins_to_tried_node = true;
  /// The configuration of a class appears once, for the requests that use it; otherwise once per
  /// request, for all.
  bool merges_class_config = true;
  /// Configuration of the claim appears only if it is for a request of the claim.
  bool filters_claim_config = true;
  /// It appears once for each request it is for.
  bool repeats_claim_config = false;
  /// Configuration for all requests by name has an empty list instead.
  bool clears_full_config_lists = true;
};

/// O(1); the same object for the same arguments. v0.31.8 has only one implementation.
const Rules& RulesOf(api::Release release, Implementation implementation);
/// Those of the release and the implementation that the features pick.
const Rules& RulesOf(const Features& features);

}  // namespace dray::allocator::rules
