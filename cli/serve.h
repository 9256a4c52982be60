// SPDX-License-Identifier: Apache-2.0
// dray serve: API server, scheduler, controllers and simulated nodes in one process.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/world.h"
#include "control_plane/store_choice.h"

namespace dray::cli {

/// A hardware profile and how many nodes of it to simulate: --nodes 8-gpu-server=100.
struct NodesOption {
  std::string profile;
  size_t count = 0;
};

struct ServeOptions {
  std::string listen = "127.0.0.1:6443";
  control_plane::StoreChoice store;
  std::string token_file;               // empty: certificates only
  std::vector<std::string> components;  // apiserver, scheduler, controllers, nodes
  std::vector<NodesOption> nodes;
  std::string release;         // --emulate-release; empty: both generations, newest rules
  std::string feature_gates;   // kube-apiserver's words
  std::string runtime_config;  // likewise
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
};

inline constexpr size_t kSimulatedNodesMax = 10'000;

/// "PROFILE=COUNT". Errors: kBadRequest.
Result<NodesOption> ParseNodes(const std::string& text);

/// Serves until SIGINT or SIGTERM. Returns the exit code: 0 stopped, 1 could not start, 2 bad
/// options. Says on standard output, in one line, when it is ready.
int Serve(World& world, const ServeOptions& options);

}  // namespace dray::cli
