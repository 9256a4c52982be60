// SPDX-License-Identifier: Apache-2.0
// From classic allocation (v1alpha1, v1alpha2) to structured. The two have different models, so the
// result is a proposal, with remarks on everything that has no counterpart.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "api/resource_v1alpha2.h"

namespace dray::manifests {

/// The parameters, in all documents, that classes and claims may refer to.
class ClassicParameters {
 public:
  /// Keeps `object`, in its hub form, if it is an object with parameters.
  void Add(const api::Object& object);

  /// The parameters that a reference names, or that were generated from the object it names; null:
  /// there are none. `namespace_` is the namespace of the referring object, unless the reference
  /// has one.
  const api::resource_v1alpha2::ResourceClaimParameters* Find(
      const api::resource_v1alpha2::ResourceClaimParametersReference& reference,
      const std::string& namespace_) const;
  const api::resource_v1alpha2::ResourceClassParameters* Find(
      const api::resource_v1alpha2::ResourceClassParametersReference& reference) const;

 private:
  std::vector<api::resource_v1alpha2::ResourceClaimParameters> of_claims_;
  std::vector<api::resource_v1alpha2::ResourceClassParameters> of_classes_;
};

struct Proposal {
  /// In the structured hub; empty if the object is not needed any more.
  std::optional<api::Object> object;
  std::vector<std::string> remarks;
};

/// A proposal for `classic`, which is in its hub form.
Proposal Propose(const api::Object& classic, const ClassicParameters& parameters);

/// A selector of v1alpha2, about `attributes.TYPE["NAME"]`, translated to one about `device`.
struct SelectorTranslation {
  std::string expression;
  std::vector<std::string> remarks;
};
SelectorTranslation TranslateSelector(std::string_view selector, std::string_view driver);

}  // namespace dray::manifests
