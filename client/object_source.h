// SPDX-License-Identifier: Apache-2.0
// Where an object can be had again, so that a mirror need not hold its struct.
#pragma once

#include "api/object.h"

namespace dray::client {

class ObjectSource {
 public:
  ObjectSource() = default;
  ObjectSource(const ObjectSource&) = delete;
  ObjectSource& operator=(const ObjectSource&) = delete;
  virtual ~ObjectSource() = default;

  /// The object; equal at every call. From any thread. O(size), or O(1) while others hold it.
  virtual api::Object Get() const = 0;
  /// The object, where this holds it; else null. O(1).
  virtual const api::Object* held() const { return nullptr; }
};

}  // namespace dray::client
