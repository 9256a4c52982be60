// SPDX-License-Identifier: Apache-2.0
// The objects of files that a server has from its start: definitions of custom kinds first, then
// namespaces, then the rest.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/live_scheme.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/client.h"
#include "manifests/documents.h"

namespace dray::cli::inline serving {

/// The most objects of one kind that are created side by side.
inline constexpr size_t kCreatedAtOnce = 256;
/// The most errors that are shown.
inline constexpr size_t kGivenErrorsShown = 20;

/// An object in a file.
struct GivenObject {
  std::string file;
  const manifests::Document* document = nullptr;
  manifests::ObjectText text;
};

/// Where creation reports to.
struct CreationReports {
  World& world;
  const Log& log;
  /// Called with a line for each refusal: FILE:LINE, what is wrong, and what to do.
  std::function<void(std::string_view refusal)> refused;
  /// Whether the program is to end: then no more objects are created.
  std::function<bool()> is_stopping;
};

class GivenObjects {
 public:
  /// Reads files, folders, or "-". Errors: kBadRequest  a document that is no object, with
  /// FILE:LINE; a file that cannot be read.
  static Result<GivenObjects> Read(Disk& disk, const std::vector<std::string>& paths);

  GivenObjects() = default;
  GivenObjects(GivenObjects&&) = default;
  GivenObjects& operator=(GivenObjects&&) = default;
  GivenObjects(const GivenObjects&) = delete;
  GivenObjects& operator=(const GivenObjects&) = delete;
  ~GivenObjects() = default;

  bool empty() const { return objects_.empty(); }

  /// Creates them, in the order of the files apart from definitions and namespaces. Waits until the
  /// server serves the kinds of the definitions. Objects that are there already stay as they are.
  /// `scheme` is that of the server.
  ///
  /// Errors: kInvalid  some objects are refused, and have been reported. kServiceUnavailable  the
  /// program is to end. Those of WaitUntilServed().
  Result<> Create(client::Client& client,
                  const api::LiveScheme& scheme,
                  const CreationReports& reports) const;

 private:
  struct FileDocuments {
    std::string file;
    std::vector<manifests::Document> documents;
  };

  Result<> FindObjects();

  std::vector<FileDocuments> files_;  // what the objects point into
  std::vector<GivenObject> objects_;
};

}  // namespace dray::cli::inline serving
