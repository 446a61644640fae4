package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.event.Event;
import io.punctual.spi.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests takes with a prefetch: they claim messages in advance. */
@Timeout(300)
class PrefetchTest {
  private static final int MESSAGES = 40;
  private static final Duration WAIT = Duration.ofMillis(20);

  private final ManualWorld world = new ManualWorld();
  private final List<Call.Claim> claims = new ArrayList<>();

  /**
   * Records all claims. Holds the replies to claims while {@link #holds}, and the replies to
   * operations while {@link #holdsOperations}.
   */
  private final HeldClaims held = new HeldClaims(this::isHeld);

  private boolean holds;
  private boolean holdsOperations;
  private final Punctual punctual =
      Punctual.builder()
          .store(held.of(world.store))
          .timer(world.clock)
          .observer(world.events::add)
          .build();
  private final TimedQueue<String> queue = punctual.queue("orders", Codec.string());
  private final ClaimOptions options = ClaimOptions.DEFAULT.prefetch(8);

  private boolean isHeld(Call.Body body) {
    if (body instanceof Call.Claim claim) {
      claims.add(claim);
      return holds;
    }
    return holdsOperations;
  }

  @AfterEach
  void close() {
    held.answer();
    punctual.close(Duration.ZERO);
    world.close();
  }

  private void schedule(int messages) {
    for (int i = 0; i < messages; i++) {
      world.queue.schedule(Message.of("payload").id(id(i)));
      world.advance(Duration.ofMillis(1));
    }
  }

  private static String id(int number) {
    return String.format("%03d", number);
  }

  private static List<String> ids(int from, int to) {
    List<String> ids = new ArrayList<>();
    for (int i = from; i < to; i++) {
      ids.add(id(i));
    }
    return ids;
  }

  private String takeOne() {
    return queue.take(1, options).get(0).id().orElseThrow();
  }

  private List<String> take(int count) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(takeOne());
    }
    return ids;
  }

  private List<String> putBack() {
    return world.events(Event.MessageReleased.class).stream()
        .map(Event.MessageReleased::id)
        .toList();
  }

  private long stored(State state) {
    return ids(0, MESSAGES).stream()
        .flatMap(id -> world.queue.find(id).stream())
        .filter(message -> message.state() == state)
        .count();
  }

  @Test
  void take_withoutAPause_claimsEachMessageOnceInOrderWithFewCalls() {
    schedule(MESSAGES);
    assertThat(take(MESSAGES)).isEqualTo(ids(0, MESSAGES));
    assertThat(claims).extracting(Call.Claim::limit).containsExactly(1, 2, 3, 5, 9, 9, 9, 9);
    assertThat(queue.take(1, options)).isEmpty();
    world.advance(WAIT);
    assertThat(ids(0, MESSAGES)).allMatch(id -> world.queue.find(id).isEmpty());
  }

  @Test
  void take_defaultQueue_claimsNothingInAdvance() {
    schedule(MESSAGES);
    TimedQueue<String> plain = punctual.queue("orders", Codec.string());
    for (int i = 0; i < MESSAGES; i++) {
      assertThat(plain.take(1, Duration.ZERO)).hasSize(1);
    }
    assertThat(claims).extracting(Call.Claim::limit).containsOnly(1);
  }

  @Test
  void take_pause_theRestIsBackAsItWas() {
    schedule(MESSAGES);
    Instant due = world.queue.find(id(5)).orElseThrow().dueAt();
    take(4);
    assertThat(stored(State.READY)).isEqualTo(MESSAGES - 6);
    world.advance(WAIT);
    assertThat(stored(State.READY)).isEqualTo(MESSAGES - 4);
    assertThat(world.queue.find(id(5)).orElseThrow().dueAt()).isEqualTo(due);
    assertThat(take(MESSAGES - 4)).isEqualTo(ids(4, MESSAGES));
  }

  @Test
  void take_slowCaller_claimsNothingInAdvance() {
    schedule(MESSAGES);
    for (int i = 0; i < MESSAGES; i++) {
      assertThat(takeOne()).isEqualTo(id(i));
      world.advance(Duration.ofMillis(11));
    }
    assertThat(claims).extracting(Call.Claim::limit).containsOnly(1);
  }

  @Test
  void take_callerAtFiveMilliseconds_claimsWhatItReceivesInTime() {
    schedule(MESSAGES);
    for (int i = 0; i < MESSAGES; i++) {
      assertThat(takeOne()).isEqualTo(id(i));
      world.advance(Duration.ofMillis(5));
    }
    assertThat(claims).extracting(Call.Claim::limit).allMatch(limit -> limit <= 3);
  }

  @Test
  void close_messagesInAdvance_areBackBeforeTheEnd() {
    schedule(MESSAGES);
    take(4);
    assertThat(stored(State.READY)).isEqualTo(MESSAGES - 6);
    punctual.close(Duration.ZERO);
    assertThat(putBack()).containsExactly(id(4), id(5));
  }

  @Test
  void close_claimInFlight_allItsMessagesAreBackBeforeTheEnd() {
    schedule(MESSAGES);
    take(3);
    holds = true;
    CompletableFuture<List<Message<String>>> last =
        queue.async().take(1, options).toCompletableFuture();
    assertThat(stored(State.READY)).isEqualTo(MESSAGES - 6);
    CompletableFuture<?> closing = CompletableFuture.runAsync(() -> punctual.close(Duration.ZERO));
    assertThat(last.join()).isEmpty();
    held.answer();
    closing.join();
    assertThat(putBack()).containsExactlyInAnyOrder(id(3), id(4), id(5));
  }

  @Test
  void close_storeDoesNotAnswerThePutBack_endsAfterTheTimeout() {
    schedule(MESSAGES);
    take(4);
    holdsOperations = true;
    CompletableFuture<?> closing = CompletableFuture.runAsync(() -> punctual.close(Duration.ZERO));
    while (!closing.isDone()) {
      world.advance(Duration.ofSeconds(1));
      Thread.onSpinWait();
    }
    assertThat(putBack()).isEmpty();
  }

  @Test
  void close_whileMessagesGoBackAfterAPause_waitsForThem() {
    schedule(MESSAGES);
    take(4);
    holdsOperations = true;
    world.advance(WAIT);
    CompletableFuture<?> closing = CompletableFuture.runAsync(() -> punctual.close(Duration.ZERO));
    while (!closing.isDone()) {
      held.answer();
      Thread.onSpinWait();
    }
    assertThat(putBack()).containsExactly(id(4), id(5));
  }

  @Test
  void take_callerGoneWithTheClaimInFlight_theNextCallersReceiveTheRest() {
    schedule(MESSAGES);
    take(3);
    holds = true;
    CompletableFuture<List<Message<String>>> gone =
        queue.async().take(1, options).toCompletableFuture();
    gone.cancel(false);
    holds = false;
    CompletableFuture<List<Message<String>>> next =
        queue.async().take(1, options).toCompletableFuture();
    held.answer();
    assertThat(next.join()).hasSize(1);
    world.advance(WAIT);
    assertThat(stored(State.LEASED)).isZero();
    assertThat(stored(State.READY)).isEqualTo(MESSAGES - 4);
  }

  @Test
  void prefetch_outOfRange_isRefused() {
    assertThatThrownBy(() -> options.prefetch(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> options.prefetch(1001))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("prefetch");
  }
}
