// SPDX-License-Identifier: Apache-2.0
// An object that webhooks and policies change on its way to the store.
#pragma once

#include "api/kind.h"
#include "api/object.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"

namespace dray::server::verbs::admission {

/// The object of the write that may be changed; null: none.
api::Object* ChangeableOf(const Passage& passage);

/// What `before`, in the form of the store, becomes when its form in `version` is to be
/// `requested`: with the defaults of that version, with what only other versions show, and with the
/// owners that it had, because who changes objects on their way owns nothing.
api::Object AfterChange(const Call& call,
                        const api::KindInfo& version,
                        const api::Object& before,
                        api::Object requested);

}  // namespace dray::server::verbs::admission
