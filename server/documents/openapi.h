// SPDX-License-Identifier: Apache-2.0
// OpenAPI documents, generated from the schema tables: as much as clients act on. kubectl takes
// from them how to patch, which parameters the server understands, and what `explain` prints.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/kind.h"
#include "api/release.h"
#include "base/lazy.h"
#include "base/result.h"
#include "server/documents/openapi_form.h"

namespace dray::server::documents {

/// Documents of version 3, one for each group and version and for the roots above them, and one of
/// version 2 about all of them. Made when the first client asks, in some milliseconds, so that a
/// server starts without them; safe from any thread.
class OpenApi {
 public:
  struct Document {
    std::string json;
    std::string etag;  // quoted
  };

  /// `scheme` outlives this. Fields are those of `release`. Versions without custom kinds are taken
  /// from `first`, which outlives this, too; null: all are made.
  OpenApi(const api::Scheme& scheme, api::Release release, const OpenApi* first = nullptr)
      : scheme_(scheme), release_(release), first_(first) {}

  /// /openapi/v3: the paths and hashes of the documents.
  const std::string& index() const { return All().index; }
  /// The document of "api/v1", "apis/resource.k8s.io/v1", "apis" or "version"; null when there is
  /// none.
  const Document* Find(std::string_view path) const;
  /// /openapi/v2 as JSON.
  const Document& v2() const { return Whole().json; }
  /// The same as protobuf; its entity tag is that of the JSON document. Omits custom kinds whose
  /// schemas have members that the message does not know.
  const std::string& v2_protobuf() const { return Whole().protobuf; }

 private:
  struct Documents {
    std::string index;
    std::map<std::string, Document, std::less<>> v3;
  };
  struct WholeDocuments {
    Document json;
    std::string protobuf;
  };
  const Documents& All() const;
  const WholeDocuments& Whole() const;
  Documents Make() const;
  WholeDocuments MakeWhole() const;

  const api::Scheme& scheme_;
  api::Release release_;
  const OpenApi* first_;
  std::unique_ptr<Lazy<Documents>> documents_ = std::make_unique<Lazy<Documents>>();
  std::unique_ptr<Lazy<WholeDocuments>> whole_ = std::make_unique<Lazy<WholeDocuments>>();
};

/// A document of version 3 as protobuf; its entity tag is that of the JSON. Linear in the document:
/// clients ask once for each that they have not seen.
/// Errors: kNotAcceptable  the schemas of custom kinds in it have members that the message does not
///                         know.
Result<std::string> V3Protobuf(const OpenApi::Document& document);

}  // namespace dray::server::documents
