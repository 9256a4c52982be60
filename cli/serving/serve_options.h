// SPDX-License-Identifier: Apache-2.0
// The values of the flags of `dray serve` and of `kube-apiserver`, and their translation.
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
#include "server/registry/served_kinds.h"

namespace dray::cli::inline serving {

/// A flag that is accepted without effect, and the reason why that is harmless.
struct PassedOver {
  std::string flag, because;
};

/// The defaults are those of `dray serve`.
struct ServeOptions {
  std::vector<std::string> files;  // of objects that are created at the start
  std::string listen = "127.0.0.1:6443";
  control_plane::StoreChoice store;
  std::string token_file;  // empty: certificates only
  std::string authorization = "RBAC";
  std::string token_key_file, token_issuer;  // kube-apiserver's names
  std::string components = "apiserver,scheduler,controllers,nodes";
  std::vector<std::string> nodes;  // PROFILE=COUNT each
  std::string simulate = "any";    // or own, none
  std::string release;             // --emulate-release; empty: both generations, newest rules
  std::string feature_gates;       // in kube-apiserver's syntax
  std::string runtime_config;      // likewise
  server::registry::Previews previews = server::registry::Previews::kAll;
  std::string scheduler_config;  // a file; kube-scheduler's --config
  std::vector<std::string> admission_plugins, disabled_admission_plugins;
  bool leaves_accounts_to_others = false;  // which are needed, and come from elsewhere
  std::string token_max_expiration;        // kube-apiserver's name; empty: no limit
  control_plane::AuditFiles audit;         // kube-apiserver's names
  std::string event_ttl = "1h0m0s";        // likewise
  std::string compaction_interval;         // likewise; empty: the store's default
  std::string lease_duration = "15s";      // kube-scheduler's --leader-elect-lease-duration
  bool allow_overlapping_allocations = false;
  bool watches_begin_at_start = false;
  bool profiling = false;  // likewise
  bool explain_events = true;
  bool ui = true;  // the dashboard
  bool state_metrics = false;
  control_plane::TlsFileNames tls_files;
  std::vector<std::string> tls_names;
  bool anonymous = true;               // kube-apiserver's --anonymous-auth
  bool disable_http2_serving = false;  // kube-apiserver's name
  uint32_t http2_streams = net::http2::kStreamsMax;
  size_t requests_in_flight = server::http::kReadsInFlightMax;  // kube-apiserver's names
  size_t mutating_requests_in_flight = server::http::kWritesInFlightMax;
  std::vector<PassedOver> passed_over;  // listed in the log
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
};

/// Errors: kBadRequest, with the option's name: an invalid value, or a file that cannot be read.
Result<control_plane::ProcessOptions> ProcessOptionsOf(World& world, const ServeOptions& options);

/// ADDRESS:PORT of --listen; localhost is 127.0.0.1. Errors: kBadRequest  it is not such a text.
Result<net::Endpoint> ParseListen(const std::string& listen);

}  // namespace dray::cli::inline serving
