// SPDX-License-Identifier: Apache-2.0
// Bodies of any size in forms designed to be expensive.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace dray::cost {

/// `head`, as many `unit`s with commas between them as fit, `tail`. "#" in a unit is its number.
inline std::string Filled(size_t bytes,
                          std::string_view head,
                          std::string_view unit,
                          std::string_view tail) {
  std::string text(head);
  for (size_t i = 0;; ++i) {
    std::string next = i == 0 ? "" : ",";
    for (const char c : unit) {
      if (c == '#') {
        next += fmt::format("{:06}", i);
      } else {
        next += c;
      }
    }
    if (i > 0 && text.size() + next.size() + tail.size() > bytes) break;
    text += next;
  }
  return text.append(tail);
}

inline std::string Times(std::string_view unit, size_t count) {
  std::string text;
  text.reserve(unit.size() * count);
  for (size_t i = 0; i < count; ++i) text += unit;
  return text;
}

/// Half of the bytes are a key, the other half members below it.
inline std::string BelowLongKey(size_t bytes,
                                std::string_view head,
                                std::string_view unit,
                                std::string_view tail) {
  const std::string start = std::string(head) + "\"" + std::string(bytes / 2, 'k') + "\":{";
  return Filled(bytes, start, unit, "}" + std::string(tail));
}

inline std::string PodWith(std::string_view spec) {
  return fmt::format(
      R"({{"metadata":{{"name":"p"}},"spec":{{"containers":[{{"name":"a","image":"i"{}}}]}}}})",
      spec);
}

inline std::string ClaimWith(std::string_view parameters) {
  return fmt::format(R"({{"metadata":{{"name":"c"}},"spec":{{"devices":{{"requests":[{{"name":"r",)"
                     R"("exactly":{{"deviceClassName":"x"}}}}],"config":[{{"opaque":{{)"
                     R"("driver":"d.example.com","parameters":{}}}}}]}}}}}})",
                     parameters);
}

/// Opaque parameters may have 10 KiB. Makes as many of them as fit, each nested as deeply as
/// possible.
inline std::string DeepClaims(size_t bytes) {
  constexpr size_t kDepth = 2'500;
  const std::string parameters =
      "{\"a\":" + Times("[", kDepth) + Times("1,", kDepth) + "1" + Times("]", kDepth) + "}";
  const std::string config =
      R"({"opaque":{"driver":"d.example.com","parameters":)" + parameters + "}}";
  return Filled(std::min<size_t>(bytes, 300'000),
                R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r",)"
                R"("exactly":{"deviceClassName":"x"}}],"config":[)",
                config,
                "]}}}");
}

/// A claim with as many selectors as fit, each with a large pattern, no two of them alike.
inline std::string ClaimOfPatterns(size_t bytes) {
  constexpr size_t kSelectors = 32;  // of a subrequest, of which a request has eight
  size_t number = 0;
  const auto subrequest = [&](size_t index) {
    std::string text = fmt::format(
        R"({{"name":"s{}","deviceClassName":"x","allocationMode":"ExactCount","count":1,"selectors":[)",
        index);
    for (size_t i = 0; i < kSelectors; ++i) {
      text += fmt::format(R"x({}{{"cel":{{"expression":"'{:06}'.matches('\\\\pL{{90}}')"}}}})x",
                          i == 0 ? "" : ",",
                          ++number);
    }
    return text + "]}";
  };
  std::string text = R"({"metadata":{"name":"c"},"spec":{"devices":{"requests":[)";
  for (size_t request = 0; text.size() < bytes; ++request) {
    text += fmt::format(R"({}{{"name":"r{}","firstAvailable":[)", request == 0 ? "" : ",", request);
    for (size_t i = 0; i < 8; ++i) text += (i == 0 ? "" : ",") + subrequest(i);
    text += "]}";
  }
  return text + "]}}}";
}

}  // namespace dray::cost
