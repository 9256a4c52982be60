// SPDX-License-Identifier: Apache-2.0
// Filling an empty etcd with the records of a backup, or of another kind of store.
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

/// Writes records in batches; clients see them appear. Keys and values are kept, revisions are new,
/// so older resource versions mean nothing afterwards.
///
/// It stops at the first error, and what was written before stays: delete it (etcdctl del --prefix)
/// before trying again.
class Restorer {
 public:
  /// Bytes of keys and values in one transaction, unless a single record has more.
  static constexpr size_t kBatchBytes = size_t{512} << 10U;

  /// Below `prefix` ("/registry/") there must be nothing. `client` and `clock` outlive it.
  ///
  /// Errors: kAlreadyExists       there is something; the message names a key.
  ///         kServiceUnavailable  etcd cannot be reached.
  static Result<Restorer> Begin(rpc::Client& client, const Clock& clock, std::string prefix);

  struct Record {
    std::string_view key, value;
    std::optional<WallTime> expiry{};
  };
  /// Adds one record, in any order. One that has expired is ignored.
  ///
  /// Errors: kBadRequest  a key outside the prefix.
  ///         kConflict    somebody else has written the key meanwhile.
  ///         kTimeout     etcd did not answer: some records may be there or not.
  ///         others       as etcd::CommitError says, e.g. a record that is too large.
  Result<> Add(const Record& record);

  struct Done {
    uint64_t keys = 0;
    Revision newest{};  // of etcd, with the last of them
  };
  /// Writes what is left. Errors: as Add.
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
