// SPDX-License-Identifier: Apache-2.0
// An admission plugin: its input, and its row in the chain (chain.cc).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "api/object.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/task.h"
#include "server/errors/errors.h"
#include "server/policies/admission_request.h"
#include "server/policies/mutate.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::server::verbs::admission {

/// The write of a call to one object.
struct Write {
  policies::Operation operation = policies::Operation::kCreate;
  /// The object as it would be stored, and as it is stored; null: there is none.
  const api::Object* object = nullptr;
  const api::Object* old_object = nullptr;
  /// The kind of an object that only subresources have (Binding, Scale); null: the call's kind.
  const api::KindInfo* kind = nullptr;
  std::string_view subresource = {};
  /// The namespace of a new object; null otherwise.
  const SeenNamespace* in = nullptr;
  /// The transaction that creates the object; plugins may add to it. Null for other writes.
  store::Txn* txn = nullptr;
  /// The subresource's own object, if it has one that webhooks may change; else null.
  api::Object* part = nullptr;

  bool Is(policies::Operation one) const { return operation == one; }
  /// Whether there is an object with metadata; options of connections have none.
  bool has_metadata() const { return object != nullptr && object->kind().metadata != nullptr; }
};

/// The name in a refusal: the object's name, its prefix while it has no name, or that in the URL.
inline std::string_view NameOf(const Call& call, const Write& write) {
  if (write.has_metadata()) return errors::NameInAdmission(write.object->metadata());
  if (call.of_collection) return errors::kUnknownName;
  return call.request->name;
}

/// Operations for which a plugin runs.
enum Operations : uint8_t {
  kCreates = 1U << 0U,
  kUpdates = 1U << 1U,
  kDeletions = 1U << 2U,
  kConnections = 1U << 3U,
};

/// State of the plugins that call other servers, over the two rounds of Admit. After a change by
/// one of them, all plugins run a second time. In it, a webhook that was called before another
/// one's change may be called again.
struct Rounds {
  bool is_second = false;
  bool wants_second = false;
  policies::Reinvocations webhook_turns = {}, policy_turns = {};
  /// What the webhooks, and the policies, of the first round made of the object; empty: nothing was
  /// changed.
  api::Object webhook_outcome = {}, policy_outcome = {};
};

/// A write on its way through plugins that remember rounds. All but the snapshot outlives the tasks
/// of the plugins.
struct Passage {
  const Call* call;
  const Write* write;
  /// As of Plugin::Admit; null in Validate.
  api::Object* object;
  Frozen<store::Snapshot> snapshot;
  Rounds rounds = {};
};

/// One row of the chain. A plugin without functions is known by name only (Built).
struct Plugin {
  /// Runs before the object is prepared and validated. May change `object`, which is write.object
  /// and belongs to the caller alone; null: the operation has no object, or it cannot be changed.
  using Admit = Result<> (*)(const Call& call,
                             const store::Snapshot& snapshot,
                             const Write& write,
                             api::Object* object);
  /// Runs after that, on the object as it would be stored.
  using Validate = Result<> (*)(const Call& call,
                                const store::Snapshot& snapshot,
                                const Write& write);

  /// As Admit, for a plugin that remembers rounds.
  using AdmitInRounds = Result<> (*)(Passage& passage);
  /// The same for a plugin that asks other servers and waits for them, if IsAsking is true.
  using AskLater = Task<> (*)(Passage* passage);
  /// Whether the plugin has another server to call about a request. O(log n).
  using IsAsking = bool (*)(const Call& call, const store::Snapshot& snapshot);

  enum class Built : uint8_t {
    kYes,
    kAlwaysSo,  // the server behaves that way whether the plugin is on or off
    kNo,
  };

  std::string_view name;  // kube-apiserver's
  bool is_usual = false;  // on unless --disable-admission-plugins names it
  Built built = Built::kYes;
  uint8_t operations = 0;
  Admit admit = nullptr;
  AdmitInRounds admit_in_rounds = nullptr;
  Validate validate = nullptr;
  AskLater admit_later = nullptr;
  AskLater validate_later = nullptr;
  IsAsking is_asking = nullptr;
};

}  // namespace dray::server::verbs::admission
