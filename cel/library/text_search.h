// SPDX-License-Identifier: Apache-2.0
// Looking for one text in another in linear time, and what reading a text takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dray::cel::library {

/// Where `wanted` first occurs in `text` at or after `from`; npos: nowhere. An empty text occurs
/// everywhere. O(text + wanted).
size_t FindFirst(std::string_view text, std::string_view wanted, size_t from = 0);

/// Where `wanted`, which is not empty, last occurs in `text` at or before `from`; npos: nowhere.
/// O(text + wanted), in time and memory (Knuth, Morris and Pratt, from the end).
size_t FindLast(std::string_view text,
                std::string_view wanted,
                size_t from = std::string_view::npos);

/// In units of Work: looking for one in the other.
uint64_t WorkOfSearching(std::string_view text, std::string_view wanted);
/// In units of Work: counting the characters of the text, or going to one of them. Texts of ASCII
/// are read in blocks.
uint64_t WorkOfCounting(std::string_view text);

}  // namespace dray::cel::library
