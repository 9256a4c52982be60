// SPDX-License-Identifier: Apache-2.0
// The controller of CustomResourceDefinitions: accepts names, writes conditions, has the kinds
// served, makes their APIServices, and deletes the objects of definitions that go.
//
// It is level-triggered: each round does the next step of what is not settled. A commit to
// definitions, APIServices or objects that it waits for starts a round, which reads what was
// committed since the last one. So a change costs the same however many definitions there are.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/apiextensions_v1.h"
#include "api/custom_kind.h"
#include "api/live_scheme.h"
#include "api/object.h"
#include "base/frozen.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "custom/definitions/used_names.h"
#include "server/registry/custom_kinds.h"
#include "server/registry/definition_outline.h"
#include "server/verbs/context/call.h"
#include "server/verbs/controllers/managed_services.h"
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
  using Names = api::apiextensions_v1::CustomResourceDefinitionNames;
  class Doorbell;

  struct Known {
    Revision modified{};
    std::string group{};
    Names counted{};                    // its names in Group::used
    std::vector<std::string> served{};  // its versions that have an APIService
  };
  /// The definitions of one group.
  struct Group {
    custom::definitions::UsedNames used;
    std::set<std::string> undecided;  // those with other names than were accepted
  };
  using NameSet = std::set<std::string, std::less<>>;

  void Ring();
  void Run();
  /// Whether another round is wanted although nothing was committed: a write failed.
  bool Round();
  void LearnAll(const store::Snapshot& snapshot);
  void LearnChanges(const store::Snapshot& snapshot);
  /// Reads the definitions `names`, and has them served as they are.
  void Learn(const store::Snapshot& snapshot, const NameSet& names);
  /// Whether it has changed. `prefixes` gets those of objects whose watches may have to end.
  bool LearnOne(const store::Snapshot& snapshot, const std::string& name, NameSet& prefixes);
  void Serve(registry::DefinitionOutline outline, Known& known);
  /// Takes back what was noted of the definition.
  void Forget(const std::string& name, Known& known);
  void CountNames(Known& known, const Names& names);

  Result<> Settle(const store::Snapshot& snapshot, const Definition& definition, Known& known);
  Result<> Empty(const store::Snapshot& snapshot, const Definition& definition);
  Result<> DeleteObjects(const store::Snapshot& snapshot,
                         const Definition& definition,
                         const api::CustomKind& kind);
  Result<> NoteFailure(const Definition& definition, const Error& why);
  Result<> WriteStatus(const Definition& definition);

  const Core& core_;
  WatchHub& hub_;
  // Start() owns these, then the thread does.
  registry::CustomKinds kinds_;
  ManagedServices services_;
  Revision seen_{};  // what was committed until then is known
  std::map<std::string, Known, std::less<>> known_;
  std::map<std::string, Group, std::less<>> groups_;
  NameSet due_;  // definitions that may not be settled
  struct Awaited {
    std::string definition;
    WatchHub::Registration objects;
  };
  std::map<std::string, Awaited, std::less<>> awaited_;  // by prefix of objects that are to go

  Mutex mutex_;
  Condition changed_;
  bool is_rung_ DRAY_GUARDED_BY(mutex_) = false;
  bool is_ending_ DRAY_GUARDED_BY(mutex_) = false;
  std::thread thread_ DRAY_GUARDED_BY(mutex_);
  std::shared_ptr<Doorbell> doorbell_;
  std::vector<WatchHub::Registration> registrations_;  // last: no ring comes after they are gone
};

}  // namespace dray::server::verbs::inline controllers
