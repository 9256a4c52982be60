// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/compare_fields.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/written_members.h"

namespace dray::api::managed_fields {
namespace {

// What was found at one path, and below it.
struct Found {
  bool is_gained = false;
  bool is_removed = false;
  Changes below = {};
};

// Quantities change with their text, not only with their value. In lists upstream compares how it
// has them in memory too, where some remember the text that they were read from: one that came with
// the request may be unlike the same one from the store.
bool IsAsStored(const Type& type, const void* old, const void* now, bool in_list) {
  if (type.kind == TypeKind::kQuantity) {
    const auto& before = *static_cast<const Quantity*>(old);
    const auto& after = *static_cast<const Quantity*>(now);
    return SameText(before, after) && (!in_list || after.ReadsAsPrinted());
  }
  if (type.scalar != nullptr) return type.scalar->equal(old, now);
  if (type.kind == TypeKind::kStruct) {
    return std::ranges::all_of(type.fields, [&](const Field& field) {
      return IsAsStored(field.type(), field.of(old), field.of(now), in_list);
    });
  }
  const ContainerOperations& container = *type.container;
  const size_t size = container.size(old);
  if (size != container.size(now)) return false;
  bool same = true;
  if (type.kind == TypeKind::kMap) {
    VisitMap(type, old, [&](std::string_view key, const void* before) {
      const void* after = container.find(now, key);
      same = same && after != nullptr && IsAsStored(type.element(), before, after, in_list);
    });
    return same;
  }
  const bool inside = in_list || type.kind == TypeKind::kList;
  for (size_t i = 0; i < size && same; ++i) {
    same = IsAsStored(type.element(), container.at(old, i), container.at(now, i), inside);
  }
  return same;
}

bool IsAsBefore(const Part& old, const Part& now) {
  const bool are_values = old.tree() == nullptr && now.tree() == nullptr && old.type() != nullptr &&
                          old.type() == now.type() && old.value() != nullptr &&
                          now.value() != nullptr;
  return are_values ? IsAsStored(*old.type(), old.value(), now.value(), false) : old == now;
}

class Comparison {
 public:
  explicit Comparison(Wire wire) : wire_(wire) {}

  Found At(const Shape& shape, const Part& old, const Part& now) {
    Found found{.is_gained = !old.is_there(), .is_removed = !now.is_there()};
    const bool is_leaf = shape.is_leaf() || (old.is_empty(wire_) && now.is_empty(wire_));
    if (is_leaf) {
      if (!found.is_gained && !found.is_removed) found.is_gained = !IsAsBefore(old, now);
      return found;
    }
    switch (shape.kind) {
      case Shape::Kind::kSet:
      case Shape::Kind::kKeyedList: Items(shape, old, now, found.below); break;
      case Shape::Kind::kMap:
      case Shape::Kind::kStruct:
        if (old.tree() != nullptr || now.tree() != nullptr) {
          Documents(shape, old, now, found.below);
        } else if (shape.kind == Shape::Kind::kMap) {
          Maps(shape, old, now, found.below);
        } else {
          Structs(*shape.type, ValueOf(old), ValueOf(now), found.below);
        }
        break;
      case Shape::Kind::kBool:
      case Shape::Kind::kNumber:
      case Shape::Kind::kText:
      case Shape::Kind::kAnyScalar:
      case Shape::Kind::kOpaque:
      case Shape::Kind::kAtomic: break;
    }
    found.below.gained.Sort();
    found.below.removed.Sort();
    return found;
  }

 private:
  // What is null has no members.
  static const void* ValueOf(const Part& part) {
    return part.is_there() && !part.is_null() ? part.value() : nullptr;
  }

  static void Add(PathElement element, Found found, Changes& out) {
    if (found.is_gained || !found.below.gained.nodes().empty()) {
      out.gained.Append({.element = element,
                         .is_member = found.is_gained,
                         .below = std::move(found.below.gained)});
    }
    if (found.is_removed || !found.below.removed.nodes().empty()) {
      out.removed.Append({.element = std::move(element),
                          .is_member = found.is_removed,
                          .below = std::move(found.below.removed)});
    }
  }

  static bool IsAny(const Found& found) {
    return found.is_gained || found.is_removed || !found.below.gained.nodes().empty() ||
           !found.below.removed.nodes().empty();
  }

  void Member(
      const Shape& shape, std::string_view name, const Part& old, const Part& now, Changes& out) {
    Found found = At(shape, old, now);
    if (IsAny(found)) Add(PathElement::OfField(name), std::move(found), out);
  }

  // Either struct may be null: nothing there.
  void Structs(const Type& type, const void* old, const void* now, Changes& out) {
    const uint64_t before = old == nullptr ? 0 : WrittenMembers(type, old, wire_);
    const uint64_t after = now == nullptr ? 0 : WrittenMembers(type, now, wire_);
    for (uint64_t left = before | after; left != 0; left &= left - 1) {
      const auto index = static_cast<size_t>(std::countr_zero(left));
      const Field& field = type.fields[index];
      const void* a = (before >> index & 1U) != 0 ? field.of(old) : nullptr;
      const void* b = (after >> index & 1U) != 0 ? field.of(now) : nullptr;
      if (field.facets.inlined) {
        Structs(field.type(), a, b, out);
        continue;
      }
      Member(ShapeOf(field),
             field.name,
             a == nullptr ? Part() : Part(field.type(), a),
             b == nullptr ? Part() : Part(field.type(), b),
             out);
    }
  }

  void Maps(const Shape& shape, const Part& old, const Part& now, Changes& out) {
    const Shape element = ElementShape(shape);
    const Type& type = *shape.type;
    const auto part = [&](const void* value) {
      return value == nullptr ? Part() : Part(type.element(), value);
    };
    const void* const before = ValueOf(old);
    const void* const after = ValueOf(now);
    if (after != nullptr) {
      VisitMap(type, after, [&](std::string_view key, const void* value) {
        const void* was = before == nullptr ? nullptr : type.container->find(before, key);
        Member(element, key, part(was), part(value), out);
      });
    }
    if (before != nullptr) {
      VisitMap(type, before, [&](std::string_view key, const void* value) {
        if (after != nullptr && type.container->find(after, key) != nullptr) return;
        Member(element, key, part(value), Part(), out);
      });
    }
  }

  void Documents(const Shape& shape, const Part& old, const Part& now, Changes& out) {
    static const JsonMembers kNone;
    const JsonMembers& before = old.tree() == nullptr ? kNone : old.tree()->members();
    const JsonMembers& after = now.tree() == nullptr ? kNone : now.tree()->members();
    for (const auto& [name, value] : after.All()) {
      const auto member = MemberShape(shape, name, wire_);
      if (member) Member(*member, name, Part(before.Find(name)), Part(value), out);
    }
    for (const auto& [name, value] : before.All()) {
      if (after.Find(name) != nullptr) continue;
      const auto member = MemberShape(shape, name, wire_);
      if (member) Member(*member, name, Part(value), Part(), out);
    }
  }

  void Items(const Shape& shape, const Part& old, const Part& now, Changes& out) {
    if (old.is_there() && now.is_there() && IsAsBefore(old, now)) return;
    struct Both {
      std::vector<Part> old, now;
    };
    std::map<PathElement, Both> by_name;
    for (Item& item : ItemsOf(shape, old, wire_)) {
      by_name[std::move(item.element)].old.push_back(item.part);
    }
    for (Item& item : ItemsOf(shape, now, wire_)) {
      by_name[std::move(item.element)].now.push_back(item.part);
    }
    for (const auto& [element, both] : by_name) {
      SameElement(shape, element, both.old, both.now, out);
    }
  }

  // The elements of both lists that go by one name: one each, unless the list repeats itself. What
  // is repeated is owned as a whole.
  void SameElement(const Shape& shape,
                   const PathElement& element,
                   const std::vector<Part>& old,
                   const std::vector<Part>& now,
                   Changes& out) {
    if (old.size() > 1 && now.size() > 1) {
      if (!std::ranges::equal(old, now)) Add(element, {.is_gained = true}, out);
      return;
    }
    const Shape inner = ElementShape(shape);
    if (old.size() > 1) {
      if (!now.empty()) Add(element, At(inner, Part(), now.front()), out);
      Add(element, {.is_removed = true}, out);
      return;
    }
    if (now.size() > 1) {
      if (!old.empty()) Add(element, At(inner, old.front(), Part()), out);
      Add(element, {.is_gained = true}, out);
      return;
    }
    Found found = At(inner, old.empty() ? Part() : old.front(), now.empty() ? Part() : now.front());
    if (IsAny(found)) Add(element, std::move(found), out);
  }

  Wire wire_;
};

}  // namespace

Changes Changes::Without(const FieldSet& fields) const {
  return {.gained = gained.RecursiveDifference(fields),
          .removed = removed.RecursiveDifference(fields)};
}

Changes CompareFields(const Shape& shape, const Part& old, const Part& now, Wire wire) {
  return Comparison(wire).At(shape, old, now).below;
}

Changes CompareFields(const Object& old, const Object& now, Wire wire) {
  const Type& type = now.type();
  return CompareFields(ShapeOf(type), Part(old.type(), old.value()), Part(type, now.value()), wire);
}

}  // namespace dray::api::managed_fields
