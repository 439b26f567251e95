#include "experiments/worker_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <map>
#include <thread>

namespace sparsewire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

using Emit = std::function<void(const std::string&)>;

// What a listener has heard.
struct Heard {
  std::map<std::size_t, std::vector<std::string>> lines;
  std::map<std::size_t, std::string> ended;  // with the crash
  std::size_t idle = 0;

  JobListener listener() {
    return {[this](std::size_t job, const std::string& line) { lines[job].push_back(line); },
            [this](std::size_t job, const std::string& crash) {
              EXPECT_TRUE(ended.emplace(job, crash).second) << "job " << job << " ended twice";
            },
            [this] { ++idle; }};
  }
};

Heard run(const std::vector<Job>& jobs, unsigned processes = 2) {
  Heard heard;
  const std::atomic<bool> stop{false};
  run_jobs(jobs, processes, stop, heard.listener());
  return heard;
}

void write_raw(int file, const std::string& text) {
  if (write(file, text.data(), text.size()) < 0) _exit(9);
}

// The file that emit writes to: a process of the pool has no other pipe that it may write to.
int pipe_of_emit() {
  int found = -1;
  for (int file = 3; file < 64; ++file)
    if (write(file, "", 0) == 0) found = file;
  return found;
}

TEST(WorkerPool, WithoutJobsReturns) {
  EXPECT_THAT(run({}).ended, IsEmpty());
}

TEST(WorkerPool, HearsEachJobsLinesInOrder) {
  std::vector<Job> jobs;
  for (int i = 0; i < 5; ++i)
    jobs.push_back([i](const Emit& emit) {
      emit("a" + std::to_string(i));
      emit("");
      emit("b" + std::to_string(i));
    });
  const Heard heard = run(jobs, 3);
  ASSERT_EQ(heard.ended.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_THAT(heard.lines.at(i), ElementsAre("a" + std::to_string(i), "", "b" + std::to_string(i)));
    EXPECT_EQ(heard.ended.at(i), "");
  }
  EXPECT_GT(heard.idle, 0u);
}

TEST(WorkerPool, RunsJobsInProcessesOfTheirOwn) {
  int mine = 1;
  const Heard heard = run({[&](const Emit& emit) {
    mine = 2;
    emit(std::to_string(getpid()));
  }});
  EXPECT_EQ(mine, 1);
  EXPECT_NE(heard.lines.at(0)[0], std::to_string(getpid()));
}

TEST(WorkerPool, HearsThousandsOfLinesAndLongOnes) {
  const std::string long_line(3'000'000, 'x');
  const Heard heard = run({[&](const Emit& emit) {
                             for (int i = 0; i < 50'000; ++i) emit("line " + std::to_string(i));
                           },
                           [&](const Emit& emit) { emit(long_line); }});
  ASSERT_EQ(heard.lines.at(0).size(), 50'000u);
  EXPECT_EQ(heard.lines.at(0)[49'999], "line 49999");
  EXPECT_TRUE(heard.lines.at(1) == std::vector<std::string>{long_line});
}

TEST(WorkerPool, SaysWhichSignalKilledAJobAndRunsTheOthers) {
  const Heard heard = run({[](const Emit& emit) {
                             emit("before");
                             std::signal(SIGSEGV, SIG_DFL);
                             raise(SIGSEGV);
                             emit("after");
                           },
                           [](const Emit& emit) { emit("fine"); }, [](const Emit&) { raise(SIGKILL); }},
                          1);
  EXPECT_THAT(heard.lines.at(0), ElementsAre("before"));
  EXPECT_EQ(heard.ended.at(0), "killed by signal 11 (Segmentation fault)");
  EXPECT_THAT(heard.lines.at(1), ElementsAre("fine"));
  EXPECT_EQ(heard.ended.at(1), "");
  EXPECT_EQ(heard.ended.at(2), "killed by signal 9 (Killed)");
}

TEST(WorkerPool, TellsAnExitCodeAndExceptions) {
  const Heard heard = run({[](const Emit&) { _exit(3); },
                           [](const Emit&) { throw std::runtime_error("this message is expected"); },
                           [](const Emit&) { throw 5; }});
  EXPECT_EQ(heard.ended.at(0), "exited with code 3");
  EXPECT_EQ(heard.ended.at(1), "exited with code 1");
  EXPECT_EQ(heard.ended.at(2), "exited with code 1");
}

TEST(WorkerPool, PutsALineTogetherThatComesInPieces) {
  const Heard heard = run({[](const Emit& emit) {
    emit("whole");
    const int pipe = pipe_of_emit();
    write_raw(pipe, "in ");
    std::this_thread::sleep_for(50ms);
    write_raw(pipe, "pieces\nnext");
    std::this_thread::sleep_for(50ms);
    write_raw(pipe, "\n");
  }});
  EXPECT_THAT(heard.lines.at(0), ElementsAre("whole", "in pieces", "next"));
}

TEST(WorkerPool, DropsALineThatACrashCutOff) {
  const Heard heard = run({[](const Emit& emit) {
    emit("whole");
    write_raw(pipe_of_emit(), "half a li");
    raise(SIGKILL);
  }});
  EXPECT_THAT(heard.lines.at(0), ElementsAre("whole"));
  EXPECT_EQ(heard.ended.at(0), "killed by signal 9 (Killed)");
}

// How many jobs run at once at most, and the order in which they start.
struct Schedule {
  std::size_t running = 0, most = 0;
  std::vector<std::size_t> order;
};

Schedule schedule_of(unsigned processes) {
  const std::vector<Job> jobs(6, [](const Emit& emit) {
    emit("start");
    std::this_thread::sleep_for(60ms);
  });
  Schedule schedule;
  const std::atomic<bool> stop{false};
  run_jobs(jobs, processes, stop,
           {[&](std::size_t job, const std::string&) {
              schedule.order.push_back(job);
              schedule.most = std::max(schedule.most, ++schedule.running);
            },
            [&](std::size_t, const std::string&) { --schedule.running; }, [] {}});
  return schedule;
}

TEST(WorkerPool, RunsNoMoreJobsAtOnceThanAllowed) {
  EXPECT_EQ(schedule_of(1).most, 1u);
  EXPECT_THAT(schedule_of(1).order, ElementsAre(0, 1, 2, 3, 4, 5));
  const std::size_t most = schedule_of(3).most;
  EXPECT_LE(most, 3u);
  EXPECT_GT(most, 1u);
  EXPECT_EQ(schedule_of(0).order.size(), 6u);  // none is taken for one
}

using Clock = std::chrono::steady_clock;

TEST(WorkerPool, StopsAtOnceAndKeepsWhatWasEmitted) {
  std::atomic<bool> stop{false};
  Heard heard;
  JobListener listener = heard.listener();
  const auto hear = listener.line;
  listener.line = [&](std::size_t job, const std::string& line) {
    hear(job, line);
    if (line == "2") stop = true;
  };
  const Clock::time_point start = Clock::now();
  run_jobs({[](const Emit& emit) {
              emit("1");
              emit("2");
              std::this_thread::sleep_for(60s);
              emit("3");
            },
            [](const Emit&) { std::this_thread::sleep_for(60s); }, [](const Emit& emit) { emit("never"); }},
           2, stop, listener);
  EXPECT_LT(Clock::now() - start, 10s);
  EXPECT_THAT(heard.lines.at(0), ElementsAre("1", "2"));
  EXPECT_FALSE(heard.lines.contains(2));
  EXPECT_THAT(heard.ended, IsEmpty());
}

TEST(WorkerPool, StartsNothingWhenStoppedBefore) {
  const std::atomic<bool> stop{true};
  Heard heard;
  run_jobs({[](const Emit& emit) { emit("never"); }}, 1, stop, heard.listener());
  EXPECT_THAT(heard.lines, IsEmpty());
}

TEST(WorkerPool, EndsWhatAJobHasStarted) {
  std::atomic<bool> stop{false};
  pid_t started = 0;
  const Clock::time_point start = Clock::now();
  run_jobs({[](const Emit& emit) {
             const pid_t child = fork();
             if (child == 0) {
               std::this_thread::sleep_for(60s);
               _exit(0);
             }
             emit(std::to_string(child));
             std::this_thread::sleep_for(60s);
           }},
           1, stop,
           {[&](std::size_t, const std::string& line) {
              started = std::stoi(line);
              stop = true;
            },
            [](std::size_t, const std::string&) {}, [] {}});
  EXPECT_LT(Clock::now() - start, 10s);
  ASSERT_GT(started, 0);
  // it is init's to reap, and then gone; until then it is a zombie, which has no memory
  const std::string memory = "/proc/" + std::to_string(started) + "/statm";
  EXPECT_FALSE(std::ifstream(memory) && std::ifstream(memory).get() != '0') << started << " is still there";
}

TEST(WorkerPool, EndsItsProcessesWhenAListenerThrows) {
  pid_t process = 0;
  const std::atomic<bool> stop{false};
  EXPECT_THROW(run_jobs({[](const Emit& emit) {
                          emit(std::to_string(getpid()));
                          std::this_thread::sleep_for(60s);
                        }},
                        1, stop,
                        {[&](std::size_t, const std::string& line) {
                           process = std::stoi(line);
                           throw std::runtime_error("disk full");
                         },
                         [](std::size_t, const std::string&) {}, [] {}}),
               std::runtime_error);
  ASSERT_GT(process, 0);
  EXPECT_EQ(kill(process, 0), -1);
}

}  // namespace
}  // namespace sparsewire
