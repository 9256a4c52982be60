// SPDX-License-Identifier: Apache-2.0
#include "api/validation/cluster/event.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/reflect.h"
#include "api/text/names.h"
#include "api/validation/field_path.h"

namespace dray::api::validation::inline cluster {
namespace {

using core_v1::Event;

constexpr std::string_view kShownAsNothing = R"("")";  // upstream shows no value here

void CheckEventWord(std::string_view name, const std::string& word, FieldErrors& errors) {
  if (word.empty()) errors.Required(Path(name));
  if (word.size() <= kEventWordMax) return;
  errors.Invalid(
      Path(name), kShownAsNothing, fmt::format("can have at most {} characters", kEventWordMax));
}

void CheckPlace(const Event& event, FieldErrors& errors) {
  const std::string& about = event.involved_object.namespace_;
  const std::string& lies_in = event.metadata.namespace_;
  bool is_placed = about == lies_in;
  if (about.empty()) is_placed = lies_in.empty() || lies_in == "default";
  if (!event.event_time.IsZero()) {
    is_placed = !about.empty() || lies_in == "default" || lies_in == "kube-system";
  }
  if (is_placed) return;
  errors.Invalid(Path("involvedObject.namespace"), Shown(about), "does not match event.namespace");
}

/// Checks the reporter and the action of an event in the new form.
void CheckReport(const Event& event, FieldErrors& errors) {
  const Path reporter("reportingController");
  const std::string& name = event.reporting_component;
  if (name.empty()) errors.Required(reporter);
  errors.Names(reporter, name, CheckLabelKey(name));
  CheckEventWord("reportingInstance", event.reporting_instance, errors);
  CheckEventWord("action", event.action, errors);
  CheckEventWord("reason", event.reason, errors);
  if (event.message.size() <= kEventMessageMax) return;
  errors.Invalid(Path("message"),
                 kShownAsNothing,
                 fmt::format("can have at most {} characters", kEventMessageMax));
}

void CheckSeries(const Event& event, FieldErrors& errors) {
  if (!event.series.has_value()) return;
  if (event.series->count < 2) {
    errors.Invalid(Path("series.count"), kShownAsNothing, "should be at least 2");
  }
  if (event.series->last_observed_time.IsZero()) errors.Required(Path("series.lastObservedTime"));
}

void CheckUnset(std::string_view name, bool is_unset, FieldErrors& errors) {
  if (!is_unset) errors.Invalid(Path(name), kShownAsNothing, "needs to be unset");
}

void CheckNew(const Event& event, FieldErrors& errors) {
  CheckSeries(event, errors);
  if (event.event_time.IsZero()) errors.Required(Path("eventTime"));
  if (event.type != "Normal" && event.type != "Warning") {
    errors.Invalid(Path("type"), kShownAsNothing, fmt::format("has invalid value: {}", event.type));
  }
  CheckUnset("firstTimestamp", event.first_timestamp.IsZero(), errors);
  CheckUnset("lastTimestamp", event.last_timestamp.IsZero(), errors);
  CheckUnset("count", event.count == 0, errors);
  CheckUnset("source", event.source == core_v1::EventSource(), errors);
}

/// Members that do not change, in the order of upstream's answers. One has another name there.
struct Lasting {
  std::string_view member, shown;
};
constexpr std::array kLasting = {Lasting{"involvedObject", "involvedObject"},
                                 Lasting{"reason", "reason"},
                                 Lasting{"message", "message"},
                                 Lasting{"source", "source"},
                                 Lasting{"firstTimestamp", "firstTimestamp"},
                                 Lasting{"lastTimestamp", "lastTimestamp"},
                                 Lasting{"count", "count"},
                                 Lasting{"reason", "reason"},
                                 Lasting{"type", "type"},
                                 Lasting{"eventTime", "eventTime"},
                                 Lasting{"action", "action"},
                                 Lasting{"related", "related"},
                                 Lasting{"reportingComponent", "reportingController"},
                                 Lasting{"reportingInstance", "reportingInstance"}};

void CheckChanged(const Event& event, const Event& old, FieldErrors& errors) {
  if (event.series != old.series) CheckSeries(event, errors);
  for (const auto& [member, shown] : kLasting) {
    const Field& field = *TypeOf<Event>().Find(member);
    const void* const value = field.of(&event);
    if (Equal(field.type(), value, field.of(&old))) continue;
    errors.Invalid(Path(shown), Shown(field.type(), value), kImmutable);
  }
}

}  // namespace

std::vector<ErrorCause> ValidateEvent(const Event& event,
                                      const Event* old,
                                      const Options& options) {
  FieldErrors errors(options.profile.release);
  CheckPlace(event, errors);
  if (!event.event_time.IsZero()) CheckReport(event, errors);
  const bool is_strict = options.version != nullptr && options.version->group == "events.k8s.io";
  if (is_strict && old == nullptr) CheckNew(event, errors);
  if (is_strict && old != nullptr) CheckChanged(event, *old, errors);
  return std::move(errors).Take();
}

}  // namespace dray::api::validation::inline cluster
