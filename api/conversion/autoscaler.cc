// SPDX-License-Identifier: Apache-2.0
#include "api/conversion/autoscaler.h"

#include <utility>

#include "api/autoscaling_v1.h"
#include "api/autoscaling_v2.h"

namespace dray::api::conversion {
namespace {

namespace v1 = autoscaling_v1;
namespace v2 = autoscaling_v2;

constexpr std::string_view kResource = "Resource";
constexpr std::string_view kCpu = "cpu";

}  // namespace

void AutoscalerToHub(const Object& object, Object& hub) {
  const auto* const from = object.If<v1::HorizontalPodAutoscaler>();
  if (from == nullptr) return;
  auto& to = hub.Mutable<v2::HorizontalPodAutoscaler>();
  if (from->spec.target_cpu_utilization_percentage.has_value()) {
    v2::MetricSpec& metric = to.spec.metrics.emplace_back();
    metric.type = kResource;
    v2::ResourceMetricSource& cpu = metric.resource.emplace();
    cpu.name = kCpu;
    cpu.target.type = "Utilization";
    cpu.target.average_utilization = from->spec.target_cpu_utilization_percentage;
  }
  if (from->status.current_cpu_utilization_percentage.has_value()) {
    v2::MetricStatus& metric = to.status.current_metrics.emplace_back();
    metric.type = kResource;
    v2::ResourceMetricStatus& cpu = metric.resource.emplace();
    cpu.name = kCpu;
    cpu.current.average_utilization = from->status.current_cpu_utilization_percentage;
  }
}

void AutoscalerFromHub(const Object& hub, Object& object) {
  if (object.If<v1::HorizontalPodAutoscaler>() == nullptr) return;
  auto& to = object.Mutable<v1::HorizontalPodAutoscaler>();
  const auto& from = hub.As<v2::HorizontalPodAutoscaler>();
  for (const v2::MetricSpec& metric : from.spec.metrics) {
    if (!metric.resource.has_value() || metric.resource->name != kCpu) continue;
    if (!metric.resource->target.average_utilization.has_value()) continue;
    to.spec.target_cpu_utilization_percentage = metric.resource->target.average_utilization;
    break;
  }
  for (const v2::MetricStatus& metric : from.status.current_metrics) {
    if (!metric.resource.has_value() || metric.resource->name != kCpu) continue;
    to.status.current_cpu_utilization_percentage = metric.resource->current.average_utilization;
    break;
  }
}

}  // namespace dray::api::conversion
