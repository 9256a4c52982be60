// SPDX-License-Identifier: Apache-2.0
// A local mirror of the objects of one kind: list, then watch, and list again when the server no
// longer has the events after the last one seen. The same over any Client.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/object.h"
#include "base/bounded_queue.h"
#include "base/frozen.h"
#include "base/log.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "client/client.h"
#include "client/mirror.h"

namespace dray::client {

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
    /// The mirror holds the structs of all objects, also of those that can be had again: for kinds
    /// that are looked at all the time.
    bool holds_structs = false;
  };
  using Objects = Mirror::Objects;
  using IndexedKeys = Mirror::IndexedKeys;

  /// `into`: what it keeps, which outlives it; null: a mirror of its own.
  Informer(Client& client,
           const api::KindInfo& kind,
           const Clock& clock,
           Wakeup& wakeup,
           Log log,
           Options options,
           Mirror* into = nullptr);
  Informer(Client& client, const api::KindInfo& kind, const Clock& clock, Wakeup& wakeup, Log log)
      : Informer(client, kind, clock, wakeup, std::move(log), Options{}) {}

  // Before the first Step.
  void OnChange(Mirror::ChangeHandler handler) { mirror_.OnChange(std::move(handler)); }
  /// Objects are mirrored as a whole, whatever the selection says.
  void WantWhole() { options_.selection.metadata_of_large = false; }
  size_t AddIndex(Mirror::Indexer indexer) { return mirror_.AddIndex(std::move(indexer)); }

  /// Lists if needed and applies the events that have arrived; calls the handlers. Returns when it
  /// must run again even if nothing arrives: after a failure, to retry.
  std::optional<MonotonicTime> Step();

  /// Puts an object that this component wrote into the mirror before the watch delivers it, unless
  /// the mirror has a newer one. So a component never acts on the state before its own write.
  void Assume(const api::Object& object);

  /// Ends the watch.
  void Stop() { watch_.reset(); }

  const api::KindInfo& kind() const { return kind_; }
  /// True once the first list is in the mirror.
  bool synced() const { return synced_; }
  // As the mirror's; what is found is valid until the next Step or Assume.
  Objects objects() const { return mirror_.objects(); }
  const api::Object* Find(std::string_view key) const { return mirror_.Find(key); }
  IndexedKeys Indexed(size_t index, std::string_view value) const {
    return mirror_.Indexed(index, value);
  }

 private:
  using Message = std::variant<std::vector<WatchEvent>, Error>;
  /// What the watch's thread reaches. Outlives every callback: the watch is destroyed before it.
  struct Mailbox {
    explicit Mailbox(size_t capacity) : messages(capacity) {}
    BoundedQueue<Message> messages;
    std::atomic<bool> overflowed = false;
  };

  /// An object of a list, before it is in the mirror.
  struct Listed {
    api::Object object;           // empty where there is a source
    Frozen<ObjectSource> source;  // null: there is none

    api::Object Get() const { return source == nullptr ? object : source->Get(); }
  };

  void Receive(Message message);
  void Start(MonotonicTime now);
  void StartOver();
  void Drain();
  void Apply(const WatchEvent& event);
  void Ended(const Error& error);
  void Failed(std::string_view what, const Error& error, MonotonicTime now);
  Result<> ListAll();
  void Replace(const std::vector<Listed>& listed);
  Frozen<ObjectSource> SourceOf(const api::Object& object) const;

  Client& client_;
  const api::KindInfo& kind_;
  const Clock& clock_;
  Wakeup& wakeup_;
  Log log_;
  Options options_;
  Mirror own_mirror_;
  Mirror& mirror_;
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
