sparsewire_test(reports_test
  reports/example_measurements.cpp reports/statistics_test.cpp reports/crossover_test.cpp reports/text_test.cpp reports/results_io_test.cpp
  reports/table_test.cpp reports/charts_test.cpp
  LINK sparsewire_reports)
