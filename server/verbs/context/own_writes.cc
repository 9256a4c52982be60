// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/context/own_writes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/meta_v1/object_meta.h"

namespace dray::server::verbs::inline context {
namespace {

// `text` on one line: cut to kShownBytesMax, control characters replaced by spaces.
std::string Shown(std::string_view text) {
  std::string line(text.substr(0, OwnWrites::kShownBytesMax));
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; }, ' ');
  return line;
}

}  // namespace

void OwnWrites::Note(const std::string& what, const Result<>& made) {
  const MutexLock lock(mutex_);
  if (made.has_value()) {
    refused_.erase(what);
  } else if (refused_.contains(what) || refused_.size() < kRememberedMax) {
    refused_[what] = made.error().message;
  }
}

bool OwnWrites::all_made() const {
  const MutexLock lock(mutex_);
  return refused_.empty();
}

std::vector<std::string> OwnWrites::Refused() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> shown;
  for (const auto& [what, why] : refused_) {
    if (shown.size() == kShownMax) {
      shown.push_back(fmt::format("and {} more", refused_.size() - kShownMax));
      break;
    }
    shown.push_back(Shown(fmt::format("{}: {}", what, why)));
  }
  return shown;
}

std::string NameOfWrite(const api::Object& object) {
  const api::meta_v1::ObjectMeta& meta = object.metadata();
  if (meta.namespace_.empty()) return fmt::format("{} {}", object.kind().kind, meta.name);
  return fmt::format("{} {}/{}", object.kind().kind, meta.namespace_, meta.name);
}

bool IsRefusal(const Error& error) {
  return error.reason != StatusReason::kServiceUnavailable &&
         error.reason != StatusReason::kTimeout && error.reason != StatusReason::kServerTimeout;
}

}  // namespace dray::server::verbs::inline context
