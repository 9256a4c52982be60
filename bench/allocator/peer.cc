// SPDX-License-Identifier: Apache-2.0
#include "bench/allocator/peer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <utility>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/try.h"
#include "tests/judges/problem_json.h"

namespace dray::bench {
namespace {

namespace json = boost::json;

Failure Failed(std::string message) {
  return Fail(StatusReason::kInternalError, std::move(message));
}

/// Quotes a word for a shell command.
std::string Quoted(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// A file that the destructor removes.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view text) {
    const int file = mkstemp(path_.data());
    if (file < 0) return;
    close(file);
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/allocator-bench-XXXXXX";
};

size_t CountOf(const json::object& outcomes, std::string_view name) {
  const json::value* const count = outcomes.if_contains(name);
  return count == nullptr ? 0 : count->to_number<size_t>();
}

PeerTimes TimesOf(const json::object& line) {
  const auto number = [&](std::string_view name) { return line.at(name).to_number<double>(); };
  const size_t pods = line.at("pods").to_number<size_t>();
  const json::object& outcomes = line.at("outcomes").as_object();
  PeerTimes times;
  times.module = line.at("module").as_string().c_str();
  times.call_ns =
      std::min(number("ns_per_pod_median") / number("nodes"), number("ns_per_call_median"));
  times.call_p99_ns = number("ns_per_call_p99");
  times.cut = line.contains("cut");
  times.counts.allocated = CountOf(outcomes, "allocated") / pods;
  times.counts.none = CountOf(outcomes, "none") / pods;
  times.counts.other =
      line.at("calls").to_number<size_t>() / pods - times.counts.allocated - times.counts.none;
  return times;
}

}  // namespace

Result<std::string> Peer::Run(const std::string& arguments) const {
  const std::string command = Quoted(program_) + " " + arguments;
  std::FILE* const pipe =
      popen(command.c_str(), "r");  // NOLINT(cert-env33-c): the caller's program
  if (pipe == nullptr) return Failed("cannot run " + program_);
  std::string out;
  char buffer[65536];
  while (const size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, size);
  if (pclose(pipe) != 0) return Failed(fmt::format("{} failed", command));
  return out;
}

Result<judges::Problem> Peer::Shape(std::string_view name) const {
  DRAY_TRY(const std::string line, Run(fmt::format("-shape {} -dump", Quoted(name))));
  return judges::DecodeProblem(std::string_view(line));
}

Result<PeerTimes> Peer::MeasureWith(const std::string& arguments, double seconds) const {
  DRAY_TRY(const std::string line,
           Run(fmt::format("{} -implementation incubating -time {}ms",
                           arguments,
                           static_cast<int>(seconds * 1000))));
  try {
    return TimesOf(json::parse(line).as_object());
  } catch (const std::exception& error) {
    return Failed(fmt::format("{} printed {}: {}", program_, line, error.what()));
  }
}

Result<PeerTimes> Peer::Measure(std::string_view shape, double seconds) const {
  return MeasureWith(fmt::format("-shape {}", Quoted(shape)), seconds);
}

Result<PeerTimes> Peer::Measure(const judges::Problem& problem, double seconds) const {
  const TemporaryFile file(judges::EncodeProblem(problem) + "\n");
  return MeasureWith(fmt::format("-input {}", Quoted(file.path())), seconds);
}

Result<std::map<std::string, PeerTimes>> Peer::MeasureAll(std::span<const judges::Problem> problems,
                                                          double seconds) const {
  std::string lines;
  for (const judges::Problem& problem : problems) lines += judges::EncodeProblem(problem) + "\n";
  const TemporaryFile input(lines);
  const TemporaryFile output("");
  // Ignores the exit code, because missing lines show a failure.
  DRAY_TRY_VOID(Run(fmt::format("-input {} -time {}ms -limit 2s >{} || true",
                                Quoted(input.path()),
                                static_cast<int>(seconds * 1000),
                                Quoted(output.path()))));
  std::map<std::string, PeerTimes> all;
  std::ifstream measured(output.path());
  for (std::string line; std::getline(measured, line);) {
    boost::system::error_code error;
    const json::value value = json::parse(line, error);
    if (error) break;
    all.emplace(value.as_object().at("problem").as_string().c_str(), TimesOf(value.as_object()));
  }
  if (all.empty()) return Failed(program_ + " measured nothing");
  return all;
}

}  // namespace dray::bench
