// SPDX-License-Identifier: Apache-2.0
// A cluster in memory in which a whole server admits new pods, groups of pods and generated claims,
// with its priorities, limits and quotas. Watches get events at once, on the caller's thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "base/world.h"
#include "client/client.h"
#include "client/testing/memory_client.h"
#include "control_plane/in_process_client.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace dray::judges {

class AdmittedClient final : public client::Client {
 public:
  /// Has the namespaces and priority classes of a new cluster. The world must outlive it.
  explicit AdmittedClient(World& world);

  /// Creates pods, groups, and claims that a pod owns through the server's admission. Objects that
  /// admission reads (namespaces, priority classes, quotas, ranges) are stored in the server, too.
  /// All others are stored in memory only.
  Result<api::Object> Create(const api::Object& object) override;
  /// Claims are deleted in the server, too: a quota charges the next claim for extended resources
  /// of a pod by those that exist.
  Result<> Delete(const client::ObjectRef& ref,
                  const api::meta_v1::DeleteOptions& options) override;
  /// An object as the server stores it.
  Result<api::Object> AtServer(const client::ObjectRef& ref) { return server_.Get(ref); }

  // As in memory.
  Result<api::Object> Get(const client::ObjectRef& ref) override { return memory_.Get(ref); }
  Result<client::ObjectList> List(const api::KindInfo& kind,
                                  const client::ListOptions& options) override {
    return memory_.List(kind, options);
  }
  Result<api::Object> Update(const api::Object& object, std::string_view subresource) override {
    return memory_.Update(object, subresource);
  }
  Result<api::Object> Patch(const client::ObjectRef& ref,
                            client::PatchType type,
                            std::string_view json,
                            std::string_view subresource) override {
    return memory_.Patch(ref, type, json, subresource);
  }
  Result<> CreateSubresource(const client::ObjectRef& ref,
                             std::string_view subresource,
                             const api::Object& body) override {
    return memory_.CreateSubresource(ref, subresource, body);
  }
  Result<std::unique_ptr<client::Watch>> StartWatch(const api::KindInfo& kind,
                                                    const client::ListOptions& options,
                                                    const std::string& resource_version,
                                                    client::WatchHandler handler) override {
    return memory_.StartWatch(kind, options, resource_version, std::move(handler));
  }

 private:
  Result<api::Object> LetIn(const api::Object& object);

  const api::Scheme scheme_;
  store::MemoryStore store_;
  server::verbs::Resources resources_;
  control_plane::InProcessClient server_;
  client::testing::MemoryClient memory_;
};

}  // namespace dray::judges
