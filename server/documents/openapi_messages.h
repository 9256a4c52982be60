// SPDX-License-Identifier: Apache-2.0
// Messages of gnostic, the protobuf form of OpenAPI documents, as tables: the field of each member
// of a JSON object, and how to write it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "api/codec/json_tree.h"

namespace dray::server::documents::gnostic {

using Numbers = std::span<const uint32_t>;

enum class Form : uint8_t {
  kText,
  kTexts,  // each a field
  kFlag,
  kMessage,
  kMessages,   // each a field
  kNamed,      // an object: for each member a field {name = 1, value = 2}
  kAny,        // YAML in {yaml = 2}
  kAnys,       // each a field
  kParameters  // each a field; parameters of each place have a message of their own
};

struct Message;

/// A place of parameters in version 2, and its message.
struct Place {
  std::string_view in;
  const Message& (*message)();
  Numbers around;
};

struct Member {
  std::string_view name;
  uint32_t number;
  Form form;
  /// The message is wrapped in {1 = the message, 2 = a reference}; it is a reference if it has a
  /// member "$ref".
  bool or_reference = false;
  const Message& (*message)() = nullptr;
  /// Fields around the value, in messages that have nothing else; the innermost first.
  Numbers around = {};
  /// The same around each value of kNamed.
  Numbers around_values = {};
  std::span<const Place> places = {};  // of kParameters
};

struct Message {
  std::span<const Member> members;  // ascending numbers
  uint32_t extensions = 0;          // the field of x-…, past all others; 0: none
};

inline constexpr uint32_t kFirst[] = {1};
inline constexpr uint32_t kSecond[] = {2};

/// `document` as `message`. Leaves out members without a field; extensions (x-…) are sent as YAML,
/// of which JSON is a subset. Linear in the document.
std::string Write(const api::JsonTree& document, const Message& message);

}  // namespace dray::server::documents::gnostic
