package io.punctual.lock;

import io.punctual.timer.Timeout;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The replies of the servers of a quorum lock.
 *
 * @param servers how many there are
 * @param yes how many have the lock for the handle
 * @param no how many have it for another
 * @param out how many have no vote, as they were started too lately or had lost the lock
 * @param silent how many did not answer in time
 */
record Votes(int servers, int yes, int no, int out, int silent) {
  /** Asks one server; a failure counts as silence. */
  interface Question {
    CompletableFuture<Long> ask(LockClient server);
  }

  int majority() {
    return servers / 2 + 1;
  }

  boolean isMajority() {
    return yes >= majority();
  }

  /** Returns whether enough servers replied to conclude that other handles hold the lock. */
  boolean isHeldByOthers() {
    return yes + no >= majority();
  }

  /** Returns whether late replies can no longer make a majority. */
  boolean isOutOfReach() {
    return no + out > servers - majority();
  }

  private Votes with(long answer) {
    if (answer > 0) {
      return new Votes(servers, yes + 1, no, out, silent);
    }
    return answer == 0
        ? new Votes(servers, yes, no + 1, out, silent)
        : new Votes(servers, yes, no, out + 1, silent);
  }

  private Votes withSilence() {
    return new Votes(servers, yes, no, out, silent + 1);
  }

  private int answered() {
    return yes + no + out + silent;
  }

  /**
   * Asks all servers at once; completes once a majority said yes, all have answered, or the time is
   * over. Does not fail.
   */
  static CompletableFuture<Votes> ask(
      LockClient timer, List<QuorumServer> servers, long timeoutNanos, Question question) {
    Poll poll = new Poll(servers.size());
    for (QuorumServer server : servers) {
      server.ask(question).whenComplete((answer, failure) -> poll.count(answer, failure == null));
    }
    Timeout end = timer.after(timeoutNanos, poll::end);
    if (end == null) {
      poll.end();
    } else {
      poll.result.whenComplete((votes, failure) -> end.cancel());
    }
    return poll.result;
  }

  /** Counts until it is decided. Thread-safe. */
  private static final class Poll {
    private final CompletableFuture<Votes> result = new CompletableFuture<>();
    private Votes votes;

    Poll(int servers) {
      votes = new Votes(servers, 0, 0, 0, 0);
    }

    void count(Long answer, boolean isAnswered) {
      Votes now;
      synchronized (this) {
        votes = isAnswered ? votes.with(answer) : votes.withSilence();
        now = votes;
      }
      if (now.isMajority() || now.answered() == now.servers) {
        result.complete(now);
      }
    }

    synchronized Votes soFar() {
      int missing = votes.servers - votes.answered();
      return new Votes(votes.servers, votes.yes, votes.no, votes.out, votes.silent + missing);
    }

    void end() {
      result.complete(soFar());
    }
  }
}
