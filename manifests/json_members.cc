// SPDX-License-Identifier: Apache-2.0
#include "manifests/json_members.h"

#include "api/codec/json_reader.h"
#include "api/codec/json_writer.h"

namespace dray::manifests {

std::vector<JsonMember> MembersOf(std::string_view json) {
  std::vector<JsonMember> members;
  api::JsonReader reader(json);
  if (reader.Peek() != api::JsonKind::kObject) return members;
  reader.EnterObject();
  std::string key;
  while (reader.NextKey(key)) members.push_back({key, std::string(reader.Skip())});
  return members;
}

std::vector<std::string> ElementsOf(std::string_view json) {
  std::vector<std::string> elements;
  api::JsonReader reader(json);
  if (reader.Peek() != api::JsonKind::kArray) return elements;
  reader.EnterArray();
  while (reader.NextElement()) elements.emplace_back(reader.Skip());
  return elements;
}

std::string ObjectOf(const std::vector<JsonMember>& members) {
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      for (const JsonMember& member : members) json.Member(member.key).Raw(member.value);
    });
  });
}

std::string ArrayOf(const std::vector<std::string>& elements) {
  return api::JsonText([&](api::JsonWriter& json) {
    json.Array([&] {
      for (const std::string& element : elements) json.Raw(element);
    });
  });
}

std::string Quoted(std::string_view text) {
  return api::JsonText([&](api::JsonWriter& json) { json.Value(text); });
}

}  // namespace dray::manifests
