// SPDX-License-Identifier: Apache-2.0
// Where the releases and implementations of upstream's allocator differ, apart from the feature
// switches: one table of rules, looked up once, instead of release numbers all over the code.
#pragma once

#include <cstdint>

#include "api/release.h"

namespace dray::allocator {

/// Upstream's implementations of the allocator, in the order in which it picks them. A later one
/// knows more features, and follows rules of its own about parts the others have not heard of.
enum class Implementation : uint8_t { kStable, kIncubating, kExperimental };

/// What holds. Defaults: experimental of v0.37.2. A defect that a release still had is a rule here
/// like any other: whoever asks for that release wants its answers (spec: quirk register).
struct Rules {
  // Search
  /// Devices of one request are chosen at increasing places; otherwise every scan begins at the
  /// first device, which finds the same first solution, but fails later.
  bool chooses_combinations = true;
  /// In set mode the values common to all devices of a matchAttribute stay narrowed when the
  /// search takes a device back (Q6).
  bool set_match_never_widens = false;
  /// A distinctAttribute remembers one device per request, and forgets the request as soon as one
  /// of its devices is taken back (Q7).
  bool distinct_remembers_one = false;
  /// A committed share without a record of capacity does not count as paid for: the next share
  /// pays the device's counters again (Q17).
  bool bare_share_pays_again = false;
};

/// O(1); the same object for every call. `implementation` means nothing for 1.31, which has one.
const Rules& RulesOf(api::Release release, Implementation implementation);

}  // namespace dray::allocator
