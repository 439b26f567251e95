#include "algorithms/transport/mpi_world.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <optional>
#include <sstream>
#include <thread>
#include <tuple>

#include "algorithms/transport/counting.hpp"
#include "algorithms/transport/mpi_guest.hpp"
#include "algorithms/transport/mpi_handles.hpp"

namespace sparsewire {

using mpi::Communicator;
using mpi::require;

namespace {

void print_error(const std::string& message) {
  std::fprintf(stderr, "sparsewire: %s\n", message.c_str());
  std::fflush(stderr);
}

[[noreturn]] void abort_job(const std::string& message) {
  print_error(message);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  std::abort();
}

// Messages that one receiver was sent on one channel and never asked for.
struct Leftover {
  Rank from = 0, to = 0;
  Tag tag = 0;
  std::uint64_t count = 0;
};

// Sends under way, each with the bytes that MPI reads.
class PendingSends {
 public:
  void add(MPI_Request request, Message message) {
    int done = 0;
    require(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    bytes_since_release_ += message.size();
    requests_.push_back(request);
    messages_.push_back(std::move(message));
    if (requests_.size() >= release_at_ || bytes_since_release_ >= kReleaseBytes) release_completed();
  }

  // Frees the bytes of sends that have completed.
  void release_completed() {
    if (requests_.empty()) return;
    int count = 0;
    std::vector<int> completed(requests_.size());
    require(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, completed.data(),
                         MPI_STATUSES_IGNORE),
            "MPI_Testsome");
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      std::swap(messages_[kept++], messages_[i]);
    }
    requests_.resize(kept);
    messages_.resize(kept);
    release_at_ = std::max(kReleaseCount, 2 * kept);
    bytes_since_release_ = 0;
  }

  void complete() {
    require(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    requests_.clear();
    messages_.clear();
  }

 private:
  static constexpr std::size_t kReleaseCount = 32;
  static constexpr std::size_t kReleaseBytes = std::size_t{16} << 20;

  std::vector<MPI_Request> requests_;
  std::vector<Message> messages_;  // of the request at the same place
  std::size_t release_at_ = kReleaseCount;
  std::size_t bytes_since_release_ = 0;
};

// One process in one run.
class MpiTransport final : public Transport {
 public:
  MpiTransport(const Communicator& comm, Seconds timeout)
      : comm_(comm.get()),
        rank_(comm.rank()),
        size_(comm.size()),
        timeout_(timeout),
        sent_(static_cast<std::size_t>(size_)),
        received_(static_cast<std::size_t>(size_)) {}

  Rank rank() const override { return rank_; }
  Rank size() const override { return size_; }
  Seconds now() const override { return MPI_Wtime() - start_; }
  void compute(const Work&) override {}

  // Leaves at about the same moment on all ranks; the clock starts at 0. The second barrier takes away the
  // scatter in which the ranks arrive at the first.
  void start_together() {
    require(MPI_Barrier(comm_), "MPI_Barrier");
    require(MPI_Barrier(comm_), "MPI_Barrier");
    start_ = MPI_Wtime();
  }

  // Collective, after the program: receives what nobody asked for, without which a large send never
  // completes, completes this rank's sends, and returns the former.
  std::vector<Leftover> finish() {
    std::vector<std::uint64_t> expected(sent_.size());
    require(MPI_Alltoall(sent_.data(), 1, MPI_UINT64_T, expected.data(), 1, MPI_UINT64_T, comm_),
            "MPI_Alltoall");
    std::map<std::pair<Rank, Tag>, std::uint64_t> channels;
    for (auto& [channel, incoming] : incoming_) {
      incoming.complete();
      ++received_[index(channel.first)];
      ++channels[channel];
    }
    incoming_.clear();
    for (Rank from = 0; from < size_; ++from)
      for (std::uint64_t& count = received_[index(from)]; count < expected[index(from)]; ++count)
        ++channels[{from, drain(from)}];
    pending_.complete();
    std::vector<Leftover> leftovers;
    for (const auto& [channel, count] : channels)
      leftovers.push_back({channel.first, rank_, channel.second, count});
    return leftovers;
  }

 private:
  struct Arrival {
    MPI_Message handle;
    MPI_Status status;
  };

  // A message on its way into this process's memory.
  class Incoming {
   public:
    explicit Incoming(Arrival arrival)
        : size_(mpi::carried_bytes(arrival.status)),
          data_(std::make_shared_for_overwrite<std::byte[]>(size_)) {
      const mpi::Bytes bytes(std::span(data_.get(), size_));
      require(MPI_Imrecv(bytes.data(), bytes.count(), bytes.type(), &arrival.handle, &request_),
              "MPI_Imrecv");
    }
    bool is_complete() {
      int done = 0;
      require(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
      return done != 0;
    }
    void complete() { require(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }
    Message message() const { return Message(data_, size_); }

   private:
    std::size_t size_;
    std::shared_ptr<std::byte[]> data_;
    MPI_Request request_ = MPI_REQUEST_NULL;
  };

  void do_send(Rank to, Tag tag, Message message) override {
    if (message.chunk_count() > 1 && message.size() <= kCopied) message = Message(message.flatten());
    const mpi::Bytes bytes(message);
    MPI_Request request = MPI_REQUEST_NULL;
    require(MPI_Isend(bytes.data(), bytes.count(), bytes.type(), to, tag, comm_, &request), "MPI_Isend");
    ++sent_[index(to)];
    pending_.add(request, std::move(message));
  }

  Message do_recv(Rank from, Tag tag) override {
    const Source source{from, tag};
    const Seconds since = now();
    for (std::uint64_t polls = 1;; ++polls) {
      if (std::optional<Message> message = receive(source)) {
        ++received_[index(from)];
        in_vain_ = 0;
        return *std::move(message);
      }
      if (polls % kPollsPerYield == 0) give_way(since, {&source, 1});
    }
  }

  std::optional<std::size_t> do_arrived(std::span<const Source> sources) override {
    if (const std::optional<std::size_t> found = first_arrived(sources)) {
      in_vain_ = 0;
      return found;
    }
    if (in_vain_++ == 0) in_vain_since_ = now();
    if (in_vain_ % kPollsPerYield == 0) give_way(in_vain_ < kLooksOfALoop ? now() : in_vain_since_, sources);
    return std::nullopt;
  }

  std::size_t do_wait_any(std::span<const Source> sources) override {
    const Seconds since = now();
    for (std::uint64_t polls = 1;; ++polls) {
      if (const std::optional<std::size_t> found = first_arrived(sources)) return *found;
      if (polls % kPollsPerYield == 0) give_way(since, sources);
    }
  }

  // To the rank that shares this core. `since`: when this one began to wait.
  void give_way(Seconds since, std::span<const Source> sources) {
    pending_.release_completed();
    if (timeout_ > 0 && now() - since > timeout_) throw DeadlockError(waited(sources));
    sched_yield();
  }

  std::optional<std::size_t> first_arrived(std::span<const Source> sources) {
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (has_arrived(sources[i])) return i;
    return std::nullopt;
  }

  // Starts to take the message in when it can, so that its bytes travel while the program computes.
  bool has_arrived(const Source& source) {
    auto found = incoming_.find({source.from, source.tag});
    if (found == incoming_.end()) {
      const std::optional<Arrival> arrival = probe(source.from, source.tag);
      if (!arrival) return false;
      found = incoming_.emplace(std::pair(source.from, source.tag), Incoming(*arrival)).first;
    }
    return found->second.is_complete();
  }

  std::optional<Message> receive(const Source& source) {
    const auto found = incoming_.find({source.from, source.tag});
    if (found != incoming_.end()) {
      if (!found->second.is_complete()) return std::nullopt;
      return incoming_.extract(found).mapped().message();
    }
    std::optional<Arrival> arrival = probe(source.from, source.tag);
    if (!arrival) return std::nullopt;
    return take(*arrival);
  }

  std::optional<Arrival> probe(Rank from, Tag tag) const {
    int found = 0;
    Arrival arrival;
    require(MPI_Improbe(from, tag, comm_, &found, &arrival.handle, &arrival.status), "MPI_Improbe");
    if (found == 0) return std::nullopt;
    return arrival;
  }

  static Message take(Arrival& arrival) {
    const std::size_t size = mpi::carried_bytes(arrival.status);
    const auto received = std::make_shared_for_overwrite<std::byte[]>(size);
    const mpi::Bytes bytes(std::span(received.get(), size));
    require(MPI_Mrecv(bytes.data(), bytes.count(), bytes.type(), &arrival.handle, MPI_STATUS_IGNORE),
            "MPI_Mrecv");
    return Message(received, size);
  }

  // Receives the next message from `from` whatever its tag, which it returns.
  Tag drain(Rank from) const {
    std::optional<Arrival> arrival;
    while (!(arrival = probe(from, MPI_ANY_TAG))) sched_yield();
    take(*arrival);
    return arrival->status.MPI_TAG;
  }

  std::string waited(std::span<const Source> sources) const {
    std::ostringstream text;
    text << "rank " << rank_ << " waited " << timeout_ << " s for ";
    for (std::size_t i = 0; i < sources.size(); ++i)
      text << (i == 0 ? "" : " or ") << "rank " << sources[i].from << " (tag " << sources[i].tag << ")";
    return text.str();
  }

  static std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }

  static constexpr std::uint64_t kPollsPerYield = 16;   // ranks may outnumber cores
  static constexpr std::uint64_t kLooksOfALoop = 1000;  // in vain: the program does nothing but wait
  static constexpr std::size_t kCopied = std::size_t{1}
                                         << 16;  // bytes; a derived type costs more than a copy

  MPI_Comm comm_;
  Rank rank_, size_;
  Seconds timeout_;
  Seconds start_ = MPI_Wtime();
  PendingSends pending_;
  std::vector<std::uint64_t> sent_, received_;  // messages, by peer
  std::map<std::pair<Rank, Tag>, Incoming> incoming_;
  std::uint64_t in_vain_ = 0;  // looks since something was found or received
  Seconds in_vain_since_ = 0;
};

// One process's part of a run.
struct Ended {
  Seconds finish = 0;
  Counters counters;
  Output output;
  std::vector<Leftover> leftovers;
};

// body(), whose failure ends the job: the other processes wait for this one and cannot be told.
template <class Body>
auto or_abort(Rank rank, Body body) {
  try {
    return body();
  } catch (const DeadlockError& error) {
    abort_job(std::string("deadlock: ") + error.what());
  } catch (const std::exception& error) {
    abort_job(RankError(rank, error.what()).what());
  } catch (...) {
    abort_job(RankError(rank, "threw something that is no std::exception").what());
  }
}

// The transport outlives a failure: MPI may still read the bytes of its sends.
Ended execute(const Communicator& comm, Seconds timeout, const Program& program) {
  MpiTransport transport(comm, timeout);
  Counting counting(transport);
  return or_abort(comm.rank(), [&] {
    Ended ended;
    transport.start_together();
    ended.output = program(counting);
    ended.finish = transport.now();
    ended.counters = counting.counters();
    ended.leftovers = transport.finish();
    return ended;
  });
}

// Waits until all processes are here, and leaves the cores to those that still run.
void sleep_until_all_are_here(const Communicator& comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Ibarrier(comm.get(), &request), "MPI_Ibarrier");
  for (int done = 0;;) {
    require(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

// The leftovers of all processes, ordered by sender, receiver and tag. Collective.
std::vector<Leftover> collect(const Communicator& comm, const std::vector<Leftover>& mine) {
  std::vector<Leftover> all;
  for (const std::vector<Leftover>& part : mpi::allgather(comm, mine))
    all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end(), [](const Leftover& a, const Leftover& b) {
    return std::tie(a.from, a.to, a.tag) < std::tie(b.from, b.to, b.tag);
  });
  return all;
}

std::string describe(const std::vector<Leftover>& leftovers) {
  constexpr std::size_t kNamed = 8;
  std::string text = "unreceived";
  for (std::size_t i = 0; i < std::min(leftovers.size(), kNamed); ++i)
    text += (i == 0 ? ": " : "; ") + std::to_string(leftovers[i].count) +
            (leftovers[i].count == 1 ? " message" : " messages") + " from rank " +
            std::to_string(leftovers[i].from) + " to rank " + std::to_string(leftovers[i].to) + " (tag " +
            std::to_string(leftovers[i].tag) + ")";
  if (leftovers.size() > kNamed) text += "; and " + std::to_string(leftovers.size() - kNamed) + " more";
  return text;
}

// The results of ranks 0 to ranks-1 on every process. Collective.
RunResult share(const Communicator& comm, Rank ranks, Ended mine) {
  const std::vector<Seconds> finish = mpi::allgather(comm, mine.finish);
  const std::vector<Counters> counters = mpi::allgather(comm, mine.counters);
  std::vector<Output> outputs = mpi::allgather(comm, std::move(mine.output));
  RunResult result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(ranks); ++i)
    result.push_back({finish[i], counters[i], std::move(outputs[i])});
  return result;
}

template <class T>
void allreduce_in_blocks(const Communicator& comm, std::span<T> values, MPI_Datatype type) {
  constexpr std::size_t kBlock = std::size_t{1} << 27;  // elements; an MPI count is an int
  for (std::size_t at = 0; at < values.size(); at += kBlock) {
    const std::span<T> block = values.subspan(at, std::min(kBlock, values.size() - at));
    require(
        MPI_Allreduce(MPI_IN_PLACE, block.data(), static_cast<int>(block.size()), type, MPI_SUM, comm.get()),
        "MPI_Allreduce");
  }
}

void require_real_mpi() {
  if (MpiSession::library_version().starts_with("SMPI"))
    throw std::logic_error("SimGrid's SMPI stands in for MPI: it was linked before the MPI library");
}

void require_valid(const MpiOptions& options) {
  if (!(options.timeout >= 0))
    throw std::invalid_argument("timeout is " + std::to_string(options.timeout) + " s, expected 0 or more");
}

}  // namespace

MpiSession::MpiSession(int* argc, char*** argv) {
  require_real_mpi();
  int started = 0;
  require(MPI_Initialized(&started), "MPI_Initialized");
  if (started != 0) throw std::logic_error("MPI was started before; it can be started once in a process");
  int provided = 0;
  require(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  require(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  require(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
  require(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
}

MpiSession::~MpiSession() {
  MPI_Finalize();
}

std::string MpiSession::library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  require(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  const std::string version = text;
  return version.substr(0, version.find('\n'));
}

struct MpiWorld::Impl {
  Communicator all = Communicator::duplicate(MPI_COMM_WORLD);
  std::map<Rank, Communicator> subsets;   // by size; none where this process is not a member
  const Communicator* running = nullptr;  // while a program runs on this process
  MpiOptions options;

  const Communicator& subset(Rank ranks) {
    if (ranks == all.size()) return all;
    const auto known = subsets.find(ranks);
    if (known != subsets.end()) return known->second;
    return subsets.emplace(ranks, all.first(ranks)).first->second;
  }

  template <class T>
  void allreduce(std::span<T> values, MPI_Datatype type) const {
    if (running == nullptr) throw std::logic_error("allreduce_sum is for the programs of a run");
    allreduce_in_blocks(*running, values, type);
  }
};

MpiWorld::MpiWorld(const MpiSession&, MpiOptions options) : impl_(std::make_unique<Impl>()) {
  require_valid(options);
  impl_->options = options;
}

MpiWorld::~MpiWorld() = default;

RunResult MpiWorld::run(Rank ranks, const Program& program) {
  const Rank size = impl_->all.size();
  if (ranks < 1 || ranks > size)
    throw std::invalid_argument(std::to_string(ranks) + " ranks on an MPI job of " + std::to_string(size) +
                                (size == 1 ? " process" : " processes"));
  if (impl_->running != nullptr)
    throw std::logic_error("a program of an MPI world cannot run another one on it");
  const Rank self = impl_->all.rank();
  const Communicator& comm = impl_->subset(ranks);
  Ended ended;
  if (self < ranks) {
    impl_->running = &comm;
    ended = execute(comm, impl_->options.timeout, program);
    impl_->running = nullptr;
  }
  const std::vector<Leftover> leftovers = or_abort(self, [&] {
    if (ranks < size) sleep_until_all_are_here(impl_->all);
    return collect(impl_->all, ended.leftovers);
  });
  if (!leftovers.empty()) throw UnreceivedError(describe(leftovers));
  return or_abort(self, [&] { return share(impl_->all, ranks, std::move(ended)); });
}

void MpiWorld::allreduce_sum(std::span<float> values) {
  impl_->allreduce(values, MPI_FLOAT);
}
void MpiWorld::allreduce_sum(std::span<double> values) {
  impl_->allreduce(values, MPI_DOUBLE);
}

namespace {

Communicator duplicate_for_guest(MPI_Comm communicator) {
  require_real_mpi();
  int started = 0, ended = 0, is_inter = 0;
  require(MPI_Initialized(&started), "MPI_Initialized");
  require(MPI_Finalized(&ended), "MPI_Finalized");
  if (started == 0 || ended != 0)
    throw std::logic_error("a guest of MPI needs a host that runs it: between MPI_Init and MPI_Finalize");
  if (communicator == MPI_COMM_NULL)
    throw std::invalid_argument("MPI_COMM_NULL: this process is not in the communicator");
  require(MPI_Comm_test_inter(communicator, &is_inter), "MPI_Comm_test_inter");
  if (is_inter != 0) throw std::invalid_argument("an intercommunicator has no ranks that could sum");
  return Communicator::duplicate(communicator);
}

}  // namespace

struct MpiGuest::Impl {
  Communicator comm;
  MpiTransport transport;
  int exceptions = std::uncaught_exceptions();

  Impl(MPI_Comm communicator, const MpiOptions& options)
      : comm(duplicate_for_guest(communicator)), transport(comm, options.timeout) {}
};

MpiGuest::MpiGuest(MPI_Comm communicator, MpiOptions options) {
  require_valid(options);
  impl_ = std::make_unique<Impl>(communicator, options);
}

MpiGuest::~MpiGuest() {
  const bool failed = std::uncaught_exceptions() > impl_->exceptions;
  try {
    if (!failed) {
      const std::vector<Leftover> leftovers = impl_->transport.finish();
      if (!leftovers.empty()) print_error(describe(leftovers));
      return;
    }
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  static_cast<void>(impl_.release());  // MPI may still read the bytes of its sends
}

Transport& MpiGuest::transport() {
  return impl_->transport;
}

}  // namespace sparsewire
