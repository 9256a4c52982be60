// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/written_set.h"

#include <cstddef>
#include <optional>

#include "api/codec/json_reader.h"
#include "api/managed_fields/field_set.h"
#include "api/managed_fields/path_element.h"

namespace dray::api::managed_fields {
namespace {

// The changes at one step, and below it; null: none.
struct ChangedStep {
  const FieldNode* gained = nullptr;
  const FieldNode* removed = nullptr;

  bool is_itself() const {
    return (gained != nullptr && gained->is_member) || (removed != nullptr && removed->is_member);
  }
};

// The changes on one level; null: none.
struct ChangedLevel {
  const FieldSet* gained = nullptr;
  const FieldSet* removed = nullptr;

  static ChangedLevel Below(const ChangedStep& step) {
    return {.gained = step.gained == nullptr ? nullptr : &step.gained->below,
            .removed = step.removed == nullptr ? nullptr : &step.removed->below};
  }
  bool is_none() const { return gained == nullptr && removed == nullptr; }

  ChangedStep FindField(std::string_view name) const {
    return {.gained = gained == nullptr ? nullptr : gained->FindField(name),
            .removed = removed == nullptr ? nullptr : removed->FindField(name)};
  }
  ChangedStep Find(const PathElement& element) const {
    return {.gained = gained == nullptr ? nullptr : gained->Find(element),
            .removed = removed == nullptr ? nullptr : removed->Find(element)};
  }
};

// Reads one level after another, as FieldSet::Parse() does; recursion is bounded by its kDepthMax.
class Reading {
 public:
  Reading(std::string_view text, Wire wire) : reader_(text), wire_(wire) {}

  bool KeepsAll(const Shape& shape, const Changes& changes) {
    const ChangedLevel level{.gained = &changes.gained, .removed = &changes.removed};
    size_t steps = 0;
    bool is_member = false;
    return Level([&] { return &shape; }, level, steps, is_member) && steps > 0 && reader_.Finish();
  }

 private:
  // Checks the steps of one level. `shape_of` returns the shape of the enclosing value, or null if
  // the schema has none; it is called only if there are steps.
  template <class ShapeOf>
  bool Level(ShapeOf shape_of, const ChangedLevel& changed, size_t& steps, bool& is_member) {
    if (depth_ >= FieldSet::kDepthMax || !reader_.EnterObject()) return false;
    ++depth_;
    const Shape* shape = nullptr;
    std::string_view key;
    while (reader_.NextKey(key)) {
      if (key == ".") {
        is_member = true;
        reader_.Skip();
        continue;
      }
      if (steps++ == 0) shape = shape_of();
      if (shape != nullptr && shape->is_leaf()) return false;
      if (!Step(key, shape, changed)) return false;
    }
    --depth_;
    return !reader_.failed();
  }

  bool Step(std::string_view key, const Shape* parent, const ChangedLevel& level) {
    const bool is_field = key.starts_with("f:");
    if (!is_field && !key.starts_with("k:") && !key.starts_with("v:") && !key.starts_with("i:")) {
      return false;
    }
    ChangedStep changed;
    if (is_field) {
      changed = level.FindField(key.substr(2));
    } else if (!level.is_none()) {
      const Result<std::optional<PathElement>> element = PathElement::Parse(key);
      if (!element.has_value() || !element->has_value()) return false;
      changed = level.Find(**element);
    }
    const ChangedLevel below = ChangedLevel::Below(changed);
    if (below.is_none() && parent == nullptr) {
      reader_.Skip();
      return !reader_.failed();
    }
    std::optional<Shape> inner;
    const auto shape_of = [&]() -> const Shape* {
      if (parent == nullptr) return nullptr;
      inner = is_field ? FieldShape(*parent, key.substr(2), wire_) : ItemShape(*parent);
      return inner.has_value() ? &*inner : nullptr;
    };
    size_t steps = 0;
    bool is_member = false;
    if (!Level(shape_of, below, steps, is_member)) return false;
    return !changed.is_itself() || (!is_member && steps > 0);
  }

  JsonReader reader_;
  Wire wire_;
  size_t depth_ = 0;
};

}  // namespace

bool KeepsAll(std::string_view fields_v1, const Shape& shape, Wire wire, const Changes& changes) {
  return Reading(fields_v1, wire).KeepsAll(shape, changes);
}

}  // namespace dray::api::managed_fields
