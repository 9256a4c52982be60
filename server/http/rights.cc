// SPDX-License-Identifier: Apache-2.0
#include "server/http/rights.h"

#include <string>

#include "api/selectors/field_selector.h"
#include "api/text/names.h"
#include "base/text/ascii.h"

namespace dray::server::http {
namespace {

using access::Attributes;

std::string_view VerbOf(const Route& route, std::string_view method) {
  if (route.watch_prefix) return "watch";
  const bool is_one = !route.name.empty();
  if (method == "GET" || method == "HEAD") {
    if (is_one) return "get";
    return route.verb == verbs::Verb::kWatch ? "watch" : "list";
  }
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return is_one ? "delete" : "deletecollection";
  return "";
}

/// The name to which a field selector restricts a list; empty: none, or not a valid name.
std::string NameIn(std::string_view text) {
  const Result<api::FieldSelector> selector = api::FieldSelector::Parse(text);
  if (!selector.has_value()) return {};
  const std::string name(selector->RequiredValue("metadata.name").value_or(""));
  return api::CheckPathSegmentName(name).empty() ? name : std::string();
}

}  // namespace

Attributes AttributesOf(const Route& route,
                        std::string_view method,
                        std::string_view path,
                        std::optional<std::string_view> field_selector) {
  if (route.resource.empty()) {
    return {.verb = LowerAscii(method), .path = std::string(path)};
  }
  Attributes asked{.verb = std::string(VerbOf(route, method)),
                   .group = route.group,
                   .resource = route.resource,
                   .subresource = route.subresource,
                   .name = route.name,
                   .namespace_ = route.namespace_};
  // Upstream gives a Namespace its own name as namespace.
  if (route.resource == "namespaces") asked.namespace_ = route.name;
  // Authorization ignores selectors in the old form of watches.
  if (route.watch_prefix || !field_selector.has_value()) return asked;
  const bool is_listed = asked.verb == "list" || asked.verb == "watch";
  if (is_listed || asked.verb == "deletecollection") asked.field_selector = *field_selector;
  if (is_listed && asked.name.empty()) asked.name = NameIn(asked.field_selector);
  return asked;
}

}  // namespace dray::server::http
