// SPDX-License-Identifier: Apache-2.0
// The rules of one kind as functions of objects: a row of the table in rules.cc.
#pragma once

#include <vector>

#include "api/object.h"
#include "api/reflect.h"
#include "api/validation/options.h"
#include "base/result.h"

namespace dray::api::validation {

/// Null functions: there are no rules.
struct Rules {
  const Type& (*type)();
  std::vector<Cause> (*create)(const Object& object, const Options& options) = nullptr;
  std::vector<Cause> (*update)(const Object& object,
                               const Object& old,
                               const Options& options) = nullptr;
  std::vector<Cause> (*status)(const Object& object,
                               const Object& old,
                               const Options& options) = nullptr;
};

}  // namespace dray::api::validation
