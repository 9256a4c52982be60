// SPDX-License-Identifier: Apache-2.0
#include "cel/named_instance.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/value/semver.h"
#include "cel/value/make.h"

namespace dray::cel {
namespace {

namespace classic = api::resource_v1alpha2;

// In the order of EnvironmentVariables.
enum VariableIndex : uint8_t { kBool, kInt, kIntSlice, kQuantity, kString, kStringSlice, kVersion };

template <class Items, class Make>
Value ListOfItems(Arena& arena, const Items& items, Make make) {
  std::vector<Value> values;
  values.reserve(items.size());
  for (const auto& item : items) values.push_back(make(item));
  return MakeList(arena, values);
}

}  // namespace

NamedInstance::NamedInstance(const classic::NamedResourcesInstance& instance) {
  std::array<std::vector<MapEntry>, kVariables> maps;
  for (const classic::NamedResourcesAttribute& attribute : instance.attributes) {
    const classic::NamedResourcesAttributeValue& value = attribute.attribute_value;
    const auto add = [&](VariableIndex index, const Value& made) {
      maps[index].push_back({Value::String(attribute.name), made});
    };
    if (value.quantity) add(kQuantity, Value::Quantity(&*value.quantity));
    if (value.bool_) add(kBool, Value::Bool(*value.bool_));
    if (value.int_) add(kInt, Value::Int(*value.int_));
    if (value.string) add(kString, Value::String(*value.string));
    if (value.int_slice) {
      add(kIntSlice, ListOfItems(arena_, value.int_slice->ints, Value::Int));
    }
    if (value.string_slice) {
      add(kStringSlice, ListOfItems(arena_, value.string_slice->strings, Value::String));
    }
    if (!value.version) continue;
    auto version = api::Semver::Parse(*value.version);
    if (version.has_value()) {
      add(kVersion, Value::Semver(arena_.Keep(*std::move(version))));
    } else if (error_.empty()) {
      error_ = fmt::format("parse semantic version: {}", version.error().message);
    }
  }
  for (size_t i = 0; i < kVariables; ++i) variables_[i] = MakeMap(arena_, maps[i]);
}

}  // namespace dray::cel
