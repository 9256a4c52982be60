// SPDX-License-Identifier: Apache-2.0
// Field errors: what is wrong where, in the words upstream's answers have in a release, kept as the
// causes of a Status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/device_names.h"
#include "api/kind.h"
#include "api/names.h"
#include "api/reflect.h"
#include "api/release.h"
#include "api/validation/field_path.h"
#include "base/result.h"

namespace dray::api::validation {

/// `value` as error messages show it: text as Go quotes it, everything else as JSON.
std::string Shown(std::string_view text);
std::string Shown(const Type& type, const void* value);
template <class T>
std::string ShownStruct(const T& value) {
  return Shown(TypeOf<T>(), &value);
}

/// The errors of one pass over an object, in the order found and in the words of a release.
class FieldErrors {
 public:
  explicit FieldErrors(Release release = Release::kNewest) : release_(release) {}

  /// Whether the release is `minor` (36 for 1.36) or newer.
  bool Since(int minor) const;
  /// What hand-written rules call the length of labels.
  LengthWord label_length_word() const;

  void Required(const Path& path, std::string_view detail = {});
  /// `shown` is the value as Shown() gives it.
  void Invalid(const Path& path, std::string_view shown, std::string_view detail);
  void Duplicate(const Path& path, std::string_view shown);
  void NotFound(const Path& path, std::string_view shown, std::string_view detail = {});
  /// `supported` in the order it is to be listed.
  void NotSupported(const Path& path,
                    std::string_view value,
                    std::span<const std::string_view> supported);
  void Forbidden(const Path& path, std::string_view detail);
  void TooLong(const Path& path, size_t max, LengthWord word = LengthWord::kBytes);
  /// The same for rules of core/v1, which 1.31 and before said in other words.
  void TooLongInCore(const Path& path, size_t max);
  /// Up to 1.31 a list with too many items was "too long".
  void TooMany(const Path& path, size_t count, size_t max);
  void Internal(const Path& path, std::string_view detail);

  /// One Invalid for each of `errors`, showing `value`.
  void Names(const Path& path, std::string_view value, const NameErrors& errors);
  void Problems(const Path& path, std::span<const NameProblem> problems);

  void Append(FieldErrors more);
  bool empty() const { return causes_.empty(); }
  size_t size() const { return causes_.size(); }
  std::vector<Cause> Take() && { return std::move(causes_); }

 private:
  Release release_;
  std::vector<Cause> causes_;
};

/// Upstream looks at an object twice: with functions written by hand, then with checks generated
/// from declarations beside its types. Answers list everything the first pass found before
/// anything of the second. Rules here look once and file what they find under the pass it belongs
/// to.
struct Findings {
  explicit Findings(Release release = Release::kNewest) : written(release), declared(release) {}

  FieldErrors written;
  FieldErrors declared;

  std::vector<Cause> Take() &&;
};

/// The answer to a request with invalid content: `<Kind.group> "name" is invalid: …`, identical
/// lines once, brackets around several. `causes` has at least one.
Error InvalidError(const KindInfo& kind, std::string_view name, std::vector<Cause> causes);

}  // namespace dray::api::validation
