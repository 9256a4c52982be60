// SPDX-License-Identifier: Apache-2.0
// Records that cannot be decoded: written by an older program with a mistake, damaged, or encrypted
// with a key that the server does not have. Lists and watches leave such a record out and log it
// once; all other records stay readable.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/custom_kind.h"
#include "api/kind.h"
#include "base/log.h"
#include "base/mutex.h"
#include "server/storage/extent.h"
#include "server/storage/stored_object.h"
#include "store/record.h"

namespace dray::server::storage {

/// A record that no request can read.
struct UnreadableRecord {
  std::string kind, namespace_, name;  // namespace_ is empty for cluster-scoped kinds
  std::string why;
};

/// `ResourceClaim "c" in namespace "default" cannot be read: …`
std::string TextOf(const UnreadableRecord& record);

/// Checks whether the bytes that a store kept can be decoded.
class RecordReader {
 public:
  RecordReader();

  /// What is wrong with the record; nothing when it can be read, or no kind lies at such a key. The
  /// function reads of objects of custom kinds only what all of them have. As long to compute as
  /// the record is to decode.
  std::optional<UnreadableRecord> Check(std::string_view key, std::string_view bytes) const;

 private:
  std::optional<UnreadableRecord> CheckCustom(std::string_view key, std::string_view bytes) const;

  // The hubs whose objects lie below each prefix: two where there are two generations.
  std::vector<std::pair<std::string, std::vector<const api::KindInfo*>>> hubs_;
  api::CustomKindArena custom_;
  const api::CustomKind* const any_custom_;  // for objects of all custom kinds
};

/// Reads records for lists and watches, which leave out unreadable ones. Safe from any thread.
class LenientReader {
 public:
  /// Records that are remembered as logged; when there are more, all are logged again.
  static constexpr size_t kToldMax = 1024;

  explicit LenientReader(Log log) : log_(std::move(log)) {}

  /// The object of `record`, as FindItem or FindMetadata returns it. Null when it cannot be read;
  /// then logs the record, once for each of its revisions, and appends the reason to `left_out`
  /// unless null.
  ItemRef Find(View view,
               const store::Record& record,
               std::vector<std::string>* left_out,
               Extent extent = Extent::kWhole);

 private:
  void Report(const store::Record& record, const std::string& why);

  const Log log_;
  Mutex mutex_;
  std::set<std::pair<std::string, Revision>> reported_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::server::storage
