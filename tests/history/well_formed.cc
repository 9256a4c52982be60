// SPDX-License-Identifier: Apache-2.0
#include "tests/history/well_formed.h"

#include <set>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "tests/history/describe.h"
#include "tests/history/finding.h"
#include "tests/history/history.h"

namespace dray::history {
namespace {

/// "" if the answer can be one to the request.
std::string WrongAnswer(const Operation& operation) {
  const auto* write = std::get_if<Write>(&operation.request);
  const auto* done = std::get_if<Done>(&operation.answer);
  const bool is_read = write == nullptr;
  if (std::holds_alternative<Seen>(operation.answer) && !is_read)
    return "answers a write with a state";
  if (std::holds_alternative<Refused>(operation.answer) && is_read) return "refuses a read";
  if (done == nullptr) return "";
  if (is_read) return "answers a read with a revision";
  if (!done->items.empty() && done->items.size() != write->changes.size())
    return fmt::format("tells {} of {} changes", done->items.size(), write->changes.size());
  if (done->revision.value() == 0) return "tells no revision";
  return "";
}

class Moments {
 public:
  Moments(const Limits& limits, Report& report) : limits_(limits), report_(report) {}

  void Of(const Operation& operation) {
    Take(operation.called, Describe(operation));
    const bool has_answer = !std::holds_alternative<Unknown>(operation.answer);
    if (has_answer || operation.returned != 0) {
      Take(operation.returned, Describe(operation));
      if (operation.returned <= operation.called)
        Add(Describe(operation) + " returns before it is called");
    }
    if (const std::string wrong = WrongAnswer(operation); !wrong.empty())
      Add(Describe(operation) + " " + wrong);
  }

  void Of(const Watch& watch) {
    Take(watch.opened, Name(watch));
    Moment last = watch.opened;
    for (const Response& response : watch.responses) {
      Take(response.received, Name(watch));
      if (response.received <= last) {
        Add(fmt::format(
            "{} receives at {} what follows on {}", Name(watch), response.received, last));
      }
      last = response.received;
    }
  }

 private:
  void Take(Moment moment, const std::string& whose) {
    if (!taken_.insert(moment).second) Add(fmt::format("{}: moment {} is taken", whose, moment));
  }
  void Add(std::string text) { report_.Add(limits_, Property::kHistory, std::move(text)); }

  const Limits& limits_;
  Report& report_;
  std::set<Moment> taken_;
};

}  // namespace

void CheckWellFormed(const History& history, const Limits& limits, Report& report) {
  Moments moments(limits, report);
  for (const Operation& operation : history.operations) moments.Of(operation);
  for (const Watch& watch : history.watches) moments.Of(watch);
}

}  // namespace dray::history
