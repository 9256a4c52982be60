// SPDX-License-Identifier: Apache-2.0
// Why a call to etcd has no answer, and what that means for the state of the cluster.
//
// The question that matters is whether a change may have been carried out. etcd says so when it
// refuses one itself. When the connection fails instead, it depends on whether the request had left
// this process; when it had, nobody knows, and nothing may be tried again blindly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace dray::store::etcd {

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
    // Who knows:
    kUnanswered,  // the connection broke, or the time was over, after the request was sent
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

/// Whether nothing has been carried out and another endpoint may do better.
bool MayTryElsewhere(const CallFailure& failure);

/// The error of a transaction.
Error CommitError(const CallFailure& failure);
/// The error of anything that changes nothing: it is kServiceUnavailable where a commit's outcome
/// would be unknown.
Error ReadError(const CallFailure& failure);

}  // namespace dray::store::etcd
