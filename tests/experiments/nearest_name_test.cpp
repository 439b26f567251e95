#include "experiments/nearest_name.hpp"

#include <gtest/gtest.h>

namespace sparsewire {
namespace {

const std::vector<std::string> kNames = {"ranks", "dimension", "density", "dense-ring", "dense-rabenseifner"};

TEST(NearestName, IsTheOneWithTheFewestEdits) {
  EXPECT_EQ(nearest_name("rank", kNames), "ranks");
  EXPECT_EQ(nearest_name("dimensions", kNames), "dimension");
  EXPECT_EQ(nearest_name("dnesity", kNames), "density");
  EXPECT_EQ(nearest_name("Ranks", kNames), "ranks");
  EXPECT_EQ(nearest_name("dense_ring", kNames), "dense-ring");
  EXPECT_EQ(nearest_name("ranks", kNames), "ranks");
}

TEST(NearestName, CompletesABeginning) {
  EXPECT_EQ(nearest_name("dim", kNames), "dimension");
  EXPECT_EQ(nearest_name("dense-rab", kNames), "dense-rabenseifner");
}

TEST(NearestName, IsTheFirstOfEquals) {
  EXPECT_EQ(nearest_name("ab", {"aa", "bb"}), "aa");
}

TEST(NearestName, IsNoneForSomethingElse) {
  EXPECT_EQ(nearest_name("xyzzy", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("ranks", {}), std::nullopt);
}

}  // namespace
}  // namespace sparsewire
