// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/controllers/definitions.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/apiregistration_v1.h"
#include "base/try.h"
#include "custom/definitions/lifecycle.h"
#include "server/registry/definition_rules.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/verbs/controllers/own_request.h"
#include "server/verbs/conversion/conversion.h"

namespace dray::server::verbs::inline controllers {
namespace {

namespace definitions = custom::definitions;
using api::apiextensions_v1::CustomResourceDefinition;
using api::apiregistration_v1::APIService;

constexpr std::chrono::seconds kRetryAfter{1};

const api::KindInfo& DefinitionKind() {
  return api::Reflected<CustomResourceDefinition>::kKind;
}

const api::KindInfo& ServiceKind() {
  return api::Reflected<APIService>::kKind;
}

bool IsGoing(const CustomResourceDefinition& definition) {
  return definition.metadata.deletion_timestamp.has_value();
}

// Null: it is not there, or cannot be read.
Frozen<CustomResourceDefinition> ReadDefinition(const store::Snapshot& snapshot,
                                                const std::string& name) {
  const store::Record* record = snapshot.Find(storage::ResourcePrefix(DefinitionKind()) + name);
  if (record == nullptr) return nullptr;
  const auto item = storage::ItemOf(storage::View::OfStorage(DefinitionKind()), *record);
  if (!item.has_value() || !item->has_value()) return nullptr;
  return api::FrozenOf<CustomResourceDefinition>((*item)->object);
}

// The same with its schemas apart, which are not decoded where they are stored as upstream does it.
// Nothing: it is not there, or cannot be read.
std::optional<registry::DefinitionOutline> ReadOutline(const store::Snapshot& snapshot,
                                                       const std::string& name) {
  const store::Record* record = snapshot.Find(storage::ResourcePrefix(DefinitionKind()) + name);
  if (record == nullptr) return std::nullopt;
  auto found = storage::FindOutline(DefinitionKind(), registry::SchemaPart(), *record);
  if (!found.has_value()) return std::nullopt;
  std::optional<registry::DefinitionOutline> outline;
  if (found->has_value()) {
    outline = registry::JoinOutline(api::FrozenOf<CustomResourceDefinition>((*found)->object),
                                    std::move((*found)->parts));
  }
  if (outline.has_value()) return outline;
  Frozen<CustomResourceDefinition> whole = ReadDefinition(snapshot, name);
  if (whole == nullptr) return std::nullopt;
  return registry::OutlineOf(std::move(whole));
}

// The condition that says that its objects are being deleted; null: that has not begun.
const api::apiextensions_v1::CustomResourceDefinitionCondition* CleaningOf(
    const CustomResourceDefinition& definition) {
  const auto& all = definition.status.conditions;
  const auto found = std::ranges::find_if(all, [](const auto& one) {
    return one.type == "Terminating" &&
           (one.reason == "InstanceDeletionInProgress" || one.reason == "InstanceDeletionFailed");
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

// What the hub wakes; it may outlive the controller for a moment.
class Definitions::Doorbell final : public Wakeable {
 public:
  explicit Doorbell(Definitions& owner) : owner_(owner) {}
  void Wake() override { owner_.Ring(); }

 private:
  Definitions& owner_;
};

Definitions::Definitions(const Core& core, WatchHub& hub, api::LiveScheme& scheme)
    : core_(core), hub_(hub), kinds_(scheme), services_(core) {
  doorbell_ = std::make_shared<Doorbell>(*this);
}

Definitions::~Definitions() {
  registrations_.clear();
  std::thread thread;
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
    thread = std::move(thread_);
    changed_.NotifyAll();
  }
  if (thread.joinable()) thread.join();
  awaited_.clear();
}

Result<> Definitions::Start() {
  for (const api::KindInfo* kind : {&DefinitionKind(), &ServiceKind()}) {
    DRAY_TRY(WatchHub::Registration registration,
             hub_.Add(storage::ResourcePrefix(*kind), doorbell_));
    registrations_.push_back(std::move(registration));
  }
  const Frozen<store::Snapshot> snapshot = core_.store.Read();
  LearnAll(*snapshot);
  if (!known_.empty()) Ring();
  return {};
}

// From the committing thread. APIServices alone are no reason for a thread.
void Definitions::Ring() {
  const MutexLock lock(mutex_);
  if (is_ending_) return;
  is_rung_ = true;
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  changed_.NotifyAll();
}

void Definitions::Run() {
  bool again = false;
  while (true) {
    {
      const MutexLock lock(mutex_);
      while (!is_rung_ && !is_ending_) {
        if (!again) {
          changed_.Wait(mutex_);
        } else if (!changed_.WaitFor(mutex_, kRetryAfter)) {
          break;
        }
      }
      if (is_ending_) return;
      is_rung_ = false;
    }
    again = Round();
  }
}

bool Definitions::Round() {
  const Frozen<store::Snapshot> snapshot = core_.store.Read();
  LearnChanges(*snapshot);
  for (const auto& [prefix, awaited] : awaited_) due_.insert(awaited.definition);
  bool failed = false;
  const auto note = [&](std::string_view what, const Result<>& done) {
    if (done.has_value()) return;
    failed = true;
    core_.log.Info("definition is not settled", "name", what, "reason", done.error().message);
  };
  for (const std::string& name : std::exchange(due_, {})) {
    const auto known = known_.find(name);
    const auto outline = ReadOutline(*snapshot, name);
    if (known == known_.end() || !outline.has_value()) continue;
    const Result<> settled = Settle(*snapshot, *outline->definition, known->second);
    note(name, settled);
    if (!settled.has_value()) due_.insert(name);
  }
  note("APIServices", services_.Match(*snapshot));
  return failed;
}

void Definitions::LearnAll(const store::Snapshot& snapshot) {
  const auto names_below = [&](const api::KindInfo& kind) {
    const std::string prefix = storage::ResourcePrefix(kind);
    std::vector<std::string> names;
    for (const store::Record& record : snapshot.Range({.prefix = prefix})) {
      names.emplace_back(record.key().substr(prefix.size()));
    }
    return names;
  };
  NameSet names;
  for (const auto& [name, known] : known_) names.insert(name);
  for (std::string& name : names_below(DefinitionKind())) names.insert(std::move(name));
  for (std::string& name : names_below(ServiceKind())) services_.NoteChange(std::move(name));
  Learn(snapshot, names);
  seen_ = snapshot.revision();
}

void Definitions::LearnChanges(const store::Snapshot& snapshot) {
  // Returns false if history no longer reaches back to the last round.
  const auto each_change = [&](const api::KindInfo& kind, auto take) {
    const std::string prefix = storage::ResourcePrefix(kind);
    for (Revision after = seen_; after < snapshot.revision();) {
      const auto batch = core_.store.EventsAfter(after, prefix, store::kEventsExaminedMax);
      if (!batch.has_value()) return false;
      for (const Frozen<store::Event>& event : batch->events) {
        take(std::string(event->record->key().substr(prefix.size())));
      }
      after = batch->through;
    }
    return true;
  };
  NameSet names;
  const bool has_all =
      each_change(DefinitionKind(), [&](std::string name) { names.insert(std::move(name)); }) &&
      each_change(ServiceKind(), [&](std::string name) { services_.NoteChange(std::move(name)); });
  if (!has_all) return LearnAll(snapshot);
  Learn(snapshot, names);
  seen_ = snapshot.revision();
}

void Definitions::Learn(const store::Snapshot& snapshot, const NameSet& names) {
  NameSet prefixes;
  bool is_changed = false;
  for (const std::string& name : names) {
    is_changed = LearnOne(snapshot, name, prefixes) || is_changed;
  }
  if (!is_changed) return;
  kinds_.Publish();
  for (const std::string& prefix : prefixes) hub_.WakeBelow(prefix);
}

bool Definitions::LearnOne(const store::Snapshot& snapshot,
                           const std::string& name,
                           NameSet& prefixes) {
  const store::Record* record = snapshot.Find(storage::ResourcePrefix(DefinitionKind()) + name);
  const auto before = known_.find(name);
  const bool is_known = before != known_.end();
  const bool is_same =
      record == nullptr ? !is_known : is_known && before->second.modified == record->modified;
  if (is_same) return false;
  if (const api::CustomKind* kind = kinds_.Find(name)) {
    std::string prefix = storage::ResourcePrefix(*kind);
    if (record == nullptr) awaited_.erase(prefix);
    prefixes.insert(std::move(prefix));
  }
  Known& known = known_[name];
  Forget(name, known);
  if (std::optional<registry::DefinitionOutline> outline = ReadOutline(snapshot, name)) {
    known.modified = record->modified;
    known.group = outline->definition->spec.group;
    Serve(*std::move(outline), known);
    return true;
  }
  CountNames(known, {});
  kinds_.Remove(name);
  if (record == nullptr) {
    known_.erase(name);
  } else {
    known.modified = record->modified;  // it cannot be read
  }
  return true;
}

void Definitions::Serve(registry::DefinitionOutline outline, Known& known) {
  const Frozen<Definition> kept = outline.definition;
  const Definition& definition = *kept;
  const std::string& name = definition.metadata.name;
  if (!(definition.spec.names == definition.status.accepted_names)) {
    groups_[definition.spec.group].undecided.insert(name);
  }
  CountNames(known, definition.status.accepted_names);
  due_.insert(name);
  if (!definitions::IsServed(definition)) {
    kinds_.Remove(name);
    return;
  }
  if (!kinds_.Serve(std::move(outline))) {
    core_.log.Error("too many kinds were defined since the start", "name", name);
    return;
  }
  for (const auto& version : definition.spec.versions) {
    if (!version.served) continue;
    services_.Add(definition.spec.group, version.name);
    known.served.push_back(version.name);
  }
}

// Its names stay counted until the new ones are known.
void Definitions::Forget(const std::string& name, Known& known) {
  const auto group = groups_.find(known.group);
  if (group != groups_.end()) group->second.undecided.erase(name);
  for (const std::string& version : known.served) services_.Remove(known.group, version);
  known.served.clear();
}

// Counts `names` in place of those counted before. Others of the group that wait for names may get
// theirs now, or meet another conflict. The group of a definition never changes: it is part of the
// definition's name.
void Definitions::CountNames(Known& known, const Names& names) {
  if (known.counted == names) return;
  const auto group = groups_.try_emplace(known.group).first;
  auto& [used, undecided] = group->second;
  used.Remove(known.counted);
  used.Add(names);
  known.counted = names;
  due_.insert(undecided.begin(), undecided.end());
  if (used.empty() && undecided.empty()) groups_.erase(group);
}

Result<> Definitions::WriteStatus(const Definition& definition) {
  ResourceRequest request = OwnRequest(Verb::kUpdate, DefinitionKind(), definition.metadata.name);
  request.subresource = "status";
  request.body = api::Object::Of(definition);
  return CarryOutOwnRequest(core_, std::move(request));
}

Result<> Definitions::Settle(const store::Snapshot& snapshot,
                             const Definition& definition,
                             Known& known) {
  const std::optional<Definition> next =
      definitions::NextStatus(definition,
                              groups_[definition.spec.group].used,
                              core_.world.clock.Now(),
                              registry::DefinitionEnvironment());
  if (!next.has_value()) return IsGoing(definition) ? Empty(snapshot, definition) : Result<>();
  DRAY_TRY_VOID(WriteStatus(*next));
  // Another definition of this round may want the same names.
  CountNames(known, next->status.accepted_names);
  return {};
}

// Says in the status why the objects are not deleted; fails, so that another round tries again.
Result<> Definitions::NoteFailure(const Definition& definition, const Error& why) {
  const Definition next = definitions::EndDeletion(
      definition, definitions::Cleanup::kNotListed, why.message, core_.world.clock.Now());
  const auto* before = CleaningOf(definition);
  const auto* now = CleaningOf(next);
  const bool is_reported = before != nullptr && now != nullptr && before->message == now->message;
  if (!is_reported) DRAY_TRY_VOID(WriteStatus(next));
  return Fail(why);
}

// Deletes the objects of a definition that goes, then lets it go.
Result<> Definitions::Empty(const store::Snapshot& snapshot, const Definition& definition) {
  if (!definitions::NeedsCleanup(definition)) return {};
  const WallTime now = core_.world.clock.Now();
  if (CleaningOf(definition) == nullptr)
    return WriteStatus(definitions::BeginDeletion(definition, now));
  const api::CustomKind* kind = kinds_.Find(definition.metadata.name);
  if (kind != nullptr) {
    const std::string prefix = storage::ResourcePrefix(*kind);
    if (!snapshot.Range({.prefix = prefix}).empty()) {
      if (!awaited_.contains(prefix)) {
        DRAY_TRY(WatchHub::Registration registration, hub_.Add(prefix, doorbell_));
        awaited_.emplace(
            prefix,
            Awaited{.definition = definition.metadata.name, .objects = std::move(registration)});
      }
      return DeleteObjects(snapshot, definition, *kind);
    }
    awaited_.erase(prefix);
  }
  const auto outcome =
      kind == nullptr ? definitions::Cleanup::kNeverEstablished : definitions::Cleanup::kCompleted;
  return WriteStatus(definitions::EndDeletion(definition, outcome, {}, now));
}

// In whatever versions they are stored: no webhook is to keep them.
Result<> Definitions::DeleteObjects(const store::Snapshot& snapshot,
                                    const Definition& definition,
                                    const api::CustomKind& kind) {
  const Result<> readable = CheckVersions(snapshot, kind);
  if (!readable.has_value()) return NoteFailure(definition, readable.error());
  const Result<> deleted = CarryOutOwnRequest(core_, OwnRequest(Verb::kDeleteCollection, kind, {}));
  return deleted.has_value() ? deleted : NoteFailure(definition, deleted.error());
}

}  // namespace dray::server::verbs::inline controllers
