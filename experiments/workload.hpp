// Input vectors of an experiment: one sparse vector a rank, the same for the same seed on every platform.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "algorithms/payload/sparse_vector.hpp"
#include "experiments/experiment.hpp"
#include "experiments/svmlight.hpp"
#include "model/units.hpp"

namespace sparsewire {

// A data file with fewer rows than the ranks need; what() names rows needed and present.
struct NotEnoughData : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The longest vector that the power-law workload is generated for: it holds a table of all weights.
inline constexpr std::uint64_t kMaxPowerLawDimension = std::uint64_t{1} << 26;

// Non-zeros of a rank: 0 for density 0, otherwise max(1, round(density * dimension)).
// Throws std::invalid_argument if the density is not in [0, 1].
std::uint64_t nonzeros(std::uint64_t dimension, double density);

// One vector a rank, with exactly nonzeros(dimension, density) elements each. Values are integers of
// magnitude 1 to 8, so that sums are exact. The generators:
//   Uniform    every set of indices is equally likely (Bentley, Floyd 1987, doi:10.1145/30401.315746)
//   Overlap    round(fraction * non-zeros) uniformly random indices are common to all ranks, the others are
//              each on one rank only; throws std::invalid_argument if the dimension is too small for that
//   PowerLaw   successive draws without replacement (Efraimidis, Spirakis 2006,
//   doi:10.1016/j.ipl.2005.11.003);
//              throws std::invalid_argument above kMaxPowerLawDimension
//   Clustered  runs of run_length indices, one of them shorter if need be, every placement equally likely;
//   runs
//              do not overlap but may touch
//   SvmlightFile  reads the file and calls sum_rows(); dimension, density and seed are not used
// Throws InvalidVector for a dimension above 2^32, std::invalid_argument for one of 0 or for ranks below 1.
template <class T>
std::vector<SparseVector<T>> generate(const Workload& workload, Rank ranks, std::uint64_t dimension,
                                      double density, std::uint64_t seed);

// Rank r gets the sum of rows [r * batch, (r + 1) * batch), added in double precision. Throws NotEnoughData.
template <class T>
std::vector<SparseVector<T>> sum_rows(const SvmlightData& data, Rank ranks, unsigned batch);

// Entry j - 1 is the number of distinct indices in the union of ranks 0 to j - 1, for j = 1 to all ranks.
// Work: all non-zeros plus dimension / 64. Throws std::invalid_argument if the dimensions differ.
template <class T>
std::vector<double> union_table(const std::vector<SparseVector<T>>& vectors);

}  // namespace sparsewire
