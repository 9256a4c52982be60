// SPDX-License-Identifier: Apache-2.0
// == of all values. Lists and objects of documents follow their schema: sets and lists with keys
// ignore order, and unlike in lists and maps of the language, a comparison that fails inside them
// is an error. After cel-go's common/types, and apiserver's pkg/cel/common for documents
// (valuesunstructured.go, valuesreflect.go).
#pragma once

#include <string>

#include "base/work.h"
#include "cel/value/value.h"

namespace dray::cel::inline value {

/// a == b. A Quantity or Semver on the left and something else on the right is an error, as
/// upstream; so is a list or object of a document. Inside lists and maps of the language such a
/// pair counts as equal. Values share parts, so comparing them may take more than what they occupy:
/// charges each part and text that it compares, and stops without an answer once `work` is spent.
/// Recursion is as deep as the values.
Value Equal(const Value& a, const Value& b, Work& work);

/// The key of an element of a set: the kind and value of a scalar as bytes. Empty for
/// lists and maps.
std::string KeyOfScalar(const Value& value);

/// The key of an element of `list`, which is a set or has keys. Empty if a set
/// cannot have such an element.
std::string KeyOfElement(const List& list, const Value& element);

/// What a set is with an element that it cannot have.
Value NotScalarError();

}  // namespace dray::cel::inline value
