// SPDX-License-Identifier: Apache-2.0
#include "manifests/json_members.h"

#include "api/codec/json.h"
#include "api/codec/json_reader.h"

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
  std::string json = "{";
  for (const JsonMember& member : members) {
    if (json.size() > 1) json += ',';
    json += Quoted(member.key) + ':' + member.value;
  }
  return json + '}';
}

std::string ArrayOf(const std::vector<std::string>& elements) {
  std::string json = "[";
  for (const std::string& element : elements) {
    if (json.size() > 1) json += ',';
    json += element;
  }
  return json + ']';
}

std::string Quoted(std::string_view text) {
  std::string json;
  api::QuoteJson(text, json);
  return json;
}

}  // namespace dray::manifests
