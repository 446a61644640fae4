package io.punctual.jdbc;

import static io.punctual.jdbc.TestCalls.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.DeleteQueueOutcome;
import io.punctual.Delivery;
import io.punctual.LockedByTransactionException;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.SettleOutcome;
import io.punctual.TimedQueue;
import io.punctual.kit.database.MariaDbServer;
import io.punctual.kit.database.TestServer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Tests pauses and deletions of a queue on MariaDB, while an open transaction has scheduled a
 * message and therefore locks the row of the queue.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MariaDbAdministrationTest {
  private static final Duration HOUR = Duration.ofHours(1);

  /**
   * The maximum time of a call that does not wait for a lock. It is less than the lock timeout of a
   * statement, one second.
   */
  private static final Duration AT_ONCE = Duration.ofMillis(900);

  /**
   * The number of trials in which a call may take longer, because this machine is busy. A call that
   * waits for a lock takes longer in every trial.
   */
  private static final int TRIALS = 10;

  private TestServer server;
  private Punctual punctual;
  private TimedQueue<String> queue;

  @BeforeAll
  void startServer() {
    server = MariaDbServer.shared();
  }

  @AfterAll
  void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void open() {
    punctual = Punctual.open(server.jdbcUrl() + "&createTables=true");
    queue = punctual.queue("orders-" + UUID.randomUUID(), Codec.string());
  }

  @AfterEach
  void close() {
    punctual.close();
  }

  private static Message<String> message(String id) {
    return Message.of("payload").id(id).dueIn(HOUR);
  }

  private Delivery<String> claimed() {
    queue.schedule(Message.of("payload").id("claimed").dueIn(Duration.ZERO));
    return queue.claim(1, ClaimOptions.DEFAULT.lease(HOUR).maxWait(Duration.ofMinutes(1))).get(0);
  }

  /** Waits for a call. Returns whether it ended at once. */
  private static boolean endsAtOnce(Supplier<? extends CompletionStage<?>> call) throws Exception {
    long began = System.nanoTime();
    assertThat(await(call.get())).isNotNull();
    return System.nanoTime() - began < AT_ONCE.toNanos();
  }

  @Test
  void pause_openTransactionHasScheduled_failsAndDelaysNeitherRenewalsNorSchedules()
      throws Exception {
    Delivery<String> delivery = claimed();
    try (JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl());
        Punctual other = Punctual.open(server.jdbcUrl())) {
      TimedQueue<String> elsewhere = other.queue(queue.name(), Codec.string());
      elsewhere.schedule(message("before"));
      queue.inTransaction(user.transaction()).schedule(message("open"));
      boolean delaysCalls = true;
      for (int trial = 0; trial < TRIALS && delaysCalls; trial++) {
        delaysCalls = failedPauseDelaysCalls(delivery, elsewhere);
      }
      assertThat(delaysCalls).isFalse();
      user.commit();
    }
    queue.pause();
    assertThat(queue.counts().paused()).isTrue();
    assertThat(delivery.ack()).isEqualTo(SettleOutcome.DONE);
  }

  /** Pauses the queue in vain. Returns whether calls of both clients take long meanwhile. */
  private boolean failedPauseDelaysCalls(Delivery<String> delivery, TimedQueue<String> elsewhere)
      throws Exception {
    CompletableFuture<Void> pause = queue.async().pause().toCompletableFuture();
    boolean atOnce = true;
    for (int i = 0; i < 20; i++) {
      String id = "m" + i;
      atOnce &= endsAtOnce(() -> delivery.async().extend(HOUR));
      atOnce &= endsAtOnce(() -> elsewhere.async().schedule(message(id)));
    }
    boolean endsBefore = !pause.isDone();
    assertThatThrownBy(() -> await(pause))
        .hasCauseInstanceOf(LockedByTransactionException.class)
        .hasMessageContaining("'" + queue.name() + "' was not paused")
        .hasMessageContaining("Repeat the call");
    return !(atOnce && endsBefore);
  }

  @Test
  void pause_transactionEndsMeanwhile_takesEffect() throws Exception {
    queue.schedule(message("before"));
    CompletableFuture<Void> pause;
    try (JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl())) {
      queue.inTransaction(user.transaction()).schedule(message("open"));
      pause = queue.async().pause().toCompletableFuture();
      user.commit();
    }
    await(pause);
    assertThat(queue.counts().paused()).isTrue();
    queue.resume();
    assertThat(queue.counts().paused()).isFalse();
  }

  @Test
  void deleteQueue_openTransactionHasScheduled_isNotEmptyAtOnce() throws Exception {
    queue.schedule(message("before"));
    queue.cancel("before");
    try (JdbcUserTransaction user = new JdbcUserTransaction(server.jdbcUrl())) {
      queue.inTransaction(user.transaction()).schedule(message("open"));
      boolean atOnce = false;
      for (int trial = 0; trial < TRIALS && !atOnce; trial++) {
        long began = System.nanoTime();
        assertThat(await(punctual.deleteQueueAsync(queue.name())))
            .isEqualTo(DeleteQueueOutcome.NOT_EMPTY);
        atOnce = System.nanoTime() - began < AT_ONCE.toNanos();
      }
      assertThat(atOnce).isTrue();
      user.commit();
    }
    queue.cancel("open");
    assertThat(punctual.deleteQueue(queue.name())).isEqualTo(DeleteQueueOutcome.DELETED);
    queue.schedule(message("after"));
    assertThat(queue.counts().scheduled()).isEqualTo(1);
  }
}
