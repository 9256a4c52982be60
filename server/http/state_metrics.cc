// SPDX-License-Identifier: Apache-2.0
#include "server/http/state_metrics.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/core_v1/pod.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/claim_template.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/task.h"
#include "base/try.h"
#include "server/verbs/context/answer.h"
#include "server/verbs/context/request.h"

namespace dray::server::http {
namespace {

namespace core = api::core_v1;
namespace v1 = api::resource_v1;

constexpr int64_t kPageObjects = 500;  // as many are held at once

struct Label {
  std::string_view name, value;
};
using Labels = std::initializer_list<Label>;

/// What one answer may still have.
struct SeriesBudget {
  size_t left;
  size_t left_out = 0;
};

/// The lines of one metric.
class Family {
 public:
  Family(std::string_view name, std::string_view help, SeriesBudget& budget)
      : name_(name), help_(help), budget_(budget) {}

  void Add(Labels labels, int64_t value) {
    if (budget_.left == 0) {
      ++budget_.left_out;
      return;
    }
    --budget_.left;
    lines_ += name_;
    char before = '{';
    for (const Label& label : labels) {
      lines_ += before;
      lines_.append(label.name).append("=\"");
      AppendEscaped(label.value);
      lines_ += '"';
      before = ',';
    }
    fmt::format_to(std::back_inserter(lines_), "{} {}\n", labels.size() == 0 ? "" : "}", value);
  }

  /// Moves the lines behind `text`.
  void MoveTo(std::string& text) {
    fmt::format_to(std::back_inserter(text),
                   "# HELP {0} {1}\n# TYPE {0} gauge\n{2}",
                   name_,
                   help_,
                   std::exchange(lines_, {}));
  }

 private:
  void AppendEscaped(std::string_view value) {
    for (const char c : value) {
      if (c == '\n') {
        lines_ += "\\n";
        continue;
      }
      if (c == '\\' || c == '"') lines_ += '\\';
      lines_ += c;
    }
  }

  const std::string_view name_, help_;
  SeriesBudget& budget_;
  std::string lines_;
};

class Reader {
 public:
  Reader(verbs::Resources& resources, const std::atomic<bool>* is_given_up)
      : resources_(resources), scheme_(resources.scheme().Now()), is_given_up_(is_given_up) {}

  /// Shows all objects of a kind.
  Result<> Each(std::string_view api_version,
                std::string_view kind,
                const std::function<void(const api::Object&)>& see) const {
    verbs::ResourceRequest request;
    request.verb = verbs::Verb::kList;
    request.kind = scheme_->FindKind(api_version, kind);
    request.is_given_up = is_given_up_;
    request.list.limit = kPageObjects;
    if (request.kind == nullptr) return {};  // of another generation
    do {
      verbs::ResourceRequest page = request;
      DRAY_TRY(verbs::Answer answer, Wait(resources_.Handle(std::move(page))));
      if (!answer.outcome) return std::move(answer.outcome).failure();
      const auto* const found = std::get_if<verbs::ListAnswer>(&*answer.outcome);
      if (found == nullptr) return {};
      for (const storage::Item& item : found->items) see(item.object);
      request.list.continue_token = found->continue_token;
    } while (!request.list.continue_token.empty());
    return {};
  }

 private:
  verbs::Resources& resources_;
  const Frozen<api::Scheme> scheme_;
  const std::atomic<bool>* const is_given_up_;
};

std::string_view TextOf(const std::optional<std::string>& text) {
  return text.has_value() ? std::string_view(*text) : std::string_view();
}

Result<> AddClaims(const Reader& reader, SeriesBudget& budget, std::string& text) {
  Family info("kube_resourceclaim_info", "1 for each ResourceClaim.", budget);
  Family created(
      "kube_resourceclaim_created", "When it was created, in seconds since 1970.", budget);
  Family allocated("kube_resourceclaim_status_allocated", "Whether it has its devices.", budget);
  Family reserved("kube_resourceclaim_status_reserved_for", "1 for each of its users.", budget);
  Family devices("kube_resourceclaim_allocation_device_info", "1 for each of its devices.", budget);
  DRAY_TRY_VOID(reader.Each("resource.k8s.io/v1", "ResourceClaim", [&](const api::Object& object) {
    const auto& claim = object.As<v1::ResourceClaim>();
    const Label name{"resourceclaim", claim.metadata.name};
    const Label namespace_{"namespace", claim.metadata.namespace_};
    info.Add({namespace_, name}, 1);
    created.Add({namespace_, name}, claim.metadata.creation_timestamp.unix_seconds());
    allocated.Add({namespace_, name}, claim.status.allocation.has_value() ? 1 : 0);
    for (const auto& user : claim.status.reserved_for) {
      reserved.Add({namespace_,
                    name,
                    {"consumer_apigroup", user.api_group},
                    {"consumer_resource", user.resource},
                    {"consumer_name", user.name},
                    {"consumer_uid", user.uid}},
                   1);
    }
    if (!claim.status.allocation.has_value()) return;
    // A request may have several shares of one device, which are one series.
    std::set<std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>>
        seen;
    for (const auto& result : claim.status.allocation->devices.results) {
      if (!seen.emplace(result.request, result.driver, result.pool, result.device).second) continue;
      devices.Add({namespace_,
                   name,
                   {"request", result.request},
                   {"driver", result.driver},
                   {"pool", result.pool},
                   {"device", result.device}},
                  1);
    }
  }));
  for (Family* family : {&info, &created, &allocated, &reserved, &devices}) family->MoveTo(text);
  return {};
}

Result<> AddSlices(const Reader& reader, SeriesBudget& budget, std::string& text) {
  Family info("kube_resourceslice_info", "1 for each ResourceSlice.", budget);
  Family created(
      "kube_resourceslice_created", "When it was created, in seconds since 1970.", budget);
  Family count("kube_resourceslice_devices_total", "How many devices it publishes.", budget);
  Family devices("kube_resourceslice_device_info", "1 for each of its devices.", budget);
  DRAY_TRY_VOID(reader.Each("resource.k8s.io/v1", "ResourceSlice", [&](const api::Object& object) {
    const auto& slice = object.As<v1::ResourceSlice>();
    const Label name{"resourceslice", slice.metadata.name};
    const Label driver{"driver", slice.spec.driver};
    const Label pool{"pool_name", slice.spec.pool.name};
    const Label node{"node_name", TextOf(slice.spec.node_name)};
    const bool is_everywhere = slice.spec.all_nodes.value_or(false);
    info.Add({name, driver, pool, node, {"all_nodes", is_everywhere ? "true" : "false"}}, 1);
    created.Add({name}, slice.metadata.creation_timestamp.unix_seconds());
    count.Add({name, driver, pool, node}, static_cast<int64_t>(slice.spec.devices.size()));
    for (const v1::Device& device : slice.spec.devices)
      devices.Add({name, driver, pool, node, {"device_name", device.name}}, 1);
  }));
  for (Family* family : {&info, &created, &count, &devices}) family->MoveTo(text);
  return {};
}

Result<> AddClasses(const Reader& reader, SeriesBudget& budget, std::string& text) {
  Family info("kube_deviceclass_info", "1 for each DeviceClass.", budget);
  Family created("kube_deviceclass_created", "When it was created, in seconds since 1970.", budget);
  DRAY_TRY_VOID(reader.Each("resource.k8s.io/v1", "DeviceClass", [&](const api::Object& object) {
    const auto& one = object.As<v1::DeviceClass>();
    const Label name{"deviceclass", one.metadata.name};
    info.Add({name, {"extended_resource_name", TextOf(one.spec.extended_resource_name)}}, 1);
    created.Add({name}, one.metadata.creation_timestamp.unix_seconds());
  }));
  for (Family* family : {&info, &created}) family->MoveTo(text);
  return {};
}

Result<> AddTemplates(const Reader& reader, SeriesBudget& budget, std::string& text) {
  Family info("kube_resourceclaimtemplate_info", "1 for each ResourceClaimTemplate.", budget);
  Family created(
      "kube_resourceclaimtemplate_created", "When it was created, in seconds since 1970.", budget);
  DRAY_TRY_VOID(
      reader.Each("resource.k8s.io/v1", "ResourceClaimTemplate", [&](const api::Object& object) {
        const api::meta_v1::ObjectMeta& metadata = object.metadata();
        const Label name{"resourceclaimtemplate", metadata.name};
        const Label namespace_{"namespace", metadata.namespace_};
        info.Add({namespace_, name}, 1);
        created.Add({namespace_, name}, metadata.creation_timestamp.unix_seconds());
      }));
  for (Family* family : {&info, &created}) family->MoveTo(text);
  return {};
}

/// The claim that was made for an entry of a pod; empty: none yet.
std::string_view ClaimMadeFor(const core::Pod& pod, std::string_view entry) {
  for (const auto& status : pod.status.resource_claim_statuses) {
    if (status.name == entry && status.resource_claim_name.has_value())
      return *status.resource_claim_name;
  }
  return {};
}

Result<> AddPods(const Reader& reader, SeriesBudget& budget, std::string& text) {
  Family claims("kube_pod_resourceclaim_info",
                "1 for each entry of spec.resourceClaims of a pod; claim_name is its name there.",
                budget);
  DRAY_TRY_VOID(reader.Each("v1", "Pod", [&](const api::Object& object) {
    const auto& pod = object.As<core::Pod>();
    for (const auto& entry : pod.spec.resource_claims) {
      const bool is_named = entry.resource_claim_name.has_value();
      const bool is_made = entry.resource_claim_template_name.has_value();
      if (!is_named && !is_made) continue;
      claims.Add({{"namespace", pod.metadata.namespace_},
                  {"pod", pod.metadata.name},
                  {"uid", pod.metadata.uid},
                  {"claim_name", entry.name},
                  {"resourceclaim_name",
                   is_named ? TextOf(entry.resource_claim_name) : ClaimMadeFor(pod, entry.name)},
                  {"resourceclaim_template_name", TextOf(entry.resource_claim_template_name)}},
                 1);
    }
  }));
  claims.MoveTo(text);
  return {};
}

}  // namespace

Result<std::string> StateMetricsText(verbs::Resources& resources,
                                     const std::atomic<bool>* is_given_up,
                                     size_t series_max) {
  const Reader reader(resources, is_given_up);
  SeriesBudget budget{.left = series_max};
  std::string text;
  DRAY_TRY_VOID(AddClaims(reader, budget, text));
  DRAY_TRY_VOID(AddSlices(reader, budget, text));
  DRAY_TRY_VOID(AddClasses(reader, budget, text));
  DRAY_TRY_VOID(AddTemplates(reader, budget, text));
  DRAY_TRY_VOID(AddPods(reader, budget, text));
  SeriesBudget one{.left = 1};
  Family left_out("dray_state_metrics_left_out_series",
                  "How many series of objects this answer has no room for.",
                  one);
  left_out.Add({}, static_cast<int64_t>(budget.left_out));
  left_out.MoveTo(text);
  return text;
}

}  // namespace dray::server::http
