// SPDX-License-Identifier: Apache-2.0
#include "cel/value/equality.h"

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace dray::cel::inline value {
namespace {

constexpr uint64_t kWorkOfKey = 64;  // making one, and a look into a hash table

void Append(std::string& out, uint64_t number) {
  for (unsigned shift = 0; shift < 64; shift += 8) {
    out += static_cast<char>((number >> shift) & 0xFFU);
  }
}

// What a scalar without a text is.
uint64_t BitsOf(const Value& value) {
  if (value.is(ValueKind::kDouble)) {
    // Both zeros are one key.
    return value.number() == 0 ? 0 : std::bit_cast<uint64_t>(value.number());
  }
  return value.is(ValueKind::kUint) ? value.unsigned_integer()
                                    : static_cast<uint64_t>(value.integer());
}

bool ListsEqual(const List& a, const List& b, Work& work) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size() && !work.is_spent(); ++i) {
    if (Equal(a.At(i), b.At(i), work).is_false()) return false;
  }
  return true;
}

bool MapsEqual(const Map& a, const Map& b, Work& work) {
  if (a.size() != b.size()) return false;
  for (const MapEntry& entry : a.entries()) {
    if (work.is_spent()) break;
    work.Charge(b.WorkOfFinding(entry.key));
    const Value* const other = b.Find(entry.key);
    if (other == nullptr || Equal(entry.value, *other, work).is_false()) return false;
  }
  return true;
}

Value OptionalsEqual(const Value* a, const Value* b, Work& work) {
  if (a == nullptr || b == nullptr) return Value::Bool(a == b);
  return Equal(*a, *b, work);
}

Value SetsEqual(const List& a, const List& b, Work& work) {
  std::unordered_set<std::string> keys;
  for (size_t i = 0; i < a.size() && !work.is_spent(); ++i) {
    work.Charge(kWorkOfKey);
    std::string key = KeyOfScalar(a.At(i));
    if (key.empty()) return NotScalarError();
    keys.insert(std::move(key));
  }
  std::unordered_set<std::string> seen;
  for (size_t i = 0; i < b.size() && !work.is_spent(); ++i) {
    work.Charge(kWorkOfKey);
    std::string key = KeyOfScalar(b.At(i));
    if (key.empty()) return NotScalarError();
    if (!keys.contains(key)) return Value::Bool(false);
    seen.insert(std::move(key));
  }
  return Value::Bool(seen.size() == keys.size());
}

Value KeyedListsEqual(const List& a, const List& b, Work& work) {
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < a.size() && !work.is_spent(); ++i) {
    work.Charge(kWorkOfKey);
    places[KeyOfElement(a, a.At(i))] = i;
  }
  std::unordered_set<size_t> seen;
  for (size_t i = 0; i < b.size() && !work.is_spent(); ++i) {
    work.Charge(kWorkOfKey);
    const Value element = b.At(i);
    const auto found = places.find(KeyOfElement(a, element));
    if (found == places.end()) return Value::Bool(false);
    const Value equal = Equal(a.At(found->second), element, work);
    if (!equal.is_true()) return equal;
    seen.insert(found->second);
  }
  return Value::Bool(seen.size() == places.size());
}

// Compares lists that are not plain.
Value StructuredListsEqual(const List& a, const List& b, Work& work) {
  if (a.size() != b.size()) return Value::Bool(false);
  if (a.view != nullptr && b.view != nullptr && a.view->schema() == b.view->schema()) {
    return a.view->Equals(*b.view, work);
  }
  if (a.rule == ListRule::kSet) return SetsEqual(a, b, work);
  if (a.rule == ListRule::kMap) return KeyedListsEqual(a, b, work);
  for (size_t i = 0; i < a.size() && !work.is_spent(); ++i) {
    const Value equal = Equal(a.At(i), b.At(i), work);
    if (!equal.is_true()) return equal;
  }
  return Value::Bool(true);
}

// Compares objects of documents. Members that the schema of `a` lacks are compared only if both
// have one schema; two of different ones meet only through dyn().
Value StructuredMapsEqual(const Map& a, const Map& b, Work& work) {
  if (b.view != nullptr && a.view->schema() == b.view->schema()) {
    return a.view->Equals(*b.view, work);
  }
  if (a.size() != b.size()) return Value::Bool(false);
  for (const MapEntry& entry : a.entries()) {
    if (work.is_spent()) break;
    work.Charge(b.WorkOfFinding(entry.key));
    const Value* const found = b.Find(entry.key);
    if (found == nullptr) return Value::Bool(false);
    const Value other = *found;  // what was found is good until the next search
    const Value equal = Equal(entry.value, other, work);
    if (!equal.is_true()) return equal;
  }
  return Value::Bool(true);
}

bool FailsUnlessAlike(const Value& value) {
  return value.is_object() || IsStructured(value);
}

}  // namespace

Value NotScalarError() {
  return Value::Error("listSet operations are only supported on lists of scalar values");
}

std::string KeyOfScalar(const Value& value) {
  std::string out(1, static_cast<char>(value.kind()));
  switch (value.kind()) {
    case ValueKind::kList:
    case ValueKind::kMap: return "";
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kType:
    case ValueKind::kError: out += value.text(); break;
    case ValueKind::kTimestamp:
      Append(out, static_cast<uint64_t>(value.timestamp().seconds));
      Append(out, static_cast<uint64_t>(value.timestamp().nanoseconds));
      Append(out, static_cast<uint64_t>(value.timestamp().offset_seconds));
      break;
    case ValueKind::kNull: break;
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kDuration: Append(out, BitsOf(value)); break;
    // Documents have none of these; they are told apart by their place in memory.
    case ValueKind::kOptional: Append(out, std::bit_cast<uintptr_t>(value.optional())); break;
    case ValueKind::kQuantity: Append(out, std::bit_cast<uintptr_t>(&value.quantity())); break;
    case ValueKind::kSemver: Append(out, std::bit_cast<uintptr_t>(&value.semver())); break;
    case ValueKind::kUrl: Append(out, std::bit_cast<uintptr_t>(&value.url())); break;
    case ValueKind::kIp: Append(out, std::bit_cast<uintptr_t>(&value.ip())); break;
    case ValueKind::kCidr: Append(out, std::bit_cast<uintptr_t>(&value.cidr())); break;
    case ValueKind::kFormat: Append(out, std::bit_cast<uintptr_t>(&value.format())); break;
    case ValueKind::kAuthorization:
      Append(out, std::bit_cast<uintptr_t>(&value.authorization()));
      break;
  }
  return out;
}

// The key of a list's element: the values of the key members, each after its length. Members that
// are missing, and those that are no scalars, are all alike.
std::string KeyOfElement(const List& list, const Value& element) {
  if (list.rule != ListRule::kMap) return KeyOfScalar(element);
  std::string out;
  for (const std::string_view key : list.keys) {
    std::string part;
    if (element.is(ValueKind::kMap)) {
      const Value* const found = element.map().Find(Value::String(key));
      if (found != nullptr && !found->is_error()) part = KeyOfScalar(*found);
    }
    Append(out, part.size());
    out += part;
  }
  return out;
}

Value Equal(const Value& a, const Value& b, Work& work) {
  work.Charge(WorkOfComparing(a, b));
  if (a.is(ValueKind::kInt) && b.is(ValueKind::kInt)) {
    return Value::Bool(a.integer() == b.integer());
  }
  if (IsNumber(a.kind()) && IsNumber(b.kind())) {
    return Value::Bool(Order(a, b) == std::partial_ordering::equivalent);
  }
  if (a.kind() != b.kind()) {
    if (a.is_error()) return a;  // an element that its schema does not allow
    const bool fails = FailsUnlessAlike(a) && !b.is(ValueKind::kNull);
    return fails ? Value::Error("no such overload") : Value::Bool(false);
  }
  switch (a.kind()) {
    case ValueKind::kNull: return Value::Bool(true);
    case ValueKind::kBool: return Value::Bool(a.boolean() == b.boolean());
    case ValueKind::kString:
    case ValueKind::kBytes:
    case ValueKind::kType: return Value::Bool(a.text() == b.text());
    case ValueKind::kList:
      if (!a.list().is_plain()) return StructuredListsEqual(a.list(), b.list(), work);
      return Value::Bool(ListsEqual(a.list(), b.list(), work));
    case ValueKind::kMap:
      if (a.map().is_structured()) return StructuredMapsEqual(a.map(), b.map(), work);
      return Value::Bool(MapsEqual(a.map(), b.map(), work));
    case ValueKind::kOptional: return OptionalsEqual(a.optional(), b.optional(), work);
    case ValueKind::kQuantity:
      if (b.is_computed()) return Value::Error("no such overload");
      return Value::Bool(a.quantity() == b.quantity());
    case ValueKind::kSemver: return Value::Bool(a.semver() == b.semver());
    case ValueKind::kTimestamp: return Value::Bool(a.timestamp() == b.timestamp());
    case ValueKind::kDuration: return Value::Bool(a.nanoseconds() == b.nanoseconds());
    case ValueKind::kUrl: return Value::Bool(a.url() == b.url());
    case ValueKind::kIp: return Value::Bool(a.ip() == b.ip());
    case ValueKind::kCidr: return Value::Bool(a.cidr() == b.cidr());
    case ValueKind::kFormat: return Value::Bool(&a.format() == &b.format());
    case ValueKind::kAuthorization: return Value::Bool(&a.authorization() == &b.authorization());
    case ValueKind::kError: return a;
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble: break;
  }
  return Value::Bool(false);
}

}  // namespace dray::cel::inline value
