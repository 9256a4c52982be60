// SPDX-License-Identifier: Apache-2.0
// What the scheduler writes where drivers' own controllers allocate (classic DRA, KEP-3063): its
// side of the dialogue, reservations, and that an allocation is no longer wanted.
#pragma once

#include <string_view>

#include "api/object.h"
#include "api/resource_v1alpha2.h"
#include "base/result.h"
#include "client/client.h"

namespace dray::scheduler::inline classic {

/// Whether the PodSchedulingContext is about this pod, and not about another one of the name.
bool IsAbout(const api::Object& context, std::string_view pod_uid);

/// Says `spec` to the drivers of the pod. `known`: what was said before; null: nothing. What the
/// drivers have answered meanwhile stands.
///
/// Errors: those of the API; kConflict  others keep writing, or it is about another pod by now.
Result<api::Object> Say(client::Client& client,
                        const api::Object& pod,
                        const api::Object* known,
                        const api::resource_v1alpha2::PodSchedulingContextSpec& spec);

/// Adds the pod to the consumers of an allocated claim, whatever others do to it meanwhile: 1.30's
/// way. Errors: those of the API, kInvalid if it takes no more consumers.
Result<api::Object> AddReservation(client::Client& client,
                                   const api::Object& claim,
                                   const api::Object& pod);

/// Takes the pod from the consumers of a claim, in the same way.
Result<api::Object> DropReservation(client::Client& client,
                                    const api::Object& claim,
                                    std::string_view pod_uid);

/// Gives up an allocation that nobody but the pod wants: asks its driver to take it back, or clears
/// it where the scheduler has made it. Errors: those of the API; kConflict  somebody was faster.
Result<api::Object> GiveUpAllocation(client::Client& client, const api::Object& claim);

}  // namespace dray::scheduler::inline classic
