// SPDX-License-Identifier: Apache-2.0
// What one key held at each revision, given the writes that were made.
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

/// What a key holds from a revision on.
struct Version {
  Revision at{};
  std::optional<Item> item;       // none: absent
  const Operation* by = nullptr;  // null: it was so at the beginning
  bool may_expire = false;
};

class Timeline {
 public:
  Timeline() = default;
  /// `placed_changes` ascends by revision. Deletions of what is absent change nothing.
  Timeline(const Version& first, std::span<const PlacedChange> placed_changes);

  /// What the key holds after `revision`; null before the history begins.
  const Version* At(Revision revision) const;
  /// The change at exactly `revision`; null if there is none.
  const Version* ChangedAt(Revision revision) const;

  const std::vector<Version>& versions() const { return versions_; }

 private:
  std::vector<Version> versions_;  // ascending
};

}  // namespace dray::history
