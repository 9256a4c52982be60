// SPDX-License-Identifier: Apache-2.0
#include "client/write_rounds.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "client/outcome.h"

namespace dray::client {
namespace {

using Answer = Result<api::Object>;

/// How much an answer says about its sequence, whose parts succeed or fail together.
int WeightOf(const Answer& answer) {
  if (answer.has_value()) return 0;
  if (MayBeCarriedOut(answer.error())) return 3;
  return answer.error().reason == StatusReason::kConflict ? 1 : 2;
}

Result<std::vector<api::Object>> AnswerOf(std::span<Answer> answers) {
  const Answer& heaviest = *std::ranges::max_element(answers, {}, WeightOf);
  if (!heaviest.has_value()) return Fail(heaviest.error());
  std::vector<api::Object> objects;
  for (Answer& answer : answers) objects.push_back(*std::move(answer));
  return objects;
}

}  // namespace

void WriteRounds::AddSequence(std::vector<Write> writes, SequenceDone done) {
  const bool fits = client_.takes_sequences() && !writes.empty() && writes.size() <= kSequenceMax;
  if (!fits) return done(Fail(StatusReason::kConflict, "not to be written in sequence"));
  for (Write& write : writes) write.with_next = &write != &writes.back();
  Enqueue(writes,
          [done = std::move(done)](std::span<Answer> answers) mutable { done(AnswerOf(answers)); });
}

void WriteRounds::Enqueue(std::span<Write> writes, GoOn go_on) {
  waiting_.push_back({.writes = writes.size(), .go_on = std::move(go_on)});
  writes_.insert(writes_.end(),
                 std::make_move_iterator(writes.begin()),
                 std::make_move_iterator(writes.end()));
}

void WriteRounds::Run() {
  const std::vector<Write> writes = std::exchange(writes_, {});
  std::vector<Waiting> waiting = std::exchange(waiting_, {});
  std::vector<Answer> answers = client_.WriteAll(writes);
  std::span<Answer> left(answers);
  for (Waiting& task : waiting) {
    task.go_on(left.first(task.writes));
    left = left.subspan(task.writes);
  }
}

}  // namespace dray::client
