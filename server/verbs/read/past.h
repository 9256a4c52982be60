// SPDX-License-Identifier: Apache-2.0
// The changes of the objects of a kind that the store's history still has.
#pragma once

#include <functional>
#include <string_view>

#include "api/object.h"
#include "base/result.h"
#include "base/strong.h"

namespace dray::server::verbs::inline context {
struct Core;             // server/verbs/context/call.h
struct ResourceRequest;  // server/verbs/context/request.h
}  // namespace dray::server::verbs::inline context

namespace dray::server::verbs::inline read {

/// One change; what it refers to is valid during the call. Objects are in the version of the
/// question.
struct PastChange {
  Revision revision;
  std::string_view key;      // of the object
  const api::Object* after;  // null: it was deleted
  /// What it was before; null: it was created. Decoded at the call.
  std::function<const api::Object*()> before;
};

/// Receives changes in their order.
using SeePast = std::function<void(const PastChange&)>;

/// Shows `see` in order all changes after `after` of the objects that a list `request` is about,
/// but none of those that cannot be read. Returns the revision up to which these are all.
/// O(changes); it decodes each object.
///
/// Errors: kExpired  the store no longer has all of them, perhaps since the call began. kTimeout
/// the client does not wait any more.
Result<Revision> ReadPast(const Core& core,
                          const ResourceRequest& request,
                          Revision after,
                          const SeePast& see);

}  // namespace dray::server::verbs::inline read
