package io.punctual.runtime;

import static io.punctual.runtime.ManualWorld.inline;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.RetryPolicy;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.UndecodableException;
import io.punctual.Worker;
import io.punctual.deadletter.DeadReason;
import io.punctual.event.Event;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the rules for claimed messages, which workers and manual claims share. */
class IntakeTest {
  private static final Duration LEASE = Duration.ofSeconds(1);

  private final ManualWorld world = new ManualWorld();
  private final List<Integer> attempts = new ArrayList<>();

  @AfterEach
  void close() {
    world.close();
  }

  private StoredMessage<String> find(String id) {
    return world.queue.find(id).orElseThrow();
  }

  private List<Delivery<String>> claim() {
    return world.queue.claim(1, ClaimOptions.DEFAULT.lease(LEASE));
  }

  @Test
  void claim_leasesKeepRunningOut_buriedAtTheAttemptLimit() {
    world.queue.schedule(Message.of("a").id("a"));
    for (int i = 0; i < 5; i++) {
      assertThat(claim()).hasSize(1);
      world.advance(LEASE);
    }
    assertThat(claim()).isEmpty();
    assertThat(find("a").reason())
        .hasValue("attempt 6, limit 5: 5 leases ran out without a settlement");
    assertThat(find("a").deadReason()).hasValue(DeadReason.WORKERS_DIED);
    assertThat(world.events(Event.MessageBuried.class)).hasSize(1);
  }

  @Test
  void claim_message_publishesTheEventsOfAWorker() {
    world.queue.schedule(Message.of("a").id("a"));
    claim();
    assertThat(world.events(Event.MessagesClaimed.class)).hasSize(1);
    assertThat(world.events(Event.MessageHandedOver.class)).hasSize(1);
  }

  @Test
  void claim_expired_publishesTheBurial() {
    world.queue.schedule(Message.of("a").id("a").notAfter(world.clock.instant().plusSeconds(1)));
    world.advance(Duration.ofSeconds(2));
    assertThat(claim()).isEmpty();
    assertThat(world.events(Event.MessageBuried.class))
        .extracting(Event.MessageBuried::reason)
        .containsExactly(DeadReason.EXPIRED);
    assertThat(find("a").deadReason()).hasValue(DeadReason.EXPIRED);
    assertThat(find("a").reason().orElseThrow()).contains("until 20");
  }

  @Test
  void work_retriedByHandBeyondTheLimit_handedOverAgain() {
    world.queue.work(
        inline().build(),
        delivery -> {
          attempts.add(delivery.attempt());
          if (delivery.attempt() < 8) {
            delivery.retry(Duration.ofSeconds(1));
          }
        });
    world.queue.schedule(Message.of("a").id("a"));
    world.advance(Duration.ofSeconds(10));
    assertThat(attempts).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(world.queue.find("a")).isEmpty();
  }

  @Test
  void work_retriedByHandBeyondTheLimitThenFails_buriedWithTheFailure() {
    world.queue.work(
        inline().build(),
        delivery -> {
          if (delivery.attempt() == 7) {
            throw new IllegalStateException("at last");
          }
          delivery.retry(Duration.ofSeconds(1));
        });
    world.queue.schedule(Message.of("a").id("a"));
    world.advance(Duration.ofSeconds(10));
    assertThat(find("a").reason()).hasValue("java.lang.IllegalStateException: at last");
    assertThat(find("a").deadReason()).hasValue(DeadReason.FAILED);
  }

  @Test
  void work_limitLowered_appliesAfterTheNextFailure() {
    RetryPolicy patient = RetryPolicy.fixed(Duration.ofSeconds(10)).maxAttempts(10);
    Worker before =
        world.queue.work(
            inline().retryPolicy(patient).build(),
            delivery -> {
              throw new IllegalStateException("down");
            });
    world.queue.schedule(Message.of("a").id("a"));
    world.advance(Duration.ofSeconds(30));
    before.close();
    world.queue.work(
        inline().retryPolicy(patient.maxAttempts(2)).build(),
        delivery -> attempts.add(delivery.attempt()));
    world.advance(Duration.ofSeconds(10));
    assertThat(attempts).containsExactly(5);
    assertThat(world.queue.find("a")).isEmpty();
  }

  @Test
  void work_undecodablePayload_retriedByThePolicyThenBuried() {
    world
        .punctual
        .queue("orders", Codec.bytes())
        .schedule(Message.of(new byte[] {(byte) 0xff}).id("bad"));
    world.queue.work(
        inline().retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(1)).maxAttempts(2)).build(),
        delivery -> attempts.add(delivery.attempt()));
    assertThat(find("bad").state()).isEqualTo(State.SCHEDULED);
    world.advance(Duration.ofSeconds(1));
    assertThat(find("bad").state()).isEqualTo(State.DEAD);
    assertThat(find("bad").deadReason()).hasValue(DeadReason.UNDECODABLE);
    assertThat(find("bad").failures()).hasSize(2);
    assertThat(attempts).isEmpty();
    assertThat(world.events(Event.MessageBuried.class).get(0).failure())
        .isInstanceOf(UndecodableException.class)
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  /** Throws a checked exception without a {@code throws} clause, as Kotlin code can. */
  @SuppressWarnings("unchecked")
  private static <E extends Exception> void throwUnchecked(Exception failure) throws E {
    throw (E) failure;
  }

  @Test
  void find_codecThrowsACheckedException_payloadIsUndecodable() {
    Codec<String> faulty =
        new Codec<>() {
          @Override
          public byte[] encode(String payload) {
            return payload.getBytes(UTF_8);
          }

          @Override
          public String decode(byte[] bytes) {
            IntakeTest.<RuntimeException>throwUnchecked(new IOException("expected"));
            return "";
          }
        };
    TimedQueue<String> queue = world.punctual.queue("files", faulty);
    queue.schedule(Message.of("x").id("a"));
    StoredMessage<String> found = queue.find("a").orElseThrow();
    assertThatThrownBy(found::payload)
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("'a' in queue 'files'")
        .hasCauseInstanceOf(IOException.class);
  }

  @Test
  void work_undecodablePayloadAndARuleOfThePolicy_buriedAtOnce() {
    world
        .punctual
        .queue("orders", Codec.bytes())
        .schedule(Message.of(new byte[] {(byte) 0xff}).id("bad"));
    RetryPolicy policy =
        RetryPolicy.DEFAULT.forFailure(UndecodableException.class, RetryPolicy.never());
    world.queue.work(inline().retryPolicy(policy).build(), delivery -> {});
    assertThat(find("bad").deadReason()).hasValue(DeadReason.UNDECODABLE);
    assertThat(find("bad").attempts()).isEqualTo(1);
  }

  @Test
  void bury_byTheConsumer_reasonSaysSo() {
    world.queue.schedule(Message.of("a").id("a"));
    claim().get(0).bury("negative amount");
    assertThat(find("a").deadReason()).hasValue(DeadReason.BY_CALLER);
    assertThat(find("a").reason()).hasValue("negative amount");
  }

  @Test
  void claim_limitLoweredAndAnEarlierLeaseRanOut_handedOverAgain() {
    RetryPolicy patient = RetryPolicy.fixed(LEASE).maxAttempts(10);
    world.queue.schedule(Message.of("a").id("a"));
    claim();
    world.advance(LEASE);
    Worker before =
        world.queue.work(
            inline().retryPolicy(patient).build(),
            delivery -> {
              throw new IllegalStateException("down");
            });
    world.advance(Duration.ofSeconds(6));
    before.close();
    world.advance(LEASE);
    assertThat(claim()).extracting(Delivery::attempt).containsExactly(9);
  }

  @Test
  void bytesCodec_handlerChangesItsArray_storedMessageStaysAsItWas() {
    var raw = world.punctual.queue("orders", Codec.bytes());
    raw.schedule(Message.of(new byte[] {1}).id("a"));
    raw.work(
        inline().retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(1))).build(),
        delivery -> {
          delivery.payload()[0] = 9;
          throw new IllegalStateException("again");
        });
    assertThat(raw.find("a").orElseThrow().payloadBytes()).containsExactly(1);
  }

  @Test
  void work_undecodablePayload_reasonNamesTheCauseOfTheCodec() {
    Codec<String> codec =
        new Codec<>() {
          @Override
          public byte[] encode(String payload) {
            return payload.getBytes(UTF_8);
          }

          @Override
          public String decode(byte[] bytes) {
            throw new IllegalArgumentException(
                "The payload can't be read as an Order",
                new UnsupportedOperationException("no constructor takes JSON"));
          }
        };
    world.queue.schedule(Message.of("a").id("a"));
    world
        .punctual
        .queue("orders", codec)
        .work(inline().retryPolicy(RetryPolicy.DEFAULT.maxAttempts(1)).build(), delivery -> {});
    assertThat(find("a").reason().orElseThrow())
        .startsWith(UndecodableException.class.getName())
        .contains("can't be read as an Order")
        .endsWith("no constructor takes JSON");
  }

  @Test
  void failure_manualClock_hasTheTimeOfThatClock() {
    world.queue.work(
        inline().retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(1))).build(),
        delivery -> {
          throw new IllegalStateException("down");
        });
    world.queue.schedule(Message.of("a").id("a").dueIn(Duration.ofMinutes(30)));
    world.advance(Duration.ofMinutes(30));
    assertThat(find("a").failures())
        .singleElement()
        .satisfies(failure -> assertThat(failure.at()).isEqualTo(world.clock.instant()));
  }
}
