// SPDX-License-Identifier: Apache-2.0
#include "server/storage/item_group.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/protobuf.h"
#include "store/snapshot.h"

namespace dray::server::storage {
namespace {

std::string JsonElements(const std::vector<ItemRef>& items) {
  std::string text;
  size_t size = 0;
  for (const ItemRef& found : items) size += 1 + FieldsOf(*found.item).size();
  text.reserve(size);
  for (const ItemRef& found : items) {
    text += ',';
    text += FieldsOf(*found.item);
  }
  return text;
}

std::string ProtobufElements(const std::vector<ItemRef>& items) {
  std::vector<std::string_view> messages;
  messages.reserve(items.size());
  for (const ItemRef& found : items) messages.push_back(MessageOf(*found.item));
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

// A record that was read once can be read again, and shows the same.
std::vector<ItemRef> ItemGroup::Read() const {
  std::vector<ItemRef> items;
  items.reserve(size_);
  for (const store::Record& record : store::RecordRange(records_.first, records_.records)) {
    Result<ItemRef> found = FindItem(view_, record);
    if (found.has_value() && found->item != nullptr) items.push_back(*std::move(found));
  }
  return items;
}

Frozen<std::string> ItemGroup::Text(Frozen<std::string>& kept, Made make) const {
  if (kept != nullptr) return kept;
  auto made = std::make_shared<const std::string>(make(Read()));
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
