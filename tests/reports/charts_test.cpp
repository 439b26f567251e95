#include "reports/charts.hpp"
