// SPDX-License-Identifier: Apache-2.0
#include "custom/rules/tree_equality.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cel/value/equality.h"
#include "custom/rules/scalar_values.h"

namespace dray::custom::rules {

using api::Tree;
using cel::Value;

namespace {

constexpr uint64_t kWorkOfPart = 8;
constexpr uint64_t kWorkOfKey = 64;

// Compares what is not inside elements and members, and charges for it.
bool SameShallow(const Tree& a, const Tree& b, Work& work) {
  work.Charge(kWorkOfPart);
  if (a.is_number() && b.is_number()) return Tree::Compare(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Tree::Kind::kBool: return a.boolean() == b.boolean();
    case Tree::Kind::kText:
      work.Charge(WorkOfBytes(std::min(a.text().size(), b.text().size())));
      return a.text() == b.text();
    case Tree::Kind::kList:
    case Tree::Kind::kObject: return a.size() == b.size();
    case Tree::Kind::kNull:
    case Tree::Kind::kInteger:
    case Tree::Kind::kDouble: break;
  }
  return true;
}

Value SameTime(const Shape& shape, const Tree& a, const Tree& b, Work& work) {
  if (SameShallow(a, b, work)) return Value::Bool(true);
  cel::Arena arena(work);
  return cel::Equal(ScalarValue(a, shape, arena), ScalarValue(b, shape, arena), work);
}

bool IsScalar(const Tree& tree) {
  return !tree.is_list() && !tree.is_object();
}

// The elements in order, each value once; false if one is no scalar.
bool DistinctScalars(const Tree& list, std::vector<const Tree*>& out, Work& work) {
  for (const Tree& element : list.elements()) {
    work.Charge(kWorkOfKey);
    if (!IsScalar(element)) return false;
    out.push_back(&element);
  }
  std::ranges::sort(out, [](const Tree* a, const Tree* b) { return Tree::Compare(*a, *b) < 0; });
  const auto again = std::ranges::unique(
      out, [](const Tree* a, const Tree* b) { return Tree::Compare(*a, *b) == 0; });
  out.erase(again.begin(), again.end());
  return true;
}

Value SetsEqual(const Tree& a, const Tree& b, Work& work) {
  std::vector<const Tree*> left;
  std::vector<const Tree*> right;
  if (!DistinctScalars(a, left, work) || !DistinctScalars(b, right, work)) {
    return cel::NotScalarError();
  }
  const bool same = std::ranges::equal(
      left, right, [](const Tree* x, const Tree* y) { return Tree::Compare(*x, *y) == 0; });
  return Value::Bool(same);
}

Value MapListsEqual(const Shape& shape, const Tree& a, const Tree& b, Work& work) {
  // Elements without a key are all alike.
  const auto key_of = [&](const Tree& element) {
    work.Charge(kWorkOfKey);
    return MapListKey(element, shape.keys).value_or("");
  };
  std::unordered_map<std::string, const Tree*> elements;
  for (const Tree& element : a.elements()) elements[key_of(element)] = &element;
  std::unordered_set<const Tree*> seen;
  for (const Tree& element : b.elements()) {
    if (work.is_spent()) break;
    const auto found = elements.find(key_of(element));
    if (found == elements.end()) return Value::Bool(false);
    const Value equal = TreesEqual(*shape.element, *found->second, element, work);
    if (!equal.is_true()) return equal;
    seen.insert(found->second);
  }
  return Value::Bool(seen.size() == elements.size());
}

Value ListsEqual(const Shape& shape, const Tree& a, const Tree& b, Work& work) {
  if (a.size() != b.size()) return Value::Bool(false);
  if (shape.element == nullptr) return Value::Bool(SameTree(a, b, work));
  if (shape.list_rule == cel::ListRule::kSet) return SetsEqual(a, b, work);
  if (shape.list_rule == cel::ListRule::kMap) return MapListsEqual(shape, a, b, work);
  for (size_t i = 0; i < a.size() && !work.is_spent(); ++i) {
    const Value equal = TreesEqual(*shape.element, a.elements()[i], b.elements()[i], work);
    if (!equal.is_true()) return equal;
  }
  return Value::Bool(true);
}

// The member `name` of `object`; null counts as absent where the schema has fields.
const Tree* Present(const Shape& shape, const Tree& object, std::string_view name) {
  const Tree* const found = object.Find(name);
  return found != nullptr && shape.has_fields && found->is_null() ? nullptr : found;
}

Value ObjectsEqual(const Shape& shape, const Tree& a, const Tree& b, Work& work) {
  if (a.size() != b.size()) return Value::Bool(false);
  for (const Tree::Member& member : a.members()) {
    if (work.is_spent()) break;
    work.Charge(kWorkOfPart + std::bit_width(b.size()));
    const Shape* const inner = shape.FindMember(member.name());
    if (inner == nullptr) {
      const Tree* const other = b.Find(member.name());
      if (other != nullptr && !SameTree(member.value, *other, work)) return Value::Bool(false);
      continue;
    }
    const Tree* const one = Present(shape, a, member.name());
    const Tree* const other = Present(shape, b, member.name());
    if ((one == nullptr) != (other == nullptr)) return Value::Bool(false);
    if (one == nullptr) continue;
    const Value equal = TreesEqual(*inner, *one, *other, work);
    if (!equal.is_true()) return equal;
  }
  return Value::Bool(true);
}

}  // namespace

bool SameTree(const Tree& a, const Tree& b, Work& work) {
  std::vector<std::pair<const Tree*, const Tree*>> open = {{&a, &b}};
  while (!open.empty()) {
    const auto [left, right] = open.back();
    open.pop_back();
    if (work.is_spent()) return false;
    if (left->SharesAllWith(*right)) continue;
    if (!SameShallow(*left, *right, work)) return false;
    for (size_t i = 0; left->is_list() && i < left->size(); ++i) {
      open.emplace_back(&left->elements()[i], &right->elements()[i]);
    }
    for (size_t i = 0; left->is_object() && i < left->size(); ++i) {
      const Tree::Member& one = left->members()[i];
      const Tree::Member& other = right->members()[i];
      if (one.name() != other.name()) return false;
      open.emplace_back(&one.value, &other.value);
    }
  }
  return true;
}

std::optional<std::string> MapListKey(const Tree& element, std::span<const std::string> keys) {
  std::string out;
  for (const std::string& key : keys) {
    const Tree* const value = element.Find(key);
    if (value == nullptr || value->is_null() || !IsScalar(*value)) return std::nullopt;
    const auto kind = static_cast<char>(value->kind());
    std::string_view bytes;
    uint64_t bits = 0;
    if (value->is_text()) {
      bytes = value->text();
      bits = bytes.size();
    } else if (value->is_integer()) {
      bits = static_cast<uint64_t>(value->integer());
    } else if (value->is_double()) {
      bits = std::bit_cast<uint64_t>(value->number());
    } else {
      bits = value->boolean() ? 1 : 0;
    }
    out += kind;
    for (unsigned shift = 0; shift < 64; shift += 8) {
      out += static_cast<char>((bits >> shift) & 0xFFU);
    }
    out += bytes;
  }
  return out;
}

Value TreesEqual(const Shape& shape, const Tree& a, const Tree& b, Work& work) {
  work.Charge(kWorkOfPart);
  if (a.SharesAllWith(b)) return Value::Bool(true);
  if (a.is_null() || b.is_null()) return Value::Bool(a.is_null() && b.is_null());
  switch (shape.kind) {
    case ShapeKind::kList:
      if (!a.is_list() || !b.is_list()) break;
      return ListsEqual(shape, a, b, work);
    case ShapeKind::kMap:
    case ShapeKind::kObject:
      if (!a.is_object() || !b.is_object()) break;
      return ObjectsEqual(shape, a, b, work);
    case ShapeKind::kBytes:
    case ShapeKind::kDuration:
    case ShapeKind::kDate:
    case ShapeKind::kDateTime: return SameTime(shape, a, b, work);
    case ShapeKind::kUntyped:
    case ShapeKind::kPreserved:
    case ShapeKind::kIntOrString:
    case ShapeKind::kString:
    case ShapeKind::kNumber:
    case ShapeKind::kInteger:
    case ShapeKind::kBoolean: break;
  }
  return Value::Bool(SameTree(a, b, work));
}

}  // namespace dray::custom::rules
