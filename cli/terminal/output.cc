// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/output.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/codec/yaml.h"

namespace dray::cli::inline terminal {
namespace {

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The width of a terminal; help's width if it is no terminal or its width is unknown.
size_t ColumnsOf(int descriptor) {
  constexpr size_t kUsual = 80;
  constexpr size_t kLeast = 40;
  winsize size{};
  if (isatty(descriptor) == 0 || ioctl(descriptor, TIOCGWINSZ, &size) != 0) return kUsual;
  return size.ws_col == 0 ? kUsual : std::max<size_t>(size.ws_col, kLeast);
}

std::string JsonOf(api::JsonScalar value) {
  return api::JsonText([&](api::JsonWriter& json) { json.Value(value); });
}

}  // namespace

OutputFormat FormatOf(std::string_view word) {
  if (word == "json") return OutputFormat::kJson;
  return word == "yaml" ? OutputFormat::kYaml : OutputFormat::kText;
}

void Output::Notes(std::span<const std::string> texts) const {
  for (const std::string& text : texts) Remark(fmt::format("note: {}", text));
}

int Output::Refuse(std::string_view command, std::string_view why) const {
  Remark(fmt::format("dray {}: {}", command, why));
  return kExitUsage;
}

void Output::Remark(std::string_view line) const {
  const std::string text = TextFor("{}\n", line);
  (void)std::fwrite(text.data(), 1, text.size(), notes);  // its error has no place to go
}

void WriteSchema(std::string_view command, api::JsonWriter& json) {
  json.Member("schema", fmt::format("dray/{}/v1", command));
}

std::string DocumentText(OutputFormat format, std::string_view json) {
  // JSON is also YAML, and its escapes can show hidden characters.
  const bool is_yaml = format == OutputFormat::kYaml && !HasHidden(json);
  if (is_yaml) return api::JsonToYaml(json).value_or("");
  return PrintableJson(api::PrettyJson(json)) + '\n';
}

void Output::Document(OutputFormat format, std::string_view json) const {
  Print(out, "{}", Composed(DocumentText(format, json)));
}

Output StandardOutput() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread has started
  const char* const no_color = std::getenv("NO_COLOR");
  const bool is_requested = no_color == nullptr || *no_color == '\0';
  const bool is_plain = !is_requested || isatty(STDOUT_FILENO) == 0;
  return {.out = stdout,
          .notes = stderr,
          .colours = is_plain ? Colours::kNone : Colours::kTerminal,
          .shows_progress = isatty(STDERR_FILENO) != 0,
          .columns = ColumnsOf(STDOUT_FILENO)};
}

std::string Painted(std::string_view text, std::string_view colour, Colours colours) {
  constexpr std::string_view kPlain = "\033[0m";
  if (colours == Colours::kNone) return std::string(text);
  return fmt::format("{}{}{}", colour, text, kPlain);
}

std::string_view Plural(size_t count, std::string_view one, std::string_view many) {
  return count == 1 ? one : many;
}

std::string TableOf(std::span<const Row> given, Numbers numbers) {
  if (given.empty()) return {};
  std::vector<Row> rows(given.begin(), given.end());
  for (Row& row : rows) {
    for (std::string& cell : row) cell = Printable(cell);
  }
  std::vector<size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string table;
  for (const Row& row : rows) {
    const bool is_head = &row == &rows.front();
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const bool is_right = numbers == Numbers::kRight && !is_head && IsNumber(row[i]);
      line += is_right ? fmt::format("{:>{}}   ", row[i], widths[i])
                       : fmt::format("{:<{}}   ", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    table += line + '\n';
  }
  return table;
}

void Facts::AddText(std::string_view label, std::string_view member, std::string_view text) {
  facts_.push_back({.label = std::string(label),
                    .member = std::string(member),
                    .text = std::string(text),
                    .json = JsonOf(text)});
}

void Facts::AddNumber(std::string_view label, std::string_view member, int64_t number) {
  facts_.push_back({.label = std::string(label),
                    .member = std::string(member),
                    .text = std::to_string(number),
                    .json = JsonOf(number)});
}

void Facts::AddBytes(std::string_view label, std::string_view member, uint64_t bytes) {
  facts_.push_back({.label = std::string(label),
                    .member = std::string(member),
                    .text = BytesText(bytes),
                    .json = JsonOf(bytes)});
}

void Facts::AddFlag(std::string_view member, bool is_set) {
  facts_.push_back(
      {.label = {}, .member = std::string(member), .text = {}, .json = JsonOf(is_set)});
}

void Facts::AddTexts(std::string_view label,
                     std::string_view member,
                     const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    facts_.push_back({.label = std::string(label), .member = {}, .text = text, .json = {}});
  }
  std::string all = api::JsonText([&](api::JsonWriter& json) { json.ArrayOf(texts); });
  facts_.push_back(
      {.label = {}, .member = std::string(member), .text = {}, .json = std::move(all)});
}

void Facts::Print(OutputFormat format, const Output& output) const {
  if (format == OutputFormat::kText) {
    cli::Print(output.out, "{}", Composed(Lines()));
  } else {
    output.Document(format, Json());
  }
}

std::string Facts::Lines() const {
  size_t width = 0;
  for (const Fact& fact : facts_) width = std::max(width, fact.label.size());
  std::string lines;
  for (const Fact& fact : facts_) {
    if (!fact.label.empty()) lines += TextFor("{:<{}}  {}\n", fact.label, width, fact.text);
  }
  return lines;
}

std::string Facts::Json() const {
  return api::JsonText([&](api::JsonWriter& json) {
    json.Object([&] {
      for (const Fact& fact : facts_) {
        if (!fact.member.empty()) json.Member(fact.member).Raw(fact.json);
      }
    });
  });
}

std::string BytesText(uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  constexpr double kStep = 1024;
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes) / kStep;
  size_t unit = 0;
  for (; size >= kStep && unit + 1 < kUnits.size(); ++unit) size /= kStep;
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

}  // namespace dray::cli::inline terminal
