// SPDX-License-Identifier: Apache-2.0
// One object in the form that readers receive.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/codec/json_writer.h"
#include "api/object.h"
#include "api/release.h"
#include "base/frozen.h"
#include "base/lazy.h"

namespace dray::server::storage {

/// The JSON and the protobuf of an object, each encoded at its first read.
class LazyForms {
 public:
  /// The texts have the fields of `release`.
  explicit LazyForms(api::Release release) : release_(release) {}

  /// The fields of `object` as JSON, without kind and apiVersion, and its protobuf message;
  /// `object` is the same at every call. O(size) once.
  std::string_view Fields(const api::Object& object) const;
  std::string_view Message(const api::Object& object) const;

 private:
  Lazy<std::string> fields_, message_;
  api::Release release_;
};

/// One object of an answer: decoded, with its resource version filled in, and its JSON and its
/// protobuf, each encoded at most once and shared by every reader and watcher.
struct Item {
  api::Object object;
  Frozen<LazyForms> forms;
};

/// An item of `object`, whose texts have the fields of `release`.
Item MakeItem(api::Object object, api::Release release);

/// The item as a list shows it: its fields as a JSON object, without kind and apiVersion; items of
/// custom kinds have both. Valid while the item is held. O(size) for the first reader.
std::string_view FieldsOf(const Item& item);

/// Writes the item as one JSON value: kind and apiVersion, then FieldsOf.
void WriteJson(const Item& item, api::JsonWriter& json);
/// The same as a text, without a newline at its end.
std::string JsonOf(const Item& item);
/// An upper bound of the bytes that WriteJson writes, few bytes too high. O(1) after FieldsOf.
size_t JsonBytes(const Item& item);

/// The protobuf message of the item, without an envelope, as a list contains it. Valid while the
/// item is held. O(size) for the first reader.
std::string_view MessageOf(const Item& item);

}  // namespace dray::server::storage
