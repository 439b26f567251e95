#include "reports/text.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sparsewire {
namespace {

TEST(FormatTime, ShowsThreeDigitsInTheRightUnit) {
  EXPECT_EQ(format_time(1.2344e-5), "12.3 us");
  EXPECT_EQ(format_time(1e-9), "1.00 ns");
  EXPECT_EQ(format_time(2.5e-10), "0.250 ns");
  EXPECT_EQ(format_time(0.001), "1.00 ms");
  EXPECT_EQ(format_time(123.4), "123 s");
  EXPECT_EQ(format_time(1234.5), "1234 s");
}

TEST(FormatTime, RoundsIntoTheNextUnitAndDigit) {
  EXPECT_EQ(format_time(999.4e-6), "999 us");
  EXPECT_EQ(format_time(999.7e-6), "1.00 ms");
  EXPECT_EQ(format_time(9.996e-6), "10.0 us");
  EXPECT_EQ(format_time(9.994e-6), "9.99 us");
}

TEST(FormatTime, ShowsWhatIsNoTime) {
  EXPECT_EQ(format_time(std::nan("")), "-");
  EXPECT_EQ(format_time(0), "0 s");
  EXPECT_EQ(format_time(HUGE_VAL), "inf s");
  EXPECT_EQ(format_time(-0.002), "-2.00 ms");
}

TEST(FormatDensity, IsShort) {
  EXPECT_EQ(format_density(0.0001), "0.0001");
  EXPECT_EQ(format_density(0.33333), "0.333");
  EXPECT_EQ(format_crossover_density(0.031234), "0.031");
}

TEST(FormatPower, NamesPowers) {
  EXPECT_EQ(format_power(1u << 20), "2^20");
  EXPECT_EQ(format_power(1000000), "10^6");
  EXPECT_EQ(format_power(512), "512");
  EXPECT_EQ(format_power(1000), "1000");
  EXPECT_EQ(format_power(3000000), "3000000");
  EXPECT_EQ(format_power(0), "0");
}

}  // namespace
}  // namespace sparsewire
