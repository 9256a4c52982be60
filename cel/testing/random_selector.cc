// SPDX-License-Identifier: Apache-2.0
#include "cel/testing/random_selector.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "cel/value/value.h"

namespace dray::cel::testing {
namespace {

constexpr std::array<std::string_view, 3> kDomains = {"a.example", "b.example", "c.example"};
constexpr std::array<std::string_view, 4> kIds = {"model", "index", "firmware", "tags"};
constexpr std::array<std::string_view, 5> kVersions = {
    "1.0.0", "1.2.3", "1.2.3+build", "1.2.3-rc.1", "2.0.0"};
constexpr std::array<std::string_view, 8> kAmounts = {
    "0", "1", "1000m", "2000m", "40Gi", "80Gi", "9223372036854775807", "1Ei"};
constexpr std::array<std::string_view, 4> kWords = {"", "x100", "x200", "\xC3\xBC"};
constexpr std::array<std::string_view, 6> kComparisons = {"==", "!=", "<", "<=", ">", ">="};
constexpr std::array<std::string_view, 14> kScalars = {"0",
                                                       "1",
                                                       "3",
                                                       "500",
                                                       "1.5",
                                                       "3u",
                                                       "'x100'",
                                                       "'x200'",
                                                       "'s0500'",
                                                       "true",
                                                       "false",
                                                       "null",
                                                       "semver('1.2.3')",
                                                       "quantity('40Gi')"};

}  // namespace

std::string RandomSelector::Draw() {
  return Condition(static_cast<int>(1 + Below(4)));
}

std::string RandomSelector::Condition(int depth) {
  if (depth == 0) return Atom();
  switch (Below(7)) {
    case 0:
    case 1: return fmt::format("({} && {})", Condition(depth - 1), Condition(depth - 1));
    case 2:
    case 3: return fmt::format("({} || {})", Condition(depth - 1), Condition(depth - 1));
    case 4: return fmt::format("!({})", Condition(depth - 1));
    case 5:
      return fmt::format(
          "({} ? {} : {})", Condition(depth - 1), Condition(depth - 1), Condition(depth - 1));
    default: return Atom();
  }
}

std::string RandomSelector::Attribute() {
  const std::string_view domain = Pick(kDomains);
  const std::string_view id = Pick(kIds);
  if (Below(4) == 0) return fmt::format("device.attributes['{}'].?{}.orValue(1)", domain, id);
  return fmt::format("device.attributes['{}'].{}", domain, id);
}

std::string RandomSelector::Scalar() {
  return fmt::format("dyn({})", Pick(kScalars));
}

std::string RandomSelector::Comparison() {
  const std::string_view comparison = Pick(kComparisons);
  switch (Below(4)) {
    case 0: return fmt::format("{} {} {}", Scalar(), comparison, Attribute());
    case 1: return fmt::format("{} {} {}", Attribute(), comparison, Attribute());
    case 2: return fmt::format("{} {} 'x100'", Attribute(), comparison);
    default: return fmt::format("{} {} {}", Attribute(), comparison, Scalar());
  }
}

std::string RandomSelector::Method() {
  constexpr std::array<std::string_view, 3> kNames = {"compareTo", "isLessThan", "isGreaterThan"};
  const std::string_view name = Pick(kNames);
  const std::string call = Below(2) == 0
                               ? fmt::format("device.capacity['{}'].memory.{}(quantity('{}'))",
                                             Pick(kDomains),
                                             name,
                                             Pick(kAmounts))
                               : fmt::format("device.attributes['{}'].firmware.{}(semver('{}'))",
                                             Pick(kDomains),
                                             name,
                                             Pick(kVersions));
  const bool is_bool = name != "compareTo";
  return call + (is_bool ? "" : fmt::format(" {} {}", Pick(kComparisons), Below(2)));
}

std::string RandomSelector::Loop() {
  switch (Below(5)) {
    case 0: return fmt::format("{}.exists(t, t == 'x100')", Attribute());
    case 1: return fmt::format("{}.all(t, t in ['x100', 'x200'])", Attribute());
    case 2: return fmt::format("cel.bind(v, {}, v == v || v == 3)", Attribute());
    case 3: return "device.attributes.exists(d, d == 'a.example')";
    default: return fmt::format("size({}) == 2", Attribute());
  }
}

std::string RandomSelector::Atom() {
  switch (Below(12)) {
    case 0: return fmt::format("device.driver == '{}'", Pick(kDomains));
    case 1: return "device.allowMultipleAllocations";
    case 2: return fmt::format("'{}' in device.attributes", Pick(kDomains));
    case 3: return fmt::format("'{}' in device.attributes['{}']", Pick(kIds), Pick(kDomains));
    case 4: return fmt::format("has(device.attributes['{}'].{})", Pick(kDomains), Pick(kIds));
    case 5: return fmt::format("{} in [1, 3, 500]", Attribute());
    case 6: return fmt::format("{}.matches('^(x1|s0)')", Attribute());
    case 7: return fmt::format("device.capacity['{}'].memory.asInteger() > 0", Pick(kDomains));
    case 8: return Loop();
    case 9: return Method();
    default: return Comparison();
  }
}

AttributeValue RandomDevices::Value(bool wide) {
  switch (Below(8)) {
    case 0: return Below(2) == 0;
    case 1: return std::string_view(kWords[Below(kWords.size())]);
    case 2: return VersionText{kVersions[Below(kVersions.size())]};
    case 3: {
      auto& list = lists_.emplace_back();
      for (size_t i = Below(3); i > 0; --i) list.emplace_back(kWords[Below(kWords.size())]);
      return std::span<const std::string>(list);
    }
    case 4: {
      auto& list = numbers_.emplace_back();
      for (size_t i = Below(3); i > 0; --i) list.push_back(static_cast<int64_t>(Below(4)));
      return std::span<const int64_t>(list);
    }
    case 5: return std::string_view(Keep(fmt::format("s{:04}", Below(wide ? 1000 : 3))));
    default: return static_cast<int64_t>(Below(wide ? 1000 : 4));
  }
}

const Device& RandomDevices::Draw(bool wide) {
  Device& device = devices_.emplace_back();
  device.driver = kDomains[Below(kDomains.size())];
  device.allow_multiple_allocations = Below(2) == 0;
  for (const std::string_view domain : kDomains) {
    for (const std::string_view id : kIds) {
      if (Below(3) == 0) continue;
      const bool is_own = domain == device.driver && Below(2) == 0;
      const std::string name = is_own ? std::string(id) : fmt::format("{}/{}", domain, id);
      device.attributes.push_back({Keep(name), Value(wide)});
    }
    if (Below(3) == 0) continue;
    const std::string amount =
        wide ? fmt::format("{}Mi", Below(100000)) : std::string(kAmounts[Below(kAmounts.size())]);
    quantities_.push_back(api::Quantity::Parse(amount).value());
    device.capacity.push_back({Keep(fmt::format("{}/memory", domain)), &quantities_.back()});
  }
  if (Below(40) == 0) device.attributes.push_back({"broken", VersionText{"1.x"}});
  return device;
}

}  // namespace dray::cel::testing
