// SPDX-License-Identifier: Apache-2.0
// One interface to an API server, whichever side of the network it is on: requests with objects,
// and watches. Two implementations: over HTTP (any Kubernetes API server) and in process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "api/meta_v1/options.h"
#include "api/object.h"
#include "base/frozen.h"
#include "base/result.h"
#include "client/object_source.h"

namespace dray::client {

/// Where an object is: its kind, namespace (empty: cluster scope) and name.
struct ObjectRef {
  const api::KindInfo* kind = nullptr;
  std::string namespace_, name;
  auto operator<=>(const ObjectRef&) const = default;
};

struct ListOptions {
  std::string namespace_;  // empty: all
  std::string label_selector, field_selector;
  /// Objects that take much memory may come with their metadata alone, if the caller reads no more.
  bool metadata_of_large = false;
  /// A list is of exactly this resource version; empty: of the newest.
  std::string exactly_at = {};
  /// A page of a list has about so many objects (0: all), and begins where the one before ended
  /// (empty: with the first).
  size_t limit = 0;
  std::string continue_token = {};
};

struct ObjectList {
  std::vector<api::Object> items;
  std::string resource_version;
  std::string continue_token = {};  // empty: this is the last page
};

enum class PatchType : uint8_t { kJson, kMerge, kStrategicMerge };

/// A write as one of several.
struct Write {
  enum class Verb : uint8_t { kCreate, kUpdate };
  Verb verb = Verb::kCreate;
  api::Object object;
  std::string subresource = {};
  ObjectRef parent = {};  // of a subresource that is created: what it is a part of
  /// This and the next are parts of one sequence: they are carried out one after the other, or none
  /// of the sequence is. An update without resource version changes what the writes before it
  /// leave.
  bool with_next = false;
};

/// Writes of one sequence.
inline constexpr size_t kSequenceMax = 32;

enum class WatchEventType : uint8_t { kAdded, kModified, kDeleted, kBookmark };

struct WatchEvent {
  WatchEventType type;
  api::Object object;  // for kBookmark only metadata.resourceVersion is set
};

/// A running watch. Destroying it ends it; no callback runs after that.
class Watch {
 public:
  virtual ~Watch() = default;
};

/// Called in order, one at a time, on a thread of the implementation.
struct WatchHandler {
  std::function<void(std::vector<WatchEvent>)> events;
  /// The watch ended: kExpired means list again, anything else may be retried from the last
  /// resource version; an error with kUnknown and an empty message is a clean end (timeout).
  std::function<void(Error)> ended;
};

/// Blocking requests; thread-safe. Objects that come back are immutable and shared.
class Client {
 public:
  virtual ~Client() = default;

  virtual Result<api::Object> Get(const ObjectRef& ref) = 0;
  /// A client may return more than `options.limit` objects.
  virtual Result<ObjectList> List(const api::KindInfo& kind, const ListOptions& options) = 0;
  /// Where `object`, which this client has listed with `options`, watched or written, can be had
  /// again as it is. Null: nowhere, or it has been superseded already. O(log objects).
  virtual Frozen<ObjectSource> SourceOf(const api::Object& /*object*/,
                                        const ListOptions& /*options*/) {
    return nullptr;
  }
  /// Namespace and name come from the object's metadata in all writes.
  virtual Result<api::Object> Create(const api::Object& object) = 0;
  /// With metadata.resourceVersion set, a concurrent change is answered with kConflict.
  virtual Result<api::Object> Update(const api::Object& object,
                                     std::string_view subresource = {}) = 0;
  virtual Result<api::Object> Patch(const ObjectRef& ref,
                                    PatchType type,
                                    std::string_view json,
                                    std::string_view subresource = {}) = 0;
  virtual Result<> Delete(const ObjectRef& ref, const api::meta_v1::DeleteOptions& options) = 0;
  /// POST to a subresource, e.g. a core/v1 Binding to pods/NAME/binding.
  virtual Result<> CreateSubresource(const ObjectRef& ref,
                                     std::string_view subresource,
                                     const api::Object& body) = 0;
  /// Whether this client takes sequences of writes.
  virtual bool takes_sequences() const { return false; }
  /// Carries out all of `writes`, of which none depends on another but in a sequence, and answers
  /// each, in order: with what its own method returns, or with an empty object where that returns
  /// none. One after the other, or side by side where that is cheaper. If a write of a sequence is
  /// refused, or would change nothing, the others of it are refused too (kConflict).
  virtual std::vector<Result<api::Object>> WriteAll(std::span<const Write> writes);
  /// Events after `resource_version`.
  virtual Result<std::unique_ptr<Watch>> StartWatch(const api::KindInfo& kind,
                                                    const ListOptions& options,
                                                    const std::string& resource_version,
                                                    WatchHandler handler) = 0;
};

}  // namespace dray::client
