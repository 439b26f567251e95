// The vectors that a command is given, one for each rank.
#pragma once

#include "experiments/job.hpp"
#include "experiments/reduce.hpp"

namespace sparsewire {

// Equal indices of one vector are combined by Op. Throws std::invalid_argument if the file cannot be read,
// has no vector, or has not one for each rank of an MPI job.
template <class T, class Op = Plus>
std::vector<SparseVector<T>> vectors_for(const Job& job, const std::string& file) {
  namespace fs = std::filesystem;
  if (!fs::is_regular_file(file) && !fs::is_fifo(file) && !fs::is_character_file(file))
    throw std::invalid_argument(fmt::format("{}: cannot open the file", file));
  std::vector<SparseVector<T>> vectors = rank_vectors<T, Op>(read_svmlight(file, {}));
  if (vectors.empty()) throw std::invalid_argument(file + ": no vectors, expected a rank per line");
  if (job.session != nullptr && static_cast<std::size_t>(job.session->size()) != vectors.size())
    throw std::invalid_argument(
        fmt::format("{}: found {} vectors, expected one for each of the job's {} ranks", file, vectors.size(),
                    job.session->size()));
  return vectors;
}

}  // namespace sparsewire
