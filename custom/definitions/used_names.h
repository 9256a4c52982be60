// SPDX-License-Identifier: Apache-2.0
// Names that definitions of one group have been given.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "api/apiextensions_v1.h"

namespace dray::custom::definitions {

/// Plural, singular and short names share one space, kinds and kinds of lists another. A name may
/// be in use several times. Adding and removing cost O(log n) a name.
class UsedNames {
 public:
  using Names = api::apiextensions_v1::CustomResourceDefinitionNames;

  /// Adds the accepted names of a definition.
  void Add(const Names& names) { Count(names, 1); }
  /// Takes them away again. Precondition: the same names were added.
  void Remove(const Names& names) { Count(names, -1); }

  bool HasResource(std::string_view name) const { return resources_.contains(name); }
  bool HasKind(std::string_view kind) const { return kinds_.contains(kind); }
  bool empty() const { return resources_.empty() && kinds_.empty(); }

 private:
  using Counts = std::map<std::string, int, std::less<>>;

  void Count(const Names& names, int change);

  Counts resources_;
  Counts kinds_;
};

}  // namespace dray::custom::definitions
