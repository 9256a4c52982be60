// SPDX-License-Identifier: Apache-2.0
#include "tests/history/timeline.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "base/strong.h"
#include "tests/history/history.h"

namespace dray::history {
namespace {

Version After(const std::optional<Item>& old, const PlacedChange& placed) {
  Version next{.at = placed.at,
               .item = std::nullopt,
               .by = placed.by,
               .may_expire = placed.change->may_expire};
  if (!placed.change->value.has_value()) return next;
  Item item{.key = placed.change->key,
            .value = *placed.change->value,
            .created = placed.at,
            .modified = placed.at,
            .version = 1};
  if (old.has_value()) {
    item.created = old->created;
    item.version = old->version == 0 ? 0 : old->version + 1;  // 0: the version is unknown
  }
  next.item = std::move(item);
  return next;
}

}  // namespace

Timeline::Timeline(const Version& first, std::span<const PlacedChange> placed_changes)
    : versions_{first} {
  for (const PlacedChange& one : placed_changes) {
    const std::optional<Item>& old = versions_.back().item;
    if (!old.has_value() && !one.change->value.has_value()) continue;
    versions_.push_back(After(old, one));
  }
}

const Version* Timeline::At(Revision revision) const {
  const auto after = std::ranges::upper_bound(versions_, revision, {}, &Version::at);
  return after == versions_.begin() ? nullptr : &*std::prev(after);
}

const Version* Timeline::ChangedAt(Revision revision) const {
  const Version* version = At(revision);
  return version != nullptr && version->at == revision && version->by != nullptr ? version
                                                                                 : nullptr;
}

}  // namespace dray::history
