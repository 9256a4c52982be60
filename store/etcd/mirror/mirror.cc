// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/mirror/mirror.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/frozen.h"
#include "base/strong.h"
#include "store/etcd/rpc/messages.h"
#include "store/record.h"
#include "store/sequencer.h"
#include "store/snapshot.h"
#include "store/store.h"
#include "store/tree.h"

namespace dray::store::etcd::mirror {
namespace {

size_t SizeOf(const Record& record) {
  return record.key().size() + record.value->size();
}

/// Describes how a put or deletion contradicts the previous record; empty if it does not.
std::string Contradiction(const rpc::WatchEvent& event, const Record* previous) {
  const int64_t version = previous == nullptr ? 0 : previous->version();
  if (event.is_deletion && previous == nullptr) return "a deletion of a key that was not there";
  // A key that was deleted and created again has version 1.
  if (!event.is_deletion && event.kv.version != version + 1) {
    return fmt::format("version {} after {}", event.kv.version, version);
  }
  if (event.previous_modified.has_value() &&
      (previous == nullptr || *event.previous_modified != previous->modified)) {
    return fmt::format("it replaces revision {}, not {}",
                       event.previous_modified->value(),
                       previous == nullptr ? 0 : previous->modified.value());
  }
  return "";
}

Frozen<Event> DeletionOf(const Frozen<Record>& previous, Revision revision) {
  RecordFields last = previous->fields();
  last.modified = revision;
  Frozen<Record> record = MakeRecord(std::move(last));
  return std::make_shared<const Event>(
      Event{.type = Event::Type::kDelete, .record = std::move(record), .previous = previous});
}

}  // namespace

std::string Mirror::FenceKey(const Fence& fence) const {
  return fmt::format("{}{}{:03x}", prefix_, kFenceFolder, FenceSlot(fence.name));
}

Frozen<Record> Mirror::RecordOf(const rpc::KeyValue& kv) const {
  return MakeRecord({.key = kv.key,
                     .value = read_value_(kv.key, kv.value),
                     .created = kv.created,
                     .modified = kv.modified,
                     .version = kv.version});
}

Frozen<Snapshot> Mirror::Load(std::span<const Frozen<Record>> all, Revision at) {
  live_bytes_ = 0;
  for (const Frozen<Record>& record : all) live_bytes_ += SizeOf(*record);
  snapshot_ = std::make_shared<const Snapshot>(at, Tree::FromSorted(all));
  fragments_.clear();
  return snapshot_;
}

std::string Mirror::Add(const rpc::WatchEvent& event, Tree& tree, Change& change) const {
  const Frozen<Record>* found = tree.Find(event.kv.key);
  const Frozen<Record> previous = found == nullptr ? nullptr : *found;
  std::string contradiction = Contradiction(event, previous.get());
  if (!contradiction.empty()) return contradiction;
  if (event.is_deletion) {
    tree = tree.Erase(event.kv.key);
    change.events.push_back(DeletionOf(previous, event.kv.modified));
    return "";
  }
  const Frozen<Record> record = RecordOf(event.kv);
  tree = tree.Put(record);
  change.events.push_back(std::make_shared<const Event>(
      Event{.type = Event::Type::kPut, .record = record, .previous = previous}));
  return "";
}

std::expected<Change, std::string> Mirror::ChangeOf(Events events, Tree& tree) const {
  Change change;
  for (const rpc::WatchEvent& event : events) {
    if (!Shows(event.kv.key)) continue;
    const std::string contradiction = Add(event, tree, change);
    if (contradiction.empty()) continue;
    return std::unexpected(fmt::format(
        "{} at revision {}: {}", event.kv.key, event.kv.modified.value(), contradiction));
  }
  return change;
}

void Mirror::CountBytes(const Change& change) {
  for (const Frozen<Event>& event : change.events) {
    if (event->type == Event::Type::kPut) live_bytes_ += SizeOf(*event->record);
    if (event->previous != nullptr) live_bytes_ -= SizeOf(*event->previous);
  }
}

std::expected<Mirror::Step, std::string> Mirror::Apply(rpc::WatchAnswer answer, Progress progress) {
  Step step{.changes = {}, .reached = reached()};
  std::ranges::move(answer.events, std::back_inserter(fragments_));
  if (answer.fragment) return step;
  const std::vector<rpc::WatchEvent> reported = std::exchange(fragments_, {});
  Tree tree = snapshot_->tree();
  for (Events rest = reported; !rest.empty();) {
    const Revision revision = rest.front().kv.modified;
    if (revision <= step.reached) {
      return std::unexpected(
          fmt::format("revision {} came after {}", revision.value(), step.reached.value()));
    }
    const auto end = std::ranges::find_if(
        rest, [&](const rpc::WatchEvent& event) { return event.kv.modified != revision; });
    const auto count = static_cast<size_t>(end - rest.begin());
    std::expected<Change, std::string> change = ChangeOf(rest.first(count), tree);
    if (!change.has_value()) return std::unexpected(std::move(change).error());
    rest = rest.subspan(count);
    step.reached = revision;
    if (change->events.empty()) continue;
    change->next = std::make_shared<const Snapshot>(revision, tree);
    step.changes.push_back(*std::move(change));
  }
  if (reported.empty() && progress == Progress::kTrusted) {
    step.reached = std::max(step.reached, answer.revision);
  }
  for (const Change& change : step.changes) CountBytes(change);
  if (step.reached != reached()) {
    snapshot_ = std::make_shared<const Snapshot>(step.reached, std::move(tree));
  }
  return step;
}

}  // namespace dray::store::etcd::mirror
