// SPDX-License-Identifier: Apache-2.0
// The language as the Kubernetes environment runs it: value, type, error and cost of expressions
// measured with upstream. What is not implemented yet is counted; a wrong answer fails.
#include <charconv>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cel/eval/evaluator.h"
#include "cel/vectors_testing.h"

namespace dray::cel {
namespace {

using boost::json::object;
using testing::DeviceFromJson;
using testing::ReadShared;
using testing::Text;
using testing::TextAt;

bool Matches(const Value& got, const object& want);

bool DoubleMatches(double got, std::string_view want) {
  if (want == "NaN") return std::isnan(got);
  const double value = std::stod(std::string(want));
  return got == value && std::signbit(got) == std::signbit(value);
}

bool ListMatches(const List& got, const boost::json::array& want) {
  if (got.items.size() != want.size()) return false;
  for (size_t i = 0; i < want.size(); ++i) {
    if (!Matches(got.items[i], want[i].as_object())) return false;
  }
  return true;
}

bool MapMatches(const Map& got, const boost::json::array& want) {
  if (got.entries.size() != want.size()) return false;
  for (const auto& pair : want) {
    bool found = false;
    for (const MapEntry& entry : got.entries) {
      found = found || (Matches(entry.key, pair.at(0).as_object()) &&
                        Matches(entry.value, pair.at(1).as_object()));
    }
    if (!found) return false;
  }
  return true;
}

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = (group << 8) | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (size_t k = 0; k < 4; ++k) {
      out += i + k > bytes.size() ? '=' : kDigits[(group >> (18 - 6 * k)) & 63];
    }
  }
  return out;
}

bool Matches(const Value& got, const object& want) {
  const std::string_view type = TextAt(want, "type");
  const std::string_view text = TextAt(want, "value");
  switch (got.kind()) {
    case ValueKind::kError: return false;
    case ValueKind::kNull: return type == "null";
    case ValueKind::kBool: return type == "bool" && want.at("value").as_bool() == got.boolean();
    case ValueKind::kInt: return type == "int" && text == std::to_string(got.integer());
    case ValueKind::kUint: return type == "uint" && text == std::to_string(got.unsigned_integer());
    case ValueKind::kDouble: return type == "double" && DoubleMatches(got.number(), text);
    case ValueKind::kString: return type == "string" && text == got.text();
    case ValueKind::kBytes: return type == "bytes" && text == Base64(got.text());
    case ValueKind::kList:
      return type == "list" && ListMatches(got.list(), want.at("value").as_array());
    case ValueKind::kMap:
      return type == "map" && MapMatches(got.map(), want.at("value").as_array());
    case ValueKind::kType: return type == "type" && text == got.text();
    case ValueKind::kOptional: {
      if (type != "optional") return false;
      const auto* const inner = want.if_contains("value");
      if (got.optional() == nullptr || inner == nullptr)
        return got.optional() == nullptr && inner == nullptr;
      return Matches(*got.optional(), inner->as_object());
    }
    case ValueKind::kQuantity: {
      const auto wanted = api::Quantity::Parse(text);
      return type == "quantity" && wanted.has_value() && *wanted == got.quantity();
    }
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
    case ValueKind::kUrl:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat: return false;
    case ValueKind::kSemver: return type == "kubernetes.Semver" && text == got.semver().ToString();
  }
  return false;
}

std::string Describe(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kInt: return fmt::format("int {}", value.integer());
    case ValueKind::kUint: return fmt::format("uint {}", value.unsigned_integer());
    case ValueKind::kDouble: return fmt::format("double {}", value.number());
    case ValueKind::kBool: return value.boolean() ? "true" : "false";
    case ValueKind::kError: return fmt::format("error {}", value.text());
    case ValueKind::kString: return fmt::format("string {}", value.text());
    case ValueKind::kQuantity: return value.quantity().ToString();
    case ValueKind::kNull:
    case ValueKind::kBytes:
    case ValueKind::kList:
    case ValueKind::kMap:
    case ValueKind::kType:
    case ValueKind::kOptional:
    case ValueKind::kTimestamp:
    case ValueKind::kDuration:
    case ValueKind::kUrl:
    case ValueKind::kIp:
    case ValueKind::kCidr:
    case ValueKind::kFormat:
    case ValueKind::kSemver: break;
  }
  return std::string(TypeName(value));
}

struct Counts {
  int passed = 0;
  int unsupported = 0;
  int wrong = 0;
};

class Measured {
 public:
  explicit Measured(const object& file) {
    for (const auto& [name, device] : file.at("devices").as_object()) {
      names_.emplace_back(name);
      devices_.emplace_back(device.as_object());
    }
  }

  void RunCase(const object& test, Counts& counts) {
    const object* expect = &test.at("expect").as_object();
    if (const auto* const versions = test.if_contains("versions")) {
      const auto* const newest = versions->as_object().if_contains("1.37");
      if (newest != nullptr) expect = &newest->as_object();
    }
    const std::string problem = Difference(test, *expect);
    if (problem.empty()) {
      ++counts.passed;
    } else if (problem.starts_with("not supported yet: ")) {
      ++counts.unsupported;
    } else {
      ++counts.wrong;
      ADD_FAILURE() << TextAt(test, "id") << ": " << TextAt(test, "expr") << "\n  " << problem;
    }
  }

 private:
  const DeviceActivation& DeviceNamed(std::string_view name) const {
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return devices_[i].activation();
    }
    return devices_.front().activation();
  }

  std::string Difference(const object& test, const object& expect) const {
    Environment environment{.purpose = Purpose::kFree};
    if (const std::string_view limit = TextAt(test, "cost_limit"); !limit.empty()) {
      environment.cost_max = std::stoull(std::string(limit));
    }
    const auto program = Program::Compile(TextAt(test, "expr"), environment);
    const std::string_view outcome = TextAt(expect, "outcome");
    if (!program.has_value()) return CompileDifference(program.error().message, outcome, expect);
    if (outcome == "compile_error") {
      return fmt::format("compiled, wanted {}", TextAt(expect, "message"));
    }
    const std::string_view type = TextAt(expect, "type");
    const std::string got_type = DeclaredName((*program)->result_type());
    if (!type.empty() && got_type != type) return fmt::format("type {} wanted {}", got_type, type);
    Arena arena;
    Meter meter(environment.cost_max);
    const Value value =
        Evaluate(**program, {&DeviceNamed(TextAt(test, "device")).value(), 1}, arena, meter);
    return ValueDifference(value, meter.spent(), outcome, expect);
  }

  static std::string CompileDifference(const std::string& message,
                                       std::string_view outcome,
                                       const object& expect) {
    const size_t unsupported = message.find("not supported yet: ");
    if (unsupported != std::string::npos) return message.substr(unsupported);
    if (outcome != "compile_error") return message;
    const std::string_view want = TextAt(expect, "message");
    const bool by_class = want.contains("Syntax error: ") || TextAt(expect, "stage") == "validate";
    const std::string_view prefix = "compilation failed: ";
    const std::string_view got =
        std::string_view(message).substr(message.starts_with(prefix) ? prefix.size() : 0);
    // One error per syntax error is reported; upstream goes on.
    const bool same = by_class || got == want || want.starts_with(got);
    return same ? "" : fmt::format("message {}\n  wanted  {}", got, want);
  }

  static std::string ValueDifference(const Value& value,
                                     uint64_t cost,
                                     std::string_view outcome,
                                     const object& expect) {
    if (outcome == "runtime_error") {
      const std::string_view want = TextAt(expect, "error");
      if (!value.is_error()) return fmt::format("{}, wanted error {}", Describe(value), want);
      // The text of a crash inside upstream is no contract.
      if (want.contains("interface conversion")) return "";
      if (value.text() != want) return fmt::format("error {} wanted {}", value.text(), want);
    } else if (outcome == "value") {
      if (!Matches(value, expect.at("value").as_object())) {
        return fmt::format(
            "{} wanted {}", Describe(value), boost::json::serialize(expect.at("value")));
      }
    } else if (value.is_error() || value.boolean() != (outcome == "match")) {
      return fmt::format("{} wanted {}", Describe(value), outcome);
    }
    const std::string_view want_cost = TextAt(expect, "runtime_cost");
    if (!want_cost.empty() && want_cost != std::to_string(cost)) {
      return fmt::format("cost {} wanted {}", cost, want_cost);
    }
    return "";
  }

  std::vector<std::string> names_;
  std::deque<DeviceFromJson> devices_;
};

struct FileCase {
  const char* name;
  int passed_min;  // a floor that only goes up
};

class LanguageVectorsTest : public ::testing::TestWithParam<FileCase> {};

TEST_P(LanguageVectorsTest, ValueTypeErrorAndCostAreUpstreams) {
  const auto text = ReadShared(fmt::format("vectors/cel/{}.json", GetParam().name));
  if (!text.has_value()) GTEST_SKIP() << "no shared vectors on this machine";
  boost::json::parse_options options;
  options.max_depth = 2000;  // values nested as deep as the parser allows
  const auto file = boost::json::parse(*text, {}, options).as_object();
  Measured measured(file);
  Counts counts;
  for (const auto& test : file.at("cases").as_array()) measured.RunCase(test.as_object(), counts);
  std::cout << fmt::format("{}: passed {}, not supported yet {}, wrong {}\n",
                           GetParam().name,
                           counts.passed,
                           counts.unsupported,
                           counts.wrong);
  EXPECT_GE(counts.passed, GetParam().passed_min);
}

INSTANTIATE_TEST_SUITE_P(Files,
                         LanguageVectorsTest,
                         ::testing::Values(FileCase{"k8s_conversions", 83},
                                           FileCase{"k8s_cost", 161},
                                           FileCase{"k8s_cost_limit", 32},
                                           FileCase{"k8s_device", 326},
                                           FileCase{"k8s_device_lists", 54},
                                           FileCase{"k8s_dispatch", 183},
                                           FileCase{"k8s_equality_traps", 40},
                                           FileCase{"k8s_lexer", 167},
                                           FileCase{"k8s_library_upstream", 106},
                                           FileCase{"k8s_lists_sets", 96},
                                           FileCase{"k8s_logic_errors", 78},
                                           FileCase{"k8s_net_url_format", 5},
                                           FileCase{"k8s_optionals", 62},
                                           FileCase{"k8s_quantity", 85},
                                           FileCase{"k8s_semver", 62},
                                           FileCase{"k8s_strings", 82},
                                           FileCase{"k8s_time", 5},
                                           FileCase{"k8s_typecheck", 158}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace dray::cel
