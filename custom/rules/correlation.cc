// SPDX-License-Identifier: Apache-2.0
#include "custom/rules/correlation.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/hash.h"
#include "custom/rules/tree_equality.h"

namespace dray::custom::rules {

using api::Tree;

namespace {

constexpr uint64_t kWorkOfPair = 16;
constexpr uint64_t kWorkOfElement = 64;

bool HasKeys(const Shape& list) {
  return list.list_rule == cel::ListRule::kMap && !list.keys.empty();
}

// As the schema declares it: not what every object has.
const Shape* DeclaredMember(const Shape& object, std::string_view name) {
  if (object.kind == ShapeKind::kMap) return object.element.get();
  const ShapeField* const field = object.FindField(name);
  return field != nullptr && field->is_declared ? field->shape.get() : nullptr;
}

}  // namespace

size_t Correlation::HashOfAddresses::operator()(const Addresses& pair) const {
  return Hasher()
      .Add(reinterpret_cast<uintptr_t>(pair.now))
      .Add(reinterpret_cast<uintptr_t>(pair.before))
      .value();
}

Pair Correlation::Member(const Pair& object, std::string_view name) {
  const Tree* const now = object.now->Find(name);
  const Tree* const before = object.before->Find(name);
  if (now == nullptr || before == nullptr) return {};
  const Shape* const shape = DeclaredMember(*object.shape, name);
  if (shape == nullptr) return {};
  return {.now = now, .before = before, .shape = shape};
}

Pair Correlation::Element(const Pair& list, size_t index) {
  const Tree& now = list.now->elements()[index];
  const Tree* const before = ElementBefore(*list.shape, *list.before, now);
  if (before == nullptr) return {};
  return {.now = &now, .before = before, .shape = list.shape->element.get()};
}

const Tree* Correlation::ElementBefore(const Shape& list, const Tree& before, const Tree& element) {
  if (!HasKeys(list) || before.size() == 0 || !before.is_list()) return nullptr;
  const auto [known, is_new] = elements_.try_emplace(&before);
  ElementsByKey& elements = known->second;
  for (const Tree& one : is_new ? before.elements() : std::span<const Tree>()) {
    work_.Charge(kWorkOfElement);
    std::optional<std::string> key = MapListKey(one, list.keys);
    // The first of several elements with one key counts.
    if (key.has_value()) elements.emplace(*std::move(key), &one);
  }
  work_.Charge(kWorkOfElement);
  const std::optional<std::string> key = MapListKey(element, list.keys);
  if (!key.has_value()) return nullptr;
  const auto found = elements.find(*key);
  return found == elements.end() ? nullptr : found->second;
}

bool Correlation::IsUnchanged(const Pair& pair) {
  if (pair.is_none()) return false;
  if (!pair.now->is_list() && !pair.now->is_object()) {
    // 1 and 1.0 differ here, as in Go.
    return pair.now->kind() == pair.before->kind() && SameTree(*pair.now, *pair.before, work_);
  }
  const Addresses addresses{.now = pair.now, .before = pair.before};
  if (const auto known = unchanged_.find(addresses); known != unchanged_.end()) {
    return known->second;
  }
  const bool is_unchanged = Compare(pair);
  unchanged_.emplace(addresses, is_unchanged);
  return is_unchanged;
}

bool Correlation::Compare(const Pair& pair) {
  work_.Charge(kWorkOfPair);
  if (pair.now->kind() != pair.before->kind() || pair.now->size() != pair.before->size()) {
    return false;
  }
  return pair.now->is_list() ? CompareLists(pair) : CompareObjects(pair);
}

bool Correlation::CompareLists(const Pair& pair) {
  if (!HasKeys(*pair.shape)) return SameTree(*pair.now, *pair.before, work_);
  for (size_t i = 0; i < pair.now->size(); ++i) {
    if (work_.is_spent() || !IsUnchanged(Element(pair, i))) return false;
  }
  return true;
}

bool Correlation::CompareObjects(const Pair& pair) {
  for (const Tree::Member& member : pair.now->members()) {
    work_.Charge(kWorkOfPair + std::bit_width(pair.before->size()));
    if (work_.is_spent() || !IsUnchanged(Member(pair, member.name()))) return false;
  }
  return true;
}

}  // namespace dray::custom::rules
