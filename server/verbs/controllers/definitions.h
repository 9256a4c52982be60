// SPDX-License-Identifier: Apache-2.0
// The controller of CustomResourceDefinitions: accepts names, writes conditions, has the kinds
// served, makes their APIServices, and deletes the objects of definitions that go.
//
// It is level-triggered: each round looks at what is stored and does the next step of what is not
// settled. A commit to definitions, APIServices or objects that it waits for starts a round.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/apiextensions_v1.h"
#include "api/live_scheme.h"
#include "api/object.h"
#include "base/mutex.h"
#include "base/result.h"
#include "custom/definitions/used_names.h"
#include "server/registry/custom_kinds.h"
#include "server/verbs/context/call.h"
#include "server/verbs/watches/watch_hub.h"
#include "store/snapshot.h"

namespace dray::server::verbs::inline controllers {

/// Start() once; all else happens on a thread of its own, which begins with the first definition.
/// The arguments outlive it.
class Definitions {
 public:
  Definitions(const Core& core, WatchHub& hub, api::LiveScheme& scheme);
  Definitions(const Definitions&) = delete;
  Definitions& operator=(const Definitions&) = delete;
  /// Waits for a round under way.
  ~Definitions();

  /// Serves the kinds of the definitions that are stored, then follows the store. Call it before
  /// requests come. O(all definitions).
  /// Errors: those of WatchHub::Add.
  Result<> Start();

 private:
  using Definition = api::apiextensions_v1::CustomResourceDefinition;
  class Doorbell;

  struct Known {
    Revision modified;
    Frozen<Definition> definition;
  };
  using Definitions_ = std::map<std::string, Known, std::less<>>;

  void Ring();
  void Run();
  /// Whether another round is wanted although nothing was committed: a write failed.
  bool Round();
  void Learn(const store::Snapshot& snapshot);
  /// `used`: the names that definitions of its group have been given.
  Result<> Settle(const store::Snapshot& snapshot,
                  const Definition& definition,
                  custom::definitions::UsedNames& used);
  Result<> Empty(const store::Snapshot& snapshot, const Definition& definition);
  Result<> NoteFailure(const Definition& definition, const Error& why);
  Result<> WriteStatus(const Definition& definition);
  Result<> MatchApiServices(const store::Snapshot& snapshot);

  const Core& core_;
  WatchHub& hub_;
  api::LiveScheme& scheme_;
  // Start() owns these, then the thread does.
  registry::CustomKinds kinds_;
  Definitions_ known_;
  std::map<std::string, WatchHub::Registration, std::less<>> awaited_;  // by prefix of objects

  Mutex mutex_;
  Condition changed_;
  bool is_rung_ DRAY_GUARDED_BY(mutex_) = false;
  bool is_ending_ DRAY_GUARDED_BY(mutex_) = false;
  std::thread thread_ DRAY_GUARDED_BY(mutex_);
  std::shared_ptr<Doorbell> doorbell_;
  std::vector<WatchHub::Registration> registrations_;  // last: no ring comes after they are gone
};

}  // namespace dray::server::verbs::inline controllers
