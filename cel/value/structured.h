// SPDX-License-Identifier: Apache-2.0
// + and `in` of lists of documents, which follow their schema (x-kubernetes-list-type). After
// apiserver's pkg/cel/common (valuesunstructured.go, valuesreflect.go).
#pragma once

#include "base/work.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel::inline value {

/// a + b, where `a` is a set or has keys: elements of `b` that `a` has already are left out of a
/// set and replace those of a list with keys; others are appended. Costs O(n).
Value AddStructured(Arena& arena, const List& a, const List& b);

/// Whether an element of `list`, which is not plain, equals `wanted`. Where none does, the first
/// comparison that fails is the result.
Value ContainsElement(const List& list, const Value& wanted, Work& work);

}  // namespace dray::cel::inline value
