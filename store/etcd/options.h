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
  /// URLs of members of one cluster, "http://10.0.0.1:2379": all http, or all https. The first that
  /// answers is used, another when it stops answering. Without a port: 2379.
  std::vector<std::string> endpoints{};
  /// PEM files, for https only. Who signed the servers' certificates; empty: the system's
  /// authorities. What this side shows to a server that asks; both or none.
  std::string ca_file{};
  std::string certificate_file{};
  std::string key_file{};
  /// Only keys below "<prefix>/" are mirrored and may be written; empty: all keys.
  std::string prefix = "/registry";

  /// To connect when the store is opened; all endpoints are tried at once.
  std::chrono::milliseconds dial_timeout{5'000};
  /// For etcd to answer a transaction, and as long again until the watch brings it.
  std::chrono::milliseconds commit_timeout{10'000};
  /// For a whole Sync. After a third of it, an etcd that cannot be reached counts as unavailable.
  std::chrono::milliseconds sync_timeout{3'000};
  /// For one page of a list.
  std::chrono::milliseconds page_timeout{30'000};
  /// A connection that is idle for so long is probed, and closed if no answer comes in time.
  std::chrono::milliseconds keepalive_time{30'000};
  std::chrono::milliseconds keepalive_timeout{10'000};
  /// Between attempts to connect; doubled each time up to the second, with some chance added.
  std::chrono::milliseconds dial_backoff_min{100};
  std::chrono::milliseconds dial_backoff_max{2'000};
  /// History older than this is compacted in etcd, by one of the servers; 0: not by this one.
  std::chrono::milliseconds compaction_interval{300'000};

  /// Transactions, and Syncs, that wait for an answer. One more is refused (kTooManyRequests).
  size_t commits_in_flight_max = 4096;
  size_t syncs_waiting_max = 65'536;
};

}  // namespace dray::store::etcd
