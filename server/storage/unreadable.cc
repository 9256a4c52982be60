// SPDX-License-Identifier: Apache-2.0
#include "server/storage/unreadable.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/codec/json_said.h"
#include "api/text/go_quote.h"
#include "base/result.h"
#include "server/storage/keys.h"

namespace dray::server::storage {

std::string TextOf(const UnreadableRecord& record) {
  std::string text = fmt::format("{} {}", record.kind, api::GoQuote(record.name));
  if (!record.namespace_.empty()) {
    text += fmt::format(" in namespace {}", api::GoQuote(record.namespace_));
  }
  return fmt::format("{} cannot be read: {}", text, record.why);
}

RecordReader::RecordReader() : any_custom_(custom_.Resource({.kind = "object"})) {
  for (const api::KindInfo* kind : api::BuiltinKinds()) {
    if (&kind->storage() != kind || !kind->served || kind->create_only) continue;
    const std::string prefix = ResourcePrefix(*kind);
    const auto known = std::ranges::find(
        hubs_, prefix, [](const auto& each) -> const std::string& { return each.first; });
    if (known != hubs_.end()) {
      known->second.push_back(kind);
    } else {
      hubs_.push_back({prefix, {kind}});
    }
  }
}

std::optional<UnreadableRecord> RecordReader::Check(std::string_view key,
                                                    std::string_view bytes) const {
  const auto found =
      std::ranges::find_if(hubs_, [&](const auto& each) { return key.starts_with(each.first); });
  if (found == hubs_.end()) return CheckCustom(key, bytes);
  const auto& [prefix, hubs] = *found;
  UnreadableRecord record{.kind = std::string(hubs.front()->kind)};
  const std::string_view place = key.substr(prefix.size());
  const size_t slash = hubs.front()->namespaced ? place.find('/') : std::string_view::npos;
  record.name = slash == std::string_view::npos ? place : place.substr(slash + 1);
  if (slash != std::string_view::npos) record.namespace_ = place.substr(0, slash);
  for (const api::KindInfo* hub : hubs) {
    Result<bool> reads = ReadsAs(*hub, bytes);
    if (reads.has_value() && *reads) return std::nullopt;
    if (reads.has_value()) continue;  // perhaps of the other generation
    record.why = std::move(reads.error().message);
    return record;
  }
  record.why = fmt::format("no version of the kind is {}", api::GoQuote(StoredVersion(bytes)));
  return record;
}

// What is in a group that the program does not have is of a custom kind, in JSON. Its definition is
// not asked: it may have changed since.
std::optional<UnreadableRecord> RecordReader::CheckCustom(std::string_view key,
                                                          std::string_view bytes) const {
  constexpr std::string_view kRoot = "/registry/";
  if (!key.starts_with(kRoot)) return std::nullopt;
  std::vector<std::string_view> parts;  // group, plural, namespace or none, name
  for (std::string_view rest = key.substr(kRoot.size()); !rest.empty();) {
    const size_t slash = std::min(rest.find('/'), rest.size());
    parts.push_back(rest.substr(0, slash));
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  const bool is_object = parts.size() == 3 || parts.size() == 4;
  if (!is_object || !parts.front().contains('.')) return std::nullopt;
  const bool is_own = std::ranges::any_of(
      api::BuiltinKinds(), [&](const api::KindInfo* kind) { return kind->group == parts.front(); });
  if (is_own) return std::nullopt;
  UnreadableRecord record{.kind = fmt::format("{}.{}", parts[1], parts[0])};
  if (parts.size() == 4) record.namespace_ = parts[2];
  record.name = parts.back();
  api::TypeMeta said;
  const Result<api::Object> object =
      api::DecodeJson(*any_custom_, bytes, nullptr, {.stored = true}, said);
  if (!object.has_value()) {
    record.why = object.error().message;
  } else if (said.kind.empty() || said.api_version.empty()) {
    record.why = "it does not say its kind and version";
  } else if (object->metadata().name != record.name) {
    record.why = fmt::format("it says its name is {}", api::GoQuote(object->metadata().name));
  } else {
    return std::nullopt;
  }
  return record;
}

ItemRef LenientReader::Find(View view,
                            const store::Record& record,
                            std::vector<std::string>* left_out,
                            Extent extent) {
  Result<ItemRef> item =
      extent == Extent::kWhole ? FindItem(view, record) : FindMetadata(view, record);
  if (item.has_value()) return *std::move(item);
  constexpr std::string_view kPrefix = "Internal error occurred: ";  // of answers
  std::string why = std::move(item.error().message);
  if (why.starts_with(kPrefix)) why.erase(0, kPrefix.size());
  Report(record, why);
  if (left_out != nullptr) left_out->push_back(std::move(why));
  return {};
}

void LenientReader::Report(const store::Record& record, const std::string& why) {
  {
    const MutexLock lock(mutex_);
    std::pair<std::string, Revision> reported(record.key(), record.modified);
    if (reported_.contains(reported)) return;
    if (reported_.size() == kToldMax) reported_.clear();
    reported_.insert(std::move(reported));
  }
  log_.Error("object cannot be read and is left out",
             "key",
             record.key(),
             "revision",
             record.modified.value(),
             "reason",
             why);
}

}  // namespace dray::server::storage
