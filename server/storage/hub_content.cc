// SPDX-License-Identifier: Apache-2.0
#include "server/storage/hub_content.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "api/kind.h"
#include "api/reflect.h"

namespace dray::server::storage {
namespace {

using HubStructs = std::unordered_map<const api::Type*, bool>;

// Whether values of `type` have, at any depth, members that only hubs have. Adds structs to
// `structs`.
bool HasHubMembers(const api::Type& type, HubStructs& structs) {
  if (type.element_type != nullptr) return HasHubMembers(type.element(), structs);
  const auto [at, is_new] = structs.try_emplace(&type, true);
  bool& has = at->second;  // valid also after insertions
  if (is_new) {
    has = std::ranges::any_of(type.fields, [&](const api::Field& field) {
      return field.facets.hub || HasHubMembers(field.type(), structs);
    });
  }
  return has;
}

// True when no value of `type`, a struct, has such members, as is the case for most types.
bool IsWithoutHubMembers(const api::Type& type) {
  static const HubStructs kStructs = [] {
    HubStructs structs;
    for (const api::KindInfo* kind : api::BuiltinKinds()) HasHubMembers(kind->type(), structs);
    return structs;
  }();
  const auto known = kStructs.find(&type);
  return known != kStructs.end() && !known->second;
}

// Whether `value` has content in fields that its own version lacks.
bool HasHubContent(const api::Type& type, const void* value) {
  switch (type.kind) {
    case api::TypeKind::kStruct:
      if (IsWithoutHubMembers(type)) return false;
      return std::ranges::any_of(type.fields, [&](const api::Field& field) {
        const void* member = field.of(value);
        return field.facets.hub ? !IsZero(field.type(), member)
                                : HasHubContent(field.type(), member);
      });
    case api::TypeKind::kOptional:
    case api::TypeKind::kList:
    case api::TypeKind::kMap: {
      const size_t size = type.element().scalar != nullptr ? 0 : type.container->size(value);
      for (size_t i = 0; i < size; ++i) {
        if (HasHubContent(type.element(), type.container->at(value, i))) return true;
      }
      return false;
    }
    default: return false;
  }
}

}  // namespace

bool HasHubContent(const api::Object& object) {
  return HasHubContent(object.type(), object.value());
}

}  // namespace dray::server::storage
