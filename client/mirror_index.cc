// SPDX-License-Identifier: Apache-2.0
#include "client/mirror_index.h"

#include <utility>

namespace dray::client {

void MirrorIndex::Insert(std::string value, const std::string& key) {
  entries_.insert({.value = std::move(value), .key = &key});
}

void MirrorIndex::Erase(std::string value, const std::string& key) {
  entries_.erase({.value = std::move(value), .key = &key});
}

MirrorIndex::Keys MirrorIndex::Of(std::string_view value) const {
  const auto [begin, end] = entries_.equal_range(value);
  return {begin, end};
}

}  // namespace dray::client
