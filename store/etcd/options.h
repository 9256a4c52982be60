// SPDX-License-Identifier: Apache-2.0
// What can be chosen about a store in etcd, besides store::Options. The names of the first five are
// kube-apiserver's (--etcd-servers and so on).
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace dray::store::etcd {

struct EtcdOptions {
  /// URLs of members of one cluster, "http://10.0.0.1:2379": all http, or all https. The default
  /// port is 2379. The store uses the first that answers, and another one when that stops
  /// answering.
  std::vector<std::string> endpoints{};
  /// PEM files, for https only. `ca_file` has the authorities that sign the servers' certificates;
  /// empty: the system's authorities. The other two are the client certificate and its key; set
  /// both or none.
  std::string ca_file{};
  std::string certificate_file{};
  std::string key_file{};
  /// Only keys below "<prefix>/" are mirrored and may be written; empty: all keys.
  std::string prefix = "/registry";

  /// Limit for connecting when the store is opened; all endpoints are tried at once.
  std::chrono::milliseconds dial_timeout{5'000};
  /// Limit for etcd to answer a transaction. The watch then has as long again to deliver it.
  std::chrono::milliseconds commit_timeout{10'000};
  /// Limit for a whole Sync. After a third of it, an etcd that cannot be reached counts as
  /// unavailable.
  std::chrono::milliseconds sync_timeout{3'000};
  /// Limit for one page of a list.
  std::chrono::milliseconds page_timeout{30'000};
  /// A connection is probed after it was idle this long, and closed if no answer comes in time.
  std::chrono::milliseconds keepalive_time{30'000};
  std::chrono::milliseconds keepalive_timeout{10'000};
  /// Wait between attempts to connect, with random jitter. Doubles from the first value up to the
  /// second.
  std::chrono::milliseconds dial_backoff_min{100};
  std::chrono::milliseconds dial_backoff_max{2'000};
  /// One of the servers compacts history in etcd that is older than this; 0: not this server.
  std::chrono::milliseconds compaction_interval{300'000};

  /// Limit of transactions, and of Syncs, that wait for an answer. One more is refused
  /// (kTooManyRequests).
  size_t commits_in_flight_max = 4096;
  size_t syncs_waiting_max = 65'536;
};

}  // namespace dray::store::etcd
