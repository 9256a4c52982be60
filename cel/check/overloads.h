// SPDX-License-Identifier: Apache-2.0
// Which overloads of a function fit a call.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "cel/check/context.h"
#include "cel/check/names.h"

namespace dray::cel::check {

/// Types of a call's arguments. Only the length of the expression limits their number.
using Types = std::span<const Type*>;

class Overloads {
 public:
  Overloads(CheckContext& context, Names& names) : context_(context), names_(names) {}

  /// The type of the call of `name` that node `id` stands for, with the receiver first among the
  /// arguments. Records the function, the overloads that fit and, if only one fits, that one.
  const Type* Resolve(syntax::NodeId id, std::string_view name, Types arguments, Style style);
  const Type* Resolve(syntax::NodeId id,
                      std::string_view name,
                      std::initializer_list<const Type*> arguments,
                      Style style);

 private:
  const Type* Match(const Overload& overload, Types arguments);
  const Type* NoOverload(syntax::NodeId id, std::string_view name, Types arguments, Style style);

  CheckContext& context_;
  Names& names_;
  std::vector<const Overload*> candidates_;  // of the call in hand
  std::vector<const Type*> instances_;       // of the overload in hand
};

}  // namespace dray::cel::check
