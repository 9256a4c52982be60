// SPDX-License-Identifier: Apache-2.0
// An admission plugin: what it is asked about, and its row in the chain (chain.cc).
#pragma once

#include <cstdint>
#include <string_view>

#include "api/kind.h"
#include "api/object.h"
#include "base/result.h"
#include "server/errors/errors.h"
#include "server/policies/admission_request.h"
#include "server/verbs/call.h"
#include "store/snapshot.h"
#include "store/store.h"

namespace dray::server::verbs::admission {

/// What a call wants to do to one object.
struct Write {
  policies::Operation operation = policies::Operation::kCreate;
  /// As it would be stored and as it is; null: there is none.
  const api::Object* object = nullptr;
  const api::Object* old_object = nullptr;
  /// Of objects that only subresources have (Binding, Scale); null: that of the call.
  const api::KindInfo* kind = nullptr;
  std::string_view subresource = {};
  /// The namespace that a new object lies in; null elsewhere.
  const SeenNamespace* in = nullptr;
  /// What is committed with a new object; null elsewhere.
  store::Txn* txn = nullptr;

  bool Is(policies::Operation one) const { return operation == one; }
};

/// Whom a refusal names: the object, its prefix while it has no name, or what the URL says.
inline std::string_view NameOf(const Call& call, const Write& write) {
  if (write.object != nullptr) return errors::NameInAdmission(write.object->metadata());
  if (call.of_collection) return errors::kUnknownName;
  return call.request->name;
}

/// Operations that a plugin is asked about.
enum Operations : uint8_t {
  kCreates = 1U << 0U,
  kUpdates = 1U << 1U,
  kDeletions = 1U << 2U,
  kConnections = 1U << 3U,
};

/// One row of the chain. A plugin without functions is known by name only (Built).
struct Plugin {
  /// Before the object is prepared and validated. May change `object`, which is write.object and
  /// the caller's alone; null where the operation has none, or it cannot be changed.
  using Admit = Result<> (*)(const Call& call,
                             const store::Snapshot& snapshot,
                             const Write& write,
                             api::Object* object);
  /// After it, with the object as it would be stored.
  using Validate = Result<> (*)(const Call& call,
                                const store::Snapshot& snapshot,
                                const Write& write);

  enum class Built : uint8_t {
    kYes,
    kAlwaysSo,  // the server works that way whether the plugin is on or off
    kNo,
  };

  std::string_view name;  // kube-apiserver's
  bool is_usual = false;  // on unless --disable-admission-plugins names it
  Built built = Built::kYes;
  uint8_t operations = 0;
  Admit admit = nullptr;
  Validate validate = nullptr;
};

}  // namespace dray::server::verbs::admission
