// SPDX-License-Identifier: Apache-2.0
// Objects of custom kinds in other versions, for code that cannot wait for a webhook.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "api/custom_kind.h"
#include "api/object.h"
#include "base/frozen.h"

namespace dray::server::verbs::inline context {

/// Whether objects of `kind` may have to be converted by a webhook, or cannot be converted at all,
/// because the definition has dropped their version. O(1).
bool MayNeedWebhook(const api::KindInfo& kind);

/// What a webhook has made of objects. Code that needs one which is not here yet runs once more
/// after FetchConversions (conversion.h). Belongs to one request.
class ConversionMemo final : public api::CustomConverter {
 public:
  /// The number of objects that one request converts in this way.
  static constexpr size_t kObjectsMax = 64;

  struct Entry {
    api::Object object;
    const api::CustomKind* version;
    api::Object converted = {};
  };

  /// The first object that is not known is noted. It, and those after it, are returned as if only
  /// their apiVersion changed: the caller must not use what it makes of them.
  api::Object Convert(const api::Object& object, const api::CustomKind& version) override;

  /// Whether every object since the last TakeMissing() was known.
  bool is_complete() const { return missing_.empty(); }
  std::vector<Entry> TakeMissing() { return std::exchange(missing_, {}); }
  bool HasRoomFor(size_t entries) const { return known_.size() + entries <= kObjectsMax; }
  /// Requires room.
  void Add(Entry entry) { known_.push_back(std::move(entry)); }

 private:
  std::vector<Entry> known_, missing_;
};

}  // namespace dray::server::verbs::inline context
