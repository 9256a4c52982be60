// SPDX-License-Identifier: Apache-2.0
// The value of one key at each revision, given the writes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/strong.h"
#include "tests/history/history.h"

namespace dray::history {

/// A change at its revision.
struct PlacedChange {
  Revision at{};
  const Change* change = nullptr;
  const Operation* by = nullptr;
};

/// The value of a key from a revision on.
struct Version {
  Revision at{};
  std::optional<Item> item;       // none: absent
  const Operation* by = nullptr;  // null: it is the initial value
  bool may_expire = false;
};

class Timeline {
 public:
  Timeline() = default;
  /// `placed_changes` ascends by revision. Deletions of absent keys change nothing.
  Timeline(const Version& first, std::span<const PlacedChange> placed_changes);

  /// The value of the key after `revision`; null before the history begins.
  const Version* At(Revision revision) const;
  /// The change at exactly `revision`; null if there is none.
  const Version* ChangedAt(Revision revision) const;

  const std::vector<Version>& versions() const { return versions_; }

 private:
  std::vector<Version> versions_;  // ascending
};

}  // namespace dray::history
