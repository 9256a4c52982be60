// SPDX-License-Identifier: Apache-2.0
// The versions of custom kinds that a cluster serves, by their names alone: which notes about
// unknown kinds are none.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifests/objects.h"

namespace dray::manifests {

class DefinedVersions {
 public:
  /// Adds what the CustomResourceDefinitions among the objects serve. O(objects).
  void AddDefinitions(const Manifests& manifests);
  /// Adds a kind that a server has: "example.com/v1", "Widget".
  void Add(std::string_view api_version, std::string_view kind);

  bool Has(const api::TypeMeta& type) const;
  /// "example.com/v1, example.com/v2"; empty: the kind is not defined.
  std::string VersionsOf(const api::TypeMeta& type) const;

 private:
  using Kind = std::pair<std::string, std::string>;  // group and kind
  std::map<Kind, std::set<std::string>> versions_;
};

/// The group versions of notes about unknown kinds that `defined` lacks, sorted.
std::set<std::string> UndefinedVersions(const Manifests& manifests, const DefinedVersions& defined);

/// Removes notes about objects whose kind is defined: Dray knows what they are, and does not look
/// at them. If pod templates stand for the object, the note stays and says only that. If the kind
/// is defined without the object's version, the note says so.
void CorrectNotes(const DefinedVersions& defined, Manifests& manifests);

}  // namespace dray::manifests
