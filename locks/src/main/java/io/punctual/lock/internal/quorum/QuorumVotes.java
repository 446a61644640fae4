package io.punctual.lock.internal.quorum;

import io.punctual.lock.internal.client.LockClient;
import io.punctual.timer.Timeout;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The replies of the servers of a quorum lock to an acquisition, a renewal or a release.
 *
 * @param servers the number of servers
 * @param yes how many servers have granted the lock to the handle, or had granted it until this
 *     release
 * @param no how many servers have granted the lock to a different handle, or had no lock of this
 *     handle to release
 * @param out how many servers have no vote, because they were started too recently or had lost the
 *     lock
 * @param silent how many servers did not reply in time, or whose request failed
 * @param taken how many servers have a handle of a different client with the same id; {@code no}
 *     counts them as well
 */
record QuorumVotes(int servers, int yes, int no, int out, int silent, int taken) {
  /** The reply of quorum.lua if the id belongs to a different handle. */
  private static final long TAKEN = -2;

  /** Sends a question to a server; a failure counts as silence. */
  interface Question {
    CompletableFuture<Long> ask(LockClient server);
  }

  int majority() {
    return servers / 2 + 1;
  }

  boolean isMajority() {
    return yes >= majority();
  }

  /**
   * Returns whether only other handles prevented a majority: a majority of the servers has granted
   * the lock, to this handle or to others.
   */
  boolean isHeldByOthers() {
    return yes + no >= majority();
  }

  /** Returns whether a majority is impossible, whatever the silent servers reply later. */
  boolean isOutOfReach() {
    return no + out > servers - majority();
  }

  private QuorumVotes with(long answer) {
    if (answer > 0) {
      return new QuorumVotes(servers, yes + 1, no, out, silent, taken);
    }
    if (answer == TAKEN) {
      return new QuorumVotes(servers, yes, no + 1, out, silent, taken + 1);
    }
    return answer == 0
        ? new QuorumVotes(servers, yes, no + 1, out, silent, taken)
        : new QuorumVotes(servers, yes, no, out + 1, silent, taken);
  }

  private QuorumVotes withSilence() {
    return new QuorumVotes(servers, yes, no, out, silent + 1, taken);
  }

  private int answered() {
    return yes + no + out + silent;
  }

  /**
   * Asks all servers at once. Completes when a majority votes yes, when each server has replied or
   * failed, or when the time has passed. Does not fail.
   */
  static CompletableFuture<QuorumVotes> ask(
      LockClient timer, List<QuorumServer> servers, long timeoutNanos, Question question) {
    Poll poll = new Poll(servers.size());
    for (QuorumServer server : servers) {
      ask(server, question).whenComplete((answer, failure) -> poll.count(answer, failure == null));
    }
    Timeout end = timer.after(timeoutNanos, poll::end);
    if (end == null) {
      poll.end();
    } else {
      poll.result.whenComplete((votes, failure) -> end.cancel());
    }
    return poll.result;
  }

  /** Asks a server. What is thrown becomes a failure, so that the other servers are asked too. */
  static CompletableFuture<Long> ask(QuorumServer server, Question question) {
    try {
      return server.ask(question);
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Counts the replies until the result is known. Thread-safe. */
  private static final class Poll {
    private final CompletableFuture<QuorumVotes> result = new CompletableFuture<>();
    private QuorumVotes votes;

    Poll(int servers) {
      votes = new QuorumVotes(servers, 0, 0, 0, 0, 0);
    }

    void count(Long answer, boolean isAnswered) {
      QuorumVotes now;
      synchronized (this) {
        votes = isAnswered ? votes.with(answer) : votes.withSilence();
        now = votes;
      }
      if (now.isMajority() || now.answered() == now.servers) {
        result.complete(now);
      }
    }

    synchronized QuorumVotes soFar() {
      int missing = votes.servers - votes.answered();
      return new QuorumVotes(
          votes.servers, votes.yes, votes.no, votes.out, votes.silent + missing, votes.taken);
    }

    void end() {
      try {
        result.complete(soFar());
      } catch (Throwable e) { // for example no memory; nobody else would end the round
        result.complete(votes);
      }
    }
  }
}
