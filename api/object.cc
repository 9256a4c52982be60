// SPDX-License-Identifier: Apache-2.0
#include "api/object.h"

namespace dray::api {
namespace {

std::shared_ptr<void> NewValue(const Type& type) {
  return {type.value->make(), [destroy = type.value->destroy](void* value) { destroy(value); }};
}

}  // namespace

Object Object::Make(const KindInfo& kind) { return {kind, NewValue(kind.type())}; }

Object Object::Clone() const {
  Object copy = Make(*kind_);
  type().value->assign(copy.value_.get(), value_.get());
  return copy;
}

bool Object::operator==(const Object& other) const {
  if (empty() || other.empty()) return empty() == other.empty();
  return kind_ == other.kind_ && type().value->equal(value_.get(), other.value_.get());
}

std::string ObjectKey(const meta_v1::ObjectMeta& metadata) {
  return metadata.namespace_.empty() ? metadata.name : metadata.namespace_ + "/" + metadata.name;
}

}  // namespace dray::api
