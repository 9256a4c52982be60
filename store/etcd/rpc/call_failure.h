// SPDX-License-Identifier: Apache-2.0
// Why a call to etcd has no answer, and what that means for the state of the cluster.
//
// What matters is whether a change may have been carried out. When etcd refuses a request, nothing
// was carried out. The same holds when the connection fails before the request has left this
// process. Otherwise the outcome is unknown, and the request must not be sent again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dray::store::etcd::rpc {

struct CallFailure {
  enum class Kind : uint8_t {
    // Nothing has been carried out:
    kNotSent,        // no connection; the request was not sent
    kNoLeader,       // refused by a member that cannot reach its cluster
    kOverloaded,     // refused: too many requests
    kCompacted,      // the revision asked for is gone
    kFuture,         // the revision asked for does not exist yet
    kTooLarge,       // the request is too large
    kNoSpace,        // etcd's database has reached its quota
    kLeaseNotFound,  // the lease of a put is gone
    kDenied,         // denied by etcd's access control
    kNotEtcd,        // the endpoint speaks gRPC but is not an etcd
    kRefused,        // refused by etcd for another reason
    // The outcome is unknown:
    kUnanswered,  // the connection broke or the call timed out after the request was sent
  };
  Kind kind = Kind::kUnanswered;
  /// Names the endpoint, and quotes etcd or the network.
  std::string message{};
};

/// What gRPC reports about a call that failed.
struct CallEnd {
  int code = 0;                  // gRPC's status
  std::string_view message{};    // and its text
  std::string_view url{};        // of the endpoint asked
  bool has_peer = false;         // gRPC knows the address of the other end
  bool tls = false;              // the endpoint uses https
  bool has_certificate = false;  // the client has sent a certificate
};

CallFailure Classify(const CallEnd& end);

/// True if nothing has been carried out and another endpoint may succeed.
bool MayTryElsewhere(const CallFailure& failure);

/// The error to report for a transaction.
Error CommitError(const CallFailure& failure);
/// The error to report for a call that changes nothing. It is kServiceUnavailable where a commit's
/// outcome would be unknown.
Error ReadError(const CallFailure& failure);

}  // namespace dray::store::etcd::rpc
