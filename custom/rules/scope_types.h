// SPDX-License-Identifier: Apache-2.0
// The variables of the rules at one place of a schema: their types, and how large they can be.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cel/check/scope.h"
#include "cel/check/type.h"
#include "cel/cost/paths.h"
#include "custom/rules/shape.h"

namespace dray::custom::rules {

/// Numbers of the variables, in the order in which evaluation gets their values.
inline constexpr uint32_t kSelfVariable = 0;
inline constexpr uint32_t kOldSelfVariable = 1;
inline constexpr std::string_view kOldSelf = "oldSelf";

/// Types are made when an expression selects a field, so compiling costs what the expressions touch
/// and not what the schema has. Outlives all that is compiled with it; for one thread at a time.
class ScopeTypes final : public cel::check::FieldTypes, public cel::cost::SizeSource {
 public:
  /// `self` outlives it, and is exposed.
  explicit ScopeTypes(const Shape& self);

  /// The variables self and oldSelf. With `optional_old_self`, oldSelf is an optional.
  cel::check::Scope ScopeOf(bool optional_old_self);

  // FieldTypes
  const cel::check::Type* Find(const cel::check::Type& object, std::string_view field) override;
  bool Has(const cel::check::Type& object) override;
  // SizeSource
  std::optional<cel::cost::SizeRange> SizeOf(std::span<const std::string_view> path) const override;

 private:
  struct Object {
    const Shape* shape = nullptr;
    std::map<std::string, const cel::check::Type*, std::less<>> fields;  // made so far
  };

  // `name` is that of the value's type if it is an object.
  const cel::check::Type* TypeOf(const Shape& shape, const std::string& name);

  const Shape& self_;
  cel::check::TypePool pool_;
  std::unordered_map<const cel::check::Type*, Object> objects_;
  const cel::check::Type* type_ = nullptr;
};

}  // namespace dray::custom::rules
