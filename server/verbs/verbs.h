// SPDX-License-Identifier: Apache-2.0
// The verbs behind Resources, one source file each.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "api/object.h"
#include "base/result.h"
#include "base/task.h"
#include "server/registry/write.h"
#include "server/storage/write_sequence.h"
#include "server/verbs/call.h"
#include "server/verbs/request.h"
#include "server/verbs/watch_cursor.h"
#include "server/verbs/watch_hub.h"

namespace dray::server::verbs {

/// Carries out a request. If `sequence` is not null, the request's first write is a step of it.
Task<Answer> CarryOut(const Core* core, ResourceRequest request, storage::WriteSequence* sequence);

Task<Outcome> Get(Call call);
Task<Outcome> List(Call call);
Task<Outcome> Create(Call call);
/// Creates `wish`, an object of the call's version; `owners` says how its managedFields are set.
/// `again` makes `wish` again for a retry, after a generated name was taken or the namespace
/// changed.
Task<Outcome> CreateObject(Call call,
                           api::Object wish,
                           registry::Owners owners,
                           const std::function<Result<api::Object>()>* again);
/// Also for the subresources "status" and "finalize".
Task<Outcome> Update(Call call);
Task<Outcome> Patch(Call call);
/// Server-side apply; creates a missing object, except through a subresource.
Task<Outcome> Apply(Call call);
/// DeleteOne or DeleteUnreadable.
Task<Outcome> Delete(Call call);
Task<Outcome> DeleteOne(Call call);
Task<Outcome> DeleteCollection(Call call);
/// Whether the call deletes an object that cannot be read, and the gate for that is on.
bool IsUnsafeDeletion(const Call& call);
/// Deletes an object that cannot be read, without regard to finalizers; refuses a readable object.
Task<Outcome> DeleteUnreadable(Call call);
/// Create on "pods/binding" and on "bindings".
Task<Outcome> Bind(Call call);
/// Get, update and patch of the subresource "scale".
Task<Outcome> ServeScale(Call call);
/// Create on "pods/eviction".
Task<Outcome> Evict(Call call);
/// Whether objects of `kind` are reviews: the server answers them and never stores them.
bool IsReview(const api::KindInfo& kind);
/// Create of a review.
Task<Outcome> Review(Call call);
/// Whether a subresource (log, exec, proxy, …) needs a container that runs on a node.
bool NeedsRunningContainers(std::string_view subresource);
/// Refuses such a subresource of an existing object.
Task<Outcome> RefuseSimulated(Call call);

/// `hub` outlives the cursor.
Result<std::unique_ptr<WatchCursor>> OpenWatch(const Core& core,
                                               WatchHub& hub,
                                               const ResourceRequest& request);

}  // namespace dray::server::verbs
