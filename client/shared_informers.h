// SPDX-License-Identifier: Apache-2.0
// The mirrors that the parts of one thread share: one of each kind, however many of them look at
// it. What client-go calls a shared informer factory.
#pragma once

#include <map>
#include <memory>

#include "api/kind.h"
#include "base/log.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "client/client.h"
#include "client/informer.h"

namespace dray::client {

/// Belongs to the thread of its informers. The arguments outlive it, and it outlives its users.
///
/// Stepping a shared informer calls the handlers of all its users. So a handler only notes what has
/// changed, in a queue, and every user steps each informer that it reads, as if it were its own.
class SharedInformers {
 public:
  SharedInformers(Client& client, const Clock& clock, Wakeup& wakeup, Log log);

  /// The informer of the kind; made when it is first asked for, and there as long as this. Before
  /// any of them has been stepped.
  Informer& Of(const api::KindInfo& kind);
  /// The same for a user that reads metadata alone: large objects are mirrored without the rest,
  /// unless another user asks for all of them. Its objects must not be written back.
  Informer& MetadataOf(const api::KindInfo& kind);
  /// One that belongs to the caller: for kinds that are followed for a while.
  std::unique_ptr<Informer> MakeOwn(const api::KindInfo& kind) const;

 private:
  Client& client_;
  const Clock& clock_;
  Wakeup& wakeup_;
  Log log_;
  std::map<const api::KindInfo*, std::unique_ptr<Informer>> informers_;
};

}  // namespace dray::client
