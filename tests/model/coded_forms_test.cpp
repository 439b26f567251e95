// The closed forms with codecs and quantisation, against the engine that runs the real algorithms.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/coded_catalogue.hpp"
#include "algorithms/half_catalogue.hpp"
#include "model/closed_forms.hpp"
#include "model/coded_bytes.hpp"
#include "model/fill_in.hpp"
#include "sim/loggp_world.hpp"
#include "tests/support/allreduce.hpp"
#include "tests/support/machines.hpp"
#include "tests/support/random_vectors.hpp"

namespace sparsewire::test {
namespace {

template <class T>
Seconds simulated(const Allreduce<Coded<T>>& algorithm, const Coding& coding, const Vectors<T>& inputs) {
  LogGPWorld world(cluster_machine());
  return finish_time(world.run(static_cast<Rank>(inputs.size()), [&](Transport& transport) -> Output {
    Stream<T> mine = stream_of(inputs[static_cast<std::size_t>(transport.rank())]);
    if (algorithm.family == Family::dense) mine = densified(std::move(mine)).value;
    algorithm.run(transport, Coded<T>(std::move(mine), coding));
    return {};
  }));
}

// Every rank has the same `count` indices at equal distances.
template <class T>
Vectors<T> equal_vectors(Rank ranks, std::uint64_t dimension, std::uint64_t count) {
  SparseVector<T> vector{dimension, {}, {}};
  for (std::uint64_t i = 0; i < count; ++i)
    vector.indices.push_back(static_cast<Index>(i * (dimension / count)));
  vector.values.assign(count, static_cast<T>(1.0f));
  return Vectors<T>(static_cast<std::size_t>(ranks), vector);
}

CostInput equal_input(Rank ranks, std::uint64_t dimension, std::uint64_t count, std::uint64_t value_bytes,
                      const Coding& coding) {
  return {ranks, dimension, value_bytes,
          std::vector<double>(static_cast<std::size_t>(ranks), static_cast<double>(count)), coding};
}

Seconds predicted(const AlgorithmSpec& algorithm, const CostInput& input) {
  return predict(algorithm, cluster_machine(), input).value().total;
}

// The forms that charge what encoding and decoding take.
bool charges_codecs(const std::string& algorithm) {
  for (const char* name :
       {"ssar-recursive-double", "ssar-split-allgather", "dsar-split-allgather", "sparse-ring",
        "sparse-allgather", "dense-recursive-double", "dense-rabenseifner", "dense-ring", "kylix"})
    if (algorithm == name) return true;
  return false;
}

template <class T>
void expect_exact(const Coding& coding) {
  constexpr std::uint64_t kDimension = 4096;
  for (const Rank ranks : {1, 2, 4, 8, 16})
    for (const std::uint64_t count : {64u, 512u, 2048u, 4096u}) {
      const auto inputs = equal_vectors<T>(ranks, kDimension, count);
      for (const auto& algorithm : allreduce_catalogue<Coded<T>>()) {
        if (!charges_codecs(algorithm.name)) continue;
        if (algorithm.family == Family::dense && coding.codec != Codec::pairs) continue;
        const Seconds expected =
            predicted(algorithm.spec, equal_input(ranks, kDimension, count, sizeof(T), coding));
        EXPECT_NEAR(expected, simulated(algorithm, coding, inputs), 1e-12 * expected)
            << algorithm.name << " in " << name_of(coding.codec) << ", P=" << ranks << " count=" << count;
      }
    }
}

TEST(CodedForms, AreExactForEqualSupports) {
  for (const Codec codec : {Codec::pairs, Codec::bitmap, Codec::dense}) expect_exact<float>({codec, {}});
  expect_exact<double>({Codec::bitmap, {}});
}

TEST(CodedForms, AreExactForValuesOf16Bits) {
  expect_exact<Half>({Codec::pairs, {}});
  expect_exact<Bfloat16>({Codec::bitmap, {}});
}

TEST(CodedForms, AreExactForRoundedParts) {
  for (const std::uint64_t bits : {2u, 8u}) expect_exact<float>({Codec::pairs, {bits, 512, 1}});
}

// Random supports: the sizes of codecs are expectations, all wait for the largest, and near break-even some
// ranks hold a part dense and fill and scan it. With a Bloom filter that work is the most.
TEST(CodedForms, AreWithinEightPercentForUniformSupports) {
  constexpr std::uint64_t kDimension = 1 << 15;
  for (const std::uint64_t count : {100u, 2000u, 10000u})
    for (const Rank ranks : {4, 16}) {
      const Vectors<float> inputs = random_vectors(ranks, count, kDimension);
      for (const auto& algorithm : allreduce_catalogue<Coded<float>>()) {
        if (algorithm.family == Family::dense || !charges_codecs(algorithm.name)) continue;
        for (const std::string_view name : kCodecNames) {
          const Coding coding{*codec_named(name), {}};
          const CostInput input{ranks, kDimension, 4,
                                uniform_union_sizes(kDimension, static_cast<double>(count), ranks), coding};
          EXPECT_NEAR(predicted(algorithm.spec, input) / simulated(algorithm, coding, inputs), 1,
                      coding.codec == Codec::bloom ? 0.15 : 0.08)
              << algorithm.name << " in " << name << ", P=" << ranks << " count=" << count;
        }
      }
    }
}

// Those whose ranks differ, or whose blocks are coded otherwise.
TEST(CodedForms, AreWithinFivePercentForTheOtherLosslessOnes) {
  constexpr std::uint64_t kDimension = 1 << 15;
  for (const std::uint64_t count : {100u, 2000u, 10000u})
    for (const Rank ranks : {4, 16}) {
      const Vectors<float> inputs = random_vectors(ranks, count, kDimension);
      for (const std::string name : {"balanced-split-allgather", "zen", "two-level"})
        for (const Coding& coding :
             {Coding{Codec::bitmap, {}}, Coding{Codec::delta, {}}, Coding{Codec::pairs, {4, 512, 1}}}) {
          const auto algorithm = allreduce_named<Coded<float>>(name);
          const CostInput input{ranks, kDimension, 4,
                                uniform_union_sizes(kDimension, static_cast<double>(count), ranks), coding};
          EXPECT_NEAR(predicted(algorithm.spec, input) / simulated(algorithm, coding, inputs), 1, 0.05)
              << name << " in " << name_of(coding.codec) << " " << coding.quantisation.bits << ", P=" << ranks
              << " count=" << count;
        }
    }
}

// Section 18 of the model table: with a bitmap the pull side of a split takes K v + N/8 bytes instead of K (4
// + v), so that it improves once K/N is above 1/32.
TEST(CodedForms, ABitmapImprovesAGatherAboveADensityOfOneIn32) {
  constexpr std::uint64_t kDimension = 1 << 20;
  const auto block = [&](Codec codec, std::uint64_t count) {
    return expected_block_bytes(codec, {count, kDimension, false, 4});
  };
  EXPECT_GT(block(Codec::bitmap, kDimension / 32 - 2), block(Codec::pairs, kDimension / 32 - 2));
  EXPECT_EQ(block(Codec::bitmap, kDimension / 32), block(Codec::pairs, kDimension / 32));
  EXPECT_LT(block(Codec::bitmap, kDimension / 32 + 2), block(Codec::pairs, kDimension / 32 + 2));
}

}  // namespace
}  // namespace sparsewire::test
