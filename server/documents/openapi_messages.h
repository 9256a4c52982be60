// SPDX-License-Identifier: Apache-2.0
// Messages of gnostic, the protobuf form of OpenAPI documents, as tables: which member of a JSON
// object is which field, and how it is written.
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
  kParameters  // each a field; those of each place are messages of their own
};

struct Message;

/// Where a parameter of version 2 is, and the message of those that are there.
struct Place {
  std::string_view in;
  const Message& (*message)();
  Numbers around;
};

struct Member {
  std::string_view name;
  uint32_t number;
  Form form;
  /// A message stands in {1 = it, 2 = a reference}; where "$ref" is a member it is the latter.
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

/// `document` as `message`. Members that it has no field for are left out; extensions (x-…) travel
/// as YAML, which JSON is. Linear in the document.
std::string Write(const api::JsonTree& document, const Message& message);

}  // namespace dray::server::documents::gnostic
