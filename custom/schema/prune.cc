// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/prune.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string_view>
#include <utility>

#include "api/codec/json_place.h"

namespace dray::custom::schema {
namespace {

using api::JsonPlace;
using api::Tree;

bool HasParts(const Tree& value) {
  return value.size() > 0;
}

// Whether a node keeps apiVersion, kind and metadata, which its properties need not name.
enum class Typed : bool { kNo, kYes };

// What happens to members that a node does not name.
enum class Others : bool { kGo, kStay };

class Pruner {
 public:
  Pruner(std::vector<std::string>* unknown, Nulls nulls) : unknown_(unknown), nulls_(nulls) {}

  void Run(Tree& value, const Node& node, Typed typed) {
    Walk(value, node, typed, Others::kGo, nullptr);
  }

 private:
  void Walk(Tree& value, const Node& node, Typed typed, Others others, const JsonPlace* place) {
    if (node.keeps_unknown_members) others = Others::kStay;
    if (value.is_object()) {
      EraseMembers(value, node, typed, others, place);
      WalkMembers(value, node, typed, place);
    } else if (value.is_list()) {
      WalkElements(value, node, others, place);
    }
  }

  void EraseMembers(
      Tree& value, const Node& node, Typed typed, Others others, const JsonPlace* place) {
    value.EraseMembers([&](const Tree::Member& member) {
      const Node* const known = node.FindMember(member.name());
      if (known != nullptr) return IsDropped(member.value, *known);
      if (others == Others::kStay || node.other_members != OtherMembers::kUnset) return false;
      if (typed == Typed::kYes && IsOfMetadata(member.name())) return false;
      Note(member.name(), place);
      return true;
    });
  }

  bool IsDropped(const Tree& value, const Node& node) const {
    return nulls_ == Nulls::kDrop && value.is_null() && !node.is_nullable &&
           node.default_value.is_null();
  }

  void WalkMembers(Tree& value, const Node& node, Typed typed, const JsonPlace* place) {
    JsonPlace inner{.outer = place, .name = {}};
    for (size_t i = 0; i < value.size(); ++i) {
      const Tree::Member& member = value.members()[i];
      if (!HasParts(member.value)) continue;
      inner.name = member.name();
      if (typed == Typed::kYes && IsOfMetadata(inner.name)) continue;
      if (const Node* const known = node.FindMember(inner.name); known != nullptr) {
        Walk(value.MutableValue(i), *known, TypedOf(*known), Others::kGo, &inner);
      } else if (node.other_members != OtherMembers::kUnset) {
        Empty(value.MutableValue(i), &inner);
      }
    }
  }

  void WalkElements(Tree& value, const Node& node, Others others, const JsonPlace* place) {
    JsonPlace inner{.outer = place, .name = {}};
    for (size_t& i = inner.index; i < value.size(); ++i) {
      if (!HasParts(value.elements()[i])) continue;
      if (node.items != nullptr) {
        Walk(value.MutableElement(i), *node.items, TypedOf(*node.items), others, &inner);
      } else if (others == Others::kGo) {
        Empty(value.MutableElement(i), &inner);
      }
    }
  }

  // Removes all members of an object, and of the objects in a list and the lists in it. Lists may
  // be as deep as documents.
  void Empty(Tree& value, const JsonPlace* outer) {
    struct Open {
      Tree* list;
      JsonPlace place;
    };
    std::deque<Open> open;  // places point to places further out
    const auto enter = [&](Tree& part, const JsonPlace* place) {
      if (part.is_list()) {
        open.push_back({.list = &part, .place = {.outer = place, .name = {}}});
        return;
      }
      part.EraseMembers([&](const Tree::Member& member) {
        Note(member.name(), place);
        return true;
      });
    };
    enter(value, outer);
    while (!open.empty()) {
      auto& [list, place] = open.back();
      const size_t at = place.index;
      if (at == list->size()) {
        open.pop_back();
        if (!open.empty()) ++open.back().place.index;
      } else if (!list->elements()[at].is_list()) {
        if (HasParts(list->elements()[at])) enter(list->MutableElement(at), &place);
        ++place.index;
      } else {
        enter(list->MutableElement(at), &place);
      }
    }
  }

  static bool IsOfMetadata(std::string_view name) {
    return name == "metadata" || name == "kind" || name == "apiVersion";
  }

  static Typed TypedOf(const Node& node) {
    return node.is_embedded_resource ? Typed::kYes : Typed::kNo;
  }

  void Note(std::string_view name, const JsonPlace* outer) {
    if (unknown_ == nullptr || noted_ == kUnknownMembersMax) return;
    ++noted_;
    const JsonPlace place{.outer = outer, .name = name};
    unknown_->push_back(PathOf(&place));
  }

  std::vector<std::string>* unknown_;
  Nulls nulls_;
  size_t noted_ = 0;
};

}  // namespace

void Prune(Tree& object, const Schema& schema, std::vector<std::string>* unknown, Nulls nulls) {
  const auto before = static_cast<ptrdiff_t>(unknown == nullptr ? 0 : unknown->size());
  Pruner(unknown, nulls).Run(object, schema.root(), Typed::kYes);
  if (unknown != nullptr) std::sort(unknown->begin() + before, unknown->end());
}

void PruneValue(Tree& value, const Node& node, Resource resource) {
  const bool is_typed = resource == Resource::kYes || node.is_embedded_resource;
  Pruner(nullptr, Nulls::kKeep).Run(value, node, is_typed ? Typed::kYes : Typed::kNo);
}

}  // namespace dray::custom::schema
