// SPDX-License-Identifier: Apache-2.0
#include "server/storage/item.h"

#include <cstddef>
#include <memory>
#include <utility>

#include "api/codec/protobuf.h"

namespace dray::server::storage {
namespace {

// All that is written of an item, in one piece of memory.
struct Forms {
  Forms(std::string text, api::Release release) : json(std::move(text)), message(release) {}

  std::string json;
  LazyMessage message;
};

}  // namespace

std::string_view LazyMessage::Of(const api::Object& object) const {
  return text_.Get([&] {
    std::string text;
    api::EncodeProtobuf(object.type(), object.value(), text, {.release = release_});
    return text;
  });
}

Item MakeItem(api::Object object, std::string json, api::Release release) {
  const auto forms = std::make_shared<const Forms>(std::move(json), release);
  return {.object = std::move(object),
          .json = {forms, &forms->json},
          .message = {forms, &forms->message}};
}

std::string_view ListItemJson(const Item& item) {
  const std::string_view json = *item.json;
  // {"kind":"K","apiVersion":"V",
  return json.substr(json.find(',', json.find(',') + 1) + 1);
}

std::string_view MessageOf(const Item& item) {
  return item.message->Of(item.object);
}

}  // namespace dray::server::storage
