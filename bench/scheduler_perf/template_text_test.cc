// SPDX-License-Identifier: Apache-2.0
#include "bench/scheduler_perf/template_text.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "api/codec/tree_json.h"

namespace dray::bench {
namespace {

std::string Rendered(std::string_view text) {
  const api::Tree values =
      *api::ReadTree(R"({"Index":7,"five":"5","nodes":2,"names":["a","b"],"class":"gpu"})");
  const Result<std::string> rendered = Render(text, values);
  return rendered.has_value() ? *rendered : "error: " + rendered.error().message;
}

TEST(TemplateText, WritesValuesAndCalls) {
  struct Case {
    std::string_view text, want;
  };
  constexpr Case kCases[] = {
      {"plain", "plain"},
      {"pod-{{.Index}} of {{ .class }}", "pod-7 of gpu"},
      {"{{DivideInt .Index 5}} {{Mod .Index .five}} {{AddInt 1 2}}", "1 2 3"},
      {"{{$n := (or .none .nodes) | Int}}{{$n}}", "2"},
      {"{{(or .none nil) | JSON}} {{.names | JSON}}", R"(null ["a","b"])"},
      {R"({{or .none "text"}})", "text"},
      {"{{range (.nodes | Int)}}<{{.}}>{{end}}", "<0><1>"},
      {"{{$n := .names}}{{range $i := (.nodes | Int)}}{{range $j := $n}}{{$i}}{{$j}} "
       "{{end}}{{end}}",
       "0a 0b 1a 1b "},
      {"{{range .names}}{{.}}{{end}}.{{.Index}}", "ab.7"},
      {"{{range .none}}x{{else}}none{{end}}", "none"},
      {R"({{if eq .class "gpu"}}yes{{else}}no{{end}})", "yes"},
      {"{{if ge .nodes 3}}yes{{else}}no{{end}}", "no"},
      {"{{if .none}}yes{{end}}", ""},
  };
  for (const Case& one : kCases) EXPECT_EQ(Rendered(one.text), one.want) << one.text;
}

TEST(TemplateText, NamesWhatItDoesNotKnow) {
  struct Case {
    std::string_view text, want;
  };
  constexpr Case kCases[] = {
      {"a\n{{.none}}", "error: line 2: {{.none}} has no value"},
      {"{{Sprig .Index}}", "error: line 1: no function Sprig of 1 values is known"},
      {"{{Mod .Index}}", "error: line 1: no function Mod of 1 values is known"},
      {"{{Mod .Index 0}}", "error: line 1: Mod by 0"},
      {"{{Int .class}}", R"(error: line 1: "gpu" is no integer)"},
      {"{{$x}}", "error: line 1: $x was not set"},
      {"{{range .names}}\n{{Int .}}{{end}}", R"(error: line 2: "a" is no integer)"},
      {"{{range $i, $v := .names}}{{end}}", "error: line 1: $i, $v: one variable at a time"},
      {"{{.Index .nodes}}", R"(error: line 1: {{.Index .nodes}}: ".nodes" is too much)"},
      {"{{(.Index}}", "error: line 1: ( without )"},
      {"{{if .Index}}", "error: line 1: a block without its end"},
      {"{{end}}", "error: end without a block"},
      {"{{.Index", "error: line 1: {{ without }}"},
  };
  for (const Case& one : kCases) EXPECT_EQ(Rendered(one.text), one.want) << one.text;
}

}  // namespace
}  // namespace dray::bench
