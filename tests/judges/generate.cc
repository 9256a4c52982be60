// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/generate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"
#include "tests/judges/problem_json.h"
#include "tests/judges/random_pods.h"
#include "tests/judges/random_problem.h"

namespace dray::judges {
namespace {

struct Request {
  uint64_t seed = 1;
  uint64_t count = 1;
  ProblemOptions options;
  std::string file;  // empty: standard output
  bool help = false;
};

Result<uint64_t> Number(std::string_view option, std::string_view text) {
  uint64_t number = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (trouble != std::errc() || end != text.data() + text.size() || text.empty()) {
    return Fail(StatusReason::kBadRequest, fmt::format("{} {}: not a number", option, text));
  }
  return number;
}

struct Option {
  std::string_view name;
  int ProblemOptions::* value;
  uint64_t least, most;
};
constexpr std::array kNumbers = {
    Option{"--nodes", &ProblemOptions::nodes_max, 1, 1000},
    Option{"--devices", &ProblemOptions::devices_max, 1, 1000},
    Option{"--claims", &ProblemOptions::claims_max, 1, 1000},
    Option{"--requests", &ProblemOptions::requests_max, 1, 1000},
    Option{"--cel-errors", &ProblemOptions::cel_errors_percent, 0, 100},
    Option{"--mistakes", &ProblemOptions::mistakes_percent, 0, 100}};

Result<int> NumberOf(const Option& option, std::string_view text) {
  DRAY_TRY(const uint64_t number, Number(option.name, text));
  if (number < option.least || number > option.most) {
    return Fail(StatusReason::kBadRequest,
                fmt::format("{} {}: not {}…{}", option.name, text, option.least, option.most));
  }
  return static_cast<int>(number);
}

Result<> Set(std::string_view option, const std::string& text, Request& request) {
  for (const Option& number : kNumbers) {
    if (option != number.name) continue;
    DRAY_TRY(request.options.*number.value, NumberOf(number, text));
    return {};
  }
  if (option == "--seed") {
    DRAY_TRY(request.seed, Number(option, text));
  } else if (option == "--count") {
    DRAY_TRY(request.count, Number(option, text));
  } else if (option == "--family") {
    request.options.family = FindFamily(text);
    if (request.options.family == nullptr)
      return Fail(StatusReason::kBadRequest, "no such family: " + text);
  } else if (option == "--implementation") {
    using enum allocator::Implementation;
    constexpr std::array kNames = {std::pair{"stable", kStable},
                                   std::pair{"incubating", kIncubating},
                                   std::pair{"experimental", kExperimental}};
    const auto found =
        std::ranges::find(kNames, text, [](const auto& entry) { return entry.first; });
    if (found == kNames.end())
      return Fail(StatusReason::kBadRequest, "no such implementation: " + text);
    request.options.implementation = found->second;
  } else if (option == "-o") {
    request.file = text;
  } else {
    return Fail(StatusReason::kBadRequest, fmt::format("unknown option {}", option));
  }
  return {};
}

Result<Request> Parse(std::span<const std::string> words) {
  Request request;
  for (size_t i = 0; i < words.size(); i += 2) {
    if (words[i] == "-h" || words[i] == "--help") {
      request.help = true;
      return request;
    }
    if (i + 1 == words.size())
      return Fail(StatusReason::kBadRequest, fmt::format("{}: a value is missing", words[i]));
    DRAY_TRY_VOID(Set(words[i], words[i + 1], request));
  }
  return request;
}

Result<> Generate(const Request& request, Disk& disk) {
  std::string lines;
  for (uint64_t i = 0; i < request.count; ++i) {
    lines += EncodeProblem(RandomProblem(request.seed + i, request.options));
    lines += '\n';
    if (!request.file.empty()) continue;
    fmt::print("{}", lines);
    lines.clear();
  }
  if (request.file.empty()) return {};
  return disk.Write(request.file, lines, Disk::Privacy::kEverybody);
}

}  // namespace

std::string GenerateUsage() {
  std::string families;
  for (const Family& family : Families()) families += fmt::format(" {}", family.name);
  return fmt::format(
      "usage: dray-vectors gen [--seed N] [--count N] [--family F] [-o FILE]\n"
      "Prints random allocator problems, one JSON object a line, in the form of the allocator\n"
      "vectors without outcomes. The same seed gives the same problem on every machine.\n"
      "  --seed N      of the first problem; the next ones have the numbers after it (1)\n"
      "  --count N     how many problems (1)\n"
      "  --family F    one of:{}\n"
      "                (the seed decides)\n"
      "  --implementation I  with switches for which upstream picks stable, incubating or\n"
      "                experimental (the seed decides)\n"
      "  --nodes N     at most, in a problem (3); so that every node gets a fresh cache in other\n"
      "                programs, ask for 1\n"
      "  --devices N   at most, that a node sees (12)\n"
      "  --claims N    at most (3)\n"
      "  --requests N  at most, in a claim (4)\n"
      "  --cel-errors PERCENT  problems in which a selector fails on some device (3)\n"
      "  --mistakes PERCENT    problems in which something is invalid (4); 0 for upstream's\n"
      "                allocator, which panics on some of them\n"
      "  -o FILE       write there\n",
      families);
}

int RunGenerate(std::span<const std::string> words, Disk& disk) {
  const Result<Request> request = Parse(words);
  if (!request) {
    fmt::print(stderr, "dray-vectors gen: {}\n{}", request.error().message, GenerateUsage());
    return 2;
  }
  if (request->help) {
    fmt::print("{}", GenerateUsage());
    return 0;
  }
  const Result<> generated = Generate(*request, disk);
  if (generated) return 0;
  fmt::print(stderr, "dray-vectors gen: {}\n", generated.error().message);
  return 2;
}

int RunGeneratePods(std::span<const std::string> words) {
  uint64_t seed = 0;
  const char* const end = words.empty() ? nullptr : words[0].data() + words[0].size();
  if (words.size() != 1 || std::from_chars(words[0].data(), end, seed).ptr != end) {
    fmt::print(stderr, "usage: dray-vectors pods SEED\n");
    return 2;
  }
  fmt::print("{}\n", JsonOf(RandomPods(seed)));
  return 0;
}

}  // namespace dray::judges
