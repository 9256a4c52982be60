// SPDX-License-Identifier: Apache-2.0
// A request for resources, independent of HTTP: verb, kind, namespace and name, options, body. The
// edge (routing, negotiation) makes one from an HTTP request; an in-process client makes one
// directly.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/kind.h"
#include "api/meta_v1/options.h"
#include "api/object.h"
#include "base/frozen.h"
#include "base/share_budget.h"
#include "base/world.h"
#include "server/access/user.h"
#include "server/patch/patch.h"
#include "server/storage/extent.h"

namespace dray::server::verbs::inline context {

enum class Verb : uint8_t {
  kGet,
  kList,
  kWatch,
  kCreate,
  kUpdate,
  kPatch,
  kDelete,
  kDeleteCollection,
};

enum class FieldValidation : uint8_t { kIgnore, kWarn, kStrict };

using access::User;

/// Query parameters of list, watch and deletecollection, parsed but not yet validated.
struct ListOptions {
  std::string label_selector, field_selector;
  std::string resource_version, resource_version_match;
  std::string continue_token;
  int64_t limit = 0;
  std::optional<int64_t> timeout_seconds;
  bool allow_watch_bookmarks = false;
  std::optional<bool> send_initial_events;
};

/// Query parameters of create, update and patch, parsed and validated.
struct WriteOptions {
  bool dry_run = false;
  std::string field_manager;
  FieldValidation field_validation = FieldValidation::kWarn;
  std::optional<bool> force;
  /// fieldManager and fieldValidation as the client gave them; policies may read them.
  std::string said_manager = {}, said_validation = {};
};

/// A body with the media type of protobuf, in the envelope of Kubernetes.
struct ProtobufBody {
  std::string bytes;
};

/// JSON text as received (the edge converts YAML to JSON), protobuf as received, or an object that
/// an in-process client made. Empty for verbs without a body.
using Body = std::variant<std::monostate, std::string, ProtobufBody, api::Object>;

/// The write is carried out only while `holder` holds this Lease.
struct LeaseCondition {
  std::string namespace_, name;
  std::string holder;
  int32_t transitions = 0;  // leaseTransitions must equal it: no other holder in between
};

struct ResourceRequest {
  Verb verb = Verb::kGet;
  const api::KindInfo* kind = nullptr;        // never null; a version of the kind
  api::Release release = api::Release::kAny;  // whose shapes are read and written
  std::string namespace_;                     // empty: cluster scope, or all namespaces
  std::string name;                           // empty for collections
  std::string subresource;                    // "status", "binding", … or empty
  ListOptions list;
  WriteOptions write;
  api::meta_v1::DeleteOptions delete_options;  // body and query combined
  /// For connections (exec, port-forward, …): the parameters of the URL, as written.
  std::vector<std::pair<std::string, std::string>> connect_options = {};
  patch::PatchType patch_type = patch::PatchType::kMerge;
  /// Lists and watches of everything show large objects with their metadata alone, without
  /// managedFields. Only in-process clients can set it.
  storage::Extent extent = storage::Extent::kWhole;
  /// For updates, patches and bindings. Only in-process clients can set it.
  std::optional<LeaseCondition> under_lease;
  Body body;
  /// Keys that the YAML of an applied configuration has twice, as messages. What they mean for the
  /// request is decided once the configuration could be merged.
  std::vector<std::string> duplicate_keys = {};
  access::SharedUser user;
  /// The owner whose share the request's resources count against; null: exempt.
  Frozen<ShareOwner> owner = nullptr;
  /// When the client stops waiting for the answer. Calls of other servers (webhooks) end then.
  std::optional<MonotonicTime> deadline = std::nullopt;
  /// Becomes true when the client no longer waits for the answer; outlives the request. Null:
  /// never.
  const std::atomic<bool>* is_given_up = nullptr;
};

}  // namespace dray::server::verbs::inline context
