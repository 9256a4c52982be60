// SPDX-License-Identifier: Apache-2.0
#include "api/object.h"

namespace dray::api {

Object Object::Make(const KindInfo& kind) {
  return {kind, kind.object->make()};
}

Object Object::Blank(const KindInfo& kind) {
  return {kind, kind.object->blank()};
}

Object Object::Clone() const {
  return {*kind_, kind_->object->clone(value_.get())};
}

bool Object::operator==(const Object& other) const {
  if (empty() || other.empty()) return empty() == other.empty();
  return kind_ == other.kind_ && Equal(type(), value_.get(), other.value_.get());
}

std::string ObjectKey(const meta_v1::ObjectMeta& metadata) {
  return metadata.namespace_.empty() ? metadata.name : metadata.namespace_ + "/" + metadata.name;
}

}  // namespace dray::api
