// SPDX-License-Identifier: Apache-2.0
// Discovery: documents with all groups, versions and resources, in the forms that old and new
// clients read. Made once from the scheme.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "api/kind.h"

namespace dray::server::documents {

/// The quoted upper-case hexadecimal SHA-512 of `text`, as Kubernetes makes entity tags.
std::string EntityTag(std::string_view text);

/// The answer of /version: the version of the emulated Kubernetes, which clients check.
std::string VersionJson(api::Release release);

/// Whether `release` serves aggregated discovery as apidiscovery.k8s.io/v2beta1 too.
bool HasOldAggregation(api::Release release);

class Discovery {
 public:
  struct Document {
    std::string json;
    std::string etag;
  };

  Discovery(const api::Scheme& scheme, api::Release release);

  /// /apis.
  const std::string& groups() const { return groups_; }
  /// /apis/<group>; null when there is none.
  const std::string* Group(std::string_view group) const;
  /// /api/v1 and /apis/<group>/<version>; null when there is none.
  const std::string* Resources(std::string_view group, std::string_view version) const;
  /// The aggregated form of /api and of /apis (apidiscovery.k8s.io/v2).
  struct AggregatedForms {
    Document core, groups;
  };
  const AggregatedForms& aggregated() const { return aggregated_; }
  /// The same as apidiscovery.k8s.io/v2beta1; empty where HasOldAggregation() is false.
  const AggregatedForms& aggregated_v2beta1() const { return aggregated_v2beta1_; }
  /// All paths of these documents, sorted.
  const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::string groups_;
  std::map<std::string, std::string, std::less<>> group_;
  std::map<std::pair<std::string, std::string>, std::string, std::less<>> resources_;
  AggregatedForms aggregated_, aggregated_v2beta1_;
  std::vector<std::string> paths_;
};

/// The document of /api, with the address that the client used.
std::string CoreVersionsJson(std::string_view server_address);

}  // namespace dray::server::documents
