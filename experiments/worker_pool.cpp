#include "experiments/worker_pool.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace sparsewire {
namespace {

constexpr int kPollMilliseconds = 200;
constexpr int kKeptBytes = 1 << 30;

struct Worker {
  std::size_t job = 0;
  pid_t process = -1;
  int pipe = -1;
  std::string unfinished;  // a line that has not ended yet
};

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) _exit(1);  // nobody listens any more
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void work(const Job& job, int pipe, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  std::signal(SIGINT, SIG_IGN);  // an interrupt is the parent's to handle
  std::signal(SIGTERM, SIG_DFL);
  // messages of megabytes come and go: keep their memory instead of giving it back to the system each time
  mallopt(M_MMAP_THRESHOLD, kKeptBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  try {
    job([pipe](const std::string& line) { write_all(pipe, line + "\n"); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sparsewire: %s\n", error.what());
    _exit(1);
  }
  _exit(0);
}

Worker start(const Job& job, std::size_t number) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  std::fflush(nullptr);
  const pid_t parent = getpid(), process = fork();
  if (process < 0) fail("fork");
  if (process == 0) {
    close(ends[0]);
    work(job, ends[1], parent);
  }
  close(ends[1]);
  return {number, process, ends[0], ""};
}

// Reads what is there; false at the end.
bool read_lines(Worker& worker, const JobListener& listener) {
  char buffer[1 << 16];
  const ssize_t size = read(worker.pipe, buffer, sizeof buffer);
  if (size < 0) return errno == EINTR || errno == EAGAIN;
  worker.unfinished.append(buffer, static_cast<std::size_t>(size));
  std::size_t begin = 0;
  for (std::size_t end; (end = worker.unfinished.find('\n', begin)) != std::string::npos; begin = end + 1)
    listener.line(worker.job, worker.unfinished.substr(begin, end - begin));
  worker.unfinished.erase(0, begin);
  return size > 0;
}

std::string crash_of(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  return "exited with code " + std::to_string(WEXITSTATUS(status));
}

std::string reap(Worker& worker) {
  close(worker.pipe);
  int status = 0;
  while (waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
  }
  return crash_of(status);
}

void listen(std::vector<Worker>& workers, const JobListener& listener) {
  std::vector<pollfd> polled;
  for (const Worker& worker : workers) polled.push_back({worker.pipe, POLLIN, 0});
  if (poll(polled.data(), polled.size(), kPollMilliseconds) < 0 && errno != EINTR) fail("poll");
  std::vector<Worker> going;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    Worker& worker = workers[i];
    if (polled[i].revents == 0 || read_lines(worker, listener))
      going.push_back(std::move(worker));
    else
      listener.ended(worker.job, reap(worker));
  }
  workers = std::move(going);
}

}  // namespace

void run_jobs(const std::vector<Job>& jobs, unsigned processes, const std::atomic<bool>& stop,
              const JobListener& listener) {
  std::vector<Worker> workers;
  std::size_t next = 0;
  while (!stop && (next < jobs.size() || !workers.empty())) {
    for (; next < jobs.size() && workers.size() < processes; ++next)
      workers.push_back(start(jobs[next], next));
    listen(workers, listener);
    listener.idle();
  }
  for (Worker& worker : workers) {
    kill(worker.process, SIGKILL);
    while (read_lines(worker, listener)) {
    }
    reap(worker);
  }
}

}  // namespace sparsewire
