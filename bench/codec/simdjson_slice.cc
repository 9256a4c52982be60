// SPDX-License-Identifier: Apache-2.0
#include "bench/codec/simdjson_slice.h"

#include <cstdint>
#include <string>

#include <simdjson.h>

namespace dray::bench {
namespace {

namespace v1 = api::resource_v1;
namespace ondemand = simdjson::ondemand;

std::string Text(ondemand::value value) {
  return std::string(value.get_string().value());
}

void Read(ondemand::object object, api::meta_v1::ObjectMeta& meta) {
  for (auto member : object) {
    const std::string_view name = member.unescaped_key().value();
    ondemand::value value = member.value();
    if (name == "name") meta.name = Text(value);
    if (name == "uid") meta.uid = Text(value);
    if (name == "resourceVersion") meta.resource_version = Text(value);
    if (name == "generation") meta.generation = value.get_int64().value();
    if (name == "creationTimestamp")
      meta.creation_timestamp = api::Time::Parse(value.get_string().value()).value_or(api::Time());
  }
}

void Read(ondemand::object object, v1::DeviceAttribute& attribute) {
  for (auto member : object) {
    const std::string_view name = member.unescaped_key().value();
    ondemand::value value = member.value();
    if (name == "int") attribute.int_ = value.get_int64().value();
    if (name == "bool") attribute.bool_ = value.get_bool().value();
    if (name == "string") attribute.string = Text(value);
    if (name == "version") attribute.version = Text(value);
  }
}

void Read(ondemand::object object, v1::Device& device) {
  for (auto member : object) {
    const std::string_view name = member.unescaped_key().value();
    ondemand::value value = member.value();
    if (name == "name") device.name = Text(value);
    if (name != "attributes") continue;
    for (auto attribute : value.get_object())
      Read(attribute.value().get_object(), device.attributes[attribute.unescaped_key().value()]);
  }
}

void Read(ondemand::object object, v1::ResourcePool& pool) {
  for (auto member : object) {
    const std::string_view name = member.unescaped_key().value();
    ondemand::value value = member.value();
    if (name == "name") pool.name = Text(value);
    if (name == "generation") pool.generation = value.get_int64().value();
    if (name == "resourceSliceCount") pool.resource_slice_count = value.get_int64().value();
  }
}

void Read(ondemand::object object, v1::ResourceSliceSpec& spec) {
  for (auto member : object) {
    const std::string_view name = member.unescaped_key().value();
    ondemand::value value = member.value();
    if (name == "driver") spec.driver = Text(value);
    if (name == "nodeName") spec.node_name = Text(value);
    if (name == "allNodes") spec.all_nodes = value.get_bool().value();
    if (name == "pool") Read(value.get_object(), spec.pool);
    if (name != "devices") continue;
    for (auto device : value.get_array()) Read(device.get_object(), spec.devices.emplace_back());
  }
}

}  // namespace

v1::ResourceSlice ReadWithSimdjson(std::string_view json) {
  static ondemand::parser parser;
  static std::string padded;
  padded.reserve(json.size() + simdjson::SIMDJSON_PADDING);
  padded.assign(json);
  ondemand::document document =
      parser.iterate(padded.data(), padded.size(), padded.capacity()).value();
  v1::ResourceSlice slice;
  for (auto member : document.get_object()) {
    const std::string_view name = member.unescaped_key().value();
    if (name == "metadata") Read(member.value().get_object(), slice.metadata);
    if (name == "spec") Read(member.value().get_object(), slice.spec);
  }
  return slice;
}

}  // namespace dray::bench
