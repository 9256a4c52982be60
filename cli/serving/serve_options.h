// SPDX-License-Identifier: Apache-2.0
// What a server is told by the flags of `dray serve` and of `kube-apiserver`, as they are written,
// and what that means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "control_plane/audit_files.h"
#include "control_plane/process.h"
#include "control_plane/store_choice.h"
#include "control_plane/tls_files.h"
#include "net/http2/limits.h"
#include "server/http/in_flight.h"

namespace dray::cli::inline serving {

/// A flag that has no meaning here, and why it does no harm to pass over it.
struct PassedOver {
  std::string flag, because;
};

/// The defaults are those of `dray serve`.
struct ServeOptions {
  std::string listen = "127.0.0.1:6443";
  control_plane::StoreChoice store;
  std::string token_file;  // empty: certificates only
  std::string authorization = "RBAC";
  std::string token_key_file, token_issuer;  // kube-apiserver's names
  std::string components = "apiserver,scheduler,controllers,nodes";
  std::vector<std::string> nodes;  // PROFILE=COUNT each
  std::string simulate = "any";    // or own, none
  std::string release;             // --emulate-release; empty: both generations, newest rules
  std::string feature_gates;       // kube-apiserver's words
  std::string runtime_config;      // likewise
  std::string scheduler_config;    // a file; kube-scheduler's --config
  std::vector<std::string> admission_plugins, disabled_admission_plugins;
  std::string token_max_expiration;  // kube-apiserver's name; empty: as long as is asked for
  control_plane::AuditFiles audit;   // kube-apiserver's names
  std::string event_ttl = "1h0m0s";  // likewise
  std::string compaction_interval;   // likewise; empty: as the store does it by itself
  bool allow_overlapping_allocations = false;
  bool watches_begin_at_start = false;
  bool profiling = false;  // likewise
  bool explain_events = true;
  control_plane::TlsFileNames tls_files;
  std::vector<std::string> tls_names;
  bool anonymous = true;               // kube-apiserver's --anonymous-auth
  bool disable_http2_serving = false;  // kube-apiserver's name
  uint32_t http2_streams = net::http2::kStreamsMax;
  size_t requests_in_flight = server::http::kReadsInFlightMax;  // kube-apiserver's names
  size_t mutating_requests_in_flight = server::http::kWritesInFlightMax;
  std::vector<PassedOver> passed_over;  // told in the log
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
};

/// Errors: kBadRequest, with the option's name: it says nothing that there is, or a file that it
///         names is not to be read.
Result<control_plane::ProcessOptions> ProcessOptionsOf(World& world, const ServeOptions& options);

}  // namespace dray::cli::inline serving
