// SPDX-License-Identifier: Apache-2.0
#include "cel/selector.h"

#include <array>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cel/device.h"
#include "cel/device_activation.h"
#include "cel/eval/program.h"
#include "cel/selector_cache.h"
#include "cel/syntax/limits.h"

namespace dray::cel {

using eval::Program;

namespace {

class SampleDevice {
 public:
  SampleDevice() : activation_(device_) {}
  const DeviceActivation& activation() const { return activation_; }

 private:
  const api::Quantity memory_ = api::Quantity::Parse("40Gi").value();
  const std::vector<std::string> tags_ = {"a", "b"};
  const Device device_{.driver = "a.example",
                       .attributes = {{"model", std::string_view("x100")},
                                      {"index", int64_t{3}},
                                      {"a.example/index", int64_t{4}},
                                      {"other.example/rack", std::string_view("r7")},
                                      {"tags", std::span<const std::string>(tags_)},
                                      {"firmware", VersionText{"1.2.3"}}},
                       .capacity = {{"memory", &memory_}}};
  DeviceActivation activation_;
};

std::string Render(std::string_view expression, const Environment& environment = {}) {
  static const SampleDevice kDevice;
  const auto selector = Selector::Compile(expression, environment);
  if (!selector.has_value()) return "refused: " + selector.error().message;
  const Evaluation evaluation = selector->Evaluate(kDevice.activation());
  if (evaluation.error() != nullptr) return "error: " + evaluation.error()->message;
  return evaluation.matches() ? "true" : "false";
}

struct Case {
  const char* name;
  const char* expression;
  const char* want;
};

class SelectorTest : public ::testing::TestWithParam<Case> {};

TEST_P(SelectorTest, Evaluates) {
  EXPECT_EQ(Render(GetParam().expression), GetParam().want);
}

constexpr Case kCases[] = {
    {"SameDriver", "device.driver == 'a.example'", "true"},
    {"OtherDriver", "device.driver == 'b.example'", "false"},
    {"NoSuchKey", "device.attributes['a.example'].x == 0", "error: no such key: x"},
    {"UnknownDomainIsEmpty", "size(device.attributes['b.example']) == 0", "true"},
    {"UnknownDomainIsNotIn", "'b.example' in device.attributes", "false"},
    {"OtherDomain", "device.attributes['other.example'].rack == 'r7'", "true"},
    {"UnqualifiedNameWins", "device.attributes['a.example'].index == 3", "true"},
    {"Quantity", "device.capacity['a.example'].memory == quantity('40960Mi')", "true"},
    {"Version", "device.attributes['a.example'].firmware.isLessThan(semver('1.10.0'))", "true"},
    {"VersionAgainstText",
     "device.attributes['a.example'].firmware == '1.2.3'",
     "error: no such overload"},
    {"ListAttribute", "device.attributes['a.example'].tags.exists(t, t == 'b')", "true"},
    {"OptionalDefault", "device.attributes['a.example'].?x.orValue('d') == 'd'", "true"},
    {"ErrorAbsorbedByOr", "device.attributes['a.example'].x || true", "true"},
    {"ErrorNotAbsorbedByAnd", "1 / 0 == 1 && true", "error: division by zero"},
    {"IntOverflow", "9223372036854775807 + 1 > 0", "error: integer overflow"},
    {"SmallestNegated", "-(-9223372036854775808) > 0", "error: integer overflow"},
    {"NotABool",
     "device.attributes['a.example'].model",
     "error: CEL result of type string could not be converted to bool: unsupported native "
     "conversion from string to 'bool'"},
    {"WrongResultType", "1", "refused: must evaluate to bool or the unknown type, not int"},
    {"Undeclared",
     "true && x",
     "refused: compilation failed: ERROR: <input>:1:9: undeclared reference to 'x' (in container "
     "'')\n | true && x\n | ........^"},
    {"ConstantThatFails",
     "int('x') == 1 || true",
     "refused: program instantiation failed: type conversion error from 'string' to 'int'"},
};

TEST(DeviceAsAWhole, HasMultipleAllocationsSince34) {
  const DeviceActivation device(
      Device{.driver = "a.example", .attributes = {{"index", int64_t{3}}}});
  const auto holds = [&](std::string_view expression, api::Release release) {
    const auto selector = Selector::Compile(expression, {.release = release});
    return selector.has_value() && selector->Evaluate(device).matches();
  };
  for (const auto release : {api::Release::k1_31, api::Release::k1_33, api::Release::k1_34}) {
    SCOPED_TRACE(static_cast<int>(release));
    const bool is_there = release == api::Release::k1_34;
    EXPECT_EQ(holds("'allowMultipleAllocations' in dyn(device)", release), is_there);
    EXPECT_TRUE(holds(is_there ? "dyn(device).size() == 4" : "dyn(device).size() == 3", release));
    EXPECT_TRUE(holds("dyn(device).driver == 'a.example'", release));
    EXPECT_TRUE(holds("dyn(device).attributes['a.example'].index == 3", release));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, SelectorTest, ::testing::ValuesIn(kCases), [](const auto& info) {
  return std::string(info.param.name);
});

TEST(Selector, LengthLimitIsInBytes) {
  const std::string fits = "true" + std::string(syntax::kExpressionBytesMax - 4, ' ');
  EXPECT_EQ(Render(fits), "true");
  EXPECT_TRUE(Render(fits + " ").starts_with("refused: expression has 10241 bytes"));
}

std::string Nested(std::string_view open,
                   std::string_view core,
                   std::string_view close,
                   int depth) {
  std::string out;
  for (int i = 0; i < depth; ++i) out += open;
  out += core;
  for (int i = 0; i < depth; ++i) out += close;
  return out;
}

TEST(Selector, NestingEndsAtItsLimit) {
  EXPECT_EQ(Render(Nested("(", "true", ")", syntax::kNestingMax - 1)), "true");
  EXPECT_TRUE(Render(Nested("(", "true", ")", syntax::kNestingMax))
                  .contains("recursion limit exceeded: 250"));
  EXPECT_EQ(Render(Nested("", "1", " + 1", syntax::kPathMax - 1) + " > 0"), "true");
  EXPECT_TRUE(
      Render(Nested("", "1", " + 1", syntax::kPathMax) + " > 0").contains("max recursion depth"));
}

TEST(Selector, HostileTextsAreRefusedOrEndAtALimit) {
  for (const char* const piece :
       {"[", "{", "(", "!", "-", "a.", "a[", "true?", "\"", "`", "1+", ".", "?"}) {
    EXPECT_TRUE(Render(Nested("", piece, piece, 2000)).starts_with("refused: ")) << piece;
  }
  // Doubling: of a list, of a text, of a list of lists that share their parts.
  std::string lists = "a";
  std::string texts = "a";
  std::string shared = "a";
  for (int i = 0; i < 60; ++i) {
    lists = fmt::format("cel.bind(a, a + a, {})", lists);
    texts = fmt::format("cel.bind(a, a + a, {})", texts);
    shared = fmt::format("cel.bind(a, [a, a], {})", shared);
  }
  EXPECT_TRUE(Render("cel.bind(a, [1], " + lists + " == [])").starts_with("refused: ") ||
              Render("cel.bind(a, [1], " + lists + " == [])").starts_with("error: "));
  EXPECT_TRUE(Render("cel.bind(a, 'x', " + texts + " == '')").starts_with("error: "));
  EXPECT_TRUE(Render("cel.bind(a, dyn([1]), " + shared + " == dyn([]))").starts_with("error: "));
}

TEST(Selector, CostLimitStopsOneStepAfterIt) {
  const SampleDevice device;
  const auto run = [&](uint64_t cost_max) {
    const auto selector = Selector::Compile("[1, 2, 3].all(x, x > 0)", {.cost_max = cost_max});
    return selector->Evaluate(device.activation());
  };
  EXPECT_TRUE(run(16).matches());
  EXPECT_EQ(run(16).cost, 16u);
  ASSERT_NE(run(15).error(), nullptr);
  EXPECT_EQ(run(15).error()->message, "operation cancelled: actual cost limit exceeded");
  EXPECT_EQ(run(15).cost, 16u);
}

TEST(Selector, ABadAttributeFailsEverySelector) {
  const Device device{.driver = "a.example",
                      .attributes = {{"z", std::monostate()}, {"v", VersionText{"1.x"}}}};
  const DeviceActivation activation(device);
  const Evaluation evaluation = Selector::Compile("true", {})->Evaluate(activation);
  ASSERT_NE(evaluation.error(), nullptr);
  EXPECT_TRUE(evaluation.error()->message.starts_with("attribute v: parse semantic version: "));
  EXPECT_EQ(evaluation.cost, 0u);
}

TEST(Selector, HintFollowsMissingKeysOnly) {
  EXPECT_EQ(WithHint("no such key: x"),
            "no such key: x. consider using CEL optional chaining (.? followed by orValue()) or "
            "guarding the check with has() for optional fields");
  EXPECT_EQ(WithHint("no such overload"), "no such overload");
}

TEST(SelectorCache, DropsTheLeastRecentlyUsed) {
  SelectorCache cache({}, 2);
  EXPECT_TRUE(cache.Compile("true").has_value());
  EXPECT_FALSE(cache.Compile("nonsense").has_value());
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_TRUE(cache.Compile("true").has_value());
  EXPECT_TRUE(cache.Compile("false").has_value());
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_FALSE(cache.Compile("nonsense").has_value());
  EXPECT_EQ(cache.size(), 2u);
}

TEST(SelectorCache, ThreadsThatAskAtOnceShareOneProgram) {
  constexpr size_t kThreads = 8;
  constexpr int kRounds = 50;
  SelectorCache cache({}, kRounds);
  for (int round = 0; round < kRounds; ++round) {
    const std::string text = "device.driver == 'd" + std::to_string(round) + "'";
    std::array<const Program*, kThreads> programs = {};
    {
      std::vector<std::jthread> threads;
      for (const Program*& program : programs) {
        threads.emplace_back([&] { program = &cache.Compile(text)->program(); });
      }
    }
    for (const Program* program : programs) EXPECT_EQ(program, programs[0]);
  }
}

TEST(SelectorCache, DoesNotKeepWhatIsTooLong) {
  SelectorCache cache({}, 2);
  EXPECT_FALSE(cache.Compile(std::string(syntax::kExpressionBytesMax + 1, ' ')).has_value());
  EXPECT_EQ(cache.size(), 0u);
}

}  // namespace
}  // namespace dray::cel
