// SPDX-License-Identifier: Apache-2.0
// Names that an expression may use besides those of its environment: for tests of the language, and
// for other programs that embed it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dray::cel::check {

struct Type;  // type.h

/// Types are written as in declarations: "map(string, dyn)", "optional_type(int)", "$T".
struct VariableDeclaration {
  std::string name;  // may be qualified: "a.b.c"
  std::string type;
  /// Instead of `type`, if not null. Outlives what is compiled.
  const Type* known_type = nullptr;
};

struct OverloadDeclaration {
  bool is_member = false;
  std::vector<std::string> parameters;  // the receiver first
  std::string result;
};

/// A function. It can be evaluated if the library has one of that name (cel/library/); otherwise a
/// call of it is an error.
struct FunctionDeclaration {
  std::string name;
  std::vector<OverloadDeclaration> overloads;
};

struct FieldDeclaration {
  std::string name;
  std::string type;
};

/// Which objects of a type expressions can make, by a literal Name{field: value}.
enum class Literals : uint8_t {
  kNone,
  kOfFields,  // with the fields that are declared
  kOfAny,     // with any fields, which are dyn
};

/// An object type with fields.
struct ObjectDeclaration {
  std::string name;  // "kubernetes.AdmissionRequest"
  std::vector<FieldDeclaration> fields;
  /// kOfAny: stands for all types whose names begin with its own and a dot, too.
  Literals literals = Literals::kNone;
};

/// The fields of object types that are not listed in the Scope because a schema has too many: they
/// are asked for one by one, by one thread at a time.
class FieldTypes {
 public:
  /// The type of `field` of `object`, which outlives what is compiled; nullptr if there is no such
  /// field, or if `object` is none of these types.
  virtual const Type* Find(const Type& object, std::string_view field) = 0;
  /// Whether `object` is one of these types.
  virtual bool Has(const Type& object) = 0;

 protected:
  ~FieldTypes() = default;
};

struct Scope {
  /// The declaration of the object type `name`; nullptr if there is none. O(objects).
  const ObjectDeclaration* FindObject(std::string_view name) const;

  /// Names are looked up in this container ("a.b") first, then in those around it.
  std::string container;
  std::vector<VariableDeclaration> variables;
  std::vector<FunctionDeclaration> functions;
  /// Object types of the variables.
  std::vector<ObjectDeclaration> objects = {};
  FieldTypes* fields = nullptr;  // of more object types; not owned
  /// Without checks every type is dyn, and a name that nothing declares fails when it is evaluated.
  bool checked = true;
};

}  // namespace dray::cel::check
