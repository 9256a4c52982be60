// SPDX-License-Identifier: Apache-2.0
// OpenAPI documents, generated from the schema tables: as much as clients act on. kubectl takes
// from them how to patch, which parameters the server understands, and what `explain` prints.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/kind.h"

namespace dray::server {

/// Documents of version 3, one for each group and version, and one small document of version 2.
/// Made once; immutable.
class OpenApi {
 public:
  struct Document {
    std::string json;
    std::string etag;  // quoted
  };

  explicit OpenApi(const api::Scheme& scheme);

  /// /openapi/v3: the paths and hashes of the documents.
  const std::string& index() const { return index_; }
  /// The document of "api/v1" or "apis/resource.k8s.io/v1"; null when there is none.
  const Document* Find(std::string_view path) const;
  /// /openapi/v2 as JSON.
  const Document& v2() const { return v2_; }

 private:
  std::string index_;
  std::map<std::string, Document, std::less<>> documents_;
  Document v2_;
};

}  // namespace dray::server
