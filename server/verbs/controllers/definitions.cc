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
#include "server/verbs/context/first_objects.h"
#include "server/verbs/controllers/own_request.h"

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
    : core_(core), hub_(hub), scheme_(scheme), kinds_(scheme) {
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
  Learn(*snapshot);
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
  Learn(*snapshot);
  bool failed = false;
  const auto note = [&](std::string_view what, const Result<>& done) {
    if (done.has_value()) return;
    failed = true;
    core_.log.Info("definition is not settled", "name", what, "reason", done.error().message);
  };
  std::map<std::string_view, definitions::UsedNames> used;  // by group
  for (const auto& [name, known] : known_) {
    used[known.definition->spec.group].Add(known.definition->status.accepted_names);
  }
  for (const auto& [name, known] : known_) {
    note(name, Settle(*snapshot, *known.definition, used[known.definition->spec.group]));
  }
  note("APIServices", MatchApiServices(*snapshot));
  return failed;
}

// Reads what is new, and has it served as it is.
void Definitions::Learn(const store::Snapshot& snapshot) {
  const std::string prefix = storage::ResourcePrefix(DefinitionKind());
  const storage::View view = storage::View::OfStorage(DefinitionKind());
  bool is_changed = false;
  std::set<std::string> prefixes;  // of objects whose watches may have to end
  const auto note = [&](const std::string& definition) {
    is_changed = true;
    if (const api::CustomKind* kind = kinds_.Find(definition)) {
      prefixes.insert(storage::ResourcePrefix(*kind));
    }
  };
  std::set<std::string, std::less<>> there;
  for (const store::Record& record : snapshot.Range({.prefix = prefix})) {
    const std::string name(record.key().substr(prefix.size()));
    there.insert(name);
    Known& known = known_[name];
    if (known.definition != nullptr && known.modified == record.modified) continue;
    auto item = storage::ItemOf(view, record);
    if (!item.has_value() || !item->has_value()) continue;
    known = {.modified = record.modified,
             .definition = api::FrozenOf<CustomResourceDefinition>((*item)->object)};
    note(name);
    if (!definitions::IsServed(*known.definition)) {
      kinds_.Remove(name);
    } else if (!kinds_.Serve(*known.definition)) {
      core_.log.Error("too many kinds were defined since the start", "name", name);
    }
  }
  std::erase_if(known_, [&](const auto& entry) {
    if (there.contains(entry.first) && entry.second.definition != nullptr) return false;
    note(entry.first);
    kinds_.Remove(entry.first);
    return true;
  });
  if (!is_changed) return;
  kinds_.Publish();
  for (const std::string& prefix : prefixes) hub_.WakeBelow(prefix);
}

Result<> Definitions::WriteStatus(const Definition& definition) {
  ResourceRequest request = OwnRequest(Verb::kUpdate, DefinitionKind(), definition.metadata.name);
  request.subresource = "status";
  request.body = api::Object::Of(definition);
  return CarryOutOwnRequest(core_, std::move(request));
}

Result<> Definitions::Settle(const store::Snapshot& snapshot,
                             const Definition& definition,
                             definitions::UsedNames& used) {
  const std::optional<Definition> next = definitions::NextStatus(
      definition, used, core_.world.clock.Now(), registry::DefinitionEnvironment());
  if (next.has_value()) {
    // Another definition of this round may want the same names.
    used.Remove(definition.status.accepted_names);
    used.Add(next->status.accepted_names);
    return WriteStatus(*next);
  }
  return IsGoing(definition) ? Empty(snapshot, definition) : Result<>();
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
        awaited_.emplace(prefix, std::move(registration));
      }
      // In whatever versions they are stored: no webhook is to keep them.
      const Result<> deleted =
          CarryOutOwnRequest(core_, OwnRequest(Verb::kDeleteCollection, *kind, {}));
      return deleted.has_value() ? deleted : NoteFailure(definition, deleted.error());
    }
    awaited_.erase(prefix);
  }
  const auto outcome =
      kind == nullptr ? definitions::Cleanup::kNeverEstablished : definitions::Cleanup::kCompleted;
  return WriteStatus(definitions::EndDeletion(definition, outcome, {}, now));
}

// An APIService for each version that is served, and none of ours besides.
Result<> Definitions::MatchApiServices(const store::Snapshot& snapshot) {
  std::set<std::string> wanted;
  std::vector<std::pair<std::string_view, std::string_view>> versions;
  const Frozen<api::Scheme> scheme = scheme_.Now();
  for (const api::KindInfo* kind : scheme->kinds()) {
    if (!api::IsCustom(*kind) || !kind->served) continue;
    std::string name = fmt::format("{}.{}", kind->version, kind->group);
    if (wanted.insert(std::move(name)).second) versions.emplace_back(kind->group, kind->version);
  }
  const std::string prefix = storage::ResourcePrefix(ServiceKind());
  for (const auto& [group, version] : versions) {
    const std::string name = fmt::format("{}.{}", version, group);
    if (snapshot.Find(prefix + name) != nullptr) continue;
    ResourceRequest request = OwnRequest(Verb::kCreate, ServiceKind(), {});
    request.body = ApiServiceOf(group, version);
    DRAY_TRY_VOID(CarryOutOwnRequest(core_, std::move(request)));
  }
  for (const store::Record& record : snapshot.Range({.prefix = prefix})) {
    const std::string name(record.key().substr(prefix.size()));
    if (wanted.contains(name)) continue;
    auto item = storage::ItemOf(storage::View::OfStorage(ServiceKind()), record);
    if (!item.has_value() || !item->has_value()) continue;
    const auto& labels = (*item)->object.metadata().labels;
    const auto label = labels.find(kManagedLabel);
    if (label == labels.end() || label->second != "true") continue;
    DRAY_TRY_VOID(CarryOutOwnRequest(core_, OwnRequest(Verb::kDelete, ServiceKind(), name)));
  }
  return {};
}

}  // namespace dray::server::verbs::inline controllers
