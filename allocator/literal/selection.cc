// SPDX-License-Identifier: Apache-2.0
#include "allocator/literal/selection.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "allocator/rules/node_match.h"
#include "allocator/rules/work_units.h"
#include "api/resource_v1/device_class.h"
#include "base/try.h"
#include "cel/api_device.h"
#include "cel/device_activation.h"

namespace dray::allocator::literal {
namespace {

namespace v1 = api::resource_v1;

}  // namespace

Result<bool> Selection::IsSelectable(const rules::Criteria& criteria,
                                     const rules::DeviceEntry& device) {
  if (!features_.device_binding_and_status && !device.device->binding_conditions.empty())
    return false;
  if (device.device->no_basic && rules_.needs_basic_part) return false;
  while (criteria.row >= answers_.size()) answers_.emplace_back(views_.size(), Answer::kUnknown);
  Answer& answer = answers_[criteria.row][device.index];
  if (answer == Answer::kUnknown) {
    DRAY_TRY(const bool selectable, Evaluate(criteria, device));
    answer = selectable ? Answer::kYes : Answer::kNo;
  }
  return answer == Answer::kYes;
}

Result<bool> Selection::Evaluate(const rules::Criteria& criteria,
                                 const rules::DeviceEntry& device) {
  if (const v1::DeviceClass* device_class = criteria.device_class) {
    DRAY_TRY(const bool in_class,
             AllTrue({"class", device_class->metadata.name}, device_class->spec.selectors, device));
    if (!in_class) return false;
  }
  DRAY_TRY(const bool matches, AllTrue({"claim", criteria.claim_key}, criteria.selectors, device));
  if (!matches || !device.slice->spec.per_device_node_selection.value_or(false)) return matches;
  return rules::IsUsableOn(node_, *device.device);
}

Result<bool> Selection::AllTrue(Owner owner,
                                std::span<const v1::DeviceSelector> selectors,
                                const rules::DeviceEntry& device) {
  for (size_t i = 0; i < selectors.size(); ++i) {
    const auto fail = [&](std::string_view where, std::string_view why) {
      return Fail(StatusReason::kInvalid,
                  fmt::format("{} {}: selector #{}{}{}", owner.word, owner.name, i, where, why));
    };
    const api::Maybe<v1::CELDeviceSelector>& source = selectors[i].cel;
    if (!source.has_value()) return fail("", ": CEL expression empty (unsupported selector type?)");
    const Result<cel::Selector> selector = cache_.Compile(source->expression);
    if (!selector) return fail(": CEL compile error: ", selector.error().message);
    const cel::Evaluation evaluation = selector->Evaluate(View(device), work_);
    DRAY_TRY_VOID(CheckWork());
    if (const cel::EvaluationError* error = evaluation.error()) {
      if (!rules_.selector_errors_name_device) return fail(": CEL runtime error: ", error->message);
      return fail(fmt::format(" on device {}: CEL runtime error: ", device.id().ToString()),
                  cel::WithHint(error->message));
    }
    if (!evaluation.matches()) return false;
  }
  return true;
}

const cel::DeviceActivation& Selection::View(const rules::DeviceEntry& device) {
  std::unique_ptr<cel::DeviceActivation>& view = views_[device.index];
  if (view == nullptr) {
    work_.Charge(rules::kWorkPerView);
    cel::Device seen = cel::DeviceOf(device.driver(), *device.device);
    if (!rules_.knows_shares) seen.allow_multiple_allocations = false;
    view = std::make_unique<cel::DeviceActivation>(seen);
  }
  return *view;
}

Result<> Selection::CheckWork() const {
  if (!is_spent()) return {};
  return Fail(StatusReason::kTooManyRequests, "evaluating expressions takes too long");
}

}  // namespace dray::allocator::literal
