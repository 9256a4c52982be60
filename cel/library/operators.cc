// SPDX-License-Identifier: Apache-2.0
// Arithmetic, ordering, equality and membership.
#include "cel/library/operators.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string_view>

#include "cel/library/builtin.h"
#include "cel/library/tables.h"
#include "cel/library/times.h"
#include "cel/value/arena.h"
#include "cel/value/equality.h"
#include "cel/value/make.h"
#include "cel/value/structured.h"
#include "cel/value/value.h"

namespace dray::cel::library {
namespace {

using Arguments = std::span<const Value>;

constexpr int64_t kIntMin = std::numeric_limits<int64_t>::min();

Value IntOverflow() {
  return Value::Error("integer overflow");
}
Value UintOverflow() {
  return Value::Error("unsigned integer overflow");
}

bool IsTime(const Value& value) {
  return value.is(ValueKind::kTimestamp) || value.is(ValueKind::kDuration);
}

// There are two messages for wrong types. Kinds with methods (strings and times), and kinds that
// have the operation for other operands, get the plain one.
Value Mismatch(const Value& left, bool has_operation, std::string_view otherwise) {
  const bool plain = has_operation || left.is(ValueKind::kString) || IsTime(left);
  return plain ? NoSuchOverload() : Value::Error(otherwise);
}

bool BothAre(Arguments arguments, ValueKind kind) {
  return arguments[0].is(kind) && arguments[1].is(kind);
}

bool IsNumber(const Value& value) {
  return value.is(ValueKind::kInt) || value.is(ValueKind::kUint) || value.is(ValueKind::kDouble);
}

Value Add(Arena& arena, Arguments arguments) {
  const Value& a = arguments[0];
  const Value& b = arguments[1];
  if (BothAre(arguments, ValueKind::kInt)) {
    int64_t sum = 0;
    return __builtin_add_overflow(a.integer(), b.integer(), &sum) ? IntOverflow() : Value::Int(sum);
  }
  if (BothAre(arguments, ValueKind::kUint)) {
    uint64_t sum = 0;
    const bool over = __builtin_add_overflow(a.unsigned_integer(), b.unsigned_integer(), &sum);
    return over ? UintOverflow() : Value::Uint(sum);
  }
  if (BothAre(arguments, ValueKind::kDouble)) return Value::Double(a.number() + b.number());
  if (BothAre(arguments, ValueKind::kString) || BothAre(arguments, ValueKind::kBytes)) {
    if (a.text().size() + b.text().size() > kStringBytesMax) return Value::Error("string too long");
    arena.work().Charge(WorkOfBytes(a.text().size() + b.text().size()));
    const std::span<char> out = arena.NewText(a.text().size() + b.text().size());
    std::ranges::copy(b.text(), std::ranges::copy(a.text(), out.begin()).out);
    const std::string_view joined(out.data(), out.size());
    return a.is(ValueKind::kString) ? Value::String(joined) : Value::Bytes(joined);
  }
  if (BothAre(arguments, ValueKind::kList)) {
    const List& left = a.list();
    const List& right = b.list();
    if (left.rule == ListRule::kSet || left.rule == ListRule::kMap) {
      return AddStructured(arena, left, right);
    }
    const Weight weight = left.weight + right.weight - 1;
    if (weight > kWeightMax) return Value::Error("list too long");
    arena.work().Charge(WorkOfBytes(sizeof(Value) * (left.size() + right.size())));
    const std::span<Value> items = arena.NewValues(left.size() + right.size());
    std::ranges::copy(right.items(), std::ranges::copy(left.items(), items.begin()).out);
    return Value::FromList(arena.Keep(List{.made = items, .weight = weight}));
  }
  if (IsTime(a)) return AddTime(arena, a, b);
  const bool has = IsNumber(a) || a.is(ValueKind::kBytes) || a.is(ValueKind::kList);
  return Mismatch(a, has, "no such overload: _+_");
}

Value Subtract(Arena& arena, Arguments arguments) {
  const Value& a = arguments[0];
  const Value& b = arguments[1];
  if (BothAre(arguments, ValueKind::kInt)) {
    int64_t out = 0;
    return __builtin_sub_overflow(a.integer(), b.integer(), &out) ? IntOverflow() : Value::Int(out);
  }
  if (BothAre(arguments, ValueKind::kUint)) {
    uint64_t out = 0;
    const bool over = __builtin_sub_overflow(a.unsigned_integer(), b.unsigned_integer(), &out);
    return over ? UintOverflow() : Value::Uint(out);
  }
  if (BothAre(arguments, ValueKind::kDouble)) return Value::Double(a.number() - b.number());
  if (IsTime(a)) return SubtractTime(arena, a, b);
  return Mismatch(a, IsNumber(a), "no such overload: _-_");
}

Value Multiply(Arena& /*arena*/, Arguments arguments) {
  const Value& a = arguments[0];
  const Value& b = arguments[1];
  if (BothAre(arguments, ValueKind::kInt)) {
    int64_t out = 0;
    return __builtin_mul_overflow(a.integer(), b.integer(), &out) ? IntOverflow() : Value::Int(out);
  }
  if (BothAre(arguments, ValueKind::kUint)) {
    uint64_t out = 0;
    const bool over = __builtin_mul_overflow(a.unsigned_integer(), b.unsigned_integer(), &out);
    return over ? UintOverflow() : Value::Uint(out);
  }
  if (BothAre(arguments, ValueKind::kDouble)) return Value::Double(a.number() * b.number());
  return Mismatch(a, IsNumber(a), "no such overload: _*_");
}

Value Divide(Arena& /*arena*/, Arguments arguments) {
  const Value& a = arguments[0];
  const Value& b = arguments[1];
  if (BothAre(arguments, ValueKind::kInt)) {
    if (b.integer() == 0) return Value::Error("division by zero");
    if (a.integer() == kIntMin && b.integer() == -1) return IntOverflow();
    return Value::Int(a.integer() / b.integer());
  }
  if (BothAre(arguments, ValueKind::kUint)) {
    if (b.unsigned_integer() == 0) return Value::Error("division by zero");
    return Value::Uint(a.unsigned_integer() / b.unsigned_integer());
  }
  if (BothAre(arguments, ValueKind::kDouble)) return Value::Double(a.number() / b.number());
  return Mismatch(a, IsNumber(a), "no such overload: _/_");
}

Value Modulo(Arena& /*arena*/, Arguments arguments) {
  const Value& a = arguments[0];
  const Value& b = arguments[1];
  if (BothAre(arguments, ValueKind::kInt)) {
    if (b.integer() == 0) return Value::Error("modulus by zero");
    if (a.integer() == kIntMin && b.integer() == -1) return IntOverflow();
    return Value::Int(a.integer() % b.integer());
  }
  if (BothAre(arguments, ValueKind::kUint)) {
    if (b.unsigned_integer() == 0) return Value::Error("modulus by zero");
    return Value::Uint(a.unsigned_integer() % b.unsigned_integer());
  }
  return Mismatch(a, a.is(ValueKind::kInt) || a.is(ValueKind::kUint), "no such overload: _%_");
}

Value Negate(Arena& /*arena*/, Arguments arguments) {
  const Value& a = arguments[0];
  if (a.is(ValueKind::kInt)) {
    return a.integer() == kIntMin ? IntOverflow() : Value::Int(-a.integer());
  }
  if (a.is(ValueKind::kDouble)) return Value::Double(-a.number());
  if (a.is(ValueKind::kDuration)) {
    return a.nanoseconds() == kIntMin ? IntOverflow() : Value::Duration(-a.nanoseconds());
  }
  return Mismatch(a, a.is(ValueKind::kBool), "no such overload: -_");
}

Value Not(Arena& /*arena*/, Arguments arguments) {
  if (!arguments[0].is(ValueKind::kBool)) return NoSuchOverload();
  return Value::Bool(!arguments[0].boolean());
}

Value Equals(Arena& arena, Arguments arguments) {
  return Equal(arguments[0], arguments[1], arena.work());
}

// != is true unless == is: values that cannot be compared differ.
Value Differs(Arena& arena, Arguments arguments) {
  return Value::Bool(!Equal(arguments[0], arguments[1], arena.work()).is_true());
}

Value Contained(Arena& arena, Arguments arguments) {
  const Value& container = arguments[1];
  if (container.is(ValueKind::kMap)) {
    arena.work().Charge(container.map().WorkOfFinding(arguments[0]));
    const Value* const found = container.map().FindPresent(arguments[0]);
    return found != nullptr && found->is_error() ? *found : Value::Bool(found != nullptr);
  }
  if (!container.is(ValueKind::kList)) return NoSuchOverload();
  if (!container.list().is_plain()) {
    return ContainsElement(container.list(), arguments[0], arena.work());
  }
  return Value::Bool(HasEqual(container.list().items(), arguments[0], arena.work()));
}

template <Ordering ordering>
Value Ordered(Arena& arena, Arguments arguments) {
  arena.work().Charge(WorkOfComparing(arguments[0], arguments[1]));
  return Compare(arguments[0], arguments[1], ordering);
}

constexpr auto kOperatorsBuiltins = std::to_array<Builtin>({
    {"_+_", Add, CostRule::kConcatenation, kOwn},
    {"_-_", Subtract, CostRule::kOne, kOwn},
    {"_*_", Multiply, CostRule::kOne, kOwn},
    {"_/_", Divide, CostRule::kOne, kOwn},
    {"_%_", Modulo, CostRule::kOne, kOwn},
    {"-_", Negate, CostRule::kOne, kOwn},
    {"!_", Not, CostRule::kOne, kOwn},
    {"_==_", Equals, CostRule::kEquality, kOwn},
    {"_!=_", Differs, CostRule::kDifference, kOwn},
    {"_<_", Ordered<Ordering::kLess>, CostRule::kOrdering, kOwn},
    {"_<=_", Ordered<Ordering::kLessEqual>, CostRule::kOrdering, kOwn},
    {"_>_", Ordered<Ordering::kGreater>, CostRule::kOrdering, kOwn},
    {"_>=_", Ordered<Ordering::kGreaterEqual>, CostRule::kOrdering, kOwn},
    {"@in", Contained, CostRule::kMembership, kOwn},
});

}  // namespace

bool HasEqual(std::span<const Value> items, const Value& wanted, Work& work) {
  for (const Value& item : items) {
    if (work.is_spent()) break;
    if (Equal(wanted, item, work).is_true()) return true;
  }
  return false;
}

Value AddValues(Arena& arena, const Value& a, const Value& b) {
  const std::array both = {a, b};
  return Add(arena, both);
}

std::span<const Builtin> OperatorBuiltins() {
  return kOperatorsBuiltins;
}

}  // namespace dray::cel::library
