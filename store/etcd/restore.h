// SPDX-License-Identifier: Apache-2.0
// Fills an empty etcd with the records of a backup, or of another kind of store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/etcd/requests/leases.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/rpc/messages.h"

namespace dray::store::etcd {

/// Writes records in batches; clients see them as they are written. Keys and values are kept.
/// Revisions are new, so older resource versions mean nothing afterwards.
///
/// The restorer stops at the first error and leaves the records written so far. Delete them
/// (etcdctl del --prefix) before trying again.
class Restorer {
 public:
  /// Limit of the bytes of keys and values in one transaction; a larger record goes alone.
  static constexpr size_t kBatchBytes = size_t{512} << 10U;

  /// There must be no keys below `prefix` ("/registry/"). `client` and `clock` outlive the
  /// restorer.
  ///
  /// Errors: kAlreadyExists       there are keys; the message names one.
  ///         kServiceUnavailable  etcd cannot be reached.
  static Result<Restorer> Begin(rpc::Client& client, const Clock& clock, std::string prefix);

  struct Record {
    std::string_view key, value;
    std::optional<WallTime> expiry{};
  };
  /// Adds one record. The order does not matter. An expired record is skipped.
  ///
  /// Errors: kBadRequest  a key outside the prefix.
  ///         kConflict    another client has written the key meanwhile.
  ///         kTimeout     etcd did not answer; some records may have been written.
  ///         others       see rpc::CommitError, e.g. a record that is too large.
  Result<> Add(const Record& record);

  struct Done {
    uint64_t keys = 0;
    Revision newest{};  // of etcd, after the last record
  };
  /// Writes the records of the unfinished batch. Errors: as Add.
  Result<Done> Finish();

 private:
  struct Pending {
    std::string key, value;
    int64_t lease = 0;
  };

  Restorer(rpc::Client& client, const Clock& clock, std::string prefix)
      : client_(&client), clock_(&clock), prefix_(std::move(prefix)) {}

  Result<int64_t> LeaseFor(WallTime expiry, WallTime now);
  Result<> Write();

  rpc::Client* client_;
  const Clock* clock_;
  std::string prefix_;
  requests::Leases leases_;
  std::vector<Pending> pending_;
  size_t pending_bytes_ = 0;
  Done done_;
};

}  // namespace dray::store::etcd
