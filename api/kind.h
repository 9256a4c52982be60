// SPDX-License-Identifier: Apache-2.0
// Kinds as data: everything that discovery, routing, storage and printing need about a kind,
// generated from its schema line. A new kind or version needs only a row here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta_v1/object_meta.h"
#include "api/reflect.h"

namespace dray::api::meta_v1 {
struct ObjectMeta;
}

namespace dray::api {

/// The rule for names of objects of a kind.
enum class NameRule : uint8_t { kDnsSubdomain, kDnsLabel, kPathSegment };

/// The answer to DELETE of one object.
enum class DeleteAnswer : uint8_t { kStatus, kObject };

/// A column of `kubectl get`: the value at `path`, or a value that the server computes under that
/// name.
struct Column {
  std::string_view name;
  std::string_view type;     // string, integer, number, boolean, date
  std::string_view path;     // metadata.creationTimestamp; empty when computed
  std::string_view compute;  // pod-status; empty when at a path
  int priority;              // 0 always shown, 1 only with -o wide
};

/// Functions that make objects of a kind; all other operations use the tables.
struct ObjectOperations {
  std::shared_ptr<void> (*make)();
  std::shared_ptr<void> (*blank)();  // one shared object like those of make(); immutable
  std::shared_ptr<void> (*clone)(const void* object);
};

/// A struct apart from its reference counts, so that a WeakObject keeps none of its memory.
template <class T, class... Args>
std::shared_ptr<T> MakeStruct(Args&&... args) {
  return std::make_unique<T>(std::forward<Args>(args)...);
}

template <class T>
inline constexpr ObjectOperations kObjectOperations{
    .make = []() -> std::shared_ptr<void> { return MakeStruct<T>(); },
    .blank = []() -> std::shared_ptr<void> {
      static const std::shared_ptr<void> kBlank = std::make_shared<T>();
      return kBlank;
    },
    .clone = [](const void* object) -> std::shared_ptr<void> {
      return MakeStruct<T>(*static_cast<const T*>(object));
    },
};

struct KindInfo {
  std::string_view group;    // "" for core
  std::string_view version;  // v1
  /// "resource.k8s.io/v1", "v1": the apiVersion of objects. Empty for Status and DeleteOptions,
  /// which belong to every group.
  std::string_view api_version;
  std::string_view kind;      // ResourceClaim
  std::string_view plural;    // resourceclaims: the resource's name in URLs
  std::string_view singular;  // resourceclaim
  /// The kind whose struct is stored for objects of this one: the hub of its generation, by default
  /// the kind itself. Versions with the same hub, group and plural show the same objects.
  const KindInfo* hub;
  Releases in;            // the releases that serve it
  uint8_t deprecated_in;  // minor version; 0: not deprecated
  uint8_t removed_in;     // the release whose removal of it was announced
  bool namespaced;
  bool served;         // false: only a body or an answer (DeleteOptions, Status)
  bool create_only;    // Binding and the reviews
  bool has_status;     // has the subresource status
  Releases status_in;  // where it has it
  bool tracks_generation;
  bool unconditional_update;  // PUT without resourceVersion is allowed
  bool create_on_update;      // PUT of a missing name creates
  bool graceful_delete;       // pods
  DeleteAnswer delete_answer;
  NameRule name_rule;
  std::span<const std::string_view> short_names;
  std::span<const std::string_view> categories;
  std::span<const std::string_view> subresources;  // besides status
  std::span<const std::string_view> selectable;  // field paths besides metadata.name and .namespace
  std::span<const Column> columns;               // after Name
  const Type& (*type)();
  const ObjectOperations* object;
  /// The ObjectMeta of an object of this kind; null for kinds without one.
  const meta_v1::ObjectMeta& (*metadata)(const void* object);

  /// "resourceclaims.resource.k8s.io", "pods": the resource's name in messages.
  std::string qualified_resource() const;
  /// "ResourceClaim.resource.k8s.io", "Pod": the kind's name in validation errors.
  std::string qualified_kind() const;
  /// The kind in whose form its objects are stored.
  const KindInfo& storage() const { return hub == nullptr ? *this : *hub; }
};

/// All kinds of api/schema, in the order of the files.
std::span<const KindInfo* const> BuiltinKinds();

/// The kinds of a program: the built-in ones and those it adds (tests add a toy kind).
class Scheme {
 public:
  /// The built-in ones.
  Scheme();
  explicit Scheme(std::span<const KindInfo* const> kinds);

  void Add(const KindInfo& kind) { Replace({}, std::vector{&kind}, nullptr); }
  /// Puts `now` in place of `before`, which are kinds of this scheme that stand one after the
  /// other. Where `before` is empty, `now` comes in front of `next`; null: at the end. Moves
  /// O(kinds) pointers.
  void Replace(std::span<const KindInfo* const> before,
               std::span<const KindInfo* const> now,
               const KindInfo* next);

  std::span<const KindInfo* const> kinds() const { return kinds_; }

  /// By "resource.k8s.io/v1" and "ResourceClaim"; null when unknown. The first that was added
  /// counts. O(log n).
  const KindInfo* FindKind(std::string_view api_version, std::string_view kind) const;
  /// By group, version and plural, of those that are served; null when unknown. O(log n).
  const KindInfo* FindResource(std::string_view group,
                               std::string_view version,
                               std::string_view plural) const;

 private:
  void Index(const KindInfo& kind);
  void Drop(const KindInfo& kind);

  std::vector<const KindInfo*> kinds_;
  std::vector<const KindInfo*> by_kind_, by_plural_;  // sorted; then version and group
};

}  // namespace dray::api
