// SPDX-License-Identifier: Apache-2.0
#include "cli/stores/store_etcd.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/kind.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/try.h"
#include "base/world.h"
#include "cli/stores/copy_watch.h"
#include "cli/stores/store_record_json.h"
#include "cli/stores/unreadable_records.h"
#include "store/etcd/options.h"
#include "store/etcd/restore.h"
#include "store/etcd/rpc/call_failure.h"
#include "store/etcd/rpc/client.h"
#include "store/etcd/rpc/messages.h"
#include "store/sqlite/maintenance.h"
#include "store/store.h"

namespace dray::cli::inline stores {
namespace {

namespace etcd = store::etcd;
namespace rpc = store::etcd::rpc;

constexpr std::chrono::milliseconds kEtcdPatience{10'000};
constexpr int64_t kPage = 500;
constexpr Revision kNewest{0};  // for HashKv
/// The prefix of a server's keys.
constexpr const char* kAllKeys = "/registry/";

template <class T>
Result<T> ResultOf(rpc::Answer<T> answer) {
  if (answer.has_value()) return *std::move(answer);
  return Fail(rpc::ReadError(answer.error()));
}

/// The status of one member, or why there is none.
struct MemberAnswer {
  std::string url;
  rpc::Answer<rpc::StatusAnswer> status;
};

/// "http://127.0.0.1:2379: etcd 3.4.23, revision 12, 20.0 KiB, 16.0 KiB of it in use".
std::string TextOf(const MemberAnswer& member) {
  if (!member.status.has_value())
    return fmt::format("{}: {}", member.url, member.status.error().message);
  const rpc::StatusAnswer& status = *member.status;
  return fmt::format(
      "{}: etcd {}, revision {}, {}, {} of it in use{}{}",
      member.url,
      status.version,
      status.revision.value(),
      BytesText(static_cast<uint64_t>(status.file_bytes)),
      BytesText(static_cast<uint64_t>(status.file_bytes_in_use)),
      status.has_leader ? "" : ", without a leader",
      status.alarms.empty() ? "" : fmt::format(", alarm {}", fmt::join(status.alarms, " and ")));
}

class EtcdCommand {
 public:
  EtcdCommand(World& world,
              const StoreOptions& options,
              std::unique_ptr<rpc::Client> client,
              const Output& output)
      : world_(world), options_(options), client_(std::move(client)), output_(output) {}

  /// Runs all verbs but backup.
  Result<int> Run() {
    switch (options_.verb) {
      case StoreVerb::kStatus: return Status();
      case StoreVerb::kVerify: return Verify();
      case StoreVerb::kCompact: return Compact();
      case StoreVerb::kDump: return options_.log ? DumpLog() : Dump();
      case StoreVerb::kBackup: break;
      case StoreVerb::kRestore: return Restore();
      case StoreVerb::kRepair:
        return Fail(StatusReason::kInvalid,
                    "etcd repairs itself from its other members: only a data folder is repaired");
    }
    return kExitUsage;
  }

  /// Writes etcd's own format, from the first member that answers.
  Result<int> Backup(CopyWatch& watch) {
    DRAY_TRY(const std::unique_ptr<NewFile> file, world_.disk.MakeFile(options_.file));
    uint64_t bytes = 0;
    Result<> written;
    const auto save = [&](std::string_view part, uint64_t bytes_left) {
      bytes += part.size();
      written = file->Append(part);
      return watch.Step(bytes, bytes + bytes_left) && written.has_value();
    };
    rpc::Answer<bool> saved = client_->SaveSnapshot(0, save);
    for (size_t i = 1; i < client_->endpoint_count() && !saved.has_value() && bytes == 0; ++i)
      saved = client_->SaveSnapshot(i, save);
    if (watch.is_ended()) return watch.ReportEnd(BackupEndText(options_.file));
    watch.Clear();
    DRAY_TRY_VOID(std::move(written));
    if (!saved.has_value()) return Fail(rpc::ReadError(saved.error()));
    DRAY_TRY_VOID(file->Finish());
    Facts facts;
    facts.AddText("", "file", options_.file);
    facts.AddBytes("", "sizeBytes", bytes);
    if (options_.format == OutputFormat::kText) {
      cli::Print(
          output_.out, "{}: {}, for `etcdctl snapshot restore`\n", options_.file, BytesText(bytes));
    } else {
      facts.Print(options_.format, output_);
    }
    return kExitYes;
  }

 private:
  std::vector<MemberAnswer> AskMembers() {
    std::vector<MemberAnswer> members;
    members.reserve(client_->endpoint_count());
    for (size_t i = 0; i < client_->endpoint_count(); ++i)
      members.push_back(
          {.url = client_->url(i), .status = client_->StatusAtAndWait(i, kEtcdPatience)});
    return members;
  }

  /// Returns the newest revision and the number of the server's keys.
  Result<rpc::RangeAnswer> CountKeys() {
    return ResultOf(client_->RangeAndWait({.keys = rpc::SpanOfPrefix(kAllKeys), .count_only = true},
                                          kEtcdPatience));
  }

  Result<int> Status() {
    DRAY_TRY(const rpc::RangeAnswer count, CountKeys());
    Facts facts;
    facts.AddText("cluster", "clusterID", fmt::format("{:016x}", count.cluster_id));
    facts.AddNumber("newest revision", "newestRevision", count.newest.value());
    DRAY_TRY(const Revision oldest, OldestRevision());
    facts.AddNumber("oldest revision", "oldestRevision", oldest.value());
    facts.AddNumber("keys", "keys", count.count);
    std::vector<std::string> texts;
    for (const MemberAnswer& member : AskMembers()) texts.push_back(TextOf(member));
    facts.AddTexts("member", "members", texts);
    facts.Print(options_.format, output_);
    return kExitYes;
  }

  /// The last compacted revision, from any member. It can be read itself, and watches can start
  /// after it.
  Result<Revision> OldestRevision() {
    Result<rpc::HashAnswer> hash = Fail(StatusReason::kServiceUnavailable, "no etcd server");
    for (size_t i = 0; i < client_->endpoint_count() && !hash.has_value(); ++i)
      hash = ResultOf(client_->HashKvAndWait(i, kNewest, kEtcdPatience));
    if (!hash.has_value()) return Fail(hash.error());
    return std::max(hash->compacted, store::kFirstRevision);
  }

  /// The hash of all records of a member at `revision`, or at its newest revision if that is
  /// compacted.
  rpc::Answer<rpc::HashAnswer> HashOf(size_t member, Revision revision) {
    auto hash = client_->HashKvAndWait(member, revision, kEtcdPatience);
    const bool is_compacted =
        !hash.has_value() && hash.error().kind == rpc::CallFailure::Kind::kCompacted;
    return is_compacted ? client_->HashKvAndWait(member, kNewest, kEtcdPatience) : std::move(hash);
  }

  /// Checks that all members have the same keys and values at one revision, and that these are
  /// sound.
  Result<int> Verify() {
    DRAY_TRY(const rpc::RangeAnswer count, CountKeys());
    std::vector<std::string> problems;
    std::optional<std::pair<std::string, uint32_t>> first;
    size_t index = 0;
    for (const MemberAnswer& member : AskMembers()) {
      const bool is_well =
          member.status.has_value() && member.status->has_leader && member.status->alarms.empty();
      if (!is_well) problems.push_back(TextOf(member));
      const auto hash = HashOf(index++, count.newest);
      if (!hash.has_value()) {
        if (member.status.has_value())
          problems.push_back(fmt::format("{}: {}", member.url, hash.error().message));
        continue;
      }
      if (!first.has_value()) first = {member.url, hash->hash};
      if (hash->hash == first->second) continue;
      problems.push_back(fmt::format("{} and {} do not have the same content at revision {}",
                                     first->first,
                                     member.url,
                                     count.newest.value()));
    }
    UnreadableRecords unreadable;
    DRAY_TRY_VOID(ForEachRecord(kAllKeys, [&](const rpc::KeyValue& kv) {
      unreadable.Check(kv.key, kv.value);
      return Result<>();
    }));
    Facts facts;
    const uint64_t problem_count = problems.size() + unreadable.count();
    const bool is_sound = problem_count == 0;
    facts.AddText("verdict", "", is_sound ? "sound" : fmt::format("{} problems", problem_count));
    facts.AddFlag("sound", is_sound);
    facts.AddNumber("newest revision", "newestRevision", count.newest.value());
    facts.AddNumber("keys", "keys", count.count);
    facts.AddNumber("", "problemCount", static_cast<int64_t>(problem_count));
    facts.AddTexts("problem", "problems", problems);
    unreadable.AddTo(facts);
    facts.Print(options_.format, output_);
    return is_sound ? kExitYes : kExitNo;
  }

  Result<int> Compact() {
    DRAY_TRY(const rpc::RangeAnswer count, CountKeys());
    const Revision revision = options_.revision.value_or(count.newest);
    if (revision > count.newest) {
      return Fail(StatusReason::kTimeout,
                  fmt::format("revision {} is in the future, the newest is {}",
                              revision.value(),
                              count.newest.value()));
    }
    const rpc::Answer<Revision> done = client_->CompactAndWait(revision, kEtcdPatience);
    const bool was_done =
        !done.has_value() && done.error().kind == rpc::CallFailure::Kind::kCompacted;
    if (!done.has_value() && !was_done) return Fail(rpc::ReadError(done.error()));
    DRAY_TRY(const Revision oldest, OldestRevision());
    Facts facts;
    facts.AddNumber("newest revision", "newestRevision", count.newest.value());
    facts.AddNumber("oldest revision", "oldestRevision", oldest.value());
    facts.Print(options_.format, output_);
    return kExitYes;
  }

  static RecordLine LineOf(const rpc::KeyValue& kv) {
    return {.key = kv.key,
            .value = kv.value,
            .created = kv.created,
            .modified = kv.modified,
            .version = kv.version};
  }

  /// Restores the live records of a data folder's backup into an etcd without keys.
  Result<int> Restore() {
    const Result<store::sqlite::FileStatus> source = store::sqlite::StatusOf(options_.file);
    if (!source.has_value() && source.error().reason == StatusReason::kInvalid) {
      return Fail(StatusReason::kInvalid,
                  fmt::format("{} is no backup of a data folder: what `dray store backup` made of "
                              "etcd becomes a new cluster with `etcdctl snapshot restore`",
                              options_.file));
    }
    if (!source.has_value()) return Fail(source.error());
    DRAY_TRY(etcd::Restorer restorer, etcd::Restorer::Begin(*client_, world_.clock, kAllKeys));
    DRAY_TRY_VOID(
        store::sqlite::Dump(options_.file, {}, [&](const store::sqlite::DumpedRecord& record) {
          return restorer.Add({.key = record.key, .value = record.value, .expiry = record.expiry});
        }));
    DRAY_TRY(const etcd::Restorer::Done done, restorer.Finish());
    Facts facts;
    facts.AddNumber("keys", "keys", static_cast<int64_t>(done.keys));
    facts.AddNumber("newest revision", "newestRevision", done.newest.value());
    facts.Print(options_.format, output_);
    return kExitYes;
  }

  Result<> Print(const RecordLine& line) {
    cli::Print(output_.out, "{}\n", Composed(PrintableJson(JsonLine(scheme_, line))));
    if (std::ferror(output_.out) == 0) return {};
    return Fail(StatusReason::kInternalError, "the output cannot be written any further");
  }

  /// Calls `take` for the live records, until it returns an error. Reads pages at one revision, so
  /// that they are one state.
  Result<> ForEachRecord(const std::string& prefix,
                         const std::function<Result<>(const rpc::KeyValue&)>& take) {
    rpc::RangeQuery query{.keys = rpc::SpanOfPrefix(prefix), .limit = kPage};
    while (true) {
      DRAY_TRY(const rpc::RangeAnswer page, ResultOf(client_->RangeAndWait(query, kEtcdPatience)));
      for (const rpc::KeyValue& kv : page.kvs) DRAY_TRY_VOID(take(kv));
      if (!page.more || page.kvs.empty()) return {};
      if (!query.at.has_value()) query.at = page.newest;
      query.keys.first = page.kvs.back().key + std::string(1, '\0');
    }
  }

  Result<int> Dump() {
    DRAY_TRY_VOID(ForEachRecord(options_.prefix.empty() ? kAllKeys : options_.prefix,
                                [&](const rpc::KeyValue& kv) { return Print(LineOf(kv)); }));
    return kExitYes;
  }

  /// Prints the whole history of etcd in order: with a watch over all keys, because the newest
  /// revision is then certain to be among its events.
  Result<int> DumpLog() {
    DRAY_TRY(const rpc::RangeAnswer count, CountKeys());
    DRAY_TRY(Revision seen, OldestRevision());
    if (seen >= count.newest) return kExitYes;
    const std::unique_ptr<rpc::Watch> watch = client_->StartWatch(
        0, {.keys = {.first = std::string(1, '\0'), .end = std::string(1, '\0')}, .after = seen});
    const std::string prefix = options_.prefix.empty() ? kAllKeys : options_.prefix;
    while (seen < count.newest) {
      DRAY_TRY(const rpc::WatchAnswer answer, ResultOf(watch->Next()));
      if (answer.canceled) {
        return Fail(StatusReason::kExpired, "etcd ended the watch: " + answer.cancel_reason);
      }
      for (const rpc::WatchEvent& event : answer.events) {
        seen = event.kv.modified;
        if (seen > count.newest) return kExitYes;
        if (!event.kv.key.starts_with(prefix)) continue;
        RecordLine line = LineOf(event.kv);
        line.is_deletion = event.is_deletion;
        line.replaced = event.previous_modified.value_or(Revision{});
        DRAY_TRY_VOID(Print(line));
      }
    }
    return kExitYes;
  }

  World& world_;
  const StoreOptions& options_;
  const std::unique_ptr<rpc::Client> client_;
  const Output& output_;
  const api::Scheme scheme_;
};

}  // namespace

Result<int> StoreInEtcd(World& world, const StoreOptions& options, const Output& output) {
  std::optional<CopyWatch> watch;  // before any thread exists
  if (options.verb == StoreVerb::kBackup) watch.emplace(output, world.clock, "backing up");
  DRAY_TRY(std::unique_ptr<rpc::Client> client,
           rpc::Client::Make(world.disk,
                             {.endpoints = options.store.etcd_servers,
                              .ca_file = options.store.etcd_ca_file,
                              .certificate_file = options.store.etcd_certificate_file,
                              .key_file = options.store.etcd_key_file}));
  EtcdCommand command(world, options, std::move(client), output);
  return watch.has_value() ? command.Backup(*watch) : command.Run();
}

}  // namespace dray::cli::inline stores
