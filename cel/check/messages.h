// SPDX-License-Identifier: Apache-2.0
// The protobuf messages that an expression may write as literals: the well-known ones that stand
// for values of the language. There are no others in the environments of Kubernetes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cel/check/type.h"

namespace dray::cel::check {

struct MessageField {
  std::string_view name;
  std::string_view type;  // as declarations write it
  std::string_view go;    // the type it is converted to, as messages of upstream name it
};

struct Message {
  std::string_view name;
  std::string_view type;  // of the literal
  std::span<const MessageField> fields;

  /// Nothing if there is no such field.
  std::optional<std::string_view> TypeOf(std::string_view field) const;
};

std::span<const Message> Messages();
/// nullptr if there is none.
const Message* FindMessage(std::string_view name);

/// Whether a message literal can have a value of this type, going by the name of the type.
bool MayBeMessage(const Type& type);

}  // namespace dray::cel::check
