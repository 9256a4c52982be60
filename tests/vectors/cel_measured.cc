// SPDX-License-Identifier: Apache-2.0
// The formats of expressions that upstream's code was run over: any result (k8s-measured/1),
// selectors under small limits, selectors under gates, derived attributes.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tests/vectors/case_files.h"
#include "tests/vectors/cel_answer.h"
#include "tests/vectors/cel_cases.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
using api::Release;
using cel::Environment;
using cel::ExpressionUse;

constexpr std::string_view kNoLists = "list attributes before 1.36";

const json::object* MemberOf(const json::object& object, std::string_view name) {
  const json::value* const member = object.if_contains(name);
  return member == nullptr ? nullptr : member->if_object();
}

// The devices of a file, by name.
class Devices {
 public:
  explicit Devices(const json::object& file) {
    const json::object* const devices = MemberOf(file, "devices");
    if (devices == nullptr) return;
    for (const auto& [name, device] : *devices) {
      devices_.emplace(name, std::make_unique<CelDevice>(device.as_object()));
    }
  }
  const CelDevice& Of(const json::object& test) const {
    return *devices_.at(std::string(TextOf(test, "device")));
  }

 private:
  std::map<std::string, std::unique_ptr<CelDevice>> devices_;
};

// The releases that a file was measured with: the baseline, and others whose differences the cases
// list.
struct Measurement {
  Release baseline = Release::kNewest;
  std::set<Release> releases;
};

Measurement MeasurementOf(const json::object& file) {
  Measurement measurement;
  if (const json::object* const with = MemberOf(file, "measured_with")) {
    constexpr std::string_view kBefore = "Kubernetes ";
    const std::string_view text = TextOf(*with, "baseline");
    const std::string_view label = text.substr(text.find(kBefore) + kBefore.size(), 4);
    if (const auto release = ReleaseOf(label)) measurement.baseline = *release;
    if (const json::object* const versions = MemberOf(*with, "versions")) {
      for (const auto& version : *versions) {
        if (const auto release = ReleaseOf(version.key())) {
          measurement.releases.insert(*release);
        }
      }
    }
  }
  measurement.releases.insert(measurement.baseline);
  return measurement;
}

/// The expectation of `test` for `release` only; nullptr if it has none.
const json::object* OwnExpectation(const json::object& test, Release release) {
  const json::object* const versions = MemberOf(test, "versions");
  return versions == nullptr ? nullptr : MemberOf(*versions, LabelOf(release));
}

Environment StoredWithAllGates(Release release) {
  return {.release = release, .consumable_capacity = true, .list_type_attributes = true};
}

std::string DifferenceOfMeasured(const json::object& test,
                                 const CelDevice& device,
                                 Release release,
                                 Release baseline) {
  const std::string_view expression = TextOf(test, "expr");
  Environment environment = StoredWithAllGates(release);
  const json::object* const own = OwnExpectation(test, release);
  const bool has_lists = environment.has_list_attributes();
  environment.purpose = cel::Purpose::kFree;
  std::string difference =
      DifferenceOf(AnswerFreely(expression, environment, device),
                   own != nullptr ? *own : test.at("expect").as_object(),
                   own == nullptr && !has_lists ? TypeNames::kAnyIsDyn : TypeNames::kExact);
  if (!difference.empty()) return difference;
  // The type of attribute values decides which selectors are refused, so this holds only where it
  // is that of the baseline.
  const json::object* const selector = MemberOf(test, "selector");
  if (selector == nullptr || release < baseline || own != nullptr) return {};
  environment.purpose = cel::Purpose::kSelector;
  const std::string as_selector =
      DifferenceOf(AnswerAsSelector(expression, environment, device), *selector, TypeNames::kExact);
  return as_selector.empty() ? "" : "as selector: " + as_selector;
}

// The assertions of upstream's table test for its release.
std::string DifferenceFromTable(const CelAnswer& answer, const json::object& test) {
  const json::object& want = test.at("expect").as_object();
  if (std::string difference = DifferenceOf(answer, want, TypeNames::kExact); !difference.empty()) {
    return difference;
  }
  const std::string_view part = TextOf(want, "error_contains");
  const bool is_syntax = answer.error.contains("Syntax error: ");
  if (answer.error.contains(part) || is_syntax) return {};
  return fmt::format("error {}, want one with {}", answer.error, part);
}

ExpressionUse UseOf(const json::object& test) {
  return TextOf(test, "env") == "new" ? ExpressionUse::kNew : ExpressionUse::kStored;
}

void RunObserved(CelFile& file,
                 const json::object& test,
                 const CelDevice& device,
                 Release release) {
  const json::object* const observed = MemberOf(test.at("observed").as_object(), LabelOf(release));
  for (const bool gate : {false, true}) {
    const json::object* const want =
        observed == nullptr ? nullptr
                            : MemberOf(*observed, fmt::format("list_type_attributes={}", gate));
    if (want == nullptr) continue;
    const Environment environment = {
        .release = release,
        .use = UseOf(test),
        .consumable_capacity = test.at("features").at("consumable_capacity").as_bool(),
        .list_type_attributes = gate};
    const CelAnswer answer = AnswerAsSelector(TextOf(test, "expr"), environment, device);
    std::string difference = DifferenceOf(answer, *want, TypeNames::kExact);
    const bool is_asserted =
        release == Release::kNewest &&
        std::ranges::count(ListOf(test, "list_type_attributes"), json::value(gate)) > 0;
    if (difference.empty() && is_asserted) difference = DifferenceFromTable(answer, test);
    if (!difference.empty())
      difference = fmt::format("list_type_attributes={}: {}", gate, difference);
    file.Record(TextOf(test, "id"), release, difference);
  }
}

}  // namespace

void RunMeasuredCases(CelFile& file) {
  const Devices devices(file.json());
  const Measurement measurement = MeasurementOf(file.json());
  for (const json::value& one : ListOf(file.json(), "cases")) {
    const json::object& test = one.as_object();
    const CelDevice& device = devices.Of(test);
    for (const Release release : measurement.releases) {
      if (!file.IsChosen(TextOf(test, "id"), release)) continue;
      if (device.has_lists() && release < Release::k1_36) {
        file.Skip(kNoLists);
        continue;
      }
      file.Record(TextOf(test, "id"),
                  release,
                  DifferenceOfMeasured(test, device, release, measurement.baseline));
    }
  }
}

void RunCostLimitCases(CelFile& file) {
  const Devices devices(file.json());
  for (const json::value& one : ListOf(file.json(), "cases")) {
    const json::object& test = one.as_object();
    for (const Release release : MeasurementOf(file.json()).releases) {
      if (!file.IsChosen(TextOf(test, "id"), release)) continue;
      Environment environment = StoredWithAllGates(release);
      environment.cost_max = std::stoull(std::string(TextOf(test, "cost_limit")));
      const json::object* const own = OwnExpectation(test, release);
      file.Record(
          TextOf(test, "id"),
          release,
          DifferenceOf(AnswerAsSelector(TextOf(test, "expr"), environment, devices.Of(test)),
                       own != nullptr ? *own : test.at("expect").as_object(),
                       TypeNames::kExact));
    }
  }
}

void RunSelectorCases(CelFile& file) {
  for (const json::value& one : ListOf(file.json(), "cases")) {
    const json::object& test = one.as_object();
    const CelDevice device(test.at("device").as_object());
    for (const auto& version : test.at("observed").as_object()) {
      const auto release = ReleaseOf(version.key());
      if (!release) {
        file.Skip("measured with a release that is not played");
      } else if (file.IsChosen(TextOf(test, "id"), *release)) {
        RunObserved(file, test, device, *release);
      }
    }
  }
}

void RunDerivedCases(CelFile& file) {
  const Devices devices(file.json());
  for (const json::value& one : ListOf(file.json(), "cases")) {
    const json::object& test = one.as_object();
    if (!file.IsChosen(TextOf(test, "id"), Release::kNewest)) continue;
    const Environment environment = {
        .use = UseOf(test),
        .purpose = cel::Purpose::kDerivedAttribute,
        .consumable_capacity = true,
        .list_type_attributes = test.at("list_type_attributes").as_bool()};
    file.Record(TextOf(test, "id"),
                Release::kNewest,
                DifferenceOf(AnswerAsAttribute(TextOf(test, "expr"), environment, devices.Of(test)),
                             test.at("expect").as_object(),
                             TypeNames::kExact));
  }
}

}  // namespace dray::vectors
