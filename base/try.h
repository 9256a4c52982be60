// SPDX-License-Identifier: Apache-2.0
// Macros that return the error of a Result to the caller. Sources use them; no header of the
// library for programs of others includes this one (docs/library.md).
#pragma once

#include <utility>

#include "base/result.h"

// NOLINTBEGIN(bugprone-macro-parentheses): a declaration and `return` cannot stand in any
#define DRAY_CONCAT_INNER_(a, b) a##b
#define DRAY_CONCAT_(a, b) DRAY_CONCAT_INNER_(a, b)
#define DRAY_TRY_IMPL_(temporary, declaration, expression, return_word)   \
  auto temporary = (expression);                                          \
  if (!temporary.has_value()) return_word std::move(temporary).failure(); \
  declaration = *std::move(temporary)
// NOLINTEND(bugprone-macro-parentheses)

/// DRAY_TRY(const Claim claim, Parse(body)); binds the value, or returns the error.
#define DRAY_TRY(declaration, ...) \
  DRAY_TRY_IMPL_(DRAY_CONCAT_(dray_result_, __COUNTER__), declaration, (__VA_ARGS__), return)
/// The same inside a coroutine.
#define DRAY_CO_TRY(declaration, ...) \
  DRAY_TRY_IMPL_(DRAY_CONCAT_(dray_result_, __COUNTER__), declaration, (__VA_ARGS__), co_return)

/// DRAY_TRY_VOID(Check(x)); returns the error of a Result<void>.
#define DRAY_TRY_VOID(...)                                              \
  do {                                                                  \
    if (auto dray_result_ = (__VA_ARGS__); !dray_result_.has_value()) { \
      return std::move(dray_result_).failure();                         \
    }                                                                   \
  } while (false)
#define DRAY_CO_TRY_VOID(...)                                           \
  do {                                                                  \
    if (auto dray_result_ = (__VA_ARGS__); !dray_result_.has_value()) { \
      co_return std::move(dray_result_).failure();                      \
    }                                                                   \
  } while (false)
