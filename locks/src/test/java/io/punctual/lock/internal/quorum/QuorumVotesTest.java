package io.punctual.lock.internal.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.lock.internal.client.CallbackExecutor;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.hold.LockSession;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.test.ManualClock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how the replies of the servers are counted. */
final class QuorumVotesTest {
  private static final long YES = 1;
  private static final long NO = 0;
  private static final long OUT = -1;
  private static final long TAKEN = -2;
  private static final Duration TIMEOUT = Duration.ofMillis(100);

  private final ManualClock clock = new ManualClock();
  private final List<LockSession> servers = new ArrayList<>();
  private final List<CompletableFuture<Long>> replies = new ArrayList<>();

  /** Asks this number of servers, which reply when the test says so. */
  private CompletableFuture<QuorumVotes> ask(int count) {
    for (int i = 0; i < count; i++) {
      servers.add(new LockSession(client(), ""));
      replies.add(new CompletableFuture<>());
    }
    List<LockClient> clients = servers.stream().map(LockSession::client).toList();
    return QuorumVotes.ask(
        clients.get(0),
        servers.stream().map(QuorumServer::of).toList(),
        TIMEOUT.toNanos(),
        server -> replies.get(clients.indexOf(server)));
  }

  /** Returns a client with no more of a deployment than its timer. */
  private LockClient client() {
    Deployment deployment =
        (Deployment)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Deployment.class},
                (self, method, arguments) -> method.getName().equals("timer") ? clock : null);
    return new LockClient(deployment, new CallbackExecutor(null), new Random(1), List.of());
  }

  private void reply(int server, long vote) {
    replies.get(server).complete(vote);
  }

  @ParameterizedTest
  @CsvSource({
    "3, 2, 0, 0, true, true, false",
    "3, 1, 1, 0, false, true, false",
    "3, 1, 0, 1, false, false, false",
    "3, 1, 2, 0, false, true, true",
    "3, 1, 0, 2, false, false, true",
    "4, 2, 0, 0, false, false, false",
    "4, 2, 1, 1, false, true, true",
    "5, 2, 1, 1, false, true, false",
    "5, 0, 0, 3, false, false, true",
  })
  void verdict_followsTheMajority(
      int count, int yes, int no, int out, boolean wins, boolean isHeld, boolean isHopeless) {
    QuorumVotes votes = new QuorumVotes(count, yes, no, out, count - yes - no - out, 0);
    assertThat(votes.isMajority()).isEqualTo(wins);
    assertThat(votes.isHeldByOthers()).isEqualTo(isHeld);
    assertThat(votes.isOutOfReach()).isEqualTo(isHopeless);
  }

  @Test
  void majority_endsTheVote_beforeTheOthersReply() {
    CompletableFuture<QuorumVotes> votes = ask(3);
    reply(0, YES);
    assertThat(votes).isNotDone();
    reply(2, YES);
    reply(1, NO);
    assertThat(votes).isCompletedWithValue(new QuorumVotes(3, 2, 0, 0, 0, 0));
    assertThat(clock.pendingTasks()).isZero();
  }

  @Test
  void everyReplyAndFailure_isCounted() {
    CompletableFuture<QuorumVotes> votes = ask(5);
    reply(0, YES);
    reply(1, NO);
    reply(2, OUT);
    reply(3, TAKEN);
    assertThat(votes).isNotDone();
    replies.get(4).completeExceptionally(new IllegalStateException("away"));
    assertThat(votes).isCompletedWithValue(new QuorumVotes(5, 1, 2, 1, 1, 1));
  }

  @Test
  void timeout_endsTheVote_andLaterRepliesAreNotCounted() {
    CompletableFuture<QuorumVotes> votes = ask(3);
    reply(1, YES);
    clock.advance(TIMEOUT);
    reply(0, YES);
    assertThat(votes).isCompletedWithValue(new QuorumVotes(3, 1, 0, 0, 2, 0));
  }

  @Test
  void serverThatCanNotBeAsked_isSilent_andTheOthersAreAsked() {
    List<QuorumServer> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      servers.add(new LockSession(client(), ""));
      all.add(QuorumServer.of(servers.get(i)));
    }
    CompletableFuture<QuorumVotes> votes =
        QuorumVotes.ask(
            servers.get(0).client(),
            all,
            TIMEOUT.toNanos(),
            server -> {
              if (server == servers.get(0).client()) {
                throw new OutOfMemoryError("of the test");
              }
              return CompletableFuture.completedFuture(YES);
            });
    assertThat(votes).isCompletedWithValue(new QuorumVotes(3, 2, 0, 0, 1, 0));
  }
}
