// SPDX-License-Identifier: Apache-2.0
#include "server/audit/log.h"

#include <algorithm>
#include <latch>
#include <memory>
#include <semaphore>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "server/audit/event.h"
#include "server/audit/request.h"
#include "server/audit/rotated_file.h"

namespace dray::server::audit {
namespace {

// -------------------------------------------------------------------------------------- the queue

// A sink that blocks in its first write until the test releases it.
class HeldSink {
 public:
  Result<> operator()(std::string_view text) {
    if (lines == 0) {
      begun.count_down();
      go_on.wait();
    }
    lines += static_cast<size_t>(std::ranges::count(text, '\n'));
    ++writes;
    largest = std::max(largest, text.size());
    return {};
  }

  std::latch begun{1}, go_on{1};
  // Written by the log's thread; the test reads them after it has ended.
  size_t lines = 0, writes = 0, largest = 0;
};

void Add(AuditLog& log, std::string_view line) {
  log.Add(1, line);
}

// A line of `bytes` bytes.
std::string Line(size_t bytes) {
  return std::string(bytes - 1, 'x') + "\n";
}

TEST(AuditLog, WritesEverythingInOrderBeforeItEnds) {
  std::string written;
  std::string wanted;
  {
    AuditLog log(Log::Silent(), RealWorld().clock, [&](std::string_view lines) {
      written += lines;
      return Result<>();
    });
    for (int i = 0; i < 100; ++i) {
      wanted += std::to_string(i) + "\n";
      Add(log, std::to_string(i) + "\n");
    }
  }
  EXPECT_EQ(written, wanted);
}

TEST(AuditLog, WritesManyLinesAtOnceButNotTooMany) {
  HeldSink sink;
  constexpr size_t kLine = 1024;
  constexpr size_t kWrites = 4;
  {
    AuditLog log(
        Log::Silent(), RealWorld().clock, [&](std::string_view lines) { return sink(lines); });
    Add(log, Line(1));
    sink.begun.wait();
    for (size_t i = 0; i < kWrites * kWriteBytesMax / kLine; ++i) Add(log, Line(kLine));
    Add(log, Line(kWriteBytesMax + 1));
    sink.go_on.count_down();
  }
  EXPECT_EQ(sink.writes, 1 + kWrites + 1);
  EXPECT_EQ(sink.largest, kWriteBytesMax + 1);
}

TEST(AuditLog, GathersLinesUntilItsClockSaysThatItIsTime) {
  SimulatedClock clock;
  std::vector<std::string> writes;
  std::latch is_written{1};
  AuditLog log(Log::Silent(), clock, [&](std::string_view lines) {
    writes.emplace_back(lines);
    is_written.count_down();
    return Result<>();
  });
  Add(log, "a\n");
  clock.Advance(kGatherTime - std::chrono::nanoseconds(1));
  Add(log, "b\n");
  clock.Advance(std::chrono::nanoseconds(1));
  is_written.wait();
  EXPECT_EQ(writes, std::vector<std::string>({"a\nb\n"}));
}

TEST(AuditLog, LooksSoonerWhileThereIsMuch) {
  SimulatedClock clock;
  std::vector<size_t> writes;
  std::counting_semaphore<> written{0};
  AuditLog log(Log::Silent(), clock, [&](std::string_view lines) {
    writes.push_back(lines.size());
    written.release();
    return Result<>();
  });
  Add(log, Line(kManyBytes));
  clock.Advance(kGatherTime);
  written.acquire();
  for (const size_t bytes : {size_t{1}, size_t{2}}) {
    Add(log, Line(bytes));
    clock.Advance(bytes == 1 ? kGatherTimeOfMany : kGatherTime);
    written.acquire();
  }
  EXPECT_EQ(writes, std::vector<size_t>({kManyBytes, 1, 2}));
}

TEST(AuditLog, DoesNotWaitForItsTimeWhenThereIsTooMuch) {
  const SimulatedClock clock;  // stands still
  std::binary_semaphore written{0};
  AuditLog log(Log::Silent(), clock, [&](std::string_view) {
    written.release();
    return Result<>();
  });
  Add(log, Line(kGatherBytesMax));
  written.acquire();
}

TEST(AuditLog, RefusesNewRequestsWhenManyLinesWait) {
  HeldSink sink;
  {
    AuditLog log(
        Log::Silent(), RealWorld().clock, [&](std::string_view lines) { return sink(lines); });
    Add(log, Line(1));
    sink.begun.wait();
    for (size_t i = 1; i < kWaitingLinesMax; ++i) Add(log, Line(1));
    EXPECT_TRUE(log.HasRoom());
    Add(log, Line(1));
    EXPECT_FALSE(log.HasRoom());
    for (size_t i = 0; i < kWaitingLinesMax; ++i) Add(log, Line(1));  // of requests under way
    EXPECT_EQ(log.lost(), 0U);
    Add(log, Line(1));
    EXPECT_EQ(log.lost(), 1U);
    sink.go_on.count_down();
  }
  EXPECT_EQ(sink.lines, 1 + 2 * kWaitingLinesMax);
}

TEST(AuditLog, RefusesNewRequestsWhenManyBytesWait) {
  HeldSink sink;
  {
    AuditLog log(
        Log::Silent(), RealWorld().clock, [&](std::string_view lines) { return sink(lines); });
    Add(log, Line(1));
    sink.begun.wait();
    Add(log, Line(kWaitingBytesMax - 1));
    EXPECT_TRUE(log.HasRoom());
    Add(log, Line(1));
    EXPECT_FALSE(log.HasRoom());
    Add(log, Line(kWaitingBytesMax));
    Add(log, Line(1));
    EXPECT_EQ(log.lost(), 1U);
    sink.go_on.count_down();
  }
  EXPECT_EQ(sink.lines, 4U);
}

TEST(AuditLog, CountsWhatCouldNotBeWritten) {
  std::latch is_written{1};
  auto log =
      std::make_unique<AuditLog>(Log::Silent(), RealWorld().clock, [&](std::string_view lines) {
        if (lines == "good\n") is_written.count_down();
        return lines == "good\n" ? Result<>()
                                 : Result<>(Fail(StatusReason::kInternalError, "full"));
      });
  Add(*log, "good\n");
  is_written.wait();
  Add(*log, "bad\n");
  while (log->lost() == 0) std::this_thread::yield();
  EXPECT_EQ(log->lost(), 1U);
}

TEST(AuditLog, TakesLinesTogetherOrNotAtAll) {
  HeldSink sink;
  {
    AuditLog log(
        Log::Silent(), RealWorld().clock, [&](std::string_view lines) { return sink(lines); });
    Add(log, Line(1));
    sink.begun.wait();
    Add(log, Line(2 * kWaitingBytesMax));
    log.Add(2, "a\nb\n");
    EXPECT_EQ(log.lost(), 2U);
    sink.go_on.count_down();
  }
  EXPECT_EQ(sink.lines, 2U);
  EXPECT_EQ(sink.largest, 2 * kWaitingBytesMax);
}

// --------------------------------------------------------------------------------------- the file

constexpr uint64_t kMegabyte = uint64_t{1} << 20;

class RotatedFileTest : public ::testing::Test {
 protected:
  std::unique_ptr<RotatedFile> Open(const Rotation& rotation) {
    Result<std::unique_ptr<RotatedFile>> file =
        RotatedFile::Open(world_.world(), "/log/audit.log", rotation);
    EXPECT_TRUE(file.has_value());
    return *std::move(file);
  }
  void Write(RotatedFile& file, size_t bytes) {
    EXPECT_TRUE(file.Append(std::string(bytes, 'x')).has_value());
    world_.clock().Advance(std::chrono::hours(24));
  }
  std::vector<std::string> Names() {
    const Result<std::vector<std::string>> names = world_.disk().List("/log");
    return names.has_value() ? *names : std::vector<std::string>();
  }
  size_t SizeOf(const std::string& name) {
    const Result<std::string> file = world_.disk().Read("/log/" + name);
    return file.has_value() ? file->size() : 0;
  }

  SimulatedWorld world_{1};
};

TEST_F(RotatedFileTest, IsFullAtItsLimitAndNotBefore) {
  const auto file = Open({.megabytes_max = 1});
  Write(*file, kMegabyte - 1);
  Write(*file, 1);
  EXPECT_EQ(Names(), std::vector<std::string>({"audit.log"}));
  EXPECT_EQ(SizeOf("audit.log"), kMegabyte);
  Write(*file, 1);
  EXPECT_EQ(Names(), std::vector<std::string>({"audit-2026-01-03T00-00-00.000.log", "audit.log"}));
  EXPECT_EQ(SizeOf("audit.log"), 1U);
}

TEST_F(RotatedFileTest, ALineThatIsTooLongHasAFileOfItsOwn) {
  const auto file = Open({.megabytes_max = 1});
  Write(*file, 2 * kMegabyte);
  EXPECT_EQ(SizeOf("audit.log"), 2 * kMegabyte);
  Write(*file, 1);
  EXPECT_EQ(SizeOf("audit.log"), 1U);
}

TEST_F(RotatedFileTest, GoesOnWhereItWas) {
  Write(*Open({.megabytes_max = 1}), kMegabyte);
  Write(*Open({.megabytes_max = 1}), 1);
  EXPECT_EQ(Names().size(), 2U);
}

TEST_F(RotatedFileTest, KeepsSoManyAndNoLonger) {
  EXPECT_TRUE(
      world_.disk().Write("/log/audit-other.log", "", Disk::Privacy::kEverybody).has_value());
  const auto count = [&](const Rotation& rotation) {
    const auto file = Open(rotation);
    for (int i = 0; i < 6; ++i) Write(*file, kMegabyte);
    return Names().size() - 2;  // without the newest, and the file of another program
  };
  EXPECT_EQ(count({.megabytes_max = 1}), 5U);
  EXPECT_EQ(count({.megabytes_max = 1, .backups_max = 3}), 3U);
  EXPECT_EQ(count({.megabytes_max = 1, .days_max = 2}), 3U);  // today, yesterday, the day before
}

// ------------------------------------------------------------------------------------- its lines

TEST(AuditEvent, ComesFromWhereProxiesSayAndThenFromThePeer) {
  using Sources = std::vector<std::string_view>;
  EXPECT_EQ(SourcesOf({"", "", "127.0.0.1:4000"}), Sources({"127.0.0.1"}));
  EXPECT_EQ(SourcesOf({"", "", "[::1]:4000"}), Sources({"::1"}));
  EXPECT_EQ(SourcesOf({"10.0.0.1, nobody, fe80::1", "10.0.0.9", "127.0.0.1:1"}),
            Sources({"10.0.0.1", "fe80::1", "10.0.0.9", "127.0.0.1"}));
  EXPECT_EQ(SourcesOf({"10.0.0.1", "10.0.0.1", "10.0.0.1:1"}), Sources({"10.0.0.1"}));
}

TEST(AuditEvent, IsOneLineForEachStage) {
  const access::User user{.name = "a<b>", .uid = {}, .groups = {"g"}};
  const std::string agent(kUserAgentMax, 'u');
  Event event({.level = Level::kMetadata,
               .id = "\"id\"",
               .request_uri = "/version",
               .verb = "get",
               .user = user,
               .origin = {.forwarded_for = {}, .real_ip = {}, .peer = "[::1]:4000"},
               .user_agent = agent});
  event.SetObject({.resource = "pods", .namespace_ = "n"});
  const auto line = [&](Stage stage) {
    std::string out;
    event.AppendLine(stage, WallTime(std::chrono::microseconds(1)), out);
    return out;
  };
  const std::string begin =
      R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"\"id\"",)";
  const std::string question =
      R"("requestURI":"/version","verb":"get","user":{"username":"a\u003cb\u003e","groups":["g"]},)";
  const std::string origin = R"("sourceIPs":["::1"],"userAgent":")" + agent +
                             R"(","objectRef":{"resource":"pods","namespace":"n"},)";
  const std::string times = R"("requestReceivedTimestamp":"1970-01-01T00:00:00.000000Z",)"
                            R"("stageTimestamp":"1970-01-01T00:00:00.000001Z")";
  EXPECT_EQ(line(Stage::kRequestReceived),
            begin + R"("stage":"RequestReceived",)" + question + origin + times + "}\n");
  event.code = 200;
  event.is_allowed = true;
  event.annotations = {{"a", "1"}, {"z", "2"}};
  event.impersonated = user;
  EXPECT_EQ(line(Stage::kRequestReceived),
            begin + R"("stage":"RequestReceived",)" + question + origin + times + "}\n");
  event.impersonated.reset();
  EXPECT_EQ(line(Stage::kResponseComplete),
            begin + R"("stage":"ResponseComplete",)" + question + origin +
                R"("responseStatus":{"metadata":{},"code":200},)" + times +
                R"(,"annotations":{"a":"1","authorization.k8s.io/decision":"allow",)"
                R"("authorization.k8s.io/reason":"","z":"2"}})" +
                "\n");
}

TEST(AuditEvent, ShowsItsTimesToTheMicrosecond) {
  const access::User user;
  const auto line_at = [&](int64_t micros) {
    const WallTime time{std::chrono::microseconds(micros)};
    std::string out;
    Event({.level = Level::kMetadata, .id = "i", .verb = "get", .user = user, .received = time})
        .AppendLine(Stage::kRequestReceived, time, out);
    return out;
  };
  for (const auto& [micros, text] : {std::pair(0, "1970-01-01T00:00:00.000000Z"),
                                     std::pair(999'999, "1970-01-01T00:00:00.999999Z"),
                                     std::pair(1'000'000, "1970-01-01T00:00:01.000000Z"),
                                     std::pair(-1, "1969-12-31T23:59:59.999999Z")}) {
    const std::string wanted =
        fmt::format(R"("requestReceivedTimestamp":"{0}","stageTimestamp":"{0}")", text);
    EXPECT_THAT(line_at(micros), ::testing::HasSubstr(wanted));
  }
}

TEST(AuditedRequest, WritesWhatWasReceivedAtOnceOrWithItsAnswer) {
  const access::User user;
  const auto stages = [&](bool is_written_before, const Decision& decision) {
    std::string written;
    {
      const auto log =
          std::make_shared<AuditLog>(Log::Silent(), RealWorld().clock, [&](std::string_view lines) {
            written += lines;
            return Result<>();
          });
      AuditedRequest request(log,
                             RealWorld().clock,
                             decision,
                             {.id = "i", .verb = "get", .user = user},
                             /*writes_received=*/true);
      if (is_written_before) request.WriteReceived();
      request.Complete(200);
      request.WriteReceived();
      request.Complete(500);
    }
    std::vector<std::string> found;
    for (size_t at = 0; (at = written.find(R"("stage":")", at)) != std::string::npos;) {
      at += std::string_view(R"("stage":")").size();
      found.push_back(written.substr(at, written.find('"', at) - at));
    }
    return found;
  };
  using ::testing::ElementsAre;
  const Decision all{.level = Level::kMetadata};
  EXPECT_THAT(stages(false, all), ElementsAre("RequestReceived", "ResponseComplete"));
  EXPECT_THAT(stages(true, all), ElementsAre("RequestReceived", "ResponseComplete"));
  Decision few = all;
  few.omitted.Add(Stage::kRequestReceived);
  EXPECT_THAT(stages(true, few), ElementsAre("ResponseComplete"));
  few.omitted.Add(Stage::kResponseComplete);
  EXPECT_THAT(stages(true, few), ::testing::IsEmpty());
}

TEST(AuditEvent, ShowsObjectsCompactAndWithoutOwnersWhereTheyAreNotWanted) {
  constexpr const char* kObject =
      R"({ "metadata": {"name": "a", "managedFields": [{}]}, "apiVersion": "v1", "kind": "K" })";
  EXPECT_EQ(ObjectText(kObject, true), R"({"kind":"K","apiVersion":"v1","metadata":{"name":"a"}})");
  EXPECT_EQ(ObjectText(kObject, false),
            R"({"kind":"K","apiVersion":"v1","metadata":{"name":"a","managedFields":[{}]}})");
  EXPECT_EQ(ObjectText(R"({"items":[{"metadata":{"managedFields":[]}}]})", true),
            R"({"items":[{"metadata":{}}]})");
  EXPECT_EQ(ObjectText("[1, 2]", true), "[1,2]");
  EXPECT_EQ(ObjectText("no json", true), "");
}

}  // namespace
}  // namespace dray::server::audit
