// SPDX-License-Identifier: Apache-2.0
// Selectors of upstream's own tests and of real manifests, with the results of Kubernetes 1.37.
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "cel/selector.h"
#include "cel/vectors_testing.h"

namespace dray::cel {
namespace {

using testing::DeviceFromJson;
using testing::ReadShared;
using testing::Text;
using testing::TextAt;

struct Outcome {
  std::string kind;  // match, no_match, runtime_error, compile_error
  std::string error;
  std::string cost;
};

bool IsUnsupported(const std::string& error) {
  return error.contains("not supported yet: ");
}

Outcome RunSelector(std::string_view expression,
                    const Environment& environment,
                    const DeviceActivation& device) {
  const auto selector = Selector::Compile(expression, environment);
  if (!selector.has_value()) return {"compile_error", selector.error().message, ""};
  const Evaluation evaluation = selector->Evaluate(device);
  const std::string cost = std::to_string(evaluation.cost);
  if (evaluation.error() != nullptr) return {"runtime_error", evaluation.error()->message, cost};
  return {evaluation.matches() ? "match" : "no_match", "", cost};
}

// The words of a syntax error come from upstream's parser generator; only their class is compared.
void ExpectSameError(const std::string& got, std::string_view want) {
  if (want.empty()) return;
  if (want.contains("Syntax error: ")) {
    EXPECT_TRUE(got.contains("Syntax error: ")) << got;
  } else {
    EXPECT_EQ(got, want);
  }
}

TEST(SelectorVectors, UpstreamTestTablesHaveTheSameOutcomeErrorAndCost) {
  const auto text = ReadShared("vectors/cel/dra_selectors.json");
  if (!text.has_value()) GTEST_SKIP() << "no shared vectors on this machine";
  const auto json = boost::json::parse(*text).as_object();
  int passed = 0;
  int unsupported = 0;
  for (const auto& item : json.at("cases").as_array()) {
    const auto& test = item.as_object();
    const DeviceFromJson device(test.at("device").as_object());
    for (const auto& gate : test.at("list_type_attributes").as_array()) {
      const Environment environment{
          .use = TextAt(test, "env") == "new" ? ExpressionUse::kNew : ExpressionUse::kStored,
          .consumable_capacity = test.at("features").at("consumable_capacity").as_bool(),
          .list_type_attributes = gate.as_bool()};
      const Outcome got = RunSelector(TextAt(test, "expr"), environment, device.activation());
      if (IsUnsupported(got.error)) {
        ++unsupported;
        continue;
      }
      SCOPED_TRACE(TextAt(test, "id"));
      EXPECT_EQ(got.kind, Text(test.at("expect").at("outcome"))) << got.error;
      const std::string key =
          std::string("list_type_attributes=") + (gate.as_bool() ? "true" : "false");
      const auto& observed = test.at("observed").as_object();
      if (!observed.contains("1.37") || !observed.at("1.37").as_object().contains(key)) continue;
      const auto& exact = observed.at("1.37").at(key).as_object();
      ExpectSameError(got.error, TextAt(exact, "error"));
      if (!TextAt(exact, "runtime_cost").empty())
        EXPECT_EQ(got.cost, TextAt(exact, "runtime_cost"));
      ++passed;
    }
  }
  std::cout << "selector cases passed " << passed << ", not supported yet " << unsupported << "\n";
  EXPECT_GE(passed, 136);
}

// Every "expression: …" of YAML and JSON texts, in the flow and block forms that occur.
void CollectExpressions(const boost::json::value& value, std::set<std::string>& out) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.as_object()) {
      if (key == "expression" && member.is_string()) out.emplace(Text(member));
      CollectExpressions(member, out);
    }
  } else if (value.is_array()) {
    for (const auto& member : value.as_array()) CollectExpressions(member, out);
  }
}

TEST(SelectorVectors, SelectorsOfAllocatorScenariosCompile) {
  std::set<std::string> expressions;
  for (const char* const name : {"basic", "constraints"}) {
    const auto text = ReadShared(std::string("vectors/allocator/") + name + ".jsonl");
    if (!text.has_value()) GTEST_SKIP() << "no shared vectors on this machine";
    for (size_t at = 0; at < text->size();) {
      const size_t end = std::min(text->find('\n', at), text->size());
      if (end > at) CollectExpressions(boost::json::parse(text->substr(at, end - at)), expressions);
      at = end + 1;
    }
  }
  // These are wrong on purpose: no bool, and cut off.
  const std::set<std::string> invalid = {"1 + 1", "device.attributes[\"nic.example.com\"]["};
  for (const std::string& expression : expressions) {
    const auto selector = Selector::Compile(expression, {});
    EXPECT_EQ(selector.has_value(), !invalid.contains(expression)) << expression;
    if (!selector.has_value()) EXPECT_FALSE(IsUnsupported(selector.error().message));
  }
  EXPECT_GE(expressions.size(), 40u);
}

// The scalar after "expression:" on line `at` of a YAML text, joined over the lines of a block.
std::string ScalarAfter(const std::vector<std::string>& lines, size_t at, size_t column) {
  std::string head = lines[at].substr(column);
  const size_t start = head.find_first_not_of(' ');
  head = start == std::string::npos ? "" : head.substr(start);
  if (!head.starts_with('|') && !head.starts_with('>')) {
    if (head.size() > 1 && head.front() == '\'' && head.back() == '\'') {
      head = head.substr(1, head.size() - 2);
      for (size_t i = head.find("''"); i != std::string::npos; i = head.find("''", i + 1)) {
        head.erase(i, 1);
      }
    } else if (head.size() > 1 && head.front() == '"' && head.back() == '"') {
      head = std::string(Text(boost::json::parse(head)));
    } else {
      head = head.substr(0, head.find(" #"));
    }
    return head;
  }
  const size_t indent = lines[at].find_first_not_of(" -");
  std::string out;
  for (size_t i = at + 1; i < lines.size(); ++i) {
    const size_t first = lines[i].find_first_not_of(' ');
    if (first != std::string::npos && first <= indent) break;
    out += lines[i] + "\n";
  }
  return out;
}

void CollectFromYaml(const std::string& path, std::set<std::string>& out) {
  const auto text = RealWorld().disk.Read(path);
  if (!text.has_value()) return;
  std::vector<std::string> lines;
  for (size_t at = 0; at < text->size();) {
    const size_t end = std::min(text->find('\n', at), text->size());
    lines.push_back(text->substr(at, end - at));
    at = end + 1;
  }
  constexpr std::string_view kKey = "expression:";
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t key = lines[i].find(kKey);
    const bool is_key = key != std::string::npos && lines[i].find_first_not_of(" -") == key &&
                        !lines[i].contains("{{");
    if (is_key) out.insert(ScalarAfter(lines, i, key + kKey.size()));
  }
}

void CollectFromFolder(const std::string& folder, std::set<std::string>& out) {
  const auto names = RealWorld().disk.List(folder);
  if (!names.has_value()) return;
  for (const std::string& name : *names) {
    const std::string path = folder + "/" + name;
    if (RealWorld().disk.IsFolder(path)) {
      CollectFromFolder(path, out);
    } else if (name.ends_with(".yaml") || name.ends_with(".yml")) {
      CollectFromYaml(path, out);
    }
  }
}

TEST(SelectorVectors, SelectorsOfRealManifestsCompile) {
  std::set<std::string> expressions;
  CollectFromFolder(testing::SharedFolder() + "/vectors/manifests", expressions);
  if (expressions.empty()) GTEST_SKIP() << "no shared vectors on this machine";
  int refused = 0;
  for (const std::string& expression : expressions) {
    const auto selector = Selector::Compile(expression, {});
    if (selector.has_value()) continue;
    ++refused;
    // One manifest has a closing parenthesis too many; it is wrong upstream as well.
    EXPECT_TRUE(expression.ends_with("'hami-gpu')")) << expression << "\n"
                                                     << selector.error().message;
  }
  std::cout << "selectors of manifests: " << expressions.size() << ", refused " << refused << "\n";
  EXPECT_GE(expressions.size(), 90u);
}

}  // namespace
}  // namespace dray::cel
