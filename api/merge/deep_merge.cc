// SPDX-License-Identifier: Apache-2.0
#include "api/merge/deep_merge.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "api/merge/element_identity.h"
#include "base/check.h"

namespace dray::api::inline merge {
namespace {

namespace json = boost::json;

void MergeJson(json::value& into, const json::value& other) {
  if (!into.is_object() || !other.is_object()) {
    into = other;
    return;
  }
  json::object& members = into.as_object();
  for (const auto& [name, value] : other.as_object()) {
    if (value.is_null()) {
      members.erase(name);
    } else {
      MergeJson(members[name], value);
    }
  }
}

void MergeRaw(RawJson& into, const RawJson& other) {
  boost::system::error_code error;
  json::value ours = json::parse(into.bytes(), error);
  if (error) {  // nothing there yet
    into = other;
    return;
  }
  MergeJson(ours, json::parse(other.bytes(), error));
  if (!error) into = RawJson(json::serialize(ours));
}

void Append(const Type& list, void* into, const void* element) {
  Assign(list.element(), list.container->add(into, {}), element);
}

// O(n log n): elements are one and the same if they are as text.
void UniteSets(const Type& list, void* into, const void* other) {
  const ContainerOperations& container = *list.container;
  std::set<std::string> known;
  for (size_t i = 0; i < container.size(into); ++i) {
    known.insert(IdentityText(list.element(), {}, container.at(into, i)));
  }
  for (size_t i = 0; i < container.size(other); ++i) {
    const void* element = container.at(other, i);
    const bool is_new = known.insert(IdentityText(list.element(), {}, element)).second;
    if (is_new) Append(list, into, element);
  }
}

void MergeByKey(const Type& list, const Facets& facets, void* into, const void* other) {
  const ContainerOperations& container = *list.container;
  const Type& element = list.element();
  const std::vector<const Field*> identity = IdentityOf(element, facets);
  std::map<std::string, size_t> indices;  // of the first element with that key
  for (size_t i = 0; i < container.size(into); ++i) {
    indices.emplace(IdentityText(element, identity, container.at(into, i)), i);
  }
  const size_t size = container.size(other);
  for (size_t i = 0; i < size; ++i) {
    const void* theirs = container.at(other, i);
    const auto [ours, is_new] =
        indices.emplace(IdentityText(element, identity, theirs), container.size(into));
    if (is_new) {
      Append(list, into, theirs);
    } else {
      DeepMerge(element, container.own(into, ours->second), theirs);
    }
  }
}

void MergeList(const Type& list, const Facets& facets, void* into, const void* other) {
  const Facets strategy = ListRules(facets);
  if (!list.container->present(other) && !facets.required) return;
  if (!list.container->present(into)) return Assign(list, into, other);
  if (strategy.list == ListKind::kSet) return UniteSets(list, into, other);
  if (strategy.list == ListKind::kMap) return MergeByKey(list, strategy, into, other);
  Assign(list, into, other);
}

void MergeMap(const Type& map, const Facets& facets, void* into, const void* other) {
  if (map.container->size(other) == 0) return;
  if (facets.atomic_map) return Assign(map, into, other);
  VisitMap(map, other, [&](std::string_view key, const void* theirs) {
    void* const ours = map.container->find_own(into, key);
    if (ours == nullptr) return Assign(map.element(), map.container->add(into, key), theirs);
    DeepMerge(map.element(), ours, theirs);
  });
}

void MergeMember(const Field& field, void* into, const void* other) {
  const Type& type = field.type();
  if (type.kind == TypeKind::kList) return MergeList(type, field.facets, into, other);
  if (type.kind == TypeKind::kMap) return MergeMap(type, field.facets, into, other);
  const bool is_left_out = type.scalar != nullptr && !field.facets.required && IsZero(type, other);
  if (!is_left_out) DeepMerge(type, into, other);
}

}  // namespace

void DeepMerge(const Type& type, void* into, const void* other) {
  switch (type.kind) {
    case TypeKind::kStruct:
      for (const Field& field : type.fields) {
        MergeMember(field, MutableMember(field, into), field.of(other));
      }
      return;
    case TypeKind::kOptional: {
      const ContainerOperations& container = *type.container;
      if (container.size(other) == 0) return;
      if (container.size(into) == 0) return Assign(type, into, other);
      return DeepMerge(type.element(), container.own(into, 0), container.at(other, 0));
    }
    case TypeKind::kList: return MergeList(type, {}, into, other);
    case TypeKind::kMap: return MergeMap(type, {}, into, other);
    case TypeKind::kRawJson:
      return MergeRaw(*static_cast<RawJson*>(into), *static_cast<const RawJson*>(other));
    case TypeKind::kBool:
    case TypeKind::kInt32:
    case TypeKind::kInt64:
    case TypeKind::kDouble:
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kQuantity:
    case TypeKind::kTime:
    case TypeKind::kMicroTime:
    case TypeKind::kDuration:
    case TypeKind::kIntOrString: return Assign(type, into, other);
  }
}

void DeepMerge(Object& into, const Object& other) {
  DRAY_CHECK(&into.kind() == &other.kind());
  DeepMerge(into.type(), into.mutable_value(), other.value());
}

}  // namespace dray::api::inline merge
