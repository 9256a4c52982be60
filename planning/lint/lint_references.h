// SPDX-License-Identifier: Apache-2.0
// Wrong references to other objects: claims and templates of pods, resources of classes.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/device_class.h"
#include "planning/lint/lint_finding.h"
#include "planning/lint/lint_question.h"

namespace dray::planning::inline lint {

/// Both arguments must outlive it.
class ReferenceLinter {
 public:
  ReferenceLinter(const LintQuestion& question, FindingList& findings);

  /// Checks that the claims and templates exist which a waiting pod, or the pods of a workload,
  /// name. Objects of other kinds name none.
  void ClaimsOf(const api::Object& object);

  /// Finds another class that has the same extended resource name and takes precedence.
  void ExtendedName(const api::resource_v1::DeviceClass& device_class);

 private:
  /// A kind that pods refer to by name.
  struct Referent {
    LintRule rule;
    std::string_view kind;
    LintReach reach;
    std::map<std::string, std::set<std::string>, std::less<>> names = {};  // by namespace
  };

  void PodSpec(const std::string& field,
               const std::string& namespace_,
               const api::core_v1::PodSpec& spec,
               const api::core_v1::Pod* pod);
  void Reference(const std::string& field,
                 const std::string& namespace_,
                 const std::string& name,
                 const Referent& referent);

  const LintQuestion& question_;
  FindingList& findings_;
  Referent templates_;
  Referent claims_;
};

}  // namespace dray::planning::inline lint
