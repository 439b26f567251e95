// An MPI program that sums sparse gradients with sparsewire on a communicator of its own: all processes but
// the last train, the last one has other things to do. Each sum is compared with MPI_Allreduce of the dense
// vectors.
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "algorithms/transport/mpi_guest.hpp"

namespace {

constexpr std::uint64_t kParameters = 100000;
constexpr int kNonZeros = 1000;

sparsewire::SparseVector<float> random_gradient(int rank) {
  std::mt19937_64 random(static_cast<std::uint64_t>(rank));
  std::normal_distribution<float> value;
  std::vector<std::pair<std::int64_t, float>> elements;
  for (int i = 0; i < kNonZeros; ++i)
    elements.emplace_back(static_cast<std::int64_t>(random() % kParameters), value(random));
  return sparsewire::sparse_vector<float>(kParameters, std::move(elements));
}

std::vector<float> dense(const sparsewire::SparseVector<float>& vector) {
  std::vector<float> values(vector.dimension);
  for (std::size_t i = 0; i < vector.indices.size(); ++i) values[vector.indices[i]] = vector.values[i];
  return values;
}

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// Whether all sums are right.
bool train(MPI_Comm trainers) {
  int rank = 0, size = 0;
  MPI_Comm_rank(trainers, &rank);
  MPI_Comm_size(trainers, &size);
  const sparsewire::SparseVector<float> gradient = random_gradient(rank);
  std::vector<float> expected = dense(gradient);
  MPI_Allreduce(MPI_IN_PLACE, expected.data(), static_cast<int>(expected.size()), MPI_FLOAT, MPI_SUM,
                trainers);

  using Stream = sparsewire::Stream<float>;
  sparsewire::MpiGuest guest(trainers, {.timeout = 60});
  bool right = true;
  for (const char* name : {"ssar-recursive-double", "ssar-split-allgather"}) {
    const auto algorithm = sparsewire::allreduce_named<Stream>(name);
    const Stream sum = algorithm.run(guest.transport(), sparsewire::stream_of(gradient));
    const sparsewire::SparseVector<float> result = sparsewire::sparse_vector_of(sum);
    const float difference = largest_difference(dense(result), expected);
    right = right && difference < 1e-5f;
    if (rank == 0)
      std::printf("%s: %d ranks, %zu non-zeros of %zu, %s MPI_Allreduce (largest difference %g)\n", name,
                  size, static_cast<std::size_t>(result.count()), static_cast<std::size_t>(result.dimension),
                  difference < 1e-5f ? "agrees with" : "DIFFERS from", static_cast<double>(difference));
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool trains = size == 1 || rank < size - 1;
  MPI_Comm trainers = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, trains ? 0 : MPI_UNDEFINED, rank, &trainers);
  int failed = 0;
  try {
    failed = trains && !train(trainers) ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (trainers != MPI_COMM_NULL) MPI_Comm_free(&trainers);
  MPI_Finalize();
  return failed;
}
