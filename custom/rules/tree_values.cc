// SPDX-License-Identifier: Apache-2.0
#include "custom/rules/tree_values.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cel/value/make.h"
#include "custom/rules/field_names.h"
#include "custom/rules/scalar_values.h"
#include "custom/rules/tree_equality.h"

namespace dray::custom::rules {

using api::Tree;
using cel::Arena;
using cel::MapEntry;
using cel::Value;

namespace {

constexpr uint64_t kWorkOfView = 16;

class ListOfTree final : public cel::ListView {
 public:
  static Value Make(const Tree& tree, const Shape& shape, Arena& arena) {
    ListOfTree* const made = arena.Place(ListOfTree(tree, shape, arena));
    made->list_.view = made;
    return Value::FromList(&made->list_);
  }

  size_t size() const override { return tree_.size(); }
  Value At(size_t index) override {
    if (!all_.empty()) return all_[index];
    return TreeValue(tree_.elements()[index], *shape_.element, arena_);
  }
  std::span<const Value> All() override {
    if (!all_.empty() || tree_.size() == 0) return all_;
    arena_.work().Charge(WorkOfItems(tree_.size()));
    const std::span<Value> made = arena_.NewValues(tree_.size());
    for (size_t i = 0; i < made.size() && !arena_.is_full(); ++i) {
      made[i] = TreeValue(tree_.elements()[i], *shape_.element, arena_);
    }
    all_ = made;
    return all_;
  }
  const void* schema() const override { return &shape_; }
  Value Equals(const ListView& other, Work& work) const override {
    return TreesEqual(shape_, tree_, static_cast<const ListOfTree&>(other).tree_, work);
  }

 private:
  ListOfTree(const Tree& tree, const Shape& shape, Arena& arena)
      : arena_(arena),
        tree_(tree),
        shape_(shape),
        list_{.rule = shape.list_rule, .keys = shape.key_views} {}

  Arena& arena_;
  const Tree& tree_;
  const Shape& shape_;
  std::span<const Value> all_;
  cel::List list_;
};

class ObjectOfTree final : public cel::MapView {
 public:
  static Value Make(const Tree& tree, const Shape& shape, Arena& arena) {
    ObjectOfTree* const made = arena.Place(ObjectOfTree(tree, shape, arena));
    made->map_.view = made;
    return Value::FromMap(&made->map_);
  }

  const Value* Find(std::string_view key) override {
    if (!shape_.has_fields || !key.contains("__")) return FindMember(key);
    const std::optional<std::string> name = UnescapeName(key);
    return name.has_value() ? FindMember(*name) : nullptr;
  }
  size_t size() const override { return tree_.size(); }
  std::span<const MapEntry> Entries() override {
    if (!has_entries_) MakeEntries();
    has_entries_ = true;
    return entries_;
  }
  const void* schema() const override { return &shape_; }
  Value Equals(const MapView& other, Work& work) const override {
    return TreesEqual(shape_, tree_, static_cast<const ObjectOfTree&>(other).tree_, work);
  }

 private:
  // A list or object that was found before: an expression often comes back to it.
  struct Known {
    const Tree* tree = nullptr;
    Value value;
    Known* next = nullptr;
  };
  static constexpr size_t kKnownMax = 8;

  ObjectOfTree(const Tree& tree, const Shape& shape, Arena& arena)
      : arena_(arena), tree_(tree), shape_(shape) {}

  const Value* FindMember(std::string_view name) {
    const Tree* const part = tree_.Find(name);
    if (part == nullptr || (shape_.has_fields && part->is_null())) return nullptr;
    const Shape* const shape = shape_.FindMember(name);
    if (shape == nullptr) return nullptr;
    const bool is_scalar = !part->is_list() && !part->is_object();
    if (is_scalar) {
      found_ = ScalarValue(*part, *shape, arena_);
      return &found_;
    }
    for (const Known* known = known_; known != nullptr; known = known->next) {
      if (known->tree == part) return &known->value;
    }
    found_ = TreeValue(*part, *shape, arena_);
    if (known_count_ < kKnownMax) {
      known_ = arena_.Place(Known{.tree = part, .value = found_, .next = known_});
      ++known_count_;
    }
    return &found_;
  }

  // Members that the schema does not have are not seen.
  void MakeEntries() {
    arena_.work().Charge(2 * WorkOfItems(tree_.size()));
    const std::span<MapEntry> made = arena_.NewEntries(tree_.size());
    size_t count = 0;
    for (const Tree::Member& member : tree_.members()) {
      if (arena_.is_full()) break;
      if (shape_.has_fields && member.value.is_null()) continue;
      std::string_view key = member.name();
      const Shape* shape = shape_.element.get();
      if (shape_.kind == ShapeKind::kObject) {
        const ShapeField* const field = shape_.FindField(key);
        if (field == nullptr) continue;
        shape = field->shape.get();
        if (!field->identifier.empty()) key = field->identifier;
      }
      made[count++] = {.key = Value::String(key), .value = TreeValue(member.value, *shape, arena_)};
    }
    // Escapes change the order.
    const std::span<MapEntry> seen = made.first(count);
    if (!std::ranges::is_sorted(seen, cel::KeyLess, &MapEntry::key)) {
      std::ranges::sort(seen, cel::KeyLess, &MapEntry::key);
    }
    entries_ = seen;
  }

  Arena& arena_;
  const Tree& tree_;
  const Shape& shape_;
  Value found_;
  Known* known_ = nullptr;
  size_t known_count_ = 0;
  std::span<const MapEntry> entries_;
  bool has_entries_ = false;
  cel::Map map_;
};

}  // namespace

Value TreeValue(const Tree& tree, const Shape& shape, Arena& arena) {
  if (tree.is_list() && shape.kind == ShapeKind::kList && shape.element != nullptr) {
    arena.work().Charge(kWorkOfView);
    return ListOfTree::Make(tree, shape, arena);
  }
  if (tree.is_object() && shape.is_object()) {
    arena.work().Charge(kWorkOfView);
    return ObjectOfTree::Make(tree, shape, arena);
  }
  return ScalarValue(tree, shape, arena);
}

}  // namespace dray::custom::rules
