// SPDX-License-Identifier: Apache-2.0
#include "server/storage/packing.h"

#include <cstdint>
#include <utility>

namespace dray::server::storage {
namespace {

/// Where apiVersion and kind are looked for.
constexpr size_t kHeadMax = 512;

// What names the kind in a durable form: in the envelope of protobuf the message TypeMeta, which
// comes first; in JSON, apiVersion and kind if they do. Otherwise empty.
std::string_view KindIn(std::string_view bytes) {
  constexpr std::string_view kEnvelope("k8s\0\n", 5);  // field 1, of bytes
  if (bytes.starts_with(kEnvelope) && bytes.size() > kEnvelope.size()) {
    const auto size = static_cast<uint8_t>(bytes[kEnvelope.size()]);
    return size < 0x80 ? bytes.substr(0, kEnvelope.size() + 1 + size) : std::string_view();
  }
  constexpr std::string_view kKind = R"(","kind":")";
  if (!bytes.starts_with(R"({"apiVersion":")")) return {};
  const std::string_view head = bytes.substr(0, kHeadMax);
  const size_t kind = head.find(kKind);
  if (kind == std::string_view::npos) return {};
  const size_t end = head.find('"', kind + kKind.size());
  return end == std::string_view::npos ? std::string_view() : head.substr(0, end);
}

}  // namespace

Packed Packing::Pack(std::string_view bytes, std::string& room) {
  const std::string_view kind = KindIn(bytes);
  const bool is_secret = kind.ends_with("Secret");  // a sample may outlive its object
  if (is_secret || bytes.size() < kShortBytes) return {.bytes = bytes, .dictionary = nullptr};
  const std::shared_ptr<Dictionary> dictionary = DictionaryFor(kind);
  dictionary->Pack(bytes, room);
  if (room.size() > bytes.size() / 4 * 3) return {.bytes = bytes, .dictionary = nullptr};
  return {.bytes = room, .dictionary = dictionary};
}

std::shared_ptr<Dictionary> Packing::DictionaryFor(std::string_view kind) {
  const MutexLock lock(mutex_);
  auto at = dictionaries_.find(kind);
  if (at == dictionaries_.end()) {
    const bool is_rest = dictionaries_.size() >= kKindsMax;
    at = dictionaries_.try_emplace(is_rest ? std::string() : std::string(kind)).first;
  }
  if (at->second == nullptr || at->second->is_worn()) at->second = std::make_shared<Dictionary>();
  return at->second;
}

Packing& PackingOfProcess() {
  static Packing packing;
  return packing;
}

}  // namespace dray::server::storage
