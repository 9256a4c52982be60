// SPDX-License-Identifier: Apache-2.0
// One object as readers get it.
#pragma once

#include <string>
#include <string_view>

#include "api/object.h"
#include "api/release.h"
#include "base/lazy.h"
#include "base/published.h"

namespace dray::server::storage {

/// The protobuf message of an object, made when a client that speaks it first reads the object.
class LazyMessage {
 public:
  /// `release`: in whose shape.
  explicit LazyMessage(api::Release release) : release_(release) {}

  /// The message of `object`, the same at every call, without an envelope. O(size) once.
  std::string_view Of(const api::Object& object) const;

 private:
  Lazy<std::string> text_;
  api::Release release_;
};

/// One object of an answer: decoded, with its resource version filled in, and its JSON (without a
/// trailing newline) and its protobuf, each encoded once and shared by every reader and watcher.
/// The JSON begins with kind and apiVersion, which the items of a list do not show: see
/// ListItemJson.
struct Item {
  api::Object object;
  Frozen<std::string> json;
  Frozen<LazyMessage> message;
};

/// An item of `object` and its JSON, which is in the shape of `release`. One allocation.
Item MakeItem(api::Object object, std::string json, api::Release release);

/// What follows the kind and the apiVersion in `item.json`, without the opening brace: a list shows
/// an item as '{' and this. Valid while the item is held. O(1).
std::string_view ListItemJson(const Item& item);

/// The protobuf message of the item, without an envelope; what a list shows. Valid while the item
/// is held. O(size) for the first reader.
std::string_view MessageOf(const Item& item);

}  // namespace dray::server::storage
