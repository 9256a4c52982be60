// SPDX-License-Identifier: Apache-2.0
// A small API server in memory, for tests of components without the real one: create, update with
// conflicts, status apart from spec, generateName, finalizers, graceful deletion of pods, bindings,
// watches. No validation, defaults, selectors or patches. One thread; watches get events at once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta_v1/options.h"
#include "client/client.h"

namespace dray::client::testing {

class MemoryClient final : public Client {
 public:
  enum class Verb : uint8_t { kGet, kList, kCreate, kUpdate, kDelete, kBind, kWatch };
  /// May answer a request with an error before it is carried out.
  using Fault =
      std::function<Result<>(Verb verb, const ObjectRef& ref, std::string_view subresource)>;
  /// What becomes of an update or a binding that no fault refuses.
  enum class Fate : uint8_t {
    kAnswered,
    kAnswerLost,  // carried out, and answered with kTimeout
    kDelayed,     // answered with kTimeout, and carried out by CarryOutDelayed, if it still can be
  };
  using FateOf = std::function<Fate(Verb verb, const ObjectRef& ref, std::string_view subresource)>;
  /// Sees every stored change, in order: "update resourceclaims/status lab/gpu".
  using Journal = std::vector<std::string>;

  Result<api::Object> Get(const ObjectRef& ref) override;
  Result<ObjectList> List(const api::KindInfo& kind, const ListOptions& options) override;
  /// Each Get() makes another copy, so a component that keeps what its mirror lent it is found by
  /// AddressSanitizer.
  Frozen<ObjectSource> SourceOf(const api::Object& object, const ListOptions& options) override;
  Result<api::Object> Create(const api::Object& object) override;
  Result<api::Object> Update(const api::Object& object, std::string_view subresource) override;
  Result<api::Object> Patch(const ObjectRef& ref,
                            PatchType type,
                            std::string_view json,
                            std::string_view subresource) override;
  Result<> Delete(const ObjectRef& ref, const api::meta_v1::DeleteOptions& options) override;
  Result<> CreateSubresource(const ObjectRef& ref,
                             std::string_view subresource,
                             const api::Object& body) override;
  bool takes_sequences() const override { return takes_sequences_; }
  std::vector<Result<api::Object>> WriteAll(std::span<const Write> writes) override;
  Result<std::unique_ptr<Watch>> StartWatch(const api::KindInfo& kind,
                                            const ListOptions& options,
                                            const std::string& resource_version,
                                            WatchHandler handler) override;

  /// Faults and fates of one write are then those of its sequence.
  void set_takes_sequences(bool takes) { takes_sequences_ = takes; }
  void set_fault(Fault fault) { fault_ = std::move(fault); }
  void set_fate(FateOf fate) { fate_ = std::move(fate); }
  /// What was delayed arrives, in order.
  void CarryOutDelayed();
  const Journal& journal() const { return journal_; }
  /// Ends all watches with `error`.
  void EndWatches(const Error& error);
  /// Watches from before now are answered with kExpired.
  void ForgetHistory();
  /// While held back, watches get no events; then they get all of them in order.
  void HoldBackEvents() { held_back_ = true; }
  void LetGo();

 private:
  friend class MemoryWatch;
  struct Change {
    uint64_t version;
    WatchEvent event;
  };
  struct Watcher {
    const api::KindInfo* kind;
    WatchHandler handler;
    uint64_t seen;
  };
  using Objects = std::map<std::string, api::Object>;

  Result<api::Object> CreateNow(api::Object stored);
  Result<api::Object> UpdateNow(const api::Object& object, std::string_view subresource);
  Result<> BindNow(const ObjectRef& ref, std::string_view subresource, const api::Object& body);
  using Answers = std::vector<Result<api::Object>>;
  Answers WriteSequence(std::span<const Write> writes);
  /// All of them, or none.
  Answers WriteSequenceNow(std::span<const Write> writes);
  Result<api::Object> WriteNow(const Write& write);
  template <class T>
  Result<T> WithFate(Verb verb,
                     const ObjectRef& ref,
                     std::string_view subresource,
                     std::function<Result<T>()> write);
  Result<> Allow(Verb verb, const ObjectRef& ref, std::string_view subresource);
  Result<api::Object> Store(WatchEventType type, api::Object object, std::string_view subresource);
  Error NotFound(const ObjectRef& ref) const;
  void Deliver();

  Fault fault_;
  FateOf fate_;
  std::vector<std::function<void()>> delayed_;
  Journal journal_;
  std::map<const api::KindInfo*, Objects> objects_;
  std::vector<Change> history_;
  std::map<int, Watcher> watchers_;
  uint64_t version_ = 100;
  uint64_t forgotten_ = 0;
  uint64_t uids_ = 0;
  int next_watcher_ = 0;
  bool held_back_ = false;
  bool takes_sequences_ = true;
};

}  // namespace dray::client::testing
