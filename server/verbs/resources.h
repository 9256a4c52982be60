// SPDX-License-Identifier: Apache-2.0
// The verbs: what get, list, watch, create, update, patch, delete and deletecollection do to the
// objects of every kind in the scheme, over a store. Knows nothing of HTTP; the edge and in-process
// clients call it alike. Behaviour: the Kubernetes API conventions; words and codes as recorded
// from real servers.
#pragma once

#include <memory>

#include "api/kind.h"
#include "base/log.h"
#include "base/result.h"
#include "base/task.h"
#include "base/world.h"
#include "server/verbs/answer.h"
#include "server/verbs/options.h"
#include "server/verbs/request.h"
#include "server/verbs/watch_cursor.h"
#include "store/store.h"

namespace dray::server::verbs {

/// Thread-safe. The store and the world outlive it.
class Resources {
 public:
  Resources(const api::Scheme& scheme,
            store::Store& store,
            World& world,
            Log log,
            const Options& options);
  ~Resources();
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;

  /// Every verb but watch.
  Task<Answer> Handle(ResourceRequest request);

  /// Opens a watch (verb kWatch). Errors before the stream begins are plain errors; a revision that
  /// is too old arrives as the first event.
  Result<std::unique_ptr<WatchCursor>> Watch(const ResourceRequest& request);

  /// Namespaces and other objects every new server has (default, kube-system, kube-public,
  /// kube-node-lease); and what the verbs must know of those that are there. Idempotent.
  Task<> Bootstrap();

  const api::Scheme& scheme() const { return scheme_; }
  api::Release release() const;

 private:
  struct Parts;
  void CatchUp();

  const api::Scheme& scheme_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dray::server::verbs
