// SPDX-License-Identifier: Apache-2.0
#include "tests/stories/story_shape.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "tests/stories/vocabulary.h"
#include "tests/vectors/case_files.h"
#include "tests/vectors/shape.h"

namespace dray::stories {
namespace {

namespace json = boost::json;
using vectors::ListOf;
using vectors::Shape;
using vectors::ShapeRule;
using vectors::TextOf;

constexpr bool kRequired = true;
constexpr double kWaitSecondsMax = 600;
constexpr int64_t kRepeatMax = 10'000;
constexpr int64_t kWidthMax = 9;
constexpr int64_t kFormat = 1;

constexpr ShapeRule kStory[] = {
    {"", Shape::kObject},
    {"/steps", Shape::kList, kRequired},
    {"/name", Shape::kText, kRequired},
    {"/release", Shape::kText, kRequired},
    {"/namespace", Shape::kText},
    {"/gates", Shape::kList},
    {"/gates/*", Shape::kText},
    {"/varies", Shape::kList},
    {"/varies/*/objects", Shape::kList},
    {"/varies/*/objects/*", Shape::kText},
    {"/steps/*", Shape::kObject},
    {"/steps/*/do", Shape::kList},
    {"/steps/*/do/*", Shape::kObject},
    {"/steps/*/do/*/op", Shape::kText, kRequired},
    {"/steps/*/writes", Shape::kList},
    {"/steps/*/writes/*", Shape::kObject},
    {"/steps/*/writes/*/members", Shape::kList},
    {"/steps/*/writes/*/members/*", Shape::kText},
    {"/steps/*/writes/*/patch", Shape::kObject},
    {"/steps/*/writes/*/patch/status", Shape::kObject},
    {"/steps/*/writes/*/patch/status/conditions/*", Shape::kObject},
    {"/steps/*/answers", Shape::kList},
    {"/steps/*/snapshot", Shape::kObject, kRequired},
    {"/steps/*/snapshot/*", Shape::kList},
    {"/steps/*/snapshot/*/*", Shape::kObject},
    {"/steps/*/snapshot/*/*/metadata", Shape::kObject},
    {"/steps/*/snapshot/*/*/status", Shape::kObject},
    {"/steps/*/snapshot/*/*/status/reservedFor", Shape::kList},
    {"/steps/*/snapshot/*/*/status/reservedFor/*", Shape::kObject},
    {"/steps/*/snapshot/*/*/status/conditions", Shape::kList},
    {"/steps/*/snapshot/*/*/status/conditions/*", Shape::kObject},
};

// The required members of each deed, by op.
constexpr ShapeRule kCreate[] = {
    {"/object", Shape::kObject, kRequired},
    {"/object/apiVersion", Shape::kText, kRequired},
    {"/object/kind", Shape::kText, kRequired},
    {"/object/metadata", Shape::kObject, kRequired},
};
constexpr ShapeRule kPatch[] = {
    {"/kind", Shape::kText, kRequired},
    {"/name", Shape::kText, kRequired},
    {"/patch", Shape::kAny, kRequired},
};
constexpr ShapeRule kDelete[] = {
    {"/kind", Shape::kText, kRequired},
    {"/name", Shape::kText, kRequired},
    {"/gracePeriodSeconds", Shape::kWholeNumber},
};
constexpr ShapeRule kBind[] = {
    {"/name", Shape::kText, kRequired},
    {"/node", Shape::kText, kRequired},
};
constexpr ShapeRule kWait[] = {{"/seconds", Shape::kNumber, kRequired}};
constexpr ShapeRule kComponent[] = {{"/component", Shape::kText, kRequired}};
constexpr ShapeRule kReject[] = {
    {"/id", Shape::kText, kRequired},
    {"/resource", Shape::kText, kRequired},
    {"/operations", Shape::kList, kRequired},
    {"/operations/*", Shape::kText},
};
constexpr ShapeRule kAllow[] = {{"/id", Shape::kText, kRequired}};
constexpr ShapeRule kRepeat[] = {
    {"/repeat", Shape::kObject},
    {"/repeat/from", Shape::kWholeNumber},
    {"/repeat/to", Shape::kWholeNumber},
    {"/repeat/width", Shape::kWholeNumber},
};

// The shape of an object in a snapshot; events there have no metadata.
constexpr ShapeRule kSnapshotObjects[] = {{"/*/metadata", Shape::kObject, kRequired}};

constexpr std::pair<std::string_view, std::span<const ShapeRule>> kDeeds[] = {
    {"create", kCreate},
    {"patch", kPatch},
    {"patchStatus", kPatch},
    {"delete", kDelete},
    {"bind", kBind},
    {"wait", kWait},
    {"kill", kComponent},
    {"start", kComponent},
    {"reject", kReject},
    {"allow", kAllow},
};
constexpr std::array<std::string_view, 3> kComponents = {
    "kube-scheduler", "second-scheduler", "kube-controller-manager"};

Failure Wrong(std::string_view place, std::string_view what) {
  return Fail(StatusReason::kBadRequest, fmt::format("{}: {}", place, what));
}

Result<> CheckRanges(const json::object& deed) {
  if (TextOf(deed, "op") == "wait") {
    const double wait = vectors::NumberOf(deed.at("seconds"));
    if (!(wait >= 0 && wait <= kWaitSecondsMax)) {
      return Wrong("/seconds", fmt::format("must be from 0 to {}", kWaitSecondsMax));
    }
  }
  if (const json::value* repeat = deed.if_contains("repeat")) {
    const auto [from, to, width] = RepeatOf(repeat->as_object());
    if (from < 0 || to < from || to > kRepeatMax) {
      return Wrong("/repeat", fmt::format("must be numbers from 0 to {}", kRepeatMax));
    }
    if (width < 0 || width > kWidthMax) {
      return Wrong("/repeat/width", fmt::format("must be from 0 to {}", kWidthMax));
    }
  }
  const std::string_view patch_type = TextOf(deed, "patchType");
  if (!patch_type.empty() && patch_type != "merge" && patch_type != "strategic") {
    return Wrong("/patchType", fmt::format("unknown type \"{}\"", patch_type));
  }
  const std::string_view component = TextOf(deed, "component");
  if (!component.empty() && std::ranges::find(kComponents, component) == kComponents.end()) {
    return Wrong("/component", fmt::format("unknown component \"{}\"", component));
  }
  return {};
}

Result<> CheckDeed(const json::value& deed) {
  const std::string_view op = TextOf(deed.as_object(), "op");
  const auto* const known =
      std::ranges::find(kDeeds, op, [](const auto& one) { return one.first; });
  if (known == std::end(kDeeds)) return Wrong("/op", fmt::format("unknown deed \"{}\"", op));
  DRAY_TRY_VOID(vectors::CheckShape(deed, known->second));
  DRAY_TRY_VOID(vectors::CheckShape(deed, kRepeat));
  return CheckRanges(deed.as_object());
}

Result<> CheckSnapshot(const json::object& snapshot) {
  for (const auto& [plural, objects] : snapshot) {
    if (plural == "events") continue;
    if (const Result<> checked = vectors::CheckShape(objects, kSnapshotObjects); !checked) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("/{}{}", std::string_view(plural), checked.error().message));
    }
  }
  return {};
}

}  // namespace

Result<> CheckStory(const json::value& story) {
  DRAY_TRY_VOID(vectors::CheckShape(story, kStory));
  DRAY_TRY_VOID(vectors::CheckShape(story, kStory));
  const json::object& members = story.as_object();
  if (const json::value* format = members.if_contains("format"); format != nullptr) {
    if (*format != json::value(kFormat)) return Wrong("/format", "only format 1 is known");
  }
  if (!IsOf(members, "1.37") && !IsClassic(members)) {
    return Wrong(
        "/release",
        fmt::format("{} is not played; 1.30, 1.31 and 1.37 are", TextOf(members, "release")));
  }
  const json::array& steps = ListOf(members, "steps");
  for (size_t step = 0; step < steps.size(); ++step) {
    const json::array& deeds = ListOf(steps[step].as_object(), "do");
    for (size_t deed = 0; deed < deeds.size(); ++deed) {
      const Result<> checked = CheckDeed(deeds[deed]);
      if (!checked) {
        return Fail(StatusReason::kBadRequest,
                    fmt::format("/steps/{}/do/{}{}", step, deed, checked.error().message));
      }
    }
    const json::object& snapshot = steps[step].as_object().at("snapshot").as_object();
    if (const Result<> checked = CheckSnapshot(snapshot); !checked) {
      return Fail(StatusReason::kBadRequest,
                  fmt::format("/steps/{}/snapshot{}", step, checked.error().message));
    }
  }
  return {};
}

}  // namespace dray::stories
