// SPDX-License-Identifier: Apache-2.0
// The scheduler's writes for classic DRA (KEP-3063), where drivers' own controllers allocate: its
// part of the dialogue, reservations, and requests to deallocate.
#pragma once

#include <string_view>

#include "api/object.h"
#include "api/resource_v1alpha2.h"
#include "base/result.h"
#include "client/client.h"

namespace dray::scheduler::inline classic {

/// Whether the PodSchedulingContext belongs to this pod, and not to another pod of the same name.
bool IsAbout(const api::Object& context, std::string_view pod_uid);

/// Writes `spec` for the drivers of the pod. `known`: the object as last seen; null: there is none.
/// Keeps answers that the drivers have written meanwhile.
///
/// Errors: those of the API; kConflict  other clients keep writing, or the object belongs to
/// another pod by now.
Result<api::Object> Say(client::Client& client,
                        const api::Object& pod,
                        const api::Object* known,
                        const api::resource_v1alpha2::PodSchedulingContextSpec& spec);

/// Adds the pod to the consumers of an allocated claim with a patch that tolerates concurrent
/// changes, as 1.30 does. Errors: those of the API, kInvalid if the claim takes no more consumers.
Result<api::Object> AddReservation(client::Client& client,
                                   const api::Object& claim,
                                   const api::Object& pod);

/// Removes the pod from the consumers of a claim, in the same way.
Result<api::Object> DropReservation(client::Client& client,
                                    const api::Object& claim,
                                    std::string_view pod_uid);

/// Gives up an allocation that no other pod wants: asks the driver to deallocate, or clears the
/// allocation if the scheduler made it. Errors: those of the API; kConflict  another client changed
/// the claim first.
Result<api::Object> GiveUpAllocation(client::Client& client, const api::Object& claim);

}  // namespace dray::scheduler::inline classic
