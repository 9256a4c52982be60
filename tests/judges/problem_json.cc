// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/problem_json.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "allocator/feature_switches.h"
#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "api/value/quantity.h"
#include "base/try.h"
#include "dray/profile.h"

namespace dray::judges {
namespace {

namespace json = boost::json;
namespace v1 = api::resource_v1;
using allocator::DeviceId;
using allocator::Features;
using api::JsonWriter;

Failure Malformed(std::string message) {
  return Fail(StatusReason::kBadRequest, std::move(message));
}

// Decoding. The JSON library throws if a member is missing or has another type; DecodeProblem turns
// that into an Error.

std::string Text(const json::value& value) {
  return std::string(value.as_string());
}

std::vector<std::string> TextsOf(const json::object& object, std::string_view member) {
  std::vector<std::string> texts;
  if (const json::value* list = object.if_contains(member)) {
    for (const json::value& text : list->as_array()) texts.push_back(Text(text));
  }
  return texts;
}

template <class T>
Result<std::vector<Frozen<T>>> Objects(const json::object& problem, std::string_view member) {
  std::vector<Frozen<T>> objects;
  for (const json::value& value : problem.at(member).as_array()) {
    auto object = std::make_shared<T>();
    DRAY_TRY_VOID(api::DecodeJson(api::TypeOf<T>(), json::serialize(value), object.get(), nullptr));
    objects.push_back(std::move(object));
  }
  return objects;
}

/// "driver/pool/device"; only pool names may contain a slash.
Result<DeviceId> DeviceNamed(std::string_view text) {
  const size_t first = text.find('/');
  const size_t last = text.rfind('/');
  if (first == last) return Malformed("not driver/pool/device: " + std::string(text));
  return DeviceId{std::string(text.substr(0, first)),
                  std::string(text.substr(first + 1, last - first - 1)),
                  std::string(text.substr(last + 1))};
}

Result<allocator::AllocatedState> AllocatedOf(const json::object& problem) {
  allocator::AllocatedState state;
  const json::value* const given = problem.if_contains("allocated");
  if (given == nullptr) return state;
  const json::object& allocated = given->as_object();
  for (const std::string& id : TextsOf(allocated, "devices")) {
    DRAY_TRY(DeviceId device, DeviceNamed(id));
    state.devices.insert(std::move(device));
  }
  for (const std::string& id : TextsOf(allocated, "shared")) {
    const size_t slash = std::min(id.rfind('/'), id.size());
    DRAY_TRY(DeviceId device, DeviceNamed(std::string_view(id).substr(0, slash)));
    state.shares.insert({.device = std::move(device), .share = id.substr(slash + 1)});
  }
  const json::value* const capacity = allocated.if_contains("capacity");
  if (capacity == nullptr) return state;
  for (const auto& [id, amounts] : capacity->as_object()) {
    DRAY_TRY(DeviceId device, DeviceNamed(id));
    allocator::ConsumedCapacity& consumed = state.capacity[std::move(device)];
    for (const auto& [name, amount] : amounts.as_object()) {
      DRAY_TRY(consumed[name], api::Quantity::Parse(Text(amount)));
    }
  }
  return state;
}

api::core_v1::Node NodeOf(const json::object& value) {
  api::core_v1::Node node;
  node.metadata.name = Text(value.at("name"));
  if (const json::value* labels = value.if_contains("labels")) {
    for (const auto& [key, text] : labels->as_object()) node.metadata.labels[key] = Text(text);
  }
  node.status.declared_features = TextsOf(value, "declaredFeatures");
  return node;
}

Result<Problem> Decode(const json::object& value) {
  Problem problem{.id = Text(value.at("id"))};
  const std::optional<Features> features = FeaturesNamed(TextsOf(value, "features"));
  if (!features) return Malformed(problem.id + " has a feature switch that is not known");
  problem.features = *features;
  for (const json::value& node : value.at("nodes").as_array())
    problem.nodes.push_back(NodeOf(node.as_object()));
  DRAY_TRY(problem.classes, Objects<v1::DeviceClass>(value, "classes"));
  DRAY_TRY(problem.slices, Objects<v1::ResourceSlice>(value, "slices"));
  DRAY_TRY(problem.claims, Objects<v1::ResourceClaim>(value, "claims"));
  DRAY_TRY(problem.allocated, AllocatedOf(value));
  return problem;
}

// Encoding.

template <class T>
void WriteObjects(const std::vector<Frozen<T>>& objects, JsonWriter& json) {
  json.Array([&] {
    for (const Frozen<T>& object : objects) api::EncodeJson(api::TypeOf<T>(), object.get(), json);
  });
}

void WriteNode(const api::core_v1::Node& node, JsonWriter& json) {
  json.Object([&] {
    json.Member("name", node.metadata.name);
    if (!node.metadata.labels.empty()) {
      json.Member("labels").Object([&] {
        for (const auto& [key, value] : node.metadata.labels) json.Member(key, value);
      });
    }
    if (!node.status.declared_features.empty())
      json.Member("declaredFeatures").ArrayOf(node.status.declared_features);
  });
}

void WriteAmounts(const allocator::ConsumedCapacity& amounts, JsonWriter& json) {
  json.Object([&] {
    for (const auto& [name, amount] : amounts) json.Member(name, amount.ToString());
  });
}

void WriteCapacity(const allocator::AllocatedState& state, JsonWriter& json) {
  json.Object([&] {
    for (const auto& [id, amounts] : state.capacity)
      WriteAmounts(amounts, json.Member(id.ToString()));
  });
}

void WriteAllocated(const allocator::AllocatedState& state, JsonWriter& json) {
  json.Object([&] {
    if (!state.devices.empty()) {
      json.Member("devices").Array([&] {
        for (const DeviceId& id : state.devices) json.Value(id.ToString());
      });
    }
    if (!state.shares.empty()) {
      json.Member("shared").Array([&] {
        for (const allocator::SharedDeviceId& id : state.shares)
          json.Value(id.device.ToString() + "/" + id.share);
      });
    }
    if (!state.capacity.empty()) WriteCapacity(state, json.Member("capacity"));
  });
}

}  // namespace

std::optional<Features> FeaturesNamed(std::span<const std::string> names) {
  Features features;
  for (const allocator::FeatureSwitch& feature : allocator::FeatureSwitches())
    features.*feature.on = false;
  for (const std::string& name : names) {
    const auto switches = allocator::FeatureSwitches();
    const auto found = std::ranges::find(switches, name, &allocator::FeatureSwitch::name);
    if (found == switches.end()) return std::nullopt;
    features.*(found->on) = true;
  }
  return features;
}

Result<Problem> DecodeProblem(const json::object& problem) {
  try {
    return Decode(problem);
  } catch (const std::exception& failure) {
    return Malformed(failure.what());
  }
}

Result<Problem> DecodeProblem(std::string_view line) {
  try {
    return Decode(json::parse(line).as_object());
  } catch (const std::exception& failure) {
    return Malformed(failure.what());
  }
}

std::string EncodeProblem(const Problem& problem) {
  std::vector<std::string_view> features;
  for (const allocator::FeatureSwitch& feature : allocator::FeatureSwitches()) {
    if (problem.features.*feature.on) features.emplace_back(feature.name);
  }
  return api::JsonText([&](JsonWriter& json) {
    json.Object([&] {
      json.Member("id", problem.id);
      json.Member("features").ArrayOf(features);
      json.Member("nodes").Array([&] {
        for (const api::core_v1::Node& node : problem.nodes) WriteNode(node, json);
      });
      WriteObjects(problem.classes, json.Member("classes"));
      WriteObjects(problem.slices, json.Member("slices"));
      WriteObjects(problem.claims, json.Member("claims"));
      WriteAllocated(problem.allocated, json.Member("allocated"));
    });
  });
}

}  // namespace dray::judges
