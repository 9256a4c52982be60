// SPDX-License-Identifier: Apache-2.0
#include "server/storage/item.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"

namespace dray::server::storage {

std::string_view LazyForms::Json(const api::Object& object) const {
  return json_.Get([&] { return api::ToJson(object, {.release = release_}); });
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

std::string_view JsonOf(const Item& item) {
  return item.forms->Json(item.object);
}

size_t ListItemOffset(const Item& item) {
  const std::string_view json = JsonOf(item);
  return json.find(',', json.find(',') + 1) + 1;  // of {"kind":"K","apiVersion":"V",
}

std::string_view MessageOf(const Item& item) {
  return item.forms->Message(item.object);
}

}  // namespace dray::server::storage
