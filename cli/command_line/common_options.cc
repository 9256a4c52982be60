// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/common_options.h"

#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dray::cli::inline command_line {

Option& AddOutput(Command& command, std::string& format, std::vector<std::string> forms) {
  const auto all_but_last = std::span(forms).first(forms.size() - 1);
  const std::string text = fmt::format("{} or {}", fmt::join(all_but_last, ", "), forms.back());
  return command.Text("-o, --output", format, text).OneOf(std::move(forms)).ShowsDefault();
}

Option& AddWatch(Command& command, bool& watch) {
  return command.Flag(
      "-w, --watch",
      watch,
      "follow a running cluster: print again when the answer changes, until Ctrl-C");
}

Option& AddServerGates(Command& command, std::string& gates) {
  return command.Text("--feature-gates GATES",
                      gates,
                      "NAME=true|false,… as for kube-apiserver; all DRA gates are on otherwise");
}

Option& AddNamespaceOfObjects(Command& command, std::string& name) {
  return command.Text("-n, --namespace NAMESPACE", name, "the namespace of objects that name none");
}

}  // namespace dray::cli::inline command_line
