// SPDX-License-Identifier: Apache-2.0
// Two lines of FieldsV1: a set that was read is written so that it reads as the same set, and the
// algebra of both sets holds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/managed_fields/field_set.h"
#include "base/check.h"

namespace {

using dray::api::managed_fields::FieldSet;

FieldSet Read(std::string_view json) {
  const auto set = FieldSet::Parse(json);
  if (!set.has_value()) return {};
  const auto again = FieldSet::Parse(set->ToJson());
  DRAY_CHECK(again.has_value() && *again == *set);
  // NOLINTNEXTLINE(readability-container-size-empty): that they agree is the check
  DRAY_CHECK(set->empty() == (set->size() == 0));
  return *set;
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(text.find('\n'), text.size());
  const FieldSet a = Read(text.substr(0, line));
  const FieldSet b = Read(text.substr(std::min(line + 1, text.size())));
  const FieldSet both = a.Intersection(b);
  DRAY_CHECK(a.Union(b) == b.Union(a));
  DRAY_CHECK(both == b.Intersection(a));
  DRAY_CHECK(a.Meets(b) == !both.empty());
  DRAY_CHECK(a.Difference(b).Union(both) == a);
  DRAY_CHECK(a.Union(b).size() + both.size() == a.size() + b.size());
  DRAY_CHECK(!a.RecursiveDifference(b).Meets(b));
  return 0;
}
