// SPDX-License-Identifier: Apache-2.0
#include "api/validation/field_error.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/text/cut.h"
#include "api/text/go_quote.h"

namespace dray::api::validation {
namespace {

std::string WithDetail(std::string_view text, std::string_view detail) {
  return detail.empty() ? std::string(text) : fmt::format("{}: {}", text, detail);
}

std::string OfValue(std::string_view text, std::string_view shown, std::string_view detail) {
  return WithDetail(fmt::format("{}: {}", text, shown), detail);
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
  return GoQuote(Cut(text, kShownMax));
}

std::string Shown(const Type& type, const void* value) {
  std::string out;
  EncodeJson(type, value, out);
  return out.size() <= kShownMax ? out : Cut(out, kShownMax);
}

template <class F>
void FieldErrors::Add(std::string_view reason, const Path& path, F text) {
  ++found_;
  if (is_full()) return;
  causes_.push_back({.reason = std::string(reason),
                     .field = path.ToString(),
                     .message = Cut(text(), kCauseTextMax)});
}

bool FieldErrors::Since(int minor) const {
  return Releases{.first = static_cast<uint8_t>(minor)}.Rules(release_);
}

LengthWord FieldErrors::label_length_word() const {
  return Since(35) ? LengthWord::kBytes : LengthWord::kCharacters;
}

void FieldErrors::Required(const Path& path, std::string_view detail) {
  Add("FieldValueRequired", path, [&] { return WithDetail("Required value", detail); });
}

void FieldErrors::Invalid(const Path& path, std::string_view shown, std::string_view detail) {
  if (shown == "null" && !Since(34)) shown = "\"null\"";
  Add("FieldValueInvalid", path, [&] { return OfValue("Invalid value", shown, detail); });
}

void FieldErrors::TypeInvalid(const Path& path, std::string_view shown, std::string_view detail) {
  Add("FieldValueTypeInvalid", path, [&] { return OfValue("Invalid value", shown, detail); });
}

void FieldErrors::Duplicate(const Path& path, std::string_view shown) {
  Add("FieldValueDuplicate", path, [&] { return WithDetail("Duplicate value", shown); });
}

void FieldErrors::NotFound(const Path& path, std::string_view shown, std::string_view detail) {
  Add("FieldValueNotFound", path, [&] { return OfValue("Not found", shown, detail); });
}

void FieldErrors::NotSupported(const Path& path,
                               std::string_view value,
                               std::span<const std::string_view> supported) {
  Add("FieldValueNotSupported", path, [&] {
    std::vector<std::string> quoted;
    for (const std::string_view word : supported) quoted.push_back(Shown(word));
    return fmt::format(
        "Unsupported value: {}: supported values: {}", Shown(value), fmt::join(quoted, ", "));
  });
}

void FieldErrors::Forbidden(const Path& path, std::string_view detail) {
  Add("FieldValueForbidden", path, [&] { return WithDetail("Forbidden", detail); });
}

void FieldErrors::TooLong(const Path& path, size_t max, LengthWord word) {
  const std::string_view unit = word == LengthWord::kBytes ? "bytes" : "characters";
  Add("FieldValueTooLong", path, [&] {
    return Since(32) ? fmt::format("Too long: may not be more than {} {}", max, unit)
                     : fmt::format("Too long: may not be longer than {}", max);
  });
}

void FieldErrors::TooLongInCore(const Path& path, size_t max) {
  if (Since(32)) {
    TooLong(path, max);
    return;
  }
  Add("FieldValueTooLong", path, [&] {
    return fmt::format("Too long: must have at most {} bytes", max);
  });
}

void FieldErrors::TooMany(const Path& path, size_t count, size_t max) {
  if (!Since(32)) {
    TooLong(path, max);
    return;
  }
  Add("FieldValueTooMany", path, [&] {
    return fmt::format(
        "Too many: {}: must have at most {} item{}", count, max, max == 1 ? "" : "s");
  });
}

void FieldErrors::Internal(const Path& path, std::string_view detail) {
  Add("InternalError", path, [&] { return WithDetail("Internal error", detail); });
}

void FieldErrors::Report(std::string_view reason, const Path& path, std::string_view text) {
  Add(reason, path, [&] { return text; });
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

void FieldErrors::Sort() {
  std::ranges::sort(causes_, {}, [](const ErrorCause& cause) {
    return fmt::format("{}: {}", cause.field, cause.message);
  });
}

void FieldErrors::Append(FieldErrors more) {
  found_ += more.found_;
  for (ErrorCause& cause : more.causes_) {
    if (is_full()) return;
    causes_.push_back(std::move(cause));
  }
}

void FieldErrors::Append(std::vector<ErrorCause> more) {
  found_ += more.size();
  for (ErrorCause& cause : more) {
    if (is_full()) return;
    causes_.push_back(std::move(cause));
  }
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
