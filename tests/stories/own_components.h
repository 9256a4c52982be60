// SPDX-License-Identifier: Apache-2.0
// Scheduler and controllers of a story against a server of another process, which can each be
// started, killed and refused on its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "api/live_scheme.h"
#include "base/mutex.h"
#include "base/result.h"
#include "client/client.h"
#include "client/http_client.h"
#include "control_plane/components.h"
#include "server/registry/served_kinds.h"
#include "tests/stories/sightings.h"

namespace dray::stories {

/// Requests to refuse, as an admission policy of the server would.
struct Refusal {
  std::string group, resource;  // "pods/binding"
  std::set<std::string> operations;
  std::string user;  // empty: all users
  std::string message;
};

/// The requests to refuse now, by the id of the deed that requested it. Safe from any thread.
class Refusals {
 public:
  void Add(const std::string& id, Refusal refusal);
  void Remove(const std::string& id);
  /// Errors: kForbidden, in upstream's words.
  Result<> Allow(std::string_view user,
                 std::string_view operation,
                 const client::ObjectRef& object,
                 std::string_view subresource) const;

 private:
  mutable Mutex mutex_;
  std::map<std::string, Refusal> refusals_ DRAY_GUARDED_BY(mutex_);
};

/// For one thread.
class OwnComponents {
 public:
  struct Options {
    uint16_t port = 0;  // of the server
    std::string token;
    server::registry::Emulation emulation;
    scheduler::Configuration scheduling, second_scheduling;
  };
  explicit OwnComponents(Options options);
  ~OwnComponents();
  OwnComponents(const OwnComponents&) = delete;
  OwnComponents& operator=(const OwnComponents&) = delete;

  /// kube-scheduler, second-scheduler or kube-controller-manager. Errors: kBadRequest  no such
  /// component; kInternalError  it does not start.
  Result<> Start(const std::string& name);
  /// Carries out none of its further requests, and ends it.
  void Kill(const std::string& name);
  /// Returns when each running component has received these revisions; false after `patience`.
  bool AwaitSeen(const Revisions& revisions, std::chrono::milliseconds patience) const;
  Refusals& refusals() { return refusals_; }

 private:
  class Connection;
  struct Component;

  const Options options_;
  Refusals refusals_;
  std::unique_ptr<api::LiveScheme> scheme_;
  std::map<std::string, std::unique_ptr<Component>> components_;
};

}  // namespace dray::stories
