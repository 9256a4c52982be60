// SPDX-License-Identifier: Apache-2.0
#include "server/http/negotiation.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/protobuf.h"
#include "base/text/ascii.h"
#include "server/errors/errors.h"

namespace dray::server::http {
namespace {

using documents::Transform;
using patch::PatchType;

// The media types that are served, in the order of upstream's errors.
constexpr std::string_view kServed =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";
constexpr std::string_view kStreamed =
    "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

// One clause of an Accept header. The views point into the header's text, whose types and names are
// compared without case.
struct Clause {
  std::string_view type;  // without parameters
  std::string_view as, group, version, pretty;
  double q = 1;
};

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Removes the part of `text` before `separator`, and the separator, and returns the part.
std::string_view Cut(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return Trim(part);
}

Clause ReadClause(std::string_view text) {
  Clause clause{.type = Cut(text, ';')};
  while (!text.empty()) {
    std::string_view value = Cut(text, ';');
    const std::string_view name = Cut(value, '=');
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    if (EqualsIgnoringCase(name, "as")) clause.as = value;
    if (EqualsIgnoringCase(name, "g")) clause.group = value;
    if (EqualsIgnoringCase(name, "v")) clause.version = value;
    if (EqualsIgnoringCase(name, "pretty")) clause.pretty = value;
    if (EqualsIgnoringCase(name, "q")) {
      double q = 1;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), q);
      if (error == std::errc() && end == value.data() + value.size()) clause.q = q;
    }
  }
  return clause;
}

// The clauses by descending q; equal ones in their order. They point into `accept`.
std::vector<Clause> ReadAccept(std::string_view accept) {
  std::vector<Clause> clauses;
  while (!accept.empty() && clauses.size() < kAcceptClausesMax) {
    const std::string_view text = Cut(accept, ',');
    if (text.empty()) continue;
    const Clause clause = ReadClause(text);
    const auto after =
        std::ranges::find_if(clauses, [&](const Clause& c) { return c.q < clause.q; });
    clauses.insert(after, clause);
  }
  if (clauses.empty()) clauses.push_back({.type = "*/*"});
  return clauses;
}

// Whether the endpoint is /api or /apis.
bool IsDiscovery(Endpoint endpoint) {
  return endpoint == Endpoint::kAggregated || endpoint == Endpoint::kAggregatedOld;
}

std::optional<documents::Encoding> EncodingOf(std::string_view type) {
  const auto is = [type](std::string_view known) { return EqualsIgnoringCase(type, known); };
  if (is("application/json") || is("*/*") || is("application/*")) {
    return documents::Encoding::kJson;
  }
  if (is("application/yaml")) return documents::Encoding::kYaml;
  if (is(api::kProtobufMediaType)) return documents::Encoding::kProtobuf;
  return std::nullopt;
}

bool NamesServedType(const Clause& clause) {
  return !EqualsIgnoringCase(clause.type, "application/*") && EncodingOf(clause.type).has_value();
}

// The aggregated form of discovery that the clause asks for.
std::optional<documents::Form> AggregatedForm(const Clause& clause,
                                              Endpoint endpoint,
                                              documents::Form form) {
  const bool is_old = clause.version == "v2beta1" && endpoint == Endpoint::kAggregatedOld;
  const bool is_new = clause.version == "v2" && IsDiscovery(endpoint);
  if (clause.group != "apidiscovery.k8s.io" || (!is_old && !is_new)) return std::nullopt;
  form.transform = Transform::kAggregated;
  form.version = is_old ? "v2beta1" : "v2";
  return form;
}

// The form that the clause asks for; nothing when this endpoint cannot produce it.
std::optional<documents::Form> FormOf(const Clause& clause, Endpoint endpoint, Origin origin) {
  const auto encoding = EncodingOf(clause.type);
  if (!encoding) return std::nullopt;
  documents::Form form{.encoding = *encoding,
                       .pretty = clause.pretty == "1" || clause.pretty == "true"};
  if (endpoint == Endpoint::kWatch && form.encoding == documents::Encoding::kYaml)
    return std::nullopt;
  const bool protobuf = form.encoding == documents::Encoding::kProtobuf;
  if (clause.as.empty()) {
    return protobuf && origin == Origin::kCustom ? std::nullopt : std::optional(form);
  }
  const bool meta = clause.group == "meta.k8s.io";
  const bool objects =
      endpoint == Endpoint::kObject || endpoint == Endpoint::kList || endpoint == Endpoint::kWatch;
  if (meta && objects && (clause.version == "v1" || clause.version == "v1beta1")) {
    form.version = clause.version == "v1" ? "v1" : "v1beta1";
    // A Table has no protobuf: its cells are any JSON.
    if (clause.as == "Table" && !protobuf) {
      form.transform = Transform::kTable;
      return form;
    }
    // PartialObjectMetadata for a list, and the list form for an object, are refused with the
    // answer, not here.
    if (clause.as == "PartialObjectMetadata") {
      form.transform = Transform::kPartial;
      return form;
    }
    if (clause.as == "PartialObjectMetadataList") {
      form.transform = endpoint == Endpoint::kWatch ? Transform::kPartial : Transform::kPartialList;
      return form;
    }
  }
  return clause.as == "APIGroupDiscoveryList" ? AggregatedForm(clause, endpoint, form)
                                              : std::nullopt;
}

}  // namespace

Result<documents::Form> Negotiate(std::string_view accept, Endpoint endpoint, Origin origin) {
  const std::vector<Clause> clauses = ReadAccept(accept);
  const bool resource =
      endpoint != Endpoint::kPlain && !IsDiscovery(endpoint) && origin == Origin::kBuiltIn;
  // Upstream's router first requires a clause that names a served type, and does not know
  // "application/*".
  if (resource && std::ranges::none_of(clauses, NamesServedType)) {
    return Fail(errors::WithoutSubject(
        StatusReason::kNotAcceptable,
        fmt::format("406: Not Acceptable\n\nAvailable representations: {}", kServed)));
  }
  for (const Clause& clause : clauses) {
    if (const auto form = FormOf(clause, endpoint, origin); form) return *form;
  }
  // Upstream asks first in which form a list could be, then in which a stream.
  const bool is_streamed =
      endpoint == Endpoint::kWatch && std::ranges::any_of(clauses, [&](const Clause& clause) {
        return FormOf(clause, Endpoint::kList, origin).has_value();
      });
  return Fail(StatusReason::kNotAcceptable,
              fmt::format("only the following media types are accepted: {}",
                          is_streamed ? kStreamed : kServed));
}

documents::Form ErrorForm(std::string_view accept) {
  for (const Clause& clause : ReadAccept(accept)) {
    const auto encoding = EncodingOf(clause.type);
    if (encoding && clause.as.empty()) return {.encoding = *encoding};
  }
  return {.pretty = true};
}

bool WantsPretty(std::optional<std::string_view> parameter, std::string_view user_agent) {
  if (parameter && !parameter->empty()) {
    const std::string word = LowerAscii(*parameter);
    return word == "1" || word == "t" || word == "true";
  }
  return user_agent.starts_with("curl") || user_agent.starts_with("Wget") ||
         user_agent.starts_with("Mozilla/5.0");
}

std::string EssenceOf(std::string_view media_type) {
  return LowerAscii(Cut(media_type, ';'));
}

Result<BodyFormat> BodyFormatOf(std::string_view content_type) {
  const std::string_view type = Cut(content_type, ';');
  const auto is = [type](std::string_view known) { return EqualsIgnoringCase(type, known); };
  if (type.empty() || is("application/json") || is("*/*")) return BodyFormat::kJson;
  if (is("application/yaml")) return BodyFormat::kYaml;
  if (is(api::kProtobufMediaType)) return BodyFormat::kProtobuf;
  return Fail(StatusReason::kUnsupportedMediaType,
              fmt::format("the body of the request was in an unknown format - accepted media types "
                          "include: {}",
                          kServed));
}

Result<PatchType> PatchTypeOf(std::string_view content_type, Origin origin) {
  const std::string essence = EssenceOf(content_type);
  const bool is_custom = origin == Origin::kCustom;
  if (essence == "application/json-patch+json") return PatchType::kJson;
  if (essence == "application/merge-patch+json") return PatchType::kMerge;
  if (essence == "application/apply-patch+yaml") return PatchType::kApply;
  if (is_custom) {
    return Fail(StatusReason::kUnsupportedMediaType,
                "the body of the request was in an unknown format - accepted media types include: "
                "application/json-patch+json, application/merge-patch+json, "
                "application/apply-patch+yaml");
  }
  if (essence == "application/strategic-merge-patch+json") return PatchType::kStrategicMerge;
  return Fail(
      errors::WithoutSubject(StatusReason::kUnsupportedMediaType, "415: Unsupported Media Type"));
}

}  // namespace dray::server::http
