// SPDX-License-Identifier: Apache-2.0
// A client::Client that calls the server's verbs directly: no sockets, no JSON, the same objects.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/meta_v1/options.h"
#include "base/bounded_queue.h"
#include "base/mutex.h"
#include "base/task.h"
#include "base/wakeup.h"
#include "client/client.h"
#include "server/verbs/resources.h"
#include "server/verbs/watches/watch_cursor.h"
#include "store/held_commits.h"
#include "store/store.h"

namespace dray::control_plane {

struct InProcessOptions {
  /// The store's holder of commits, if it has one.
  store::CommitHolder* holder = nullptr;
  /// The store of the resources: what mirrors need not hold is decoded again from its records.
  /// Null: they hold everything.
  store::Store* records = nullptr;
  /// Updates, patches and bindings are refused once the lease is lost.
  std::optional<server::verbs::LeaseCondition> under_lease = std::nullopt;
  /// Which events may be delivered up to InProcessClient::kGatherTime late, so that more can come
  /// with them; null: none. Called on the delivery thread.
  bool (*may_wait)(const server::verbs::WatchEvent& event) = nullptr;
};

/// Requests run on the calling thread. Watch events are delivered by one thread of this object, all
/// watches in turn. Outlives its watches; the resources outlive it.
class InProcessClient final : public client::Client {
 public:
  /// Watches at one time; more are refused with kTooManyRequests.
  static constexpr size_t kWatchesMax = 1024;
  /// Events handed to a watch before the next one gets its turn.
  static constexpr size_t kBatchEventsMax = 256;
  /// When a watch finds so many new events at once, or only such as may wait, the events after them
  /// are gathered for kGatherTime, because each component that is woken for a few events takes a
  /// CPU from the writer.
  static constexpr size_t kManyEvents = 4;
  static constexpr std::chrono::milliseconds kGatherTime{4};

  /// `user` makes the requests.
  InProcessClient(server::verbs::Resources& resources,
                  server::verbs::User user,
                  InProcessOptions options = {});
  ~InProcessClient() override;
  InProcessClient(const InProcessClient&) = delete;
  InProcessClient& operator=(const InProcessClient&) = delete;

  Result<api::Object> Get(const client::ObjectRef& ref) override;
  Result<client::ObjectList> List(const api::KindInfo& kind,
                                  const client::ListOptions& options) override;
  Frozen<client::ObjectSource> SourceOf(const api::Object& object,
                                        const client::ListOptions& options) override;
  Result<api::Object> Create(const api::Object& object) override;
  Result<api::Object> Update(const api::Object& object, std::string_view subresource) override;
  Result<api::Object> Patch(const client::ObjectRef& ref,
                            client::PatchType type,
                            std::string_view json,
                            std::string_view subresource) override;
  Result<> Delete(const client::ObjectRef& ref,
                  const api::meta_v1::DeleteOptions& options) override;
  Result<> CreateSubresource(const client::ObjectRef& ref,
                             std::string_view subresource,
                             const api::Object& body) override;
  bool takes_sequences() const override { return resources_.takes_steps(); }
  std::vector<Result<api::Object>> WriteAll(std::span<const client::Write> writes) override;
  Result<std::unique_ptr<client::Watch>> StartWatch(const api::KindInfo& kind,
                                                    const client::ListOptions& options,
                                                    const std::string& resource_version,
                                                    client::WatchHandler handler) override;

 private:
  struct Turn;
  class Running;
  class Handle;

  server::verbs::ResourceRequest RequestFor(server::verbs::Verb verb,
                                            const client::ObjectRef& ref) const;
  server::verbs::ResourceRequest RequestFor(const client::Write& write) const;
  /// Carries out `writes`, which are one sequence, or one write alone.
  Task<std::vector<Result<server::verbs::Answer>>> Begin(std::span<const client::Write> writes);
  Result<api::Object> CallForObject(server::verbs::ResourceRequest request);
  void Deliver();

  server::verbs::Resources& resources_;
  const server::access::SharedUser user_;
  const InProcessOptions options_;
  const std::string manager_;  // in managedFields: the user's name after the last colon
  std::atomic<size_t> watches_ = 0;
  BoundedQueue<std::weak_ptr<Running>> woken_{kWatchesMax};  // each watch at most once
  Wakeup end_;
  std::thread delivery_;
};

}  // namespace dray::control_plane
