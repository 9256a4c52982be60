// SPDX-License-Identifier: Apache-2.0
#include "server/verbs/read/list_plan.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/codec/json_reader.h"
#include "api/codec/json_writer.h"
#include "base/text/base64.h"
#include "base/try.h"
#include "server/errors/errors.h"
#include "server/verbs/context/resource_version.h"

namespace dray::server::verbs::inline read {
namespace {

constexpr std::string_view kTokenVersion = "meta.k8s.io/v1";
constexpr std::string_view kExact = "Exact";
constexpr std::string_view kNotOlderThan = "NotOlderThan";
constexpr std::string_view kMatchField = "resourceVersionMatch";

// Releases that refuse sendInitialEvents: the gate WatchList is off by default, in 1.33 again.
constexpr api::Releases kNoWatchList = {.first = 0, .last = 31};
constexpr api::Releases kNoWatchListAgain = {.first = 33, .last = 33};
// Up to 1.33 etcd served pages for any resourceVersion (gate ListFromCacheSnapshot).
constexpr api::Releases kPagesFromStore = {.first = 0, .last = 33};
// Up to 1.32 the watch cache parsed the resourceVersion before it was validated.
constexpr api::Releases kVersionReadByCache = {.first = 0, .last = 32};

Error InvalidOptions(std::vector<ErrorCause> causes) {
  return errors::InvalidAs("meta.k8s.io", "ListOptions", "", std::move(causes));
}

ErrorCause Unsupported(std::string_view match, std::string_view supported) {
  return {.reason = "FieldValueNotSupported",
          .field = std::string(kMatchField),
          .message = fmt::format(
              "Unsupported value: {}: supported values: {}", errors::Quoted(match), supported)};
}

Result<> CheckListOptions(const ListOptions& options) {
  std::vector<ErrorCause> causes;
  const auto forbid = [&](std::string_view field, std::string_view why) {
    causes.push_back(errors::ForbiddenValue(std::string(field), why));
  };
  const std::string& match = options.resource_version_match;
  if (!match.empty()) {
    if (options.resource_version.empty()) {
      forbid(kMatchField, "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!options.continue_token.empty()) {
      forbid(kMatchField, "resourceVersionMatch is forbidden when continue is provided");
    }
    if (match != kExact && match != kNotOlderThan) {
      causes.push_back(Unsupported(match, R"("Exact", "NotOlderThan", "")"));
    }
    if (match == kExact && options.resource_version == "0") {
      forbid(kMatchField, R"(resourceVersionMatch "exact" is forbidden for resourceVersion "0")");
    }
  }
  if (options.send_initial_events.has_value()) {
    forbid("sendInitialEvents", "sendInitialEvents is forbidden for list");
  }
  if (causes.empty()) return {};
  return Fail(InvalidOptions(std::move(causes)));
}

// Converts base64url without padding to standard base64 with padding; errors name the first byte
// that is neither.
Result<std::string> DecodeUrlBase64(std::string_view text) {
  std::string standard;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!letter && c != '-' && c != '_') {
      return Fail(errors::BadRequest(fmt::format("illegal base64 data at input byte {}", i)));
    }
    standard += c == '-' ? '+' : (c == '_' ? '/' : c);
  }
  while (standard.size() % 4 != 0) standard += '=';
  const std::optional<std::string> bytes = DecodeBase64(standard);
  if (!bytes.has_value()) {
    return Fail(
        errors::BadRequest(fmt::format("illegal base64 data at input byte {}", text.size())));
  }
  return *bytes;
}

struct RawToken {
  std::string version, start, store;
  int64_t revision = 0;
};

Result<RawToken> ParseToken(std::string_view json) {
  RawToken token;
  api::JsonReader reader(json);
  std::string key;
  reader.EnterObject();
  while (reader.NextKey(key)) {
    if (key == "v") {
      reader.String(token.version);
    } else if (key == "start") {
      reader.String(token.start);
    } else if (key == "store") {
      reader.String(token.store);
    } else if (key == "rv") {
      const std::string_view number = reader.Number();
      const char* end = number.data() + number.size();
      if (std::from_chars(number.data(), end, token.revision).ec != std::errc()) {
        return Fail(errors::BadRequest("the resource version is no number"));
      }
    } else {
      reader.Skip();
    }
  }
  if (reader.failed() || !reader.Finish()) return Fail(reader.error());
  return token;
}

// A start must equal its own cleaned path: it is joined to a prefix that it must not leave.
bool IsCleanStart(std::string_view start) {
  if (start.starts_with('/')) start.remove_prefix(1);
  while (!start.empty()) {
    const size_t slash = start.find('/');
    const std::string_view part = start.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    if (slash == std::string_view::npos) return true;
    start.remove_prefix(slash + 1);
    if (start.empty()) return false;
  }
  return false;
}

Error UnreadableVersion(const ListOptions& options, const Error& error, api::Release release) {
  const bool is_page = options.limit > 0 || !options.continue_token.empty();
  const bool by_cache = !is_page && options.resource_version_match != kExact;
  if (!by_cache || !kVersionReadByCache.Rules(release)) {
    return errors::BadRequest("invalid resource version: " + error.message);
  }
  return errors::Untyped(fmt::format("resourceVersion: Invalid value: {}: {}",
                                     errors::Quoted(options.resource_version),
                                     error.message));
}

}  // namespace

std::string EncodeContinue(const ContinueToken& token) {
  const std::string json = api::JsonText([&](api::JsonWriter& writer) {
    writer.Object([&] {
      writer.Member("v", kTokenVersion);
      writer.Member("rv", token.revision);
      writer.Member("start", fmt::format("/{}", token.start));
      if (!token.store.empty()) writer.Member("store", token.store);
    });
  });
  std::string text = EncodeBase64(json);
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) c = c == '+' ? '-' : (c == '/' ? '_' : c);
  return text;
}

Result<ContinueToken> DecodeContinue(std::string_view text) {
  const auto refuse = [](std::string_view why) {
    return Fail(errors::BadRequest(
        fmt::format("invalid continue token: continue key is not valid: {}", why)));
  };
  const Result<std::string> json = DecodeUrlBase64(text);
  if (!json.has_value()) return refuse(json.error().message);
  Result<RawToken> token = ParseToken(*json);
  if (!token.has_value()) return refuse(token.error().message);
  if (token->version != kTokenVersion) {
    return refuse(fmt::format("server does not recognize this encoded version {}", token->version));
  }
  if (token->revision == 0) {
    return refuse(
        fmt::format("incorrect encoded start resourceVersion (version {})", kTokenVersion));
  }
  if (!IsCleanStart(token->start)) return refuse(token->start);
  ContinueToken result{.revision = token->revision,
                       .start = std::move(token->start),
                       .store = std::move(token->store)};
  if (result.start.starts_with('/')) result.start.erase(0, 1);
  return result;
}

Result<ListPlan> PlanList(const ListOptions& options, api::Release release) {
  DRAY_TRY_VOID(CheckListOptions(options));
  ListPlan plan{.limit = options.limit < 0 ? 0 : options.limit};
  const Result<std::optional<uint64_t>> version = ParseVersion(options.resource_version);
  if (!version.has_value()) return Fail(UnreadableVersion(options, version.error(), release));
  plan.version = version->value_or(0);
  if (!options.continue_token.empty()) {
    DRAY_TRY(ContinueToken token, DecodeContinue(options.continue_token));
    if (plan.version != 0) {
      return Fail(
          errors::BadRequest("specifying resource version is not allowed when using continue"));
    }
    plan.start = std::move(token.start);
    plan.store = std::move(token.store);
    plan.exactly = token.revision > 0;
    plan.version = plan.exactly ? static_cast<uint64_t>(token.revision) : 0;
    // As upstream, whose watch cache serves such a list and ignores the limit.
    if (version->has_value() && !kPagesFromStore.Rules(release)) plan.limit = 0;
    return plan;
  }
  plan.exactly = plan.version != 0 && (options.resource_version_match == kExact ||
                                       (options.resource_version_match.empty() && plan.limit > 0));
  if (version->has_value() && plan.version == 0) plan.limit = 0;
  return plan;
}

Result<> CheckWatchOptions(const ListOptions& options, api::Release release) {
  std::vector<ErrorCause> causes;
  const auto forbid = [&](std::string_view why) {
    causes.push_back(errors::ForbiddenValue(std::string(kMatchField), why));
  };
  const std::string& match = options.resource_version_match;
  const bool initial = options.send_initial_events.has_value();
  if (initial && match != kNotOlderThan) {
    forbid("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  if (initial && (kNoWatchList.Rules(release) || kNoWatchListAgain.Rules(release))) {
    causes.push_back(errors::ForbiddenValue("sendInitialEvents",
                                            "sendInitialEvents is forbidden for watch unless the "
                                            "WatchList feature gate is enabled"));
  }
  if (!match.empty() && !initial) {
    forbid("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  }
  if (!match.empty() && match != kNotOlderThan) {
    causes.push_back(Unsupported(match, R"("NotOlderThan")"));
  }
  if (!match.empty() && !options.continue_token.empty()) {
    forbid("resourceVersionMatch is forbidden when continue is provided");
  }
  if (causes.empty()) return {};
  return Fail(InvalidOptions(std::move(causes)));
}

}  // namespace dray::server::verbs::inline read
