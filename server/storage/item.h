// SPDX-License-Identifier: Apache-2.0
// One object as readers get it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/object.h"
#include "api/release.h"
#include "base/lazy.h"
#include "base/published.h"

namespace dray::server::storage {

/// The texts of an object, each made when somebody first reads it.
class LazyForms {
 public:
  /// `release`: in whose shape.
  explicit LazyForms(api::Release release) : release_(release) {}

  /// The JSON and the protobuf message of `object`, the same at every call. O(size) once.
  std::string_view Json(const api::Object& object) const;
  std::string_view Message(const api::Object& object) const;

 private:
  Lazy<std::string> json_, message_;
  api::Release release_;
};

/// One object of an answer: decoded, with its resource version filled in, and its JSON and its
/// protobuf, each encoded once, if anybody asks, and shared by every reader and watcher.
struct Item {
  api::Object object;
  Frozen<LazyForms> forms;
};

/// An item of `object`, whose texts are in the shape of `release`.
Item MakeItem(api::Object object, api::Release release);

/// The JSON of the item, without a newline at its end. It begins with kind and apiVersion, which
/// the items of a list do not show: see ListItemOffset. Valid while the item is held. O(size) for
/// the first reader.
std::string_view JsonOf(const Item& item);

/// Where kind and apiVersion end in JsonOf(item): a list shows an item as '{' and the rest. The
/// same for all items of a kind. O(1) after JsonOf.
size_t ListItemOffset(const Item& item);

/// The protobuf message of the item, without an envelope; what a list shows. Valid while the item
/// is held. O(size) for the first reader.
std::string_view MessageOf(const Item& item);

}  // namespace dray::server::storage
