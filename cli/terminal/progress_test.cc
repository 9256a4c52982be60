// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/progress.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/simulated_world.h"

namespace dray::cli::inline terminal {
namespace {

constexpr const char* kErase = "\r\033[K";

TEST(ProgressLine, OfWorkThatIsQuickIsNotSeen) {
  SimulatedClock clock;
  ProgressLine line(clock.Monotonic());
  EXPECT_EQ(line.Now("reading", clock.Monotonic()), "");
  clock.Advance(kQuickWork - std::chrono::milliseconds(1));
  EXPECT_EQ(line.StillNow(clock.Monotonic()), "");
  EXPECT_EQ(line.Now("looking", clock.Monotonic()), "");
  EXPECT_EQ(line.Clear(), "");
}

TEST(ProgressLine, IsSeenFromASecondOnAndWipedAway) {
  SimulatedClock clock;
  ProgressLine line(clock.Monotonic());
  EXPECT_EQ(line.Now("reading", clock.Monotonic()), "");
  clock.Advance(kQuickWork);
  EXPECT_EQ(line.StillNow(clock.Monotonic()), "reading …");
  EXPECT_EQ(line.StillNow(clock.Monotonic()), "");
  EXPECT_EQ(line.Now("looking", clock.Monotonic()), std::string(kErase) + "looking …");
  EXPECT_EQ(line.Clear(), kErase);
  EXPECT_EQ(line.Clear(), "");
  EXPECT_EQ(line.StillNow(clock.Monotonic()), "");
  EXPECT_EQ(line.Now("writing", clock.Monotonic()), "writing …");
}

TEST(Progress, GoesByTheClockItIsGivenAndWritesNothingWhereNobodyWatches) {
  for (const bool shows_progress : {true, false}) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
    std::FILE* const notes = file.get();
    if (notes == nullptr) FAIL() << "no file for the notes";
    const Output output{.out = notes, .notes = notes, .shows_progress = shows_progress};
    SimulatedClock clock;
    {
      Progress progress(output, clock);
      progress.Now("reading");
      clock.Advance(kQuickWork);
      progress.Now("looking");
    }
    EXPECT_EQ(std::fseek(notes, 0, SEEK_SET), 0);
    std::string text(100, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), notes));
    // The progress thread may have shown the first step just then.
    const std::string shown = std::string("looking …") + kErase;
    const std::string before = std::string("reading …") + kErase;
    EXPECT_TRUE(shows_progress ? text == shown || text == before + shown : text.empty()) << text;
  }
}

}  // namespace
}  // namespace dray::cli::inline terminal
