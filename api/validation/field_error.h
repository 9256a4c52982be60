// SPDX-License-Identifier: Apache-2.0
// Field errors: problems with their paths, in the texts of upstream's answers in a release, kept as
// the causes of a Status.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/device_names.h"
#include "api/feature_gates.h"
#include "api/kind.h"
#include "api/reflect.h"
#include "api/release.h"
#include "api/text/names.h"
#include "api/validation/cause_limits.h"
#include "api/validation/field_path.h"
#include "base/result.h"

namespace dray::api::validation {

/// The text of upstream's declarative rules for an immutable field.
inline constexpr std::string_view kImmutable = "field is immutable";

/// `value` as error messages show it: text as Go quotes it, everything else as JSON; cut after
/// kShownMax bytes.
std::string Shown(std::string_view text);
std::string Shown(const Type& type, const void* value);
template <class T>
std::string ShownStruct(const T& value) {
  return Shown(TypeOf<T>(), &value);
}

/// The errors of one pass over an object, in the order found and in the texts of a release. Keeps
/// only the first kCausesMax errors and one more, and formats only their paths and texts.
class FieldErrors {
 public:
  explicit FieldErrors(Release release = Release::kNewest) : release_(release) {}

  /// Whether the release is `minor` (36 for 1.36) or newer.
  bool Since(int minor) const;
  Release release() const { return release_; }
  /// The unit of the length of labels in hand-written rules.
  LengthWord label_length_word() const;

  void Required(const Path& path, std::string_view detail = {});
  /// `shown` is the value as Shown() gives it.
  void Invalid(const Path& path, std::string_view shown, std::string_view detail);
  void TypeInvalid(const Path& path, std::string_view shown, std::string_view detail);
  /// An empty `shown` shows no value.
  void Duplicate(const Path& path, std::string_view shown);
  void NotFound(const Path& path, std::string_view shown, std::string_view detail = {});
  /// `supported` in the order it is to be listed.
  void NotSupported(const Path& path,
                    std::string_view value,
                    std::span<const std::string_view> supported);
  void Forbidden(const Path& path, std::string_view detail);
  void TooLong(const Path& path, size_t max, LengthWord word = LengthWord::kBytes);
  /// The same for rules of core/v1, whose text was different up to 1.31.
  void TooLongInCore(const Path& path, size_t max);
  /// Up to 1.31 a list with too many items was "too long".
  void TooMany(const Path& path, size_t count, size_t max);
  void Internal(const Path& path, std::string_view detail);
  /// An error in the caller's words: `text` is the whole message.
  void Report(std::string_view reason, const Path& path, std::string_view text);

  /// One Invalid for each of `errors`, showing `value`.
  void Names(const Path& path, std::string_view value, const NameErrors& errors);
  void Problems(const Path& path, std::span<const NameProblem> problems);

  void Append(FieldErrors more);
  /// The same of errors that are none of a FieldErrors.
  void Append(std::vector<ErrorCause> more);
  /// Replaces each path by what `change` makes of it.
  template <class F>
  void ChangePaths(F change) {
    for (ErrorCause& cause : causes_) cause.field = change(cause.field);
  }
  void Reverse() { std::ranges::reverse(causes_); }
  /// Orders the errors by path, then by text. Keeps the first kCausesMax that were found.
  void Sort();
  bool empty() const { return found_ == 0; }
  /// How many were found, kept or not.
  size_t size() const { return found_; }
  /// Those that are kept, so far.
  std::span<const ErrorCause> causes() const { return causes_; }
  /// No more errors are kept, so a rule may stop checking.
  bool is_full() const { return causes_.size() > kCausesMax; }
  std::vector<ErrorCause> Take() && { return std::move(causes_); }

 private:
  // Counts an error and, if it is kept, formats its path and calls `text()` for its message.
  template <class F>
  void Add(std::string_view reason, const Path& path, F text);

  Release release_;
  size_t found_ = 0;
  std::vector<ErrorCause> causes_;
};

/// Upstream checks an object twice: with hand-written functions, then with checks generated from
/// declarations beside its types. Answers list all errors of the first pass before those of the
/// second. Rules here run once and file each error under its pass.
///
/// Since 1.37 only the declarations report the errors that they cover; before, the hand-written
/// rules reported them with their own texts and order.
struct Findings {
  /// `of_version`: the kind in the version of the request; null for the hub's.
  explicit Findings(const Profile& of = {}, const KindInfo* of_version = nullptr)
      : profile(of), version(of_version), written(of.release), declared(of.release) {}

  Profile profile;
  const KindInfo* version;
  FieldErrors written;
  FieldErrors declared;

  bool Since(int minor) const { return written.Since(minor); }
  /// Whether the second pass reports the covered errors.
  bool is_declarative() const { return Since(37); }
  /// Whether the request is of a version that has the members of devices and of exact requests one
  /// level higher or deeper than the hub.
  bool is_v1beta1() const { return version != nullptr && version->version == "v1beta1"; }
  /// For errors that both passes cover.
  FieldErrors& covered() { return is_declarative() ? declared : written; }

  /// For the findings of a part, which join these later.
  Findings Part() const { return Findings(profile, version); }
  /// Adds the errors of `more`, pass by pass.
  void Append(Findings more);
  /// Returns all errors. The second pass checks the object in the version of the request, so its
  /// paths are those of that version.
  std::vector<ErrorCause> Take() &&;
};

}  // namespace dray::api::validation
