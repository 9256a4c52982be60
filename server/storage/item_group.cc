// SPDX-License-Identifier: Apache-2.0
#include "server/storage/item_group.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/protobuf.h"

namespace dray::server::storage {
namespace {

std::string JsonElements(std::span<const Item* const> items) {
  std::string text;
  size_t size = 0;
  for (const Item* item : items) size += 1 + FieldsOf(*item).size();
  text.reserve(size);
  for (const Item* item : items) {
    text += ',';
    text += FieldsOf(*item);
  }
  return text;
}

std::string ProtobufElements(std::span<const Item* const> items) {
  std::vector<std::string_view> messages;
  messages.reserve(items.size());
  for (const Item* item : items) messages.push_back(MessageOf(*item));
  std::string text;
  api::EncodeProtobufListItems(messages, text);
  return text;
}

}  // namespace

bool TextBudget::Take(size_t bytes) {
  if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= bytes_max_) return true;
  GiveBack(bytes);
  return false;
}

ItemGroup::~ItemGroup() {
  const MutexLock lock(mutex_);
  if (json_ != nullptr) budget_->GiveBack(json_->size());
  if (messages_ != nullptr) budget_->GiveBack(messages_->size());
}

void ItemGroup::Add(ItemRef found) {
  items_.push_back(found.item);
  if (found.owner != nullptr) owners_.push_back(std::move(found.owner));
}

Frozen<std::string> ItemGroup::Text(Frozen<std::string>& kept, Made make) const {
  if (kept != nullptr) return kept;
  auto made = std::make_shared<const std::string>(make(items_));
  if (budget_ != nullptr && budget_->Take(made->size())) kept = made;
  return made;
}

Frozen<std::string> ItemGroup::Json() const {
  const MutexLock lock(mutex_);
  return Text(json_, JsonElements);
}

Frozen<std::string> ItemGroup::Messages() const {
  const MutexLock lock(mutex_);
  return Text(messages_, ProtobufElements);
}

}  // namespace dray::server::storage
