// SPDX-License-Identifier: Apache-2.0
#include "server/access/refusal.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/meta_v1/status.h"
#include "api/status.h"
#include "api/text/go_quote.h"
#include "server/errors/errors.h"

namespace dray::server::access {
namespace {

using api::GoQuote;

/// What no browser takes for markup. The reason stays as it is.
std::string Sanitized(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string CannotDo(const Attributes& asked, std::string_view user) {
  if (!asked.path.empty()) {
    return fmt::format("User {} cannot {} path {}", GoQuote(user), asked.verb, GoQuote(asked.path));
  }
  std::string resource = asked.resource;
  if (!asked.subresource.empty()) resource += "/" + asked.subresource;
  const std::string where = asked.namespace_.empty()
                                ? "at the cluster scope"
                                : "in the namespace " + GoQuote(asked.namespace_);
  return fmt::format("User {} cannot {} resource {} in API group {} {}",
                     GoQuote(user),
                     asked.verb,
                     GoQuote(resource),
                     GoQuote(asked.group),
                     where);
}

}  // namespace

Error Forbidden(const Attributes& asked, std::string_view user, std::string_view reason) {
  std::string why = Sanitized(CannotDo(asked, user));
  if (!reason.empty()) why += fmt::format(": {}", reason);
  if (!asked.path.empty()) {
    return errors::WithoutSubject(StatusReason::kForbidden, "forbidden: " + why);
  }
  std::string what = asked.resource;
  if (!asked.group.empty()) what += "." + asked.group;
  if (!asked.name.empty()) what += " " + GoQuote(asked.name);
  return {.reason = StatusReason::kForbidden,
          .message = fmt::format("{} is forbidden: {}", what, why),
          .details = api::AsDetails(api::meta_v1::StatusDetails{
              .name = asked.name, .group = asked.group, .kind = asked.resource})};
}

}  // namespace dray::server::access
