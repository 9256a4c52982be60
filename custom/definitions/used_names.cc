// SPDX-License-Identifier: Apache-2.0
#include "custom/definitions/used_names.h"

namespace dray::custom::definitions {
namespace {

void CountOne(const std::string& name,
              int change,
              std::map<std::string, int, std::less<>>& counts) {
  if (name.empty()) return;
  const auto at = counts.try_emplace(name, 0).first;
  at->second += change;
  if (at->second <= 0) counts.erase(at);
}

}  // namespace

void UsedNames::Count(const Names& names, int change) {
  CountOne(names.plural, change, resources_);
  CountOne(names.singular, change, resources_);
  for (const std::string& name : names.short_names) CountOne(name, change, resources_);
  CountOne(names.kind, change, kinds_);
  CountOne(names.list_kind, change, kinds_);
}

}  // namespace dray::custom::definitions
