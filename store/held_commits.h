// SPDX-License-Identifier: Apache-2.0
// Commits that are begun together and become durable together.
#pragma once

namespace dray::store {

/// What a store that waits for a disk has beside Store. Safe from any thread.
class CommitHolder {
 public:
  CommitHolder() = default;
  CommitHolder(const CommitHolder&) = delete;
  CommitHolder& operator=(const CommitHolder&) = delete;
  virtual ~CommitHolder() = default;

  /// Until Release, the store holds back commits, so that those begun meanwhile become durable
  /// together. The holder must only prepare and begin commits; it must not wait for anything before
  /// Release. Several threads may hold at the same time.
  virtual void Hold() = 0;
  virtual void Release() = 0;
};

/// Holds commits during its lifetime. Does nothing if there is no holder.
class HeldCommits {
 public:
  explicit HeldCommits(CommitHolder* holder) : holder_(holder) {
    if (holder_ != nullptr) holder_->Hold();
  }
  ~HeldCommits() {
    if (holder_ != nullptr) holder_->Release();
  }
  HeldCommits(const HeldCommits&) = delete;
  HeldCommits& operator=(const HeldCommits&) = delete;

 private:
  CommitHolder* const holder_;
};

}  // namespace dray::store
