// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/watches/watch_hub.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "server/errors/errors.h"

namespace dray::server::verbs::inline watches {
namespace {

constexpr std::string_view kAllKeys = "/registry/";
constexpr size_t kBatchEventsMax = 1024;
constexpr char kBeforeNode = '\0';  // in scopes of OnNode()

}  // namespace

WatchHub::Registration::~Registration() {
  if (hub_ != nullptr) hub_->Remove(scope_, watcher_.get());
}

WatchHub::WatchHub(store::Store& store) : store_(store), seen_(store.Read()->revision()) {
  Result<store::Subscription> subscription =
      store_.Subscribe([this](Revision newest) { OnCommit(newest); });
  if (subscription.has_value()) {
    subscription_ = *std::move(subscription);
  } else {
    failure_ = subscription.error();
  }
}

Result<ShareBudget::Claim> WatchHub::Claim(const Frozen<ShareOwner>& owner, size_t selector_bytes) {
  ShareBudget::Claim claim(places_, owner);
  if (!claim.Resize(1 + selector_bytes / kSelectorBytesOfWatch)) {
    return Fail(errors::TooManyRequests());
  }
  return claim;
}

std::string WatchHub::OnNode(std::string_view prefix, std::string_view node) {
  return fmt::format("{}{}{}", prefix, kBeforeNode, node);
}

Result<WatchHub::Registration> WatchHub::Add(std::string scope, std::shared_ptr<Wakeable> watcher) {
  return Register(std::move(scope), nullptr, std::move(watcher));
}

Result<WatchHub::Registration> WatchHub::AddOnNode(std::string scope,
                                                   const storage::NodeField& field,
                                                   std::shared_ptr<Wakeable> watcher) {
  return Register(std::move(scope), &field, std::move(watcher));
}

Result<WatchHub::Registration> WatchHub::Register(std::string scope,
                                                  const storage::NodeField* field,
                                                  std::shared_ptr<Wakeable> watcher) {
  if (failure_.has_value()) return Fail(*failure_);
  const MutexLock lock(mutex_);
  if (watches_ >= kWatchesMax) {
    return Fail(errors::TooManyRequests());
  }
  const auto [found, is_new] = scopes_.try_emplace(scope);
  if (is_new && field != nullptr) {
    found->second.field = *field;
    found->second.known_after = seen_;
  }
  ++found->second.watchers[watcher.get()].registrations;
  ++watches_;
  return Registration(this, std::move(scope), std::move(watcher));
}

// The registration keeps the watcher alive until the lock is released.
void WatchHub::Remove(const std::string& scope, Wakeable* watcher) {
  const MutexLock lock(mutex_);
  --watches_;
  const auto found = scopes_.find(scope);
  auto& watchers = found->second.watchers;
  const auto watch = watchers.find(watcher);
  if (--watch->second.registrations > 0) return;
  watchers.erase(watch);
  if (watchers.empty()) scopes_.erase(found);
}

void WatchHub::OnCommit(Revision newest) {
  const MutexLock lock(mutex_);
  ++round_;
  const Revision before = seen_;
  bool all_know = true;
  while (seen_ < newest) {
    const Result<store::Batch> batch = store_.EventsAfter(seen_, kAllKeys, kBatchEventsMax);
    // The store has dropped events that the hub has not read: any watch may have missed one.
    if (!batch.has_value()) {
      seen_ = newest;
      WakeAll();
      return;
    }
    for (const Frozen<store::Event>& event : batch->events) {
      all_know &= Wake(*event);
    }
    if (batch->through == seen_) break;
    seen_ = batch->through;
  }
  if (!all_know) seen_ = before;
}

// Wakes each scope that contains the key: its folders, and the key itself.
bool WatchHub::Wake(const store::Event& event) {
  const std::string_view key = event.record->key();
  bool all_know = true;
  for (size_t end = key.find('/', kAllKeys.size()); end != std::string_view::npos;
       end = key.find('/', end + 1)) {
    all_know &= WakeFolder(key.substr(0, end + 1), event);
  }
  const auto of_key = scopes_.find(key);
  return (of_key == scopes_.end() || WakeScope(of_key->second)) && all_know;
}

bool WatchHub::WakeFolder(std::string_view folder, const store::Event& event) {
  auto found = scopes_.lower_bound(folder);
  bool all_know = true;
  if (found != scopes_.end() && found->first == folder) {
    all_know = WakeScope(found->second);
    ++found;
  }
  // Behind the folder itself come its nodes, because no key has such a letter.
  const bool has_nodes = found != scopes_.end() && found->second.field.has_value() &&
                         found->first.starts_with(folder) &&
                         found->first[folder.size()] == kBeforeNode;
  return (!has_nodes || WakeNodes(found, folder, event)) && all_know;
}

// `first` is the first scope of a node in the folder.
bool WatchHub::WakeNodes(Scopes::iterator first,
                         std::string_view folder,
                         const store::Event& event) {
  const storage::NodeField& field = *first->second.field;
  const Revision revision = event.revision();
  std::set<std::string> nodes;
  bool is_known = true;
  const auto add = [&](const store::Record& record) {
    auto node = storage::NodeNameIn(field, record);
    is_known = is_known && node.has_value();
    if (node.has_value()) nodes.insert(*std::move(node));
  };
  if (event.type == store::Event::Type::kPut) add(*event.record);
  if (event.previous != nullptr) add(*event.previous);
  bool all_know = true;
  if (is_known) {
    for (const std::string& node : nodes) {
      const auto scope = scopes_.find(OnNode(folder, node));
      if (scope != scopes_.end()) all_know &= WakeNode(scope->second, revision);
    }
    return all_know;
  }
  const std::string all = OnNode(folder, "");
  for (auto scope = first; scope != scopes_.end() && scope->first.starts_with(all); ++scope) {
    all_know &= WakeNode(scope->second, revision);
  }
  return all_know;
}

bool WatchHub::WakeNode(Scope& scope, Revision revision) {
  std::vector<Revision>& recent = scope.recent;
  if (recent.empty() || recent.back() < revision) {
    if (recent.size() == kRecentMax) {
      const auto half = recent.begin() + kRecentMax / 2;
      scope.known_after = *(half - 1);
      recent.erase(recent.begin(), half);
    }
    recent.push_back(revision);
  }
  return WakeScope(scope);
}

bool WatchHub::WakeScope(Scope& scope) {
  bool all_know = true;
  for (auto& [watcher, watch] : scope.watchers) {
    if (watch.round == round_) continue;
    watch.round = round_;
    all_know &= TryWake(*watcher);
  }
  return all_know;
}

std::optional<WatchHub::Ahead> WatchHub::LookAhead(std::string_view scope, Revision after) {
  const MutexLock lock(mutex_);
  const auto found = scopes_.find(scope);
  if (found == scopes_.end() || after < found->second.known_after) return std::nullopt;
  const std::vector<Revision>& recent = found->second.recent;
  const auto next = std::ranges::upper_bound(recent, after);
  return Ahead{.through = std::max(seen_, after),
               .next = next == recent.end() ? std::nullopt : std::optional(*next)};
}

void WatchHub::WakeBelow(std::string_view prefix) {
  const MutexLock lock(mutex_);
  for (auto scope = scopes_.lower_bound(prefix);
       scope != scopes_.end() && scope->first.starts_with(prefix);
       ++scope) {
    for (auto& [watcher, watch] : scope->second.watchers) {
      // As in WakeAll().
      if (!TryWake(*watcher)) continue;
    }
  }
}

void WatchHub::WakeAll() {
  for (auto& [name, scope] : scopes_) {
    scope.recent.clear();
    scope.known_after = seen_;
    for (auto& [watcher, watch] : scope.watchers) {
      // A watcher whose wake fails is woken by the next commit of its scope, or by its own timer.
      if (!TryWake(*watcher)) continue;
    }
  }
}

}  // namespace dray::server::verbs::inline watches
