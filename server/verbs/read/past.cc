// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/read/past.h"

#include <cstddef>
#include <string>

#include "base/frozen.h"
#include "base/try.h"
#include "server/storage/keys.h"
#include "server/storage/stored_object.h"
#include "server/storage/unreadable.h"
#include "server/verbs/context/call.h"
#include "server/verbs/context/request.h"
#include "store/store.h"

namespace dray::server::verbs::inline read {
namespace {

// Events between two looks at whether the client still waits.
constexpr size_t kBatchMax = 1'000;

/// Shows an event, unless its object cannot be read.
void See(const Core& core,
         const storage::View& view,
         const store::Event& event,
         const SeePast& see) {
  storage::ItemRef now;
  storage::ItemRef last;
  const bool is_put = event.type == store::Event::Type::kPut;
  if (is_put) now = core.lenient->Find(view, *event.record, nullptr);
  if (is_put && now.item == nullptr) return;
  see({.revision = event.revision(),
       .key = event.record->key(),
       .after = now.item == nullptr ? nullptr : &now.item->object,
       .before = [&]() -> const api::Object* {
         if (event.previous == nullptr) return nullptr;
         last = core.lenient->Find(view, *event.previous, nullptr);
         return last.item == nullptr ? nullptr : &last.item->object;
       }});
}

}  // namespace

Result<Revision> ReadPast(const Core& core,
                          const ResourceRequest& request,
                          Revision after,
                          const SeePast& see) {
  const storage::View view{.kind = request.kind, .release = request.release};
  const std::string prefix = storage::CollectionPrefix(request.kind->storage(), request.namespace_);
  while (true) {
    if (request.is_given_up != nullptr && *request.is_given_up)
      return Fail(StatusReason::kTimeout, "the client does not wait any more");
    DRAY_TRY(const store::Batch batch, core.store.EventsAfter(after, prefix, kBatchMax));
    for (const Frozen<store::Event>& event : batch.events) See(core, view, *event, see);
    if (batch.through == after) return after;
    after = batch.through;
  }
}

}  // namespace dray::server::verbs::inline read
