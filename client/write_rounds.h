// SPDX-License-Identifier: Apache-2.0
// Writes of many tasks, carried out together: a store that has to wait for a disk waits once for
// all of them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/object.h"
#include "base/result.h"
#include "base/task.h"
#include "client/client.h"

namespace dray::client {

/// Tasks that write through this wait for a round, in which the writes of all that wait become one
/// Client::WriteAll. Each continues with its answer on the thread that runs the rounds, and orders
/// its own writes. One thread. Outlives its tasks; the client outlives it.
class WriteRounds {
  using Answer = Result<api::Object>;

  /// Continues a task with the answers to its writes, or with one error for all of them.
  using GoOn = std::move_only_function<void(std::span<Answer>)>;
  /// A waiting task: the number of its writes, and the function that continues it.
  struct Waiting {
    size_t writes;
    GoOn go_on;
  };

  auto Do(Write write) {
    return FromCallback<Answer>([this, write = std::move(write)](auto done) mutable {
      Enqueue(std::span(&write, 1),
              [done = std::move(done)](auto answers) mutable { done(std::move(answers.front())); });
    });
  }

 public:
  explicit WriteRounds(Client& client) : client_(client) {}

  // For co_await: as the client's methods of these names, which say what comes back.
  auto Create(api::Object object) {
    return Do({.verb = Write::Verb::kCreate, .object = std::move(object)});
  }
  auto Update(api::Object object, std::string subresource) {
    return Do({.verb = Write::Verb::kUpdate,
               .object = std::move(object),
               .subresource = std::move(subresource)});
  }
  auto CreateSubresource(ObjectRef parent, std::string subresource, api::Object body) {
    return Do({.verb = Write::Verb::kCreate,
               .object = std::move(body),
               .subresource = std::move(subresource),
               .parent = std::move(parent)});
  }

  /// For co_await: what the writes of one sequence (Write::with_next) leave, in order, if the
  /// client takes sequences of so many. Else, and if one is refused, kConflict or the error of that
  /// one, and none is carried out; if the answer was lost that is not known (MayBeCarriedOut).
  auto InSequence(std::vector<Write> writes) {
    return FromCallback<Result<std::vector<api::Object>>>(
        [this, writes = std::move(writes)](auto done) mutable {
          AddSequence(std::move(writes), std::move(done));
        });
  }

  /// What cannot wait for a round: reads, and what is rare.
  Client& client() { return client_; }

  /// Whether no task waits for a round.
  bool idle() const { return writes_.empty(); }
  /// Runs one round; tasks that it continues may wait for the next.
  void Run();
  /// Rounds until no task waits.
  void RunAll() {
    while (!idle()) Run();
  }

 private:
  using SequenceDone = std::move_only_function<void(Result<std::vector<api::Object>>)>;
  void AddSequence(std::vector<Write> writes, SequenceDone done);
  /// Adds the writes to the next round.
  void Enqueue(std::span<Write> writes, GoOn go_on);

  Client& client_;
  std::vector<Write> writes_;
  std::vector<Waiting> waiting_;
};

/// Runs one task of its own to its end: `make` gets the rounds that it writes through.
template <class T, class F>
Result<T> RunAlone(Client& client, const F& make) {
  WriteRounds rounds(client);
  std::optional<Result<T>> result;
  Start(make(rounds), [&](Result<T> value) { result.emplace(std::move(value)); });
  rounds.RunAll();
  return *std::move(result);
}

}  // namespace dray::client
