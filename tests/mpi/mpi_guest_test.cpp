// Collectives on communicators that the host program made, beside its own messages.
#include "algorithms/transport/mpi_guest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/nonblocking/nonblocking.hpp"
#include "algorithms/payload/stream.hpp"
#include "tests/mpi/mpi_main.hpp"

namespace sparsewire::test {
namespace {

using ::testing::HasSubstr;

// A communicator of the host program.
class HostCommunicator {
 public:
  HostCommunicator(int color, int key) { MPI_Comm_split(MPI_COMM_WORLD, color, key, &handle_); }
  ~HostCommunicator() {
    if (handle_ != MPI_COMM_NULL) MPI_Comm_free(&handle_);
  }
  HostCommunicator(const HostCommunicator&) = delete;
  HostCommunicator& operator=(const HostCommunicator&) = delete;

  MPI_Comm get() const { return handle_; }
  int rank() const {
    int rank = 0;
    MPI_Comm_rank(handle_, &rank);
    return rank;
  }
  int size() const {
    int size = 0;
    MPI_Comm_size(handle_, &size);
    return size;
  }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

int job_rank() {
  return test_session().rank();
}

Stream<float> vector_of(Rank rank, float value) {
  return stream_of(sparse_vector<float>(100, {{rank, value}, {50, value}}));
}

// The sum over all ranks of vector_of(rank, value).
void expect_sum(const Stream<float>& sum, Rank ranks, float value) {
  const SparseVector<float> found = sparse_vector_of(sum);
  ASSERT_EQ(found.count(), static_cast<std::uint64_t>(ranks) + 1);
  EXPECT_EQ(found.indices.back(), 50u);
  EXPECT_EQ(found.values.back(), static_cast<float>(ranks) * value);
  EXPECT_EQ(found.values.front(), value);
}

TEST(MpiGuest, SumsOnEachHalfOfASplitAtTheSameTime) {
  const int half = job_rank() % 2;
  const HostCommunicator host(half, -job_rank());  // the ranks of a half in reverse
  MpiGuest guest(host.get());
  EXPECT_EQ(guest.transport().rank(), host.rank());
  EXPECT_EQ(guest.transport().size(), host.size());
  for (const auto& algorithm : allreduce_catalogue<Stream<float>>()) {
    SCOPED_TRACE(algorithm.name);
    const float value = static_cast<float>(half + 1);
    expect_sum(algorithm.run(guest.transport(), vector_of(host.rank(), value)), host.size(), value);
  }
}

TEST(MpiGuest, LivesOnAfterTheHostFreedItsCommunicator) {
  auto host = std::make_unique<HostCommunicator>(0, job_rank());
  MpiGuest guest(host->get());
  host.reset();
  expect_sum(ssar_recursive_double(guest.transport(), vector_of(guest.transport().rank(), 1)),
             guest.transport().size(), 1);
}

// The host's receive accepts anything and is posted first; its message comes last.
TEST(MpiGuest, LeavesTheHostsMessagesAlone) {
  const HostCommunicator host(0, job_rank());
  const int next = (host.rank() + 1) % host.size();
  int received = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, host.get(), &request);
  {
    MpiGuest guest(host.get());
    for (const auto& algorithm : allreduce_catalogue<Stream<float>>())
      expect_sum(algorithm.run(guest.transport(), vector_of(host.rank(), 2)), host.size(), 2);
    EXPECT_EQ(received, -1);
  }
  MPI_Send(&next, 1, MPI_INT, next, tags::kDoubling, host.get());
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(received, host.rank());
}

// Both guests use the same tags between the same processes.
TEST(MpiGuest, KeepsTwoGuestsOfOneCommunicatorApart) {
  const HostCommunicator host(0, job_rank());
  MpiGuest first(host.get()), second(host.get());
  const bool last = host.rank() == host.size() - 1;
  const auto send = [&](MpiGuest& guest, int number) {
    if (!last && host.rank() == 0)
      guest.transport().send(host.size() - 1, 1, Message(std::vector<std::byte>(1, std::byte(number))));
  };
  const auto receive = [&](MpiGuest& guest) {
    return !last || host.size() == 1 ? std::byte{0} : guest.transport().recv(0, 1).flatten().front();
  };
  send(first, 1);
  send(second, 2);
  if (last && host.size() > 1) {
    EXPECT_EQ(receive(second), std::byte{2});
    EXPECT_EQ(receive(first), std::byte{1});
  }
}

TEST(MpiGuest, StartsCollectivesThatTheHostWaitsForLater) {
  const HostCommunicator host(0, job_rank());
  MpiGuest guest(host.get());
  NonBlocking collectives(guest.transport());
  Started<Stream<float>> first =
      collectives.start(allreduce_named<Stream<float>>("sparse-ring"), vector_of(host.rank(), 1));
  Started<Stream<float>> second =
      collectives.start(allreduce_named<Stream<float>>("ssar-split-allgather"), vector_of(host.rank(), 3));
  expect_sum(second.wait(), host.size(), 3);
  expect_sum(first.wait(), host.size(), 1);
}

TEST(MpiGuest, LeavesTheHostsErrorHandlerAlone) {
  const HostCommunicator host(0, job_rank());
  MPI_Comm_set_errhandler(host.get(), MPI_ERRORS_ARE_FATAL);
  const MpiGuest guest(host.get());
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(host.get(), &handler);
  EXPECT_EQ(handler, MPI_ERRORS_ARE_FATAL);
}

TEST(MpiGuest, RefusesWhatIsNoGroupOfRanks) {
  EXPECT_THROW(MpiGuest(MPI_COMM_NULL), std::invalid_argument);
  EXPECT_THROW(MpiGuest(MPI_COMM_WORLD, {.timeout = -1}), std::invalid_argument);
  if (test_session().size() < 2) return;
  const HostCommunicator half(job_rank() % 2, job_rank());
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Intercomm_create(half.get(), 0, MPI_COMM_WORLD, 1 - job_rank() % 2, 5, &both);
  EXPECT_THROW(MpiGuest{both}, std::invalid_argument);
  MPI_Comm_free(&both);
}

// Rank 0 fails before it sends; the others' receives time out, and no process ends.
TEST(MpiGuest, FailsWithAnExceptionAndCanBeReplaced) {
  const HostCommunicator host(0, job_rank());
  const auto attempt = [&](bool fails) {
    MpiGuest guest(host.get(), {.timeout = fails ? 0.2 : 0.0});
    if (fails && host.rank() == 0) throw std::runtime_error("the gradient is lost");
    expect_sum(dsar_split_allgather(guest.transport(), vector_of(host.rank(), 1), {}), host.size(), 1);
  };
  std::string reason;
  try {
    attempt(true);
  } catch (const std::exception& error) {
    reason = error.what();
  }
  EXPECT_THAT(reason, HasSubstr(host.rank() == 0 ? "the gradient is lost" : " waited 0.2 s for rank "));
  attempt(false);
}

TEST(MpiGuest, NamesMessagesThatNobodyReceived) {
  const HostCommunicator host(0, job_rank());
  const bool is_last = host.rank() == host.size() - 1 && host.size() > 1;
  ::testing::internal::CaptureStderr();
  {
    MpiGuest guest(host.get());
    if (host.rank() == 0 && host.size() > 1)  // too large to be sent before it is received
      guest.transport().send(host.size() - 1, 7, Message(std::vector<std::byte>(1 << 22)));
  }
  const std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(printed, is_last ? "sparsewire: unreceived: 1 message from rank 0 to rank " +
                                   std::to_string(host.rank()) + " (tag 7)\n"
                             : "");
}

}  // namespace
}  // namespace sparsewire::test
