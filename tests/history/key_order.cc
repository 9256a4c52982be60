// SPDX-License-Identifier: Apache-2.0
#include "tests/history/key_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/strong.h"
#include "tests/history/describe.h"
#include "tests/history/history.h"

namespace dray::history {
namespace {

/// The key's value; zeros in it are unknown.
using State = std::optional<Item>;

template <class T>
bool Agree(const T& a, const T& b) {
  return a == T{} || b == T{} || a == b;
}

template <class T>
void Learn(T& known, const T& reported) {
  if (known == T{}) known = reported;
}

/// The state if it agrees with a step, with the values learnt from the step.
std::optional<State> Confirm(const State& state, const State& reported, bool with_modified) {
  if (state.has_value() != reported.has_value()) return std::nullopt;
  if (!state.has_value()) return state;
  State learnt = state;
  if (state->value != reported->value || !Agree(state->created, reported->created) ||
      !Agree(state->version, reported->version)) {
    return std::nullopt;
  }
  if (with_modified) {
    if (!Agree(state->modified, reported->modified)) return std::nullopt;
    Learn(learnt->modified, reported->modified);
  }
  Learn(learnt->created, reported->created);
  Learn(learnt->version, reported->version);
  return learnt;
}

std::optional<State> Expect(const State& state, Revision expected) {
  if (expected.value() == 0) return state.has_value() ? std::nullopt : std::optional(state);
  if (!state.has_value() || !Agree(state->modified, expected)) return std::nullopt;
  State learnt = state;
  learnt->modified = expected;
  return learnt;
}

std::optional<State> Put(const State& state, const KeyStep& step) {
  const bool goes_back =
      state.has_value() && step.revision.value() != 0 && state->modified >= step.revision;
  if (goes_back) return std::nullopt;
  Item stored = step.item.value_or(Item{});
  stored.modified = step.revision;
  const Revision created = state.has_value() ? state->created : step.revision;
  const int64_t old_version = state.has_value() ? state->version : 0;
  const int64_t version = state.has_value() && old_version == 0 ? 0 : old_version + 1;
  if (!Agree(stored.created, created) || !Agree(stored.version, version)) return std::nullopt;
  Learn(stored.created, created);
  Learn(stored.version, version);
  return stored;
}

/// The state after `step`, or nothing if it cannot happen in `state`.
std::optional<State> After(const State& state, const KeyStep& step) {
  if (step.kind == KeyStep::Kind::kRefused) {
    const Revision modified = state.has_value() ? state->modified : Revision{};
    const bool is_as_expected = step.expected == modified && (!state || modified.value() != 0);
    if (is_as_expected) return std::nullopt;
    return step.shows_item ? Confirm(state, step.item, true) : state;
  }
  State now = state;
  if (step.expected.has_value()) {
    const std::optional<State> met = Expect(state, *step.expected);
    if (!met.has_value()) return std::nullopt;
    now = *met;
  }
  switch (step.kind) {
    case KeyStep::Kind::kRead: return step.shows_item ? Confirm(now, step.item, true) : now;
    case KeyStep::Kind::kPut: return Put(now, step);
    case KeyStep::Kind::kDelete:
      if (step.shows_item && !Confirm(now, step.item, false).has_value()) return std::nullopt;
      return State{};
    case KeyStep::Kind::kRefused: break;
  }
  return std::nullopt;
}

bool IsWrite(const KeyStep& step) {
  return step.kind == KeyStep::Kind::kPut || step.kind == KeyStep::Kind::kDelete;
}

std::string StateText(const State& state) {
  if (!state.has_value()) return "-";
  return fmt::format("{}\n{} {} {}",
                     state->value,
                     state->created.value(),
                     state->modified.value(),
                     state->version);
}

class Search {
 public:
  Search(std::string_view key, const State& first, const std::vector<KeyStep>& steps)
      : key_(key), steps_(steps), is_done_(steps.size(), false) {
    state_ = first;
    for (size_t i = 0; i < steps.size(); ++i) {
      certain_left_ += steps[i].is_certain ? 1 : 0;
      if (steps[i].is_certain && steps[i].revision.value() != 0) by_revision_.push_back(i);
    }
    std::ranges::sort(by_revision_, {}, [&](size_t i) {
      return std::tuple(steps[i].revision, !IsWrite(steps[i]), i);
    });
  }

  KeyOrder Run(size_t steps_max) {
    KeyOrder order;
    Enter();
    while (certain_left_ > 0) {
      Frame& frame = frames_.back();
      if (frame.next == frame.candidates.size()) {
        if (frames_.size() == 1) {
          order.verdict = KeyOrder::Verdict::kNone;
          order.text = deepest_;
          break;
        }
        Leave();
        continue;
      }
      if (++order.steps > steps_max) {
        order.verdict = KeyOrder::Verdict::kUndecided;
        break;
      }
      Take(frame.candidates[frame.next++]);
    }
    return order;
  }

 private:
  struct Candidate {
    size_t step = 0;
    State state;
  };
  struct Frame {
    std::vector<Candidate> candidates;
    size_t next = 0;
    size_t taken = 0;  // the step that led here
    State before;      // the state it was taken in
  };

  /// The next step among those with revisions; none: there is none left.
  std::optional<size_t> FirstByRevision() const {
    for (const size_t i : by_revision_) {
      if (!is_done_[i]) return i;
    }
    return std::nullopt;
  }

  /// Opens a frame for the possible next steps.
  void Enter() {
    Frame frame;
    std::vector<size_t> blocked;
    const std::optional<size_t> first = FirstByRevision();
    Moment first_return = std::numeric_limits<Moment>::max();
    std::vector<Candidate> uncertain;
    for (size_t i = 0; i < steps_.size() && steps_[i].called < first_return; ++i) {
      if (is_done_[i]) continue;
      const KeyStep& step = steps_[i];
      if (step.is_certain) first_return = std::min(first_return, step.returned);
      if (step.is_certain && step.revision.value() != 0 && first != i) continue;
      std::optional<State> after = After(state_, step);
      if (!after.has_value()) {
        if (step.is_certain) blocked.push_back(i);
        continue;
      }
      if (!IsWrite(step) && *after == state_) {  // now or never makes no difference: now
        frame.candidates = {{.step = i, .state = *std::move(after)}};
        frames_.push_back(std::move(frame));
        return;
      }
      if (!step.is_certain && *after == state_) continue;
      (step.is_certain ? frame.candidates : uncertain).push_back({i, *std::move(after)});
    }
    if (certain_left_ < deepest_left_) NoteDeepest(blocked);
    std::ranges::move(uncertain, std::back_inserter(frame.candidates));
    frames_.push_back(std::move(frame));
  }

  void Take(const Candidate& candidate) {
    const size_t step = candidate.step;
    State before = std::exchange(state_, candidate.state);
    SetDone(step, true);
    if (!met_.insert(Fingerprint()).second) {
      SetDone(step, false);
      state_ = std::move(before);
      return;
    }
    Enter();
    frames_.back().taken = step;
    frames_.back().before = std::move(before);
  }

  void Leave() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    SetDone(frame.taken, false);
    state_ = std::move(frame.before);
  }

  void SetDone(size_t step, bool is_done) {
    is_done_[step] = is_done;
    if (!steps_[step].is_certain) return;
    certain_left_ += is_done ? -1 : 1;
  }

  std::string Fingerprint() const {
    std::string text;
    const auto first = std::ranges::find(is_done_, false);
    const auto skipped = static_cast<size_t>(first - is_done_.begin());
    text = fmt::format("{} {} ", skipped, StateText(state_));
    for (size_t i = skipped; i < is_done_.size(); ++i) text += is_done_[i] ? '1' : '0';
    while (text.ends_with('0')) text.pop_back();
    return text;
  }

  void NoteDeepest(const std::vector<size_t>& blocked) {
    constexpr size_t kShownMax = 3;
    deepest_left_ = certain_left_;
    std::string text = fmt::format(
        "no order of the {} operations on {} explains their answers: when {} are left, it is {}, "
        "and none of these can be next: ",
        steps_.size(),
        key_,
        certain_left_,
        Describe(key_, state_));
    for (size_t i = 0; i < blocked.size() && i < kShownMax; ++i) {
      const KeyStep& step = steps_[blocked[i]];
      text += (i == 0 ? "" : "; ") + Describe(*step.operation);
      if (step.shows_item && !IsWrite(step)) text += ", which saw " + Describe(key_, step.item);
    }
    deepest_ = std::move(text);
  }

  const std::string_view key_;
  const std::vector<KeyStep>& steps_;
  std::vector<bool> is_done_;
  std::vector<size_t> by_revision_;  // steps in the order of their revisions, writes first
  int64_t certain_left_ = 0;
  int64_t deepest_left_ = std::numeric_limits<int64_t>::max();
  std::string deepest_;
  State state_;
  std::vector<Frame> frames_;
  std::unordered_set<std::string> met_;
};

}  // namespace

KeyOrder FindKeyOrder(std::string_view key,
                      const std::optional<Item>& first,
                      const std::vector<KeyStep>& steps,
                      size_t steps_max) {
  return Search(key, first, steps).Run(steps_max);
}

}  // namespace dray::history
