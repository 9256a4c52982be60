// SPDX-License-Identifier: Apache-2.0
// An API object of any kind: the struct together with its kind.
#pragma once

#include <memory>
#include <utility>

#include "api/kind.h"
#include "api/meta_v1/object_meta.h"
#include "base/check.h"
#include "base/frozen.h"

namespace dray::api {

/// One object of some kind. Copies share the struct, which is immutable from the moment a second
/// owner may exist: to change an object, Clone() it, edit the copy through mutable_value() or
/// Mutable<T>(), then pass it on. An empty Object has no kind.
class Object {
 public:
  Object() = default;

  /// A new, empty object of `kind`.
  static Object Make(const KindInfo& kind);
  /// A shared empty object for comparisons; do not change it. O(1).
  static Object Blank(const KindInfo& kind);

  /// Makes an object of a struct of the kind's type.
  template <class T>
  static Object Of(const KindInfo& kind, T value) {
    DRAY_CHECK(&kind.type() == &TypeOf<T>());
    return {kind, MakeStruct<T>(std::move(value))};
  }
  template <class T>
  static Object Of(T value) {
    return Of(Reflected<T>::kKind, std::move(value));
  }

  /// Shares a struct that no longer changes.
  template <class T>
  static Object Sharing(Frozen<T> value) {
    return {Reflected<T>::kKind, std::const_pointer_cast<T>(std::move(value))};
  }

  bool empty() const { return value_ == nullptr; }
  const KindInfo& kind() const { return *kind_; }
  const Type& type() const { return kind_->type(); }
  const void* value() const { return value_.get(); }

  /// The struct. Checks that the object has the kind.
  template <class T>
  const T& As() const {
    DRAY_CHECK(kind_ != nullptr && &kind_->type() == &TypeOf<T>());
    return *static_cast<const T*>(value_.get());
  }
  /// The struct, or null when the object is of another kind.
  template <class T>
  const T* If() const {
    return kind_ != nullptr && &kind_->type() == &TypeOf<T>() ? static_cast<const T*>(value_.get())
                                                              : nullptr;
  }
  const meta_v1::ObjectMeta& metadata() const { return kind_->metadata(value_.get()); }

  /// A deep copy with a single owner.
  Object Clone() const;

  // Only for the sole owner, before the object is shared.
  void* mutable_value() { return value_.get(); }
  template <class T>
  T& Mutable() {
    return const_cast<T&>(As<T>());
  }
  meta_v1::ObjectMeta& mutable_metadata() {
    return const_cast<meta_v1::ObjectMeta&>(kind_->metadata(value_.get()));
  }

  /// The same kind and equal content.
  bool operator==(const Object& other) const;

 private:
  Object(const KindInfo& kind, std::shared_ptr<void> value)
      : kind_(&kind), value_(std::move(value)) {}

  friend class WeakObject;

  const KindInfo* kind_ = nullptr;
  std::shared_ptr<void> value_;
};

/// Finds the struct of an object for as long as others hold it.
class WeakObject {
 public:
  WeakObject() = default;
  explicit WeakObject(const Object& object) : kind_(object.kind_), value_(object.value_) {}

  /// The object, or an empty one when no other holds its struct any more.
  Object Lock() const {
    std::shared_ptr<void> value = value_.lock();
    return value == nullptr ? Object() : Object(*kind_, std::move(value));
  }

 private:
  const KindInfo* kind_ = nullptr;
  std::weak_ptr<void> value_;
};

/// The struct of an object as a shared immutable value; it keeps the object alive.
template <class T>
Frozen<T> FrozenOf(const Object& object) {
  const auto owner = std::make_shared<const Object>(object);
  return Frozen<T>(owner, &owner->template As<T>());
}

/// "namespace/name", or "name" for cluster-scoped objects.
std::string ObjectKey(const meta_v1::ObjectMeta& metadata);

}  // namespace dray::api
