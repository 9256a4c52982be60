// SPDX-License-Identifier: Apache-2.0
#include "server/documents/control_cells.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/apiextensions_v1.h"
#include "api/apiregistration_v1.h"
#include "api/at_path.h"
#include "api/certificates_v1/signing_request.h"
#include "server/documents/cell_text.h"
#include "server/documents/human_duration.h"

namespace dray::server::documents {
namespace {

using api::Object;
using api::apiextensions_v1::CustomResourceDefinition;
using api::apiregistration_v1::APIService;
using api::certificates_v1::CertificateSigningRequest;

// All functions take objects of any version.
// ----------------------------------------------------------------------------------- certificates

std::string SigningDuration(const Object& object) {
  const auto& seconds = object.As<CertificateSigningRequest>().spec.expiration_seconds;
  return JsonCell(seconds.has_value() ? HumanDuration(*seconds) : std::string(kNone));
}

// The decision, then its result.
std::string SigningCondition(const Object& object) {
  const auto& status = object.As<CertificateSigningRequest>().status;
  const auto has = [&](std::string_view type) {
    return std::ranges::any_of(status.conditions,
                               [&](const auto& condition) { return condition.type == type; });
  };
  std::vector<std::string_view> words;
  if (has("Denied")) {
    words.emplace_back("Denied");
  } else {
    words.emplace_back(has("Approved") ? "Approved" : "Pending");
  }
  if (has("Failed")) words.emplace_back("Failed");
  if (!status.certificate.bytes.empty()) words.emplace_back("Issued");
  return JsonCell(fmt::format("{}", fmt::join(words, ",")));
}

// ----------------------------------------------------------------------------------- flow control

std::string FlowMethod(const Object& object) {
  return JsonCell(TextOr(api::TextAt(object, "spec.distinguisherMethod.type"), kNone));
}

std::string FlowMissing(const Object& object) {
  for (const api::Found& condition : api::ElementsAt(object, "status.conditions")) {
    if (TextIn(condition, "type") == "Dangling") return JsonCell(TextIn(condition, "status"));
  }
  return JsonCell("?");
}

// The number at `path`, if the level has it.
std::string NumberCell(const Object& object, std::string_view path) {
  const auto* number = api::Get<int32_t>(object, path);
  return number == nullptr ? JsonCell(kNone) : fmt::format("{}", *number);
}

std::string LevelShares(const Object& object) {
  return NumberCell(object, "spec.limited.nominalConcurrencyShares");
}

std::string LevelQueues(const Object& object) {
  return NumberCell(object, "spec.limited.limitResponse.queuing.queues");
}

std::string LevelHand(const Object& object) {
  return NumberCell(object, "spec.limited.limitResponse.queuing.handSize");
}

std::string LevelLength(const Object& object) {
  return NumberCell(object, "spec.limited.limitResponse.queuing.queueLengthLimit");
}

// ------------------------------------------------------------------------------------------- APIs

std::string ApiServer(const Object& object) {
  const auto& service = object.As<APIService>().spec.service;
  if (!service.has_value()) return JsonCell("Local");
  return JsonCell(fmt::format("{}/{}", service->namespace_, service->name));
}

std::string ApiAvailable(const Object& object) {
  for (const auto& condition : object.As<APIService>().status.conditions) {
    if (condition.type != "Available") continue;
    if (condition.status == "True") return JsonCell("True");
    return JsonCell(fmt::format("{} ({})", condition.status, condition.reason));
  }
  return JsonCell("Unknown");
}

// Cells of definitions of custom kinds.

std::string DefinitionVersions(const Object& object) {
  std::vector<std::string> versions;
  for (const auto& version : object.As<CustomResourceDefinition>().spec.versions) {
    if (!version.served) continue;
    versions.push_back(version.name + (version.storage ? "(storage)" : ""));
  }
  std::ranges::sort(versions);
  return JsonCell(fmt::format("{}", fmt::join(versions, ",")));
}

std::string DefinitionShortNames(const Object& object) {
  const auto& names = object.As<CustomResourceDefinition>().spec.names.short_names;
  return JsonCell(fmt::format("{}", fmt::join(names, ",")));
}

std::string DefinitionEstablished(const Object& object) {
  const auto& conditions = object.As<CustomResourceDefinition>().status.conditions;
  const bool is_established = std::ranges::any_of(conditions, [](const auto& condition) {
    return condition.type == "Established" && condition.status == "True";
  });
  return is_established ? "true" : "false";
}

struct NamedControlCell {
  std::string_view name;
  std::string (*cell)(const Object& object);
};

constexpr NamedControlCell kControlCells[] = {
    {"api-available", ApiAvailable},
    {"api-service", ApiServer},
    {"definition-established", DefinitionEstablished},
    {"definition-short-names", DefinitionShortNames},
    {"definition-versions", DefinitionVersions},
    {"flow-method", FlowMethod},
    {"flow-missing", FlowMissing},
    {"level-hand", LevelHand},
    {"level-length", LevelLength},
    {"level-queues", LevelQueues},
    {"level-shares", LevelShares},
    {"signing-condition", SigningCondition},
    {"signing-duration", SigningDuration},
};

}  // namespace

std::optional<std::string> ControlCell(std::string_view compute, const Object& object) {
  const auto* const found = std::ranges::find(kControlCells, compute, &NamedControlCell::name);
  if (found == std::end(kControlCells)) return std::nullopt;
  return found->cell(object);
}

}  // namespace dray::server::documents
