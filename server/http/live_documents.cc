// SPDX-License-Identifier: Apache-2.0
#include "server/http/live_documents.h"

#include <memory>
#include <utility>

namespace dray::server::http {

Documents::Documents(Frozen<api::Scheme> kinds,
                     api::Release release,
                     const documents::OpenApi* first,
                     const std::function<std::string(const documents::Discovery&)>& root)
    : scheme(std::move(kinds)),
      discovery(*scheme, release),
      openapi(*scheme, release, first),
      root_paths(root(discovery)) {}

LiveDocuments::LiveDocuments(const api::LiveScheme& scheme,
                             api::Release release,
                             std::function<std::string(const documents::Discovery&)> root)
    : scheme_(scheme), release_(release), root_(std::move(root)), first_(scheme.first(), release) {
  Now();
}

Frozen<Documents> LiveDocuments::Now() {
  Frozen<Documents> made = newest_.Load();
  if (made != nullptr && made->scheme == scheme_.Now()) return made;
  const MutexLock lock(making_);
  Frozen<api::Scheme> kinds = scheme_.Now();
  made = newest_.Load();
  if (made != nullptr && made->scheme == kinds) return made;
  made = std::make_shared<const Documents>(std::move(kinds), release_, &first_, root_);
  newest_.Store(made);
  return made;
}

}  // namespace dray::server::http
