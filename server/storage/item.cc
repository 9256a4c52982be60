// SPDX-License-Identifier: Apache-2.0
#include "server/storage/item.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/custom_kind.h"
#include "base/text/scratch_text.h"

namespace dray::server::storage {

std::string_view LazyForms::Fields(const api::Object& object) const {
  return fields_.Get([&] {
    ScratchText text;
    if (api::IsCustom(object.kind())) {
      api::EncodeJson(object, *text, {.release = release_});
    } else {
      api::EncodeJson(object.type(), object.value(), *text, {.release = release_});
    }
    return std::string(*text);  // copied without spare capacity, because many are kept
  });
}

std::string_view LazyForms::Message(const api::Object& object) const {
  return message_.Get([&] {
    std::string text;
    api::EncodeProtobuf(object.type(), object.value(), text, {.release = release_});
    return text;
  });
}

Item MakeItem(api::Object object, api::Release release) {
  return {.object = std::move(object), .forms = std::make_shared<const LazyForms>(release)};
}

std::string_view FieldsOf(const Item& item) {
  return item.forms->Fields(item.object);
}

void WriteJson(const Item& item, api::JsonWriter& json) {
  const api::KindInfo& kind = item.object.kind();
  if (api::IsCustom(kind)) return json.Raw(FieldsOf(item));
  json.Object([&] {
    json.Member("kind", kind.kind);
    json.Member("apiVersion", kind.api_version);
    json.MembersOf(FieldsOf(item));
  });
}

std::string JsonOf(const Item& item) {
  std::string text;
  text.reserve(JsonBytes(item));
  api::JsonWriter json(text);
  WriteJson(item, json);
  return text;
}

size_t JsonBytes(const Item& item) {
  constexpr std::string_view kAround = R"({"kind":"","apiVersion":"",})";
  const api::KindInfo& kind = item.object.kind();
  return kAround.size() + kind.kind.size() + kind.api_version.size() + FieldsOf(item).size();
}

std::string_view MessageOf(const Item& item) {
  return item.forms->Message(item.object);
}

}  // namespace dray::server::storage
