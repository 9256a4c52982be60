// SPDX-License-Identifier: Apache-2.0
// A local mirror of the objects of one kind: list, then watch, and list again when the server no
// longer has the events after the last one seen. The same over any Client.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/object.h"
#include "base/bounded_queue.h"
#include "base/log.h"
#include "base/published.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "client/client.h"

namespace dray::client {

/// The resource version as a number; 0 when it is none. Versions of one server grow.
uint64_t VersionOf(const api::Object& object);

/// Everything happens on the thread of its component, inside Step(); only the callbacks of the
/// watch run on another thread, and they fill the mailbox. The client, the clock and the wakeup
/// outlive it.
class Informer {
 public:
  struct Options {
    ListOptions selection = {};
    /// Batches of events that Step has not applied yet. When there are more, all are dropped and
    /// the informer lists again.
    size_t pending_batches_max = 4096;
    /// Says of an event that the component need not run for it: it is applied with the next step,
    /// whatever that is for, at the latest when kQuietBatchesMax batches wait. Called on the thread
    /// of the watch. Empty: it runs for all events.
    std::function<bool(const WatchEvent& event)> is_quiet = {};
  };
  /// Batches of quiet events that wait before the component runs for them.
  static constexpr size_t kQuietBatchesMax = 64;
  using Objects = std::map<std::string, api::Object, std::less<>>;
  using Keys = std::set<std::string, std::less<>>;
  /// An object was added (`before` null), changed, or deleted (`after` null). An object replaced by
  /// one with another uid is deleted, then added. The mirror already shows the change.
  using ChangeHandler = std::function<void(const api::Object* before, const api::Object* after)>;
  /// Appends the index values of an object.
  using Indexer = std::function<void(const api::Object& object, std::vector<std::string>& values)>;

  Informer(Client& client,
           const api::KindInfo& kind,
           const Clock& clock,
           Wakeup& wakeup,
           Log log,
           Options options);
  Informer(Client& client, const api::KindInfo& kind, const Clock& clock, Wakeup& wakeup, Log log)
      : Informer(client, kind, clock, wakeup, std::move(log), Options{}) {}

  // Before the first Step.
  void OnChange(ChangeHandler handler) { handlers_.push_back(std::move(handler)); }
  /// Objects are mirrored as a whole, whatever the selection says.
  void WantWhole() { options_.selection.metadata_of_large = false; }
  /// Returns the number to ask Indexed() with.
  size_t AddIndex(Indexer indexer);

  /// Lists if needed and applies the events that have arrived; calls the handlers. Returns when it
  /// must run again even if nothing arrives: after a failure, to retry.
  std::optional<MonotonicTime> Step();

  /// Puts an object that this component wrote into the mirror before the watch delivers it, unless
  /// the mirror has a newer one. So a component never acts on the state before its own write.
  void Assume(const api::Object& object);

  /// Ends the watch.
  void Stop() { watch_.reset(); }

  /// True once the first list is in the mirror.
  bool synced() const { return synced_; }
  const Objects& objects() const { return objects_; }
  /// By "namespace/name", or "name" in cluster scope; null when there is none. Valid until the next
  /// Step or Assume.
  const api::Object* Find(std::string_view key) const;
  /// Keys of the objects with that index value, sorted.
  const Keys& Indexed(size_t index, std::string_view value) const;

 private:
  using Message = std::variant<std::vector<WatchEvent>, Error>;
  /// What the watch's thread reaches. Outlives every callback: the watch is destroyed before it.
  struct Mailbox {
    explicit Mailbox(size_t capacity) : messages(capacity) {}
    BoundedQueue<Message> messages;
    std::atomic<bool> overflowed = false;
  };

  void Receive(Message message);
  void Start(MonotonicTime now);
  void StartOver();
  void Drain();
  void Apply(const WatchEvent& event);
  void Ended(const Error& error);
  void Failed(std::string_view what, const Error& error, MonotonicTime now);
  void Replace(const ObjectList& list);
  void Put(const api::Object& object);
  Objects::iterator PlaceOf(const std::string& key);
  void Remove(const std::string& key);
  void Notify(const api::Object* before, const api::Object* after);
  void ChangeIndexes(const std::string& key, const api::Object* before, const api::Object* after);

  Client& client_;
  const api::KindInfo& kind_;
  const Clock& clock_;
  Wakeup& wakeup_;
  Log log_;
  Options options_;
  std::vector<ChangeHandler> handlers_;

  struct Index {
    Indexer indexer;
    std::map<std::string, Keys, std::less<>> keys;
  };
  std::vector<Index> indexes_;
  Objects objects_;
  Objects::iterator last_put_ = objects_.end();  // the end: none that is still there
  bool synced_ = false;
  bool must_list_ = true;
  std::string resource_version_;  // the watch continues after this
  uint64_t seen_ = 0;             // the same as a number
  int failures_ = 0;
  MonotonicTime retry_at_{};

  Mailbox mailbox_;
  std::unique_ptr<Watch> watch_;  // last: gone before what its callbacks use
};

}  // namespace dray::client
