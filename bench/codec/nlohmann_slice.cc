// SPDX-License-Identifier: Apache-2.0
#include "bench/codec/nlohmann_slice.h"

#include <optional>

#include <nlohmann/json.hpp>

namespace dray::bench {
namespace {

using nlohmann::json;
namespace v1 = api::resource_v1;

template <class T>
void Get(const json& object, const char* name, T& value) {
  if (const auto found = object.find(name); found != object.end()) found->get_to(value);
}

template <class T>
void Get(const json& object, const char* name, std::optional<T>& value) {
  if (const auto found = object.find(name); found != object.end()) value = found->get<T>();
}

template <class T>
void Get(const json& object, const char* name, api::Box<T>& value) {
  if (const auto found = object.find(name); found != object.end()) value = found->get<T>();
}

template <class T>
void Put(json& object, const char* name, const std::optional<T>& value) {
  if (value) object[name] = *value;
}

template <class T>
void Put(json& object, const char* name, const api::Box<T>& value) {
  if (value) object[name] = *value;
}

void Read(const json& object, api::meta_v1::ObjectMeta& meta) {
  Get(object, "name", meta.name);
  Get(object, "uid", meta.uid);
  Get(object, "resourceVersion", meta.resource_version);
  Get(object, "generation", meta.generation);
  if (const auto found = object.find("creationTimestamp"); found != object.end()) {
    meta.creation_timestamp =
        api::Time::Parse(found->get_ref<const std::string&>()).value_or(api::Time());
  }
}

void Read(const json& object, v1::DeviceAttribute& attribute) {
  Get(object, "int", attribute.int_);
  Get(object, "bool", attribute.bool_);
  Get(object, "string", attribute.string);
  Get(object, "version", attribute.version);
}

void Read(const json& object, v1::Device& device) {
  Get(object, "name", device.name);
  const auto attributes = object.find("attributes");
  if (attributes == object.end()) return;
  for (const auto& [name, attribute] : attributes->items()) {
    Read(attribute, device.attributes[name]);
  }
}

void Read(const json& object, v1::ResourceSliceSpec& spec) {
  Get(object, "driver", spec.driver);
  Get(object, "nodeName", spec.node_name);
  Get(object, "allNodes", spec.all_nodes);
  const json& pool = object.at("pool");
  Get(pool, "name", spec.pool.name);
  Get(pool, "generation", spec.pool.generation);
  Get(pool, "resourceSliceCount", spec.pool.resource_slice_count);
  const json& devices = object.at("devices");
  spec.devices.reserve(devices.size());
  for (const json& device : devices) Read(device, spec.devices.emplace_back());
}

json Write(const v1::DeviceAttribute& attribute) {
  json object = json::object();
  Put(object, "int", attribute.int_);
  Put(object, "bool", attribute.bool_);
  Put(object, "string", attribute.string);
  Put(object, "version", attribute.version);
  return object;
}

json Write(const v1::Device& device) {
  json object = {{"name", device.name}};
  json& attributes = object["attributes"];
  for (const auto& [name, attribute] : device.attributes) attributes[name] = Write(attribute);
  return object;
}

}  // namespace

v1::ResourceSlice ReadWithNlohmann(std::string_view text) {
  const json document = json::parse(text);
  v1::ResourceSlice slice;
  Read(document.at("metadata"), slice.metadata);
  Read(document.at("spec"), slice.spec);
  return slice;
}

std::string WriteWithNlohmann(const v1::ResourceSlice& slice) {
  json document = {{"kind", "ResourceSlice"}, {"apiVersion", "resource.k8s.io/v1"}};
  document["metadata"] = {{"name", slice.metadata.name},
                          {"uid", slice.metadata.uid},
                          {"resourceVersion", slice.metadata.resource_version},
                          {"generation", slice.metadata.generation},
                          {"creationTimestamp", slice.metadata.creation_timestamp.ToString()}};
  json spec = {{"driver", slice.spec.driver},
               {"pool",
                {{"name", slice.spec.pool.name},
                 {"generation", slice.spec.pool.generation},
                 {"resourceSliceCount", slice.spec.pool.resource_slice_count}}}};
  Put(spec, "nodeName", slice.spec.node_name);
  json devices = json::array();
  for (const v1::Device& device : slice.spec.devices) devices.push_back(Write(device));
  spec["devices"] = std::move(devices);
  document["spec"] = std::move(spec);
  return document.dump();
}

}  // namespace dray::bench
