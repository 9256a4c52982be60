// SPDX-License-Identifier: Apache-2.0
// From classic allocation (v1alpha1, v1alpha2) to structured: the two share no model, so what comes
// out is a proposal, with remarks on everything that has no counterpart.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "api/resource_v1alpha2.h"

namespace dray::manifests {

/// The parameters that classes and claims may refer to, of all documents read.
class ClassicParameters {
 public:
  /// Keeps `object`, in its hub form, when it holds parameters.
  void Add(const api::Object& object);

  /// Those that a reference names, or that were generated from what it names; null without any.
  /// `namespace_` is the namespace of who refers to them, unless the reference has one.
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
  /// In the structured hub; empty where the kind has become needless.
  std::optional<api::Object> object;
  std::vector<std::string> remarks;
};

/// What `classic`, in its hub form, may become.
Proposal Propose(const api::Object& classic, const ClassicParameters& parameters);

/// A selector of v1alpha2, which speaks of `attributes.TYPE["NAME"]`, as one about `device`.
struct SelectorTranslation {
  std::string expression;
  std::vector<std::string> remarks;
};
SelectorTranslation TranslateSelector(std::string_view selector, std::string_view driver);

}  // namespace dray::manifests
