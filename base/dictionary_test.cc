// SPDX-License-Identifier: Apache-2.0
#include "base/dictionary.h"

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace dray {
namespace {

std::string PackedBy(Dictionary& dictionary, std::string_view text) {
  std::string packed;
  dictionary.Pack(text, packed);
  return packed;
}

std::string UnpackedBy(const Dictionary& dictionary, std::string_view packed) {
  std::string text = "before ";
  dictionary.Unpack(packed, text);
  return text.substr(7);
}

std::string RandomLetters(std::minstd_rand& random, size_t size, unsigned letters) {
  std::string text;
  while (text.size() < size) text.push_back(static_cast<char>('a' + random() % letters));
  return text;
}

TEST(Dictionary, EveryTextIsUnpackedAsItWas) {
  std::minstd_rand random(1);
  for (const unsigned letters : {1U, 2U, 26U}) {
    Dictionary dictionary;
    std::vector<std::string> packed;
    std::vector<std::string> texts;
    for (size_t size = 0; size < 300; ++size) {
      texts.push_back(RandomLetters(random, size % 100 * size % 999, letters));
      packed.push_back(PackedBy(dictionary, texts.back()));
      EXPECT_LE(packed.back().size(), texts.back().size() + 8);
    }
    for (size_t i = 0; i < texts.size(); ++i)
      EXPECT_EQ(UnpackedBy(dictionary, packed[i]), texts[i]);
  }
}

TEST(Dictionary, WhatASampleHasIsCopied) {
  std::minstd_rand random(1);
  Dictionary dictionary;
  const std::string sample = RandomLetters(random, 1000, 26);
  EXPECT_GT(PackedBy(dictionary, sample).size(), sample.size()) << "nothing is known yet";
  EXPECT_LE(PackedBy(dictionary, sample).size(), 8U);
  const std::string edited = "other " + sample.substr(0, 400) + "words" + sample.substr(410);
  EXPECT_LE(PackedBy(dictionary, edited).size(), 6U + 5U + 3 * 6);
  EXPECT_EQ(UnpackedBy(dictionary, PackedBy(dictionary, edited)), edited);
}

TEST(Dictionary, OfALongTextTheBeginningIsASample) {
  std::minstd_rand random(1);
  Dictionary dictionary;
  const std::string text = RandomLetters(random, Dictionary::kSampleBytesMax + 1000, 26);
  PackedBy(dictionary, text);
  EXPECT_LE(PackedBy(dictionary, text.substr(0, Dictionary::kSampleBytesMax)).size(), 8U);
  EXPECT_LE(PackedBy(dictionary, text).size(), 1000U + 12);
}

// A dictionary that is full, and a text of which it knows nothing.
struct Full {
  std::minstd_rand random{1};
  Dictionary dictionary;
  std::string first = RandomLetters(random, Dictionary::kSampleBytesMax, 26);

  Full() {
    PackedBy(dictionary, first);
    for (size_t size = first.size(); size < Dictionary::kBytesMax; size += first.size()) {
      PackedBy(dictionary, RandomLetters(random, first.size(), 26));
    }
  }
};

TEST(Dictionary, AFullOneLearnsNothingMore) {
  Full full;
  const std::string another = RandomLetters(full.random, 1000, 26);
  PackedBy(full.dictionary, another);
  EXPECT_GT(PackedBy(full.dictionary, another).size(), another.size());
  EXPECT_LE(PackedBy(full.dictionary, full.first).size(), 8U);
}

TEST(Dictionary, SoManyTextsThatPackBadlyWearItOut) {
  Full full;
  const std::string packed = PackedBy(full.dictionary, full.first);
  const std::string another = RandomLetters(full.random, 1000, 26);
  for (size_t i = 1; i < Dictionary::kPoorMax; ++i) PackedBy(full.dictionary, another);
  EXPECT_FALSE(full.dictionary.is_worn());
  PackedBy(full.dictionary, another);
  EXPECT_TRUE(full.dictionary.is_worn());
  EXPECT_GT(PackedBy(full.dictionary, full.first).size(), full.first.size());
  EXPECT_EQ(UnpackedBy(full.dictionary, PackedBy(full.dictionary, another)), another);
  EXPECT_EQ(UnpackedBy(full.dictionary, packed), full.first);
}

TEST(Dictionary, ThreadsPackAndUnpackAtTheSameTime) {
  Dictionary dictionary;
  std::vector<std::jthread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    threads.emplace_back([&dictionary, seed] {
      std::minstd_rand random(seed);
      for (size_t i = 0; i < 300; ++i) {
        const std::string text = RandomLetters(random, 200, 26);
        ASSERT_EQ(UnpackedBy(dictionary, PackedBy(dictionary, text)), text);
      }
    });
  }
}

}  // namespace
}  // namespace dray
