sparsewire_test(experiments_test experiments/json_test.cpp experiments/nearest_name_test.cpp
                experiments/reader_test.cpp experiments/svmlight_test.cpp experiments/workload_test.cpp
                LINK sparsewire_experiments)
