// SPDX-License-Identifier: Apache-2.0
// Predicts how an API server would answer to the objects in a file, one verdict for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json.h"
#include "api/feature_gates.h"
#include "api/kind.h"
#include "base/result.h"
#include "base/world.h"
#include "manifests/known_kinds.h"
#include "manifests/requests.h"

namespace dray::manifests {

/// The answer to one request.
struct Answer {
  std::string_view operation;  // create or updateStatus
  int code = 0;                // the HTTP status
  std::string message = {};    // unless accepted
  std::vector<ErrorCause> causes = {};
  std::vector<std::string> warnings = {};
};

enum class Verdict : uint8_t {
  kValid,
  kInvalid,     // has causes
  kRefused,     // before validation: a wrong type, a version that is not served
  kSkipped,     // Dray does not know the kind, or its definition has no effect
  kUnreadable,  // not YAML, or not readable at all
};

/// An error or warning about an object.
struct Notice {
  enum class Severity : uint8_t { kError, kWarning };
  Severity severity = Severity::kError;
  size_t line = 0;         // in the file
  std::string field = {};  // empty: the whole object
  std::string type = {};   // of a cause, as in the API ("FieldValueInvalid"), or Dray's
  std::string text = {};   // without the field
  std::string hint = {};   // a suggestion; may be empty
};

struct ObjectVerdict {
  std::string file;
  size_t line = 1;        // where its document starts
  size_t document = 0;    // in its file, from 0
  std::string item = {};  // "items[3]" inside a list
  api::TypeMeta type = {};
  std::string name = {};  // or the generateName with a star
  // NOLINTNEXTLINE(readability-identifier-naming): as in ObjectMeta
  std::string namespace_ = {};               // as written
  std::optional<api::Release> release = {};  // whose rules were used
  Verdict verdict = Verdict::kValid;
  std::string why = {};              // it was skipped, and what to do
  std::vector<Answer> answers = {};  // in the order of the requests
  std::vector<Notice> notices = {};  // errors, then warnings, each in the order found
  api::DecodeIssues strict = {};     // unknown and duplicate fields, in upstream's words
};

/// Validates files. Keeps no compiled expressions from file to file, except those of the kinds that
/// the input defines.
class ManifestValidator {
 public:
  /// Errors: kInvalid  options.feature_gates has a gate that no release knows, or an impossible
  /// value.
  static Result<ManifestValidator> Make(World& world, const ValidateOptions& options);

  /// Learns the kinds that CustomResourceDefinitions in `files` define; call it once, before
  /// ValidateFile(). Files that cannot be read define nothing. Keeps the text of standard input
  /// and of pipes, which can be read once only.
  void LearnKinds(std::span<const std::string> files);

  /// Learns the kinds of a server's definitions, likewise and afterwards: see
  /// KnownKinds::LearnServer().
  Result<> LearnServer(const std::string& server, std::string_view list);

  /// One verdict for each object of `file`, in order; empty documents have none. Objects of
  /// resource.k8s.io with a status are judged twice: on creation, and on the following update of
  /// their status. Labels of namespaces are taken from the same file.
  ///
  /// Errors: those of the disk for a file that cannot be read.
  Result<std::vector<ObjectVerdict>> ValidateFile(const std::string& file);

 private:
  ManifestValidator(World& world, ValidateOptions options);

  Result<std::string> ReadFile(const std::string& file);

  World& world_;
  ValidateOptions options_;
  std::unique_ptr<KnownKinds> kinds_;
  std::map<std::string, Result<std::string>, std::less<>> texts_;  // of pipes, until validated
};

}  // namespace dray::manifests
