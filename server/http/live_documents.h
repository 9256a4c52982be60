// SPDX-License-Identifier: Apache-2.0
// The documents (discovery, OpenAPI) about the kinds that are served now.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/live_scheme.h"
#include "api/release.h"
#include "base/mutex.h"
#include "base/published.h"
#include "server/documents/discovery.h"
#include "server/documents/openapi.h"

namespace dray::server::http {

/// The documents of one scheme; immutable.
struct Documents {
  Documents(Frozen<api::Scheme> kinds,
            api::Release release,
            const documents::OpenApi* first,
            const std::function<std::string(const documents::Discovery&)>& root);

  const Frozen<api::Scheme> scheme;
  const documents::Discovery discovery;
  const documents::OpenApi openapi;
  const std::string root_paths;  // the answer to "/"
};

/// Builds the documents again at the first call of Now() after kinds have changed. Safe from any
/// thread.
class LiveDocuments {
 public:
  /// `scheme` outlives this; `root` makes the list of paths.
  LiveDocuments(const api::LiveScheme& scheme,
                api::Release release,
                std::function<std::string(const documents::Discovery&)> root);

  /// O(1) while kinds stay as they are, else O(kinds).
  Frozen<Documents> Now();

 private:
  const api::LiveScheme& scheme_;
  const api::Release release_;
  const std::function<std::string(const documents::Discovery&)> root_;
  const documents::OpenApi first_;  // of the built-in kinds
  Mutex making_;
  Published<Documents> newest_{nullptr};
};

}  // namespace dray::server::http
