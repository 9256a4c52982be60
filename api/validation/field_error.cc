// SPDX-License-Identifier: Apache-2.0
#include "api/validation/field_error.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/text/go_quote.h"

namespace dray::api::validation {
namespace {

ErrorCause Made(std::string_view reason, const Path& path, std::string message) {
  return {.reason = std::string(reason), .field = path.ToString(), .message = std::move(message)};
}

std::string WithDetail(std::string_view text, std::string_view detail) {
  return detail.empty() ? std::string(text) : fmt::format("{}: {}", text, detail);
}

// spec.devices.requests[0].exactly.count → spec.devices.requests[0].count
// spec.devices[3].taints[0]              → spec.devices[3].basic.taints[0]
std::string InV1beta1(std::string_view path) {
  constexpr std::string_view kExactly = "].exactly.";
  constexpr std::string_view kDevice = "spec.devices[";
  std::string changed(path);
  if (const size_t at = path.find(kExactly); at != std::string_view::npos) {
    changed.erase(at + 1, kExactly.size() - 2);
  } else if (path.starts_with(kDevice)) {
    const size_t end = path.find("].");
    if (end != std::string_view::npos) changed.insert(end + 1, ".basic");
  }
  return changed;
}

}  // namespace

std::string Shown(std::string_view text) {
  return GoQuote(text);
}

std::string Shown(const Type& type, const void* value) {
  std::string out;
  EncodeJson(type, value, out);
  return out;
}

bool FieldErrors::Since(int minor) const {
  return Releases{.first = static_cast<uint8_t>(minor)}.Rules(release_);
}

LengthWord FieldErrors::label_length_word() const {
  return Since(36) ? LengthWord::kBytes : LengthWord::kCharacters;
}

void FieldErrors::Required(const Path& path, std::string_view detail) {
  causes_.push_back(Made("FieldValueRequired", path, WithDetail("Required value", detail)));
}

void FieldErrors::Invalid(const Path& path, std::string_view shown, std::string_view detail) {
  if (shown == "null" && !Since(34)) shown = "\"null\"";
  causes_.push_back(
      Made("FieldValueInvalid", path, WithDetail(fmt::format("Invalid value: {}", shown), detail)));
}

void FieldErrors::TypeInvalid(const Path& path, std::string_view shown, std::string_view detail) {
  causes_.push_back(Made(
      "FieldValueTypeInvalid", path, WithDetail(fmt::format("Invalid value: {}", shown), detail)));
}

void FieldErrors::Duplicate(const Path& path, std::string_view shown) {
  causes_.push_back(Made("FieldValueDuplicate", path, fmt::format("Duplicate value: {}", shown)));
}

void FieldErrors::NotFound(const Path& path, std::string_view shown, std::string_view detail) {
  causes_.push_back(
      Made("FieldValueNotFound", path, WithDetail(fmt::format("Not found: {}", shown), detail)));
}

void FieldErrors::NotSupported(const Path& path,
                               std::string_view value,
                               std::span<const std::string_view> supported) {
  std::vector<std::string> quoted;
  for (const std::string_view word : supported) quoted.push_back(Shown(word));
  causes_.push_back(Made(
      "FieldValueNotSupported",
      path,
      fmt::format(
          "Unsupported value: {}: supported values: {}", Shown(value), fmt::join(quoted, ", "))));
}

void FieldErrors::Forbidden(const Path& path, std::string_view detail) {
  causes_.push_back(Made("FieldValueForbidden", path, WithDetail("Forbidden", detail)));
}

void FieldErrors::TooLong(const Path& path, size_t max, LengthWord word) {
  if (!Since(32)) {
    causes_.push_back(
        Made("FieldValueTooLong", path, fmt::format("Too long: may not be longer than {}", max)));
    return;
  }
  const std::string_view unit = word == LengthWord::kBytes ? "bytes" : "characters";
  causes_.push_back(Made(
      "FieldValueTooLong", path, fmt::format("Too long: may not be more than {} {}", max, unit)));
}

void FieldErrors::TooLongInCore(const Path& path, size_t max) {
  if (Since(32)) {
    TooLong(path, max);
    return;
  }
  causes_.push_back(
      Made("FieldValueTooLong", path, fmt::format("Too long: must have at most {} bytes", max)));
}

void FieldErrors::TooMany(const Path& path, size_t count, size_t max) {
  if (!Since(32)) {
    TooLong(path, max);
    return;
  }
  causes_.push_back(Made(
      "FieldValueTooMany",
      path,
      fmt::format("Too many: {}: must have at most {} item{}", count, max, max == 1 ? "" : "s")));
}

void FieldErrors::Internal(const Path& path, std::string_view detail) {
  causes_.push_back(Made("InternalError", path, WithDetail("Internal error", detail)));
}

void FieldErrors::Names(const Path& path, std::string_view value, const NameErrors& errors) {
  for (const std::string& error : errors) Invalid(path, Shown(value), error);
}

void FieldErrors::Problems(const Path& path, std::span<const NameProblem> problems) {
  for (const NameProblem& problem : problems) {
    switch (problem.kind) {
      case NameProblem::Kind::kRequired: Required(path, problem.detail); break;
      case NameProblem::Kind::kTooLong:
        // Upstream checks drivers as it checks CSI drivers, with a rule of core/v1.
        if (problem.max == kDriverNameMax) {
          TooLongInCore(path, problem.max);
        } else {
          TooLong(path, problem.max);
        }
        break;
      case NameProblem::Kind::kInvalid: Invalid(path, Shown(problem.value), problem.detail); break;
      case NameProblem::Kind::kTypeInvalid:
        TypeInvalid(path, Shown(problem.value), problem.detail);
        break;
    }
  }
}

void FieldErrors::Append(FieldErrors more) {
  std::ranges::move(more.causes_, std::back_inserter(causes_));
}

void Findings::Append(Findings more) {
  written.Append(std::move(more.written));
  declared.Append(std::move(more.declared));
}

std::vector<ErrorCause> Findings::Take() && {
  if (is_v1beta1()) declared.ChangePaths(InV1beta1);
  written.Append(std::move(declared));
  return std::move(written).Take();
}

}  // namespace dray::api::validation
