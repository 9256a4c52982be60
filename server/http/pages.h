// SPDX-License-Identifier: Apache-2.0
// Pages beside the Kubernetes API, below /ui/: files that every browser may read, and questions
// that are answered from what the user of the request may list. The program supplies them.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "base/result.h"
#include "base/world.h"
#include "net/http.h"
#include "net/url.h"
#include "server/storage/commit_times.h"
#include "server/verbs/read/past.h"

namespace dray::server::http {

/// The path of all pages, and that of their questions.
inline constexpr std::string_view kPagesPath = "/ui";
inline constexpr std::string_view kQuestionsPath = "/ui/api/";

/// Whether `path`, as it is in a request, is that of a page, not of a question.
bool IsPagePath(std::string_view path);

/// An answer with a file.
struct PageAnswer {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
};

/// Lists the objects of a kind, of one namespace or of all (empty), as the user of the request.
/// Errors: kForbidden  the user may not list them; those of a list.
using ListAsUser =
    std::function<Result<std::vector<api::Object>>(const api::KindInfo&, const std::string&)>;

/// What a server saw of the changes of a kind: all after `begin`, up to `end`.
struct PastSpan {
  storage::Moment begin, end;
};
/// Receives a change and when the server saw it.
using SeeTimedPast = std::function<void(const verbs::PastChange&, WallTime)>;
/// Shows changes of the objects of a kind, of one namespace or of all, as the user of the request.
/// Errors: as of ListAsUser, and kExpired  the store dropped changes meanwhile: ask again.
using PastAsUser =
    std::function<Result<PastSpan>(const api::KindInfo&, const std::string&, const SeeTimedPast&)>;

/// The longest body of a question.
inline constexpr size_t kQuestionBytesMax = size_t{1} << 20;

struct PageQuestion {
  std::string_view name;  // what follows kQuestionsPath
  const net::Query& query;
  ListAsUser list;
  PastAsUser past = {};
  std::string_view body = {};                      // JSON, of a question that has one
  const std::atomic<bool>* is_given_up = nullptr;  // the client does not wait any more
};

/// Called from any thread.
class Pages {
 public:
  Pages() = default;
  virtual ~Pages() = default;
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  /// The file at `path`, which begins with kPagesPath. The request is not authenticated.
  virtual PageAnswer File(std::string_view path, const net::Headers& headers) const = 0;
  /// Whether the question has a body: then it is asked by POST, which writes nothing either.
  virtual bool HasBody(std::string_view /*name*/) const { return false; }
  /// JSON. It may take as long as a request may. Errors: kNotFound  there is no such question;
  /// others of the question.
  virtual Result<std::string> Answer(const PageQuestion& question) const = 0;
};

}  // namespace dray::server::http
