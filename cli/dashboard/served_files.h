// SPDX-License-Identifier: Apache-2.0
// A Kubernetes API over the objects of files, for `dray ui -f`: no controllers, no scheduler.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "base/log.h"
#include "base/result.h"
#include "base/worker_pool.h"
#include "base/world.h"
#include "net/http.h"
#include "server/http/http_api.h"
#include "server/http/pages.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace dray::cli::inline dashboard {

/// Objects are as in the files: with their uids, times and states, which no rule judges. The last
/// of a name counts.
class ServedFiles {
 public:
  /// Reads files, folders or "-". `token` is that of the only user. Errors: kBadRequest  a file
  /// cannot be read, with FILE:LINE, or the files hold no object that Dray knows.
  static Result<std::unique_ptr<ServedFiles>> Read(World& world,
                                                   const Log& log,
                                                   const std::vector<std::string>& paths,
                                                   std::string_view token);
  ServedFiles(const ServedFiles&) = delete;
  ServedFiles& operator=(const ServedFiles&) = delete;
  ~ServedFiles() = default;

  /// Waits for what is under way. To stop: shut the HTTP server down, then Drain(), then destroy
  /// the server and this.
  void Drain() { api_->Drain(); }

  net::Handler& handler() { return *api_; }
  /// The files of the page, for UiGate.
  const std::shared_ptr<const server::http::Pages>& pages() const { return pages_; }
  /// Remarks on what was read.
  const std::vector<std::string>& notes() const { return notes_; }
  size_t objects() const { return objects_; }

 private:
  ServedFiles(World& world, const Log& log);
  Result<> Keep(World& world, const std::vector<std::string>& paths);
  Result<> Serve(World& world, const Log& log, std::string_view token);

  const std::shared_ptr<const server::http::Pages> pages_;
  std::vector<std::string> notes_;
  size_t objects_ = 0;
  // In the order of construction.
  api::Scheme scheme_;
  store::MemoryStore store_;
  WorkerPool workers_{WorkerPool::UsualThreads()};
  server::verbs::Resources resources_;
  std::unique_ptr<server::http::HttpApi> api_;
};

}  // namespace dray::cli::inline dashboard
