// SPDX-License-Identifier: Apache-2.0
// Writes of many tasks, carried out together: a store that has to wait for a disk waits once for
// all of them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/object.h"
#include "base/result.h"
#include "base/task.h"
#include "client/client.h"

namespace dray::client {

/// Tasks that write through this wait for a round, in which the writes of all that wait become one
/// Client::WriteAll. Each goes on with its answer on the thread that runs the rounds; the order of
/// its own writes is its own. One thread. Outlives its tasks; the client outlives it.
class WriteRounds {
  using Answer = Result<api::Object>;

  auto Do(Write write) {
    return FromCallback<Answer>([this, write = std::move(write)](auto done) mutable {
      writes_.push_back(std::move(write));
      tasks_.emplace_back(std::move(done));
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

  /// What cannot wait for a round: reads, and what is rare.
  Client& client() { return client_; }

  /// Whether no task waits for a round.
  bool idle() const { return writes_.empty(); }
  /// One round; tasks that go on may wait for the next.
  void Run();
  /// Rounds until no task waits.
  void RunAll() {
    while (!idle()) Run();
  }

 private:
  Client& client_;
  std::vector<Write> writes_;
  std::vector<std::move_only_function<void(Answer)>> tasks_;  // that wait for their answers
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
