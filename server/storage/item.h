// SPDX-License-Identifier: Apache-2.0
// One object as readers get it.
#pragma once

#include <string>
#include <string_view>

#include "api/object.h"
#include "base/published.h"

namespace dray::server::storage {

/// One object of an answer: decoded, with its resource version filled in, and its JSON (without a
/// trailing newline), encoded once and shared by every reader and watcher. The text begins with
/// kind and apiVersion, which the items of a list do not show: see ListItemJson.
struct Item {
  api::Object object;
  Frozen<std::string> json;
};

/// What follows the kind and the apiVersion in `item.json`, without the opening brace: a list shows
/// an item as '{' and this. Valid while the item is held. O(1).
std::string_view ListItemJson(const Item& item);

}  // namespace dray::server::storage
