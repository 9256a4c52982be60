// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/allocator_vectors.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "allocator/allocator.h"
#include "api/json.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;
namespace v1 = api::resource_v1;

template <class T>
Frozen<T> Decode(const json::value& value) {
  auto object = std::make_shared<T>();
  const Result<> decoded =
      api::DecodeJson(api::TypeOf<T>(), json::serialize(value), object.get(), nullptr);
  if (!decoded) throw std::invalid_argument(decoded.error().message);
  return object;
}

template <class T>
std::vector<Frozen<T>> DecodeAll(const json::object& problem, std::string_view member) {
  std::vector<Frozen<T>> objects;
  for (const json::value& value : problem.at(member).as_array())
    objects.push_back(Decode<T>(value));
  return objects;
}

std::string Text(const json::value& value) {
  return std::string(value.as_string());
}

/// "driver/pool/device"; only pool names may hold a slash.
allocator::DeviceId DeviceOf(const std::string& text) {
  const size_t first = text.find('/');
  const size_t last = text.rfind('/');
  return {text.substr(0, first), text.substr(first + 1, last - first - 1), text.substr(last + 1)};
}

api::Quantity Amount(const json::value& text) {
  const Result<api::Quantity> amount = api::Quantity::Parse(Text(text));
  if (!amount) throw std::invalid_argument(amount.error().message);
  return *amount;
}

/// What the problem says is taken already.
Frozen<allocator::AllocatedState> StateOf(const json::object& problem) {
  auto state = std::make_shared<allocator::AllocatedState>();
  const json::value* allocated = problem.if_contains("allocated");
  if (allocated == nullptr) return state;
  if (const json::value* devices = allocated->as_object().if_contains("devices")) {
    for (const json::value& id : devices->as_array()) state->devices.insert(DeviceOf(Text(id)));
  }
  if (const json::value* shares = allocated->as_object().if_contains("shared")) {
    for (const json::value& value : shares->as_array()) {
      const std::string id = Text(value);
      const size_t slash = id.rfind('/');
      state->shares.insert({DeviceOf(id.substr(0, slash)), id.substr(slash + 1)});
    }
  }
  if (const json::value* capacity = allocated->as_object().if_contains("capacity")) {
    for (const auto& [id, amounts] : capacity->as_object()) {
      allocator::ConsumedCapacity& consumed = state->capacity[DeviceOf(id)];
      for (const auto& [name, amount] : amounts.as_object()) consumed[name] = Amount(amount);
    }
  }
  return state;
}

/// The switches of a problem; nothing when one of them is not built.
std::optional<allocator::Features> FeaturesOf(const json::array& names) {
  allocator::Features features{.admin_access = false,
                               .prioritized_list = false,
                               .device_taints = false,
                               .device_binding_and_status = false,
                               .partitionable_devices = false,
                               .consumable_capacity = false,
                               .fractional_capacity_range = false};
  for (const json::value& name : names) {
    if (name == "AdminAccess") {
      features.admin_access = true;
    } else if (name == "PrioritizedList") {
      features.prioritized_list = true;
    } else if (name == "DeviceTaints") {
      features.device_taints = true;
    } else if (name == "DeviceBindingAndStatus") {
      features.device_binding_and_status = true;
    } else if (name == "PartitionableDevices") {
      features.partitionable_devices = true;
    } else if (name == "ConsumableCapacity") {
      features.consumable_capacity = true;
    } else if (name == "FractionalCapacityRange") {
      features.fractional_capacity_range = true;
    } else if (name == "ListTypeAttributes") {
      features.list_type_attributes = true;
    } else if (name == "DerivedAttributes") {
      features.derived_attributes = true;
    } else if (name == "OptionalNodeOperations") {
      features.optional_node_operations = true;
    } else if (name == "CompatibilityGroups") {
      features.compatibility_groups = true;
    } else {
      return std::nullopt;
    }
  }
  return features;
}

/// Spells multiples of 10^21 as upstream's encoder does, which loses their exponent (1000E → 1).
void DropLargeExponents(json::value& result) {
  json::value* const devices = result.as_object().if_contains("devices");
  json::value* const list =
      devices == nullptr ? nullptr : devices->as_object().if_contains("results");
  if (list == nullptr) return;
  for (json::value& device : list->as_array()) {
    json::value* const consumed = device.as_object().if_contains("consumedCapacity");
    if (consumed == nullptr) continue;
    for (auto& amount : consumed->as_object()) {
      std::string text = Text(amount.value());
      if (!text.ends_with("000E")) continue;
      text.pop_back();
      while (text.ends_with("000")) text.resize(text.size() - 3);
      amount.value() = text;
    }
  }
}

/// An answer in the form of the vectors.
json::object Answer(const Result<allocator::Outcome>& outcome) {
  if (!outcome) return {{"outcome", "error"}, {"error", outcome.error().message}};
  if (const auto* none = std::get_if<allocator::Unsatisfiable>(&*outcome)) {
    if (none->node_error.empty()) return {{"outcome", "none"}};
    return {{"outcome", "node-error"}, {"error", none->node_error}};
  }
  if (std::holds_alternative<allocator::Undecided>(*outcome)) return {{"outcome", "undecided"}};
  json::array results;
  std::map<std::string, std::string> shares;  // the vectors number them by first appearance
  for (v1::AllocationResult result : std::get<allocator::Allocation>(*outcome).results) {
    for (v1::DeviceRequestAllocationResult& device : result.devices.results) {
      if (!device.share_id.has_value()) continue;
      const std::string next = fmt::format("S{}", shares.size() + 1);
      device.share_id = shares.try_emplace(*device.share_id, next).first->second;
    }
    std::string text;
    api::EncodeJson(api::TypeOf<v1::AllocationResult>(), &result, text);
    json::value value = json::parse(text);
    DropLargeExponents(value);
    results.push_back(std::move(value));
  }
  return {{"outcome", "allocated"}, {"results", std::move(results)}};
}

const json::object* ExpectedFor(const json::object& outcome, std::string_view profile) {
  for (const json::value& answer : outcome.at("answers").as_array()) {
    for (const json::value& name : answer.at("profiles").as_array()) {
      if (Text(name) == profile) return &answer.as_object();
    }
  }
  return nullptr;
}

/// The first device or claim that an error names, which ours must name too.
std::string Subject(std::string_view error) {
  constexpr std::string_view kMarks[] = {"claim ", "class ", "slice "};
  for (const std::string_view mark : kMarks) {
    const size_t at = error.find(mark);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = error.substr(at + mark.size());
    return std::string(rest.substr(0, rest.find_first_of(":, ")));
  }
  return {};
}

/// Empty when equal, else what differs.
std::string Difference(const json::object& expected, const json::object& got) {
  const std::string wanted = Text(expected.at("outcome"));
  const std::string outcome = Text(got.at("outcome"));
  if (wanted == "timeout" || (wanted == "crash" && outcome == "error")) return {};
  if (wanted != outcome) {
    return fmt::format("expected {}, got {}", json::serialize(expected), json::serialize(got));
  }
  if (wanted == "allocated" && expected.at("results") != got.at("results")) {
    return fmt::format("expected {}, got {}",
                       json::serialize(expected.at("results")),
                       json::serialize(got.at("results")));
  }
  if (wanted == "error") {
    const std::string subject = Subject(Text(expected.at("error")));
    if (Text(got.at("error")).find(subject) == std::string::npos) {
      return fmt::format("expected error {}, got {}",
                         json::serialize(expected.at("error")),
                         json::serialize(got.at("error")));
    }
  }
  return {};
}

/// Nothing where the profile leaves the choice to the switches.
std::optional<allocator::Implementation> ImplementationOf(std::string_view profile) {
  if (profile.ends_with("/incubating")) return allocator::Implementation::kIncubating;
  if (profile.ends_with("/experimental")) return allocator::Implementation::kExperimental;
  return std::nullopt;
}

void RunProblem(const std::string& file,
                const json::object& problem,
                const AllocatorOptions& options,
                Report& report) {
  std::optional<allocator::Features> features = FeaturesOf(problem.at("features").as_array());
  if (!features) {
    report.not_run["needs a switch that is not built yet"] += problem.at("nodes").as_array().size();
    return;
  }
  features->implementation = ImplementationOf(options.profile);
  const Frozen<allocator::Inventory> inventory =
      allocator::Inventory::Build(DecodeAll<v1::ResourceSlice>(problem, "slices"),
                                  DecodeAll<v1::DeviceClass>(problem, "classes"));
  const std::vector<Frozen<v1::ResourceClaim>> claims =
      DecodeAll<v1::ResourceClaim>(problem, "claims");
  const Frozen<allocator::AllocatedState> state = StateOf(problem);
  const auto selectors = std::make_shared<cel::SelectorCache>(cel::Environment(), 100);
  const json::array& nodes = problem.at("nodes").as_array();
  for (size_t i = 0; i < nodes.size(); ++i) {
    const json::object& outcome = problem.at("outcomes").as_array().at(i).as_object();
    const json::object* expected = ExpectedFor(outcome, options.profile);
    if (expected == nullptr) {
      ++report.not_run["no answer of " + options.profile];
      continue;
    }
    api::core_v1::Node node;
    node.metadata.name = Text(nodes[i].at("name"));
    if (const json::value* labels = nodes[i].as_object().if_contains("labels")) {
      for (const auto& label : labels->as_object())
        node.metadata.labels[label.key()] = Text(label.value());
    }
    if (const json::value* declared = nodes[i].as_object().if_contains("declaredFeatures")) {
      for (const json::value& name : declared->as_array())
        node.status.declared_features.push_back(Text(name));
    }
    const allocator::Allocator allocator(inventory, state, selectors, *features);
    const std::string difference =
        Difference(*expected, Answer(allocator.Allocate(node, claims, {})));
    if (difference.empty()) {
      ++report.passed;
    } else {
      report.failures.push_back(fmt::format(
          "{} {} {}: {}", file, Text(problem.at("id")), node.metadata.name, difference));
    }
  }
}

}  // namespace

Result<Report> RunAllocatorVectors(Disk& disk,
                                   const std::vector<std::string>& files,
                                   const AllocatorOptions& options) {
  Report report;
  for (const std::string& file : files) {
    DRAY_TRY(const std::string text, disk.Read(file));
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = std::string_view(text).substr(at, end - at);
      at = end + 1;
      if (line.empty()) continue;
      try {
        RunProblem(
            file.substr(file.rfind('/') + 1), json::parse(line).as_object(), options, report);
      } catch (const std::exception& failure) {
        return Fail(StatusReason::kBadRequest, fmt::format("{}: {}", file, failure.what()));
      }
    }
  }
  return report;
}

}  // namespace dray::vectors
