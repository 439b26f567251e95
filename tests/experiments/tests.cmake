sparsewire_test(experiments_test experiments/json_test.cpp experiments/nearest_name_test.cpp
                experiments/reader_test.cpp experiments/svmlight_test.cpp experiments/workload_test.cpp
                LINK sparsewire_experiments)

sparsewire_test(sweep_tests experiments/sweep_test.cpp experiments/measure_test.cpp
                experiments/worker_pool_test.cpp experiments/simulated_run_test.cpp
                experiments/results_directory_test.cpp experiments/names_test.cpp experiments/reduce_test.cpp
                reports/example_measurements.cpp LINK sparsewire_experiments)
