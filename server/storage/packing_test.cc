// SPDX-License-Identifier: Apache-2.0
#include "server/storage/packing.h"

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dray::server::storage {
namespace {

std::string Random(size_t size, unsigned seed) {
  std::minstd_rand random(seed);
  std::string text;
  while (text.size() < size) text.push_back(static_cast<char>('a' + random() % 26));
  return text;
}

// An envelope of a kind, with `content` behind it.
std::string Envelope(std::string_view kind, std::string_view content) {
  std::string bytes("k8s\0\n", 5);
  bytes.push_back(static_cast<char>(kind.size()));
  return bytes.append(kind).append(content);
}

Frozen<Dictionary> DictionaryOf(Packing& packing, const std::string& bytes) {
  for (int i = 0; i < 2; ++i) {  // the first becomes a sample
    std::string room;
    const Packed packed = packing.Pack(bytes, room);
    if (packed.dictionary == nullptr) {
      EXPECT_EQ(packed.bytes.data(), bytes.data()) << "as it is, without a copy";
      continue;
    }
    EXPECT_LT(packed.bytes.size(), bytes.size() / 4 * 3);
    std::string again;
    packed.dictionary->Unpack(packed.bytes, again);
    EXPECT_EQ(again, bytes);
    return packed.dictionary;
  }
  return nullptr;
}

TEST(Packing, WhatIsShortStaysAsItIs) {
  Packing packing;
  EXPECT_EQ(DictionaryOf(packing, Random(Packing::kShortBytes - 1, 1)), nullptr);
  EXPECT_NE(DictionaryOf(packing, Random(Packing::kShortBytes, 1)), nullptr);
}

TEST(Packing, SecretsAreNoSamples) {
  Packing packing;
  const std::string content = Random(1000, 1);
  EXPECT_EQ(DictionaryOf(packing, Envelope("\n\x02v1\x12\x06Secret", content)), nullptr);
  const std::string json = R"({"apiVersion":"example.com/v1","kind":"VaultSecret","data":")";
  EXPECT_EQ(DictionaryOf(packing, json + content), nullptr);
  EXPECT_NE(DictionaryOf(packing, Envelope("\n\x02v1\x12\x09ConfigMap", content)), nullptr);
}

TEST(Packing, KindsHaveDictionariesOfTheirOwn) {
  Packing packing;
  const auto pod = DictionaryOf(packing, Envelope("v1 Pod", Random(500, 1)));
  const auto node = DictionaryOf(packing, Envelope("v1 Node", Random(500, 2)));
  EXPECT_NE(pod, nullptr);
  EXPECT_NE(pod, node);
  EXPECT_EQ(DictionaryOf(packing, Envelope("v1 Pod", Random(500, 3))), pod);
  const auto json = [&](std::string_view kind, unsigned seed) {
    return DictionaryOf(
        packing,
        fmt::format(R"({{"apiVersion":"g/v1","kind":"{}","a":"{}"}})", kind, Random(500, seed)));
  };
  const auto widget = json("Widget", 4);
  EXPECT_NE(widget, json("Gadget", 5));
  EXPECT_EQ(json("Widget", 6), widget);
}

TEST(Packing, SoManyKindsHaveADictionaryTheRestSharesOne) {
  Packing packing;
  const auto of_kind = [&](size_t number, unsigned seed) {
    return DictionaryOf(packing, Envelope(fmt::format("v1 K{}", number), Random(500, seed)));
  };
  for (unsigned i = 0; i < Packing::kKindsMax - 1; ++i) of_kind(i, i + 1);
  const auto last = of_kind(Packing::kKindsMax - 1, 100);
  const auto rest = of_kind(Packing::kKindsMax, 200);
  EXPECT_NE(last, rest);
  EXPECT_EQ(of_kind(Packing::kKindsMax + 1, 300), rest);
  EXPECT_EQ(of_kind(Packing::kKindsMax - 1, 400), last);
}

TEST(Packing, AWornDictionaryIsReplacedAndLivesForWhatItPacked) {
  Packing packing;
  const std::string first = Random(500, 1);
  const auto before = DictionaryOf(packing, first);
  std::string room;
  const std::string packed(packing.Pack(first, room).bytes);
  for (unsigned i = 0; !before->is_worn(); ++i) {
    room.clear();
    packing.Pack(Random(Dictionary::kSampleBytesMax, i + 2), room);
  }
  EXPECT_NE(DictionaryOf(packing, Random(500, 1)), before);
  std::string again;
  before->Unpack(packed, again);
  EXPECT_EQ(again, first);
}

}  // namespace
}  // namespace dray::server::storage
