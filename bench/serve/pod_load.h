// SPDX-License-Identifier: Apache-2.0
// Pods with a claim each, from a template, on the simulated nodes of a server: made ready, created,
// and watched until they are bound.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/samples.h"
#include "bench/serve/server_process.h"
#include "net/client/http_client.h"

namespace dray::bench {

/// The devices of a node of the profiles that are used here.
inline constexpr size_t kDevicesPerNode = 8;
/// Clients that create pods side by side.
inline constexpr size_t kCreators = 4;

/// What runs: dray serve with this many nodes of a profile, whose driver has this name.
struct PodLoad {
  std::string program, profile, driver;
  size_t nodes;
  std::vector<std::string> flags = {};  // more flags for dray serve

  /// The flags for dray serve.
  std::vector<std::string> Flags() const;
};

/// When each pod was sent and when a watch showed it bound; nanoseconds of the monotonic clock.
struct PodTimes {
  explicit PodTimes(size_t pods) : sent(pods), bound(pods) {}
  std::vector<std::atomic<int64_t>> sent, bound;

  /// The times from each create to the watch event, in milliseconds.
  Samples Waits() const;
  /// From the first create to the last event.
  double Seconds() const;
};

/// Nanoseconds of the monotonic clock.
int64_t Now();

/// Waits for the nodes and their slices, then creates the class and the template. Ends the program
/// after two minutes, or as many milliseconds a node.
void PreparePods(net::client::HttpClient& client, const PodLoad& load);

/// Creates the pod `number` as "PREFIX-NUMBER".
void CreatePod(net::client::HttpClient& client,
               const std::string& prefix,
               PodTimes& times,
               size_t number);
/// Creates all pods, with kCreators clients.
void CreatePods(const ServerProcess& server, const std::string& prefix, PodTimes& times);
/// Creates all pods, one each `pace`.
void CreatePodsPaced(const ServerProcess& server,
                     const std::string& prefix,
                     PodTimes& times,
                     std::chrono::nanoseconds pace);

/// Reads a watch on pods until a node is visible for every pod of that prefix.
void ReadUntilAllBound(net::client::ResponseStream& stream,
                       const std::string& prefix,
                       PodTimes& times);

/// Checks that as many devices are allocated as there are pods, none of them twice.
void CheckDevices(net::client::HttpClient& client, size_t pods);

}  // namespace dray::bench
