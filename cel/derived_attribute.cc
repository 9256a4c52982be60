// SPDX-License-Identifier: Apache-2.0
#include "cel/derived_attribute.h"

#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/try.h"
#include "cel/compile.h"
#include "cel/device_activation.h"
#include "cel/eval/evaluator.h"
#include "cel/eval/meter.h"
#include "cel/value/kind.h"

namespace dray::cel {
namespace {

using api::resource_v1::DeviceAttribute;
using Converted = std::variant<DeviceAttribute, EvaluationError>;

// Upstream converts the content of an optional.
const Value& Held(const Value& value) {
  const Value* held = &value;
  while (held->is(ValueKind::kOptional) && held->optional() != nullptr) held = held->optional();
  return *held;
}

// The type of what a value holds, as Go's %T says it.
std::string_view HeldTypeName(const Value& value) {
  return FactsOf(value.kind()).go_held_type;
}

// The kinds that an attribute can have.
enum class AttributeKind : uint8_t { kBool, kInt, kString, kVersion };

std::optional<AttributeKind> KindOf(const Value& held) {
  switch (held.kind()) {
    case ValueKind::kBool: return AttributeKind::kBool;
    case ValueKind::kInt: return AttributeKind::kInt;
    case ValueKind::kString:
    case ValueKind::kType: return AttributeKind::kString;  // a type holds its name
    case ValueKind::kSemver: return AttributeKind::kVersion;
    case ValueKind::kError:
    case ValueKind::kNull:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kBytes:
    case ValueKind::kList:
    case ValueKind::kMap:
    case ValueKind::kOptional:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
    case ValueKind::kQuantity:
    case ValueKind::kUrl:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat:
    case ValueKind::kAuthorization: break;
  }
  return std::nullopt;
}

std::string_view NameOf(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::kBool: return "bool";
    case AttributeKind::kInt: return "int";
    case AttributeKind::kString: return "string";
    case AttributeKind::kVersion: return "semver";
  }
  return {};
}

DeviceAttribute Scalar(AttributeKind kind, const Value& held) {
  DeviceAttribute out;
  switch (kind) {
    case AttributeKind::kBool: out.bool_ = held.boolean(); break;
    case AttributeKind::kInt: out.int_ = held.integer(); break;
    case AttributeKind::kString: out.string = held.text(); break;
    case AttributeKind::kVersion: out.version = held.semver().ToString(); break;
  }
  return out;
}

void Append(AttributeKind kind, const Value& held, DeviceAttribute& out) {
  switch (kind) {
    case AttributeKind::kBool: out.bools.emplace_back(held.boolean()); break;
    case AttributeKind::kInt: out.ints.push_back(held.integer()); break;
    case AttributeKind::kString: out.strings.emplace_back(held.text()); break;
    case AttributeKind::kVersion: out.versions.push_back(held.semver().ToString()); break;
  }
}

// Texts of values are shared while they are values, and copied into attributes.
size_t BytesOf(const Value& held) {
  if (held.is(ValueKind::kSemver)) {
    return sizeof(Value) + held.semver().prerelease().size() + held.semver().build().size();
  }
  const bool is_text = held.is(ValueKind::kString) || held.is(ValueKind::kType);
  return sizeof(Value) + (is_text ? held.text().size() : 0);
}

EvaluationError TooLarge() {
  return {fmt::format("derived attribute is larger than {} bytes", kDerivedBytesMax)};
}

Converted ListAttribute(std::span<const Value> items) {
  DeviceAttribute out;
  size_t bytes = 0;
  if (items.empty()) {
    out.strings.set_present();
    return out;
  }
  const auto kind = KindOf(Held(items[0]));
  if (!kind.has_value()) {
    return EvaluationError{
        fmt::format("unsupported list element type: {}", HeldTypeName(Held(items[0])))};
  }
  for (size_t i = 0; i < items.size(); ++i) {
    const Value& held = Held(items[i]);
    if (KindOf(held) != kind) {
      return EvaluationError{fmt::format("expected list element at index {} to be {}, got {}",
                                         i,
                                         NameOf(*kind),
                                         HeldTypeName(held))};
    }
    bytes += BytesOf(held);
    if (bytes > kDerivedBytesMax) return TooLarge();
    Append(*kind, held, out);
  }
  return out;
}

Converted ToAttribute(const Value& value) {
  if (value.is_error()) return EvaluationError{std::string(value.text())};
  const Value& held = Held(value);
  if (const auto kind = KindOf(held); kind.has_value()) {
    if (BytesOf(held) > kDerivedBytesMax) return TooLarge();
    return Scalar(*kind, held);
  }
  // A list inside an optional is refused: upstream only accepts scalars there.
  if (value.is(ValueKind::kList)) return ListAttribute(value.list().items());
  return EvaluationError{fmt::format("unsupported CEL return type: {}", HeldTypeName(held))};
}

}  // namespace

Result<DerivedAttribute> DerivedAttribute::Compile(std::string_view expression,
                                                   const Environment& environment) {
  DRAY_CHECK(environment.purpose == Purpose::kDerivedAttribute);
  DRAY_TRY(Frozen<eval::Program> program, cel::Compile(expression, environment));
  return DerivedAttribute(std::move(program), environment);
}

cost::CostRange DerivedAttribute::EstimatedCost() const {
  return cost::EstimateCost(program_->checked(), environment_);
}

DerivedValue DerivedAttribute::Evaluate(const DeviceActivation& device) const {
  Work work(kWorkMax);
  return Evaluate(device, work);
}

DerivedValue DerivedAttribute::Evaluate(const DeviceActivation& device, Work& work) const {
  if (const std::string& error = device.error(environment_); !error.empty()) {
    return {.result = EvaluationError{error}};
  }
  Arena arena(work);
  eval::Meter meter(environment_.cost_max);
  const Value value = eval::Evaluate(*program_, {&device.value(environment_), 1}, arena, meter);
  return {.result = ToAttribute(value), .cost = meter.spent()};
}

}  // namespace dray::cel
