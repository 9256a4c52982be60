// SPDX-License-Identifier: Apache-2.0
// What an API server would say to the objects in a file of manifests, one verdict for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/feature_gates.h"
#include "api/kind.h"
#include "base/result.h"
#include "base/world.h"

namespace dray::manifests {

/// By which rules.
struct ValidateOptions {
  /// Nothing: each object by 1.37 if that serves its version, else by 1.31, else by 1.30, else by
  /// the last release that did.
  std::optional<api::Release> release;
  /// kube-apiserver's --feature-gates; all gates of DRA are on otherwise.
  std::string feature_gates;
};

/// The answer to one request.
struct Answer {
  std::string_view operation;  // create or updateStatus
  int code = 0;                // of HTTP
  std::string message = {};    // unless accepted
  std::vector<ErrorCause> causes = {};
  std::vector<std::string> warnings = {};
};

enum class Verdict : uint8_t {
  kValid,
  kInvalid,     // has causes
  kRefused,     // before anybody looked at the rules: a wrong type, a version that is not served
  kSkipped,     // of a kind Dray does not know, or has no say about
  kUnreadable,  // not YAML, or not to be read at all
};

/// Something to tell about an object.
struct Notice {
  enum class Severity : uint8_t { kError, kWarning };
  Severity severity = Severity::kError;
  size_t line = 0;         // in the file
  std::string field = {};  // empty: the object
  std::string type = {};   // of a cause, as the API has it ("FieldValueInvalid"), or our word
  std::string text = {};   // without the field
  std::string hint = {};   // what would be accepted; may be empty
};

struct ObjectVerdict {
  std::string file;
  size_t line = 1;        // where its document begins
  size_t document = 0;    // in its file, from 0
  std::string item = {};  // "items[3]" inside a list
  api::TypeMeta type = {};
  std::string name = {};  // or the generateName with a star
  // NOLINTNEXTLINE(readability-identifier-naming): as in ObjectMeta
  std::string namespace_ = {};               // as written
  std::optional<api::Release> release = {};  // whose rules it were
  Verdict verdict = Verdict::kValid;
  std::vector<Answer> answers = {};  // in the order of the requests
  std::vector<Notice> notices = {};  // errors, then warnings, each in the order found
  api::DecodeIssues strict = {};     // unknown and duplicate fields in upstream's words
};

/// Validates files. Nothing compiled is kept from file to file.
class ManifestValidator {
 public:
  /// Errors: kInvalid  options.feature_gates has something no release knows, or that cannot be.
  static Result<ManifestValidator> Make(World& world, const ValidateOptions& options);

  /// One verdict for each object of `file`, in order; documents without content have none. Objects
  /// of resource.k8s.io with a status are judged twice: as new, and with their status written
  /// after. Namespaces in the same file say which labels they have.
  ///
  /// Errors: what the disk says about a file it cannot read.
  Result<std::vector<ObjectVerdict>> ValidateFile(const std::string& file);

 private:
  ManifestValidator(World& world, ValidateOptions options)
      : world_(world), options_(std::move(options)) {}

  World& world_;
  ValidateOptions options_;
  api::Scheme scheme_;
};

}  // namespace dray::manifests
