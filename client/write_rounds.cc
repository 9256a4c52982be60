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

/// How much an answer says about its sequence, whose parts share their fate.
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
  waiting_.push_back(
      {.writes = writes.size(),
       .go_on = [done = std::move(done)](auto answers) mutable { done(AnswerOf(answers)); }});
  std::ranges::move(writes, std::back_inserter(writes_));
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
