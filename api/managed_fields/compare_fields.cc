// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/compare_fields.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/written_members.h"
#include "api/custom_kind.h"
#include "api/managed_fields/schema_shape.h"
#include "api/managed_fields/versions.h"

namespace dray::api::managed_fields {
namespace {

// The changes at one path, and below it.
struct Found {
  bool is_gained = false;
  bool is_removed = false;
  Changes below = {};
};

// Quantities change with their text, not only with their value. In lists, upstream compares their
// form in memory too, and some quantities cache the text that they were read from, so one from the
// request may differ from the same one in the store. A null list differs from an empty one, where
// either is written.
bool IsAsStored(const Type& type, const void* old, const void* now, Wire wire, bool in_list) {
  if (type.kind == TypeKind::kQuantity) {
    const auto& before = *static_cast<const Quantity*>(old);
    const auto& after = *static_cast<const Quantity*>(now);
    return SameText(before, after) && (!in_list || after.ReadsAsPrinted());
  }
  if (type.scalar != nullptr) return type.scalar->equal(old, now);
  if (type.kind == TypeKind::kStruct) {
    const uint64_t written = WrittenMembers(type, old, wire);
    if (written != WrittenMembers(type, now, wire)) return false;
    for (uint64_t left = written; left != 0; left &= left - 1) {
      const Field& field = type.fields[static_cast<size_t>(std::countr_zero(left))];
      if (!IsAsStored(field.type(), field.of(old), field.of(now), wire, in_list)) return false;
    }
    return true;
  }
  const ContainerOperations& container = *type.container;
  const size_t size = container.size(old);
  if (size != container.size(now)) return false;
  if (size == 0 && type.kind == TypeKind::kList) {
    return container.present(old) == container.present(now);
  }
  bool same = true;
  if (type.kind == TypeKind::kMap) {
    VisitMap(type, old, [&](std::string_view key, const void* before) {
      const void* after = container.find(now, key);
      same = same && after != nullptr && IsAsStored(type.element(), before, after, wire, in_list);
    });
    return same;
  }
  const bool inside = in_list || type.kind == TypeKind::kList;
  for (size_t i = 0; i < size && same; ++i) {
    same = IsAsStored(type.element(), container.at(old, i), container.at(now, i), wire, inside);
  }
  return same;
}

bool IsAsBefore(const Part& old, const Part& now, Wire wire) {
  const bool are_values = old.tree() == nullptr && now.tree() == nullptr && old.type() != nullptr &&
                          old.type() == now.type() && old.value() != nullptr &&
                          now.value() != nullptr;
  return are_values ? IsAsStored(*old.type(), old.value(), now.value(), wire, false) : old == now;
}

// The two sides of a comparison at one path.
struct Sides {
  Part old, now;
  const FieldSet* ignored = nullptr;  // below that path; null: nothing
};

class Comparison {
 public:
  explicit Comparison(Wire wire) : wire_(wire) {}

  Found At(const Shape& asked, const Sides& sides) {
    const auto& [old, now, ignored] = sides;
    const Shape shape = Resolve(asked, (now.is_there() ? now : old).form());
    Found found{.is_gained = !old.is_there(), .is_removed = !now.is_there()};
    const bool is_leaf = shape.is_leaf() || (old.is_empty(wire_) && now.is_empty(wire_));
    if (is_leaf) {
      if (!found.is_gained && !found.is_removed) found.is_gained = !IsAsBefore(old, now, wire_);
      return found;
    }
    switch (shape.kind) {
      case Shape::Kind::kSet:
      case Shape::Kind::kKeyedList: Lists(shape, sides, found.below); break;
      case Shape::Kind::kMap:
      case Shape::Kind::kStruct:
        if (old.tree() != nullptr || now.tree() != nullptr) {
          Documents(shape, sides, found.below);
        } else if (shape.kind == Shape::Kind::kMap) {
          Maps(shape, sides, found.below);
        } else {
          Structs(*shape.type, ValueOf(old), ValueOf(now), ignored, found.below);
        }
        break;
      case Shape::Kind::kBool:
      case Shape::Kind::kNumber:
      case Shape::Kind::kText:
      case Shape::Kind::kAnyScalar:
      case Shape::Kind::kOpaque:
      case Shape::Kind::kAtomic:
      case Shape::Kind::kDeduced: break;
    }
    found.below.gained.Sort();
    found.below.removed.Sort();
    return found;
  }

  // Metadata are a struct, all else is compared as documents.
  Changes Custom(const Shape& root,
                 const CustomObject& old,
                 const CustomObject& now,
                 const FieldSet* ignored) {
    Changes changes;
    const Result<Differences> content = DifferencesOf(old.content, now.content);
    if (!content.has_value()) return changes;
    Documents(Resolve(root, Shape::Form::kObject),
              {.old = Part(&content->old), .now = Part(&content->now), .ignored = ignored},
              changes);
    const Type& metadata = TypeOf<meta_v1::ObjectMeta>();
    Member(ShapeOf(metadata),
           "metadata",
           {.old = Part(metadata, &old.metadata),
            .now = Part(metadata, &now.metadata),
            .ignored = ignored},
           changes);
    changes.gained.Sort();
    changes.removed.Sort();
    return changes;
  }

 private:
  // A null value has no members.
  static const void* ValueOf(const Part& part) {
    return part.is_there() && !part.is_null() ? part.value() : nullptr;
  }

  static void Add(PathElement element, Found found, Changes& out) {
    const bool is_gain = found.is_gained || !found.below.gained.nodes().empty();
    const bool is_loss = found.is_removed || !found.below.removed.nodes().empty();
    if (is_gain && is_loss) {
      Append(element, found.is_gained, std::move(found.below.gained), out.gained);
      Append(std::move(element), found.is_removed, std::move(found.below.removed), out.removed);
    } else if (is_gain) {
      Append(std::move(element), found.is_gained, std::move(found.below.gained), out.gained);
    } else if (is_loss) {
      Append(std::move(element), found.is_removed, std::move(found.below.removed), out.removed);
    }
  }

  static void Append(PathElement element, bool is_member, FieldSet below, FieldSet& out) {
    out.Append({.element = std::move(element), .is_member = is_member, .below = std::move(below)});
  }

  static bool IsAny(const Found& found) {
    return found.is_gained || found.is_removed || !found.below.gained.nodes().empty() ||
           !found.below.removed.nodes().empty();
  }

  // `sides` are those of a member, but the ignored paths are those of the whole object.
  void Member(const Shape& shape, std::string_view name, const Sides& sides, Changes& out) {
    const FieldNode* node = sides.ignored == nullptr ? nullptr : sides.ignored->FindField(name);
    if (node != nullptr && node->is_member) return;
    Found found = At(
        shape,
        {.old = sides.old, .now = sides.now, .ignored = node == nullptr ? nullptr : &node->below});
    if (IsAny(found)) Add(PathElement::OfField(name), std::move(found), out);
  }

  // Either struct may be null: nothing there.
  void Structs(
      const Type& type, const void* old, const void* now, const FieldSet* ignored, Changes& out) {
    const uint64_t before = old == nullptr ? 0 : WrittenMembers(type, old, wire_);
    const uint64_t after = now == nullptr ? 0 : WrittenMembers(type, now, wire_);
    if (before == 0) out.gained.Reserve(static_cast<size_t>(std::popcount(after)));
    for (uint64_t left = before | after; left != 0; left &= left - 1) {
      const auto index = static_cast<size_t>(std::countr_zero(left));
      const Field& field = type.fields[index];
      const void* a = (before >> index & 1U) != 0 ? field.of(old) : nullptr;
      const void* b = (after >> index & 1U) != 0 ? field.of(now) : nullptr;
      if (field.facets.inlined) {
        Structs(field.type(), a, b, ignored, out);
        continue;
      }
      Member(ShapeOf(field),
             field.name,
             {.old = a == nullptr ? Part() : Part(field.type(), a),
              .now = b == nullptr ? Part() : Part(field.type(), b),
              .ignored = ignored},
             out);
    }
  }

  void Maps(const Shape& shape, const Sides& sides, Changes& out) {
    const Shape element = ElementShape(shape);
    const Type& type = *shape.type;
    const auto part = [&](const void* value) {
      return value == nullptr ? Part() : Part(type.element(), value);
    };
    const auto member = [&](std::string_view key, const void* old, const void* now) {
      Member(element, key, {.old = part(old), .now = part(now), .ignored = sides.ignored}, out);
    };
    const void* const before = ValueOf(sides.old);
    const void* const after = ValueOf(sides.now);
    if (after != nullptr) {
      VisitMap(type, after, [&](std::string_view key, const void* value) {
        member(key, before == nullptr ? nullptr : type.container->find(before, key), value);
      });
    }
    if (before != nullptr) {
      VisitMap(type, before, [&](std::string_view key, const void* value) {
        if (after != nullptr && type.container->find(after, key) != nullptr) return;
        member(key, value, nullptr);
      });
    }
  }

  void Documents(const Shape& shape, const Sides& sides, Changes& out) {
    static const JsonMembers kNone;
    const JsonTree* const old = sides.old.tree();
    const JsonTree* const now = sides.now.tree();
    const JsonMembers& before = old == nullptr ? kNone : old->members();
    const JsonMembers& after = now == nullptr ? kNone : now->members();
    const auto member = [&](std::string_view name, const JsonTree* a, const JsonTree* b) {
      const auto inner = MemberShape(shape, name, wire_);
      if (!inner.has_value()) return;
      Member(*inner, name, {.old = Part(a), .now = Part(b), .ignored = sides.ignored}, out);
    };
    for (const auto& [name, value] : after.All()) member(name, before.Find(name), value);
    for (const auto& [name, value] : before.All()) {
      if (after.Find(name) == nullptr) member(name, value, nullptr);
    }
  }

  using Items = std::vector<Item>;

  // Sorted by name; items with the same name keep their order.
  Items SortedItems(const Shape& list, const Part& part) const {
    Items items = ItemsOf(list, part, wire_);
    const auto before = [](const Item& a, const Item& b) {
      const auto order = a.element <=> b.element;
      return order < 0 || (order == 0 && a.place < b.place);
    };
    if (!std::ranges::is_sorted(items, before)) std::ranges::sort(items, before);
    return items;
  }

  // Ignored paths never lead into a list, because their steps are fields.
  void Lists(const Shape& shape, const Sides& sides, Changes& out) {
    const auto& [old, now, ignored] = sides;
    if (old.is_there() && now.is_there() && IsAsBefore(old, now, wire_)) return;
    Items before = SortedItems(shape, old);
    Items after = SortedItems(shape, now);
    const Shape inner = ElementShape(shape);
    out.gained.Reserve(after.size());
    std::span<Item> left(before);
    std::span<Item> right(after);
    while (!left.empty() || !right.empty()) {
      const bool is_left_first =
          right.empty() || (!left.empty() && left.front().element < right.front().element);
      const PathElement& name = (is_left_first ? left : right).front().element;
      const std::span<Item> was = TakeNamed(name, left);
      SameElement(inner, was, TakeNamed(name, right), out);
    }
  }

  // Removes the leading items with this `name` from `items` and returns them.
  static std::span<Item> TakeNamed(const PathElement& name, std::span<Item>& items) {
    size_t count = 0;
    while (count < items.size() && items[count].element == name) ++count;
    const std::span<Item> taken = items.first(count);
    items = items.subspan(count);
    return taken;
  }

  // Compares the elements of both lists with the same name. There is one each, unless the list has
  // duplicates, which are owned as a whole.
  void SameElement(const Shape& inner, std::span<Item> old, std::span<Item> now, Changes& out) {
    PathElement& element = (old.empty() ? now : old).front().element;
    const Part before = old.empty() ? Part() : old.front().part;
    const Part after = now.empty() ? Part() : now.front().part;
    if (old.size() > 1 && now.size() > 1) {
      if (!std::ranges::equal(old, now, {}, &Item::part, &Item::part)) {
        Add(element, {.is_gained = true}, out);
      }
    } else if (old.size() > 1) {
      if (!now.empty()) Add(element, At(inner, {.old = Part(), .now = after}), out);
      Add(element, {.is_removed = true}, out);
    } else if (now.size() > 1) {
      if (!old.empty()) Add(element, At(inner, {.old = before, .now = Part()}), out);
      Add(element, {.is_gained = true}, out);
    } else {
      Found found = At(inner, {.old = before, .now = after});
      if (IsAny(found)) Add(std::move(element), std::move(found), out);
    }
  }

  Wire wire_;
};

}  // namespace

Changes CompareFields(
    const Shape& shape, const Part& old, const Part& now, Wire wire, const FieldSet* ignored) {
  return Comparison(wire).At(shape, {.old = old, .now = now, .ignored = ignored}).below;
}

namespace {

Changes CompareCustom(const Object& old, const Object& now, Wire wire, const FieldSet* ignored) {
  const RootShape shape(now.kind());
  return Comparison(wire).Custom(
      shape.get(), old.As<CustomObject>(), now.As<CustomObject>(), ignored);
}

}  // namespace

Changes CompareFields(const Object& old, const Object& now, Wire wire, const FieldSet* ignored) {
  if (IsCustom(now.kind())) return CompareCustom(old, now, wire, ignored);
  const Type& type = now.type();
  return CompareFields(
      ShapeOf(type), Part(old.type(), old.value()), Part(type, now.value()), wire, ignored);
}

}  // namespace dray::api::managed_fields
