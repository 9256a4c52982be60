// SPDX-License-Identifier: Apache-2.0
#include "bench/codec/rapidjson_slice.h"

#include <cstdint>
#include <optional>

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "base/check.h"

namespace dray::bench {
namespace {

namespace v1 = api::resource_v1;
using Json = rapidjson::Value;
using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

std::string_view TextOf(const Json& value) {
  return {value.GetString(), value.GetStringLength()};
}

void Take(const Json& value, std::string& text) {
  text = TextOf(value);
}
void Take(const Json& value, bool& truth) {
  truth = value.GetBool();
}
void Take(const Json& value, int64_t& number) {
  number = value.GetInt64();
}
template <class T>
void Take(const Json& value, std::optional<T>& member) {
  Take(value, member.emplace());
}

template <class T>
void Get(const Json& object, const char* name, T& member) {
  if (const auto found = object.FindMember(name); found != object.MemberEnd())
    Take(found->value, member);
}

void Read(const Json& object, api::meta_v1::ObjectMeta& meta) {
  Get(object, "name", meta.name);
  Get(object, "uid", meta.uid);
  Get(object, "resourceVersion", meta.resource_version);
  Get(object, "generation", meta.generation);
  if (const auto found = object.FindMember("creationTimestamp"); found != object.MemberEnd())
    meta.creation_timestamp = api::Time::Parse(TextOf(found->value)).value_or(api::Time());
}

void Read(const Json& object, v1::Device& device) {
  Get(object, "name", device.name);
  const auto attributes = object.FindMember("attributes");
  if (attributes == object.MemberEnd()) return;
  for (const auto& [name, value] : attributes->value.GetObject()) {
    v1::DeviceAttribute& attribute = device.attributes[TextOf(name)];
    Get(value, "int", attribute.int_);
    Get(value, "bool", attribute.bool_);
    Get(value, "string", attribute.string);
    Get(value, "version", attribute.version);
  }
}

void Read(const Json& object, v1::ResourceSliceSpec& spec) {
  Get(object, "driver", spec.driver);
  Get(object, "nodeName", spec.node_name);
  Get(object, "allNodes", spec.all_nodes);
  const Json& pool = object["pool"];
  Get(pool, "name", spec.pool.name);
  Get(pool, "generation", spec.pool.generation);
  Get(pool, "resourceSliceCount", spec.pool.resource_slice_count);
  const auto devices = object["devices"].GetArray();
  spec.devices.reserve(devices.Size());
  for (const Json& device : devices) Read(device, spec.devices.emplace_back());
}

void Text(Writer& json, std::string_view text) {
  json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}
void Put(Writer& json, const char* name, std::string_view text) {
  json.Key(name);
  Text(json, text);
}
void Put(Writer& json, const char* name, int64_t number) {
  json.Key(name);
  json.Int64(number);
}
void Put(Writer& json, const char* name, bool truth) {
  json.Key(name);
  json.Bool(truth);
}

void Write(Writer& json, const v1::Device& device) {
  json.StartObject();
  Put(json, "name", device.name);
  json.Key("attributes");
  json.StartObject();
  for (const auto& [name, attribute] : device.attributes) {
    json.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
    json.StartObject();
    if (attribute.int_) Put(json, "int", *attribute.int_);
    if (attribute.bool_) Put(json, "bool", *attribute.bool_);
    if (attribute.string) Put(json, "string", std::string_view(*attribute.string));
    if (attribute.version) Put(json, "version", std::string_view(*attribute.version));
    json.EndObject();
  }
  json.EndObject();
  json.EndObject();
}

}  // namespace

v1::ResourceSlice ReadWithRapidJson(std::string_view text) {
  rapidjson::Document document;
  document.Parse(text.data(), text.size());
  DRAY_CHECK(!document.HasParseError());
  v1::ResourceSlice slice;
  Read(document["metadata"], slice.metadata);
  Read(document["spec"], slice.spec);
  return slice;
}

std::string WriteWithRapidJson(const v1::ResourceSlice& slice) {
  rapidjson::StringBuffer text;
  Writer json(text);
  json.StartObject();
  Put(json, "kind", std::string_view("ResourceSlice"));
  Put(json, "apiVersion", std::string_view("resource.k8s.io/v1"));
  json.Key("metadata");
  json.StartObject();
  Put(json, "name", slice.metadata.name);
  Put(json, "uid", slice.metadata.uid);
  Put(json, "resourceVersion", slice.metadata.resource_version);
  Put(json, "generation", slice.metadata.generation);
  Put(json, "creationTimestamp", slice.metadata.creation_timestamp.ToString());
  json.EndObject();
  json.Key("spec");
  json.StartObject();
  Put(json, "driver", slice.spec.driver);
  json.Key("pool");
  json.StartObject();
  Put(json, "name", slice.spec.pool.name);
  Put(json, "generation", slice.spec.pool.generation);
  Put(json, "resourceSliceCount", slice.spec.pool.resource_slice_count);
  json.EndObject();
  if (slice.spec.node_name) Put(json, "nodeName", std::string_view(*slice.spec.node_name));
  json.Key("devices");
  json.StartArray();
  for (const v1::Device& device : slice.spec.devices) Write(json, device);
  json.EndArray();
  json.EndObject();
  json.EndObject();
  return text.GetString();
}

}  // namespace dray::bench
