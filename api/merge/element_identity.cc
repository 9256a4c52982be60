// SPDX-License-Identifier: Apache-2.0
#include "api/merge/element_identity.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "api/codec/json.h"

namespace dray::api::inline merge {
namespace {

// For atomic lists whose elements have all members of a row; the first such row counts.
constexpr std::array<std::string_view, 5> kIdentities = {
    "name", "request,driver,pool,device,shareID", "counterSet", "driverName", "driver"};

// The members with these names, separated by commas; those the type does not have are left out.
std::vector<const Field*> FieldsOf(const Type& type, std::string_view names) {
  std::vector<const Field*> fields;
  while (!names.empty()) {
    const size_t comma = std::min(names.find(','), names.size());
    if (const Field* field = type.Find(names.substr(0, comma))) fields.push_back(field);
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return fields;
}

}  // namespace

Facets ListRules(const Facets& facets) {
  Facets rules = facets;
  if (facets.list != ListKind::kUndeclared || !facets.patch_strategy.contains("merge")) {
    return rules;
  }
  rules.list = facets.merge_key.empty() ? ListKind::kSet : ListKind::kMap;
  rules.list_keys = facets.merge_key;
  return rules;
}

std::vector<const Field*> IdentityOf(const Type& element, const Facets& list) {
  if (element.kind != TypeKind::kStruct) return {};
  // A key that this version does not have (shareID before 1.34) is alike in all elements.
  if (list.list == ListKind::kMap) return FieldsOf(element, list.list_keys);
  for (const std::string_view names : kIdentities) {
    std::vector<const Field*> fields = FieldsOf(element, names);
    const auto wanted = static_cast<size_t>(std::ranges::count(names, ',')) + 1;
    if (fields.size() == wanted) return fields;
  }
  return {};
}

std::string IdentityText(const Type& element,
                         const std::vector<const Field*>& identity,
                         const void* value) {
  std::string text;
  if (identity.empty()) EncodeJson(element, value, text, {.stored = true});
  for (const Field* field : identity) {
    if (field != identity.front()) text += ',';
    EncodeJson(field->type(), field->of(value), text);
  }
  return text;
}

std::vector<ElementKey> KeysOf(const Type& list_type, const Facets& list, const void* value) {
  const Type& element = list_type.element();
  const std::vector<const Field*> identity = IdentityOf(element, list);
  std::map<std::string, size_t> turns;
  std::vector<ElementKey> keys;
  const size_t size = list_type.container->size(value);
  for (size_t i = 0; i < size; ++i) {
    std::string text = IdentityText(element, identity, list_type.container->at(value, i));
    const size_t turn = turns[text]++;
    keys.emplace_back(std::move(text), turn);
  }
  return keys;
}

}  // namespace dray::api::inline merge
