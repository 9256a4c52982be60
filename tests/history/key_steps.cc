// SPDX-License-Identifier: Apache-2.0
// The meaning of each operation for one key.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/strong.h"
#include "tests/history/facts.h"
#include "tests/history/history.h"
#include "tests/history/key_order.h"

namespace dray::history {
namespace {

constexpr Moment kNever = std::numeric_limits<Moment>::max();

class StepCollector {
 public:
  explicit StepCollector(std::string_view key) : key_(key) {}

  std::vector<KeyStep> Collect(const History& history) {
    for (const Operation& operation : history.operations) {
      operation_ = &operation;
      if (const auto* write = std::get_if<Write>(&operation.request)) {
        OfWrite(*write);
      } else if (const auto* seen = std::get_if<Seen>(&operation.answer)) {
        OfRead(*seen);
      }
    }
    std::ranges::sort(steps_, {}, &KeyStep::called);
    return std::move(steps_);
  }

 private:
  KeyStep Step(KeyStep::Kind kind) const {
    return {.kind = kind,
            .called = operation_->called,
            .returned = operation_->returned,
            .operation = operation_};
  }

  void OfRead(const Seen& seen) {
    const auto* get = std::get_if<Get>(&operation_->request);
    const auto* list = std::get_if<List>(&operation_->request);
    if (get != nullptr && (get->key != key_ || get->freshness != Freshness::kLinearizable)) return;
    if (list != nullptr &&
        (list->freshness != Freshness::kLinearizable || !WindowOf(*list, seen).Has(key_))) {
      return;
    }
    KeyStep step = Step(KeyStep::Kind::kRead);
    step.revision = seen.revision;
    const auto item = std::ranges::find(seen.items, key_, &Item::key);
    if (item != seen.items.end()) step.item = *item;
    steps_.push_back(std::move(step));
  }

  void OfWrite(const Write& write) {
    const auto condition = std::ranges::find(write.conditions, key_, &Condition::key);
    const auto change = std::ranges::find(write.changes, key_, &Change::key);
    std::optional<Revision> expected;
    if (condition != write.conditions.end()) expected = condition->modified;
    const bool is_changed = change != write.changes.end();
    if (const auto* done = std::get_if<Done>(&operation_->answer)) {
      const auto index = static_cast<size_t>(change - write.changes.begin());
      if (is_changed) {
        OfDone(*change, *done, index, expected);
      } else if (expected.has_value()) {
        steps_.push_back(ConditionStep(KeyStep::Kind::kRead, *expected, done->revision));
      }
    } else if (const auto* refused = std::get_if<Refused>(&operation_->answer)) {
      if (expected.has_value()) OfRefused(write, *refused, *expected);
    } else if (std::holds_alternative<Unknown>(operation_->answer) && is_changed) {
      steps_.push_back(Uncertain(*change, expected));
    }
    if (is_changed && change->may_expire) OfExpiry();
  }

  KeyStep ConditionStep(KeyStep::Kind kind, Revision expected, Revision at) const {
    KeyStep step = Step(kind);
    step.shows_item = false;
    step.expected = expected;
    step.revision = at;
    return step;
  }

  static Item Stored(const Change& change, Revision revision) {
    return {.key = change.key, .value = change.value.value_or(""), .modified = revision};
  }

  void OfDone(const Change& change,
              const Done& done,
              size_t index,
              std::optional<Revision> expected) {
    const bool is_put = change.value.has_value();
    KeyStep step = Step(is_put ? KeyStep::Kind::kPut : KeyStep::Kind::kDelete);
    step.expected = expected;
    step.revision = done.revision;
    const bool is_reported = index < done.items.size();
    if (is_reported) step.item = done.items[index];
    if (is_put && !step.item.has_value()) step.item = Stored(change, done.revision);
    if (!is_put && is_reported && !step.item.has_value()) step.kind = KeyStep::Kind::kRead;
    step.shows_item = is_put || is_reported;
    steps_.push_back(std::move(step));
  }

  void OfRefused(const Write& write, const Refused& refused, Revision expected) {
    if (refused.mismatches.empty()) {  // the answer does not name them
      if (write.conditions.size() == 1)
        steps_.push_back(ConditionStep(KeyStep::Kind::kRefused, expected, refused.revision));
      return;
    }
    const auto mismatch = std::ranges::find(refused.mismatches, key_, &Refused::Mismatch::key);
    const bool is_met = mismatch == refused.mismatches.end();
    KeyStep step = ConditionStep(
        is_met ? KeyStep::Kind::kRead : KeyStep::Kind::kRefused, expected, refused.revision);
    if (!is_met) {
      step.shows_item = true;
      step.item = mismatch->current;
    }
    steps_.push_back(std::move(step));
  }

  KeyStep Uncertain(const Change& change, std::optional<Revision> expected) const {
    const bool is_put = change.value.has_value();
    KeyStep step = Step(is_put ? KeyStep::Kind::kPut : KeyStep::Kind::kDelete);
    step.returned = kNever;
    step.is_certain = false;
    step.shows_item = is_put;
    if (is_put) step.item = Stored(change, Revision{});
    step.expected = expected;
    return step;
  }

  void OfExpiry() {
    const auto* done = std::get_if<Done>(&operation_->answer);
    if (done == nullptr && !std::holds_alternative<Unknown>(operation_->answer)) return;
    KeyStep step = Step(KeyStep::Kind::kDelete);
    step.returned = kNever;
    step.is_certain = false;
    step.is_expiry = true;
    step.shows_item = false;
    if (done != nullptr) step.expected = done->revision;
    steps_.push_back(std::move(step));
  }

  const std::string_view key_;
  const Operation* operation_ = nullptr;
  std::vector<KeyStep> steps_;
};

}  // namespace

std::vector<KeyStep> StepsOn(const History& history, std::string_view key) {
  return StepCollector(key).Collect(history);
}

}  // namespace dray::history
