// SPDX-License-Identifier: Apache-2.0
// The admission chain: the plugins of kube-apiserver 1.37 by its names and in its order, one row
// each (chain.cc). Every verb that writes calls it twice: Admit before an object is prepared and
// validated (registry/write.h), Validate after it. The server's options say which plugins are on
// (plugin_set.h).
//
// A new plugin is a file beside this one, with a function of plugin.h's form, and a row.
#pragma once

#include <span>

#include "api/object.h"
#include "base/frozen.h"
#include "base/soon.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// All rows, in order.
std::span<const Plugin> Plugins();

/// What plugins change in `object`, which is write.object, and what they refuse before it is
/// complete. The first refusal ends it. Asks nothing for calls that are part of another one about
/// which plugins have been asked (Call::is_admitted).
///
/// Waits only where webhooks are asked: then the caller continues on another thread, and all
/// arguments but the snapshot outlive the wait. After a change by a policy or a webhook all plugins
/// are asked once more.
///
/// Errors: the plugin's, mostly kForbidden, in upstream's words.
Soon<> Admit(const Call& call,
             const Frozen<store::Snapshot>& snapshot,
             const Write& write,
             api::Object* object);

/// Runs the plugins that check the object as it would be stored. They add to the write's
/// transaction what is committed with the object. Plugins after the webhooks use a newer snapshot.
/// Otherwise as Admit.
Soon<> Validate(const Call& call, const Frozen<store::Snapshot>& snapshot, const Write& write);

}  // namespace dray::server::verbs::admission
