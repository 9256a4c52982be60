// SPDX-License-Identifier: Apache-2.0
// Why a call to etcd has no answer, and what that means for the state of the cluster.
//
// What matters is whether a change may have been carried out. When etcd refuses a request, it was
// not. When the connection fails, it was not if the request never left this process; otherwise the
// outcome is unknown, and the request must not be sent again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dray::store::etcd::rpc {

struct CallFailure {
  enum class Kind : uint8_t {
    // Nothing has been carried out:
    kNotSent,        // no connection; the request is still here
    kNoLeader,       // refused by a member that cannot reach its cluster
    kOverloaded,     // refused: too many requests
    kCompacted,      // the revision asked for is gone
    kFuture,         // the revision asked for does not exist yet
    kTooLarge,       // the request is
    kNoSpace,        // etcd's database has reached its quota
    kLeaseNotFound,  // the lease of a put is gone
    kDenied,         // by etcd's access control
    kNotEtcd,        // somebody else speaks gRPC there
    kRefused,        // anything else etcd refuses
    // The outcome is unknown:
    kUnanswered,  // the connection broke or the call timed out after the request was sent
  };
  Kind kind = Kind::kUnanswered;
  /// Names the endpoint, and has the words of etcd or of the network.
  std::string message{};
};

/// What is known of a call that failed.
struct CallEnd {
  int code = 0;                  // gRPC's status
  std::string_view message{};    // and its text
  std::string_view url{};        // of the endpoint asked
  bool has_peer = false;         // gRPC knows who was at the other end
  bool tls = false;              // with https
  bool has_certificate = false;  // which has shown a client certificate
};

CallFailure Classify(const CallEnd& end);

/// Whether nothing has been carried out and another endpoint may succeed.
bool MayTryElsewhere(const CallFailure& failure);

/// The error of a transaction.
Error CommitError(const CallFailure& failure);
/// The error of a call that changes nothing: where a commit's outcome would be unknown, it is
/// kServiceUnavailable.
Error ReadError(const CallFailure& failure);

}  // namespace dray::store::etcd::rpc
