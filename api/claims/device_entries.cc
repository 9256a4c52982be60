// SPDX-License-Identifier: Apache-2.0
#include "api/claims/device_entries.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/hash.h"

namespace dray::api::claims {
namespace {

namespace v1 = resource_v1;

bool Same(const std::optional<Quantity>& a, const std::optional<Quantity>& b) {
  return a.has_value() == b.has_value() && (!a.has_value() || SameRepresentation(*a, *b));
}

bool Same(const Maybe<v1::CapacityRequestPolicy>& a, const Maybe<v1::CapacityRequestPolicy>& b) {
  if (a != b) return false;
  if (!a.has_value()) return true;
  const bool same_values = std::ranges::equal(
      a->valid_values, b->valid_values, [](const Quantity& x, const Quantity& y) {
        return SameRepresentation(x, y);
      });
  if (!same_values || !Same(a->default_, b->default_)) return false;
  if (a->valid_values.present() != b->valid_values.present()) return false;
  const auto& x = a->valid_range;
  const auto& y = b->valid_range;
  return !x.has_value() || (Same(x->min, y->min) && Same(x->max, y->max) && Same(x->step, y->step));
}

void AddAttribute(const v1::DeviceAttribute& attribute, Hasher& hash) {
  if (attribute.string.has_value()) hash.Add(*attribute.string);
  if (attribute.int_.has_value()) hash.Add(static_cast<uint64_t>(*attribute.int_));
  if (attribute.bool_.has_value()) hash.Add(*attribute.bool_ ? 1U : 2U);
  if (attribute.version.has_value()) hash.Add(*attribute.version);
  for (const int64_t number : attribute.ints) hash.Add(static_cast<uint64_t>(number));
  for (const std::string& text : attribute.strings) hash.Add(text);
  for (const std::string& text : attribute.versions) hash.Add(text);
}

}  // namespace

bool SameEntry(const AttributeEntry& a, const AttributeEntry& b) {
  const v1::DeviceAttribute& p = a.second;
  const v1::DeviceAttribute& q = b.second;
  return a.first == b.first && p == q && p.ints.present() == q.ints.present() &&
         p.bools.present() == q.bools.present() && p.strings.present() == q.strings.present() &&
         p.versions.present() == q.versions.present();
}

bool SameEntry(const CapacityEntry& a, const CapacityEntry& b) {
  return a.first == b.first && SameRepresentation(a.second.value, b.second.value) &&
         Same(a.second.request_policy, b.second.request_policy);
}

uint64_t HashEntry(const AttributeEntry& entry) {
  Hasher hash;
  hash.Add(entry.first);
  AddAttribute(entry.second, hash);
  return hash.value();
}

uint64_t HashEntry(const CapacityEntry& entry) {
  return Hasher().Add(entry.first).Add(static_cast<uint64_t>(entry.second.value.Value())).value();
}

}  // namespace dray::api::claims
