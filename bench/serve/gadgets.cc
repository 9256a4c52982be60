// SPDX-License-Identifier: Apache-2.0
#include "bench/serve/gadgets.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace dray::bench {
namespace {

constexpr size_t kFields = 12;  // of each of two types

// A member "description" with the comma after it.
std::string Description(std::string_view of, size_t number) {
  return fmt::format(
      R"("description":"{}{} says how the {}th part of a gadget is to be made, and when.",)",
      of,
      number,
      number + 1);
}

}  // namespace

std::string GadgetGroup(size_t number) {
  return fmt::format("kind-{}.example.com", number);
}

std::string GadgetPath(size_t number) {
  return fmt::format("/apis/{}/v1/namespaces/default/gadgets", GadgetGroup(number));
}

std::string GadgetDefinition(size_t number) {
  std::string fields;
  for (size_t i = 0; i < kFields; ++i) {
    fields += fmt::format(
        R"("text{0}":{{{1}"type":"string","maxLength":64}},"number{0}":{{{2}"type":"integer"}},)",
        i,
        Description("text", i),
        Description("number", i));
  }
  return fmt::format(
      R"({{"metadata":{{"name":"gadgets.{0}"}},"spec":{{"group":"{0}",)"
      R"("names":{{"plural":"gadgets","kind":"Gadget"}},"scope":"Namespaced","versions":[{{)"
      R"("name":"v1","served":true,"storage":true,"subresources":{{"status":{{}}}},"schema":{{)"
      R"("openAPIV3Schema":{{"type":"object","properties":{{"spec":{{"type":"object",)"
      R"("x-kubernetes-validations":[{{"rule":"self.number0 <= self.number1"}},)"
      R"({{"rule":"self.text0 != self.text1"}},{{"rule":"self.number2 >= 0"}},)"
      R"json({{"rule":"self.parts.all(p, p.size > 0)"}}],"properties":{{{1}"parts":{{"type":"array",)json"
      R"("maxItems":16,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],)"
      R"("items":{{"type":"object","required":["name"],"x-kubernetes-validations":[{{"rule":)"
      R"("self.size < 1000"}}],"properties":{{"name":{{"type":"string","maxLength":64}},"size":{{)"
      R"("type":"integer","default":1}}}}}}}}}}}},"status":{{"type":"object","properties":{{)"
      R"("replicas":{{"type":"integer"}},"observedGeneration":{{"type":"integer"}}}}}}}}}}}}}}]}}}})",
      GadgetGroup(number),
      fields);
}

std::string GadgetBody(size_t number, std::string_view name) {
  std::string fields;
  for (size_t i = 0; i < kFields; ++i) {
    fields += fmt::format(R"("text{0}":"some text {0}","number{0}":{0},)", i);
  }
  return fmt::format(
      R"({{"apiVersion":"{}/v1","kind":"Gadget","metadata":{{"name":"{}"}},"spec":{{{})"
      R"("parts":[{{"name":"a","size":1}},{{"name":"b","size":2}},{{"name":"c"}}]}}}})",
      GadgetGroup(number),
      name,
      fields);
}

std::string DeploymentBody(std::string_view name) {
  std::string variables;
  for (size_t i = 0; i < 10; ++i) {
    variables += fmt::format(R"({}{{"name":"N{}","value":"text {}"}})", i == 0 ? "" : ",", i, i);
  }
  return fmt::format(
      R"({{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"{}"}},"spec":{{)"
      R"("replicas":2,"selector":{{"matchLabels":{{"app":"a"}}}},"template":{{"metadata":{{)"
      R"("labels":{{"app":"a"}}}},"spec":{{"containers":[{{"name":"main","image":"image:1",)"
      R"("command":["run"],"workingDir":"/w","env":[{}]}}]}}}}}}}})",
      name,
      variables);
}

}  // namespace dray::bench
