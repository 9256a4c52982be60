// SPDX-License-Identifier: Apache-2.0
// The verbs: what get, list, watch, create, update, patch, delete and deletecollection do to the
// objects of every kind in the scheme, over a store. Knows nothing of HTTP; the edge and in-process
// clients call it alike. Behaviour: the Kubernetes API conventions; words and codes as recorded
// from real servers.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "base/log.h"
#include "base/published.h"
#include "base/result.h"
#include "base/task.h"
#include "base/world.h"
#include "server/request.h"
#include "server/validation.h"
#include "store/store.h"

namespace dray::server {

/// One object of an answer: decoded, with its resource version filled in, and its JSON (without a
/// trailing newline), encoded once and shared by every reader and watcher. The text begins with
/// kind and apiVersion, which the items of a list do not show: see ListItemJson.
struct Item {
  api::Object object;
  Frozen<std::string> json;
};

/// What follows the kind and the apiVersion in `item.json`, without the opening brace: a list shows
/// an item as '{' and this. Valid while the item is held. O(1).
std::string_view ListItemJson(const Item& item);

struct ObjectAnswer {
  int code = 200;  // 201 when created
  Item item;
};

struct ListAnswer {
  const api::KindInfo* kind = nullptr;
  std::vector<Item> items;
  std::string resource_version;
  std::string continue_token;  // empty on the last page
  std::optional<int64_t> remaining_item_count;
};

struct StatusAnswer {
  int code = 200;
  api::meta_v1::Status status;
};

/// What a request is answered with, when it is not refused. `warnings` are the texts of Warning
/// headers, also set when the request is refused (then the answer is an Error in `outcome`).
struct Answer {
  Result<std::variant<ObjectAnswer, ListAnswer, StatusAnswer>> outcome;
  std::vector<std::string> warnings = {};
};

enum class WatchEventType : uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };

/// "ADDED", …
std::string_view WatchEventName(WatchEventType type);

/// One event of a watch. kBookmark carries an object with only metadata.resourceVersion (and, at
/// the end of initial events, the annotation); kError carries a Status and ends the watch.
struct WatchEvent {
  WatchEventType type;
  Item item;                                        // not for kError
  std::optional<api::meta_v1::Status> status = {};  // kError only
};

/// A running watch: a cursor over the store's events. Costs nothing between calls.
class WatchCursor {
 public:
  virtual ~WatchCursor() = default;

  /// The events that are there now, at most `max` (and at least the events of one revision); empty
  /// when the watcher has seen everything. After kError there are no more.
  virtual std::vector<WatchEvent> Next(size_t max) = 0;

  /// A bookmark for where the cursor stands, if the client allows bookmarks.
  virtual std::optional<WatchEvent> Bookmark() = 0;

  /// `wake` is called after commits that may concern the watch, from the committing thread; it must
  /// be quick and only schedule a later Next(). At most one; it lives as long as the cursor.
  virtual void OnChange(std::function<void()> wake) = 0;

  /// How long the stream may stay open, from timeoutSeconds or the server's random default.
  virtual std::optional<int64_t> timeout_seconds() const = 0;
};

/// Thread-safe. The store and the world outlive it.
class Resources {
 public:
  struct Options {
    /// Longest generated name suffix search, as upstream: 8 tries.
    int generate_name_tries = 8;
    /// Defaults, validation and warnings of the kinds.
    RuleBook rules = {};
    /// Whose shapes clients read and write; kAny: those of every release.
    api::Release release = api::Release::kAny;
  };

  Resources(const api::Scheme& scheme, store::Store& store, World& world, Log log, Options options);
  ~Resources();
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;

  /// Every verb but watch.
  Task<Answer> Handle(ResourceRequest request);

  /// Opens a watch (verb kWatch). Errors before the stream begins are plain errors; a revision that
  /// is too old arrives as the first event.
  Result<std::unique_ptr<WatchCursor>> Watch(const ResourceRequest& request);

  /// Namespaces and other objects every new server has (default, kube-system, kube-public,
  /// kube-node-lease). Idempotent.
  Task<> Bootstrap();

  const api::Scheme& scheme() const { return scheme_; }
  api::Release release() const;

 private:
  struct Parts;
  const api::Scheme& scheme_;
  std::unique_ptr<Parts> parts_;
};

/// The metav1.Status a refused request is answered with.
api::meta_v1::Status ToStatus(const Error& error);

}  // namespace dray::server
