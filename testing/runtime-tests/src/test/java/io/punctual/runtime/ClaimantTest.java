package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.AnnouncedWorker;
import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.LeaseHolder;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Settlement;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerAnnouncement;
import io.punctual.spi.Announcement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests the names of those for whom messages were claimed. */
class ClaimantTest {
  private static final ClaimOptions MINUTE = ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1));

  private final AnnouncingStore store = new AnnouncingStore();

  private Punctual client() {
    return Punctual.builder().store(store.view()).timer(store.clock).build();
  }

  private static TimedQueue<String> queue(Punctual client) {
    return client.queue("orders", Codec.string());
  }

  private static LeaseHolder holder(Punctual client, String id) {
    return queue(client).find(id).orElseThrow().leaseHolder().orElseThrow();
  }

  private void seconds(int seconds) {
    store.clock.advance(Duration.ofSeconds(seconds));
  }

  private static void schedule(Punctual client, String... ids) {
    for (String id : ids) {
      queue(client).schedule(Message.of("x").id(id));
    }
  }

  @Test
  void claimant_isShownByEveryProcess_withTheHostOfItsWorker() {
    try (Punctual server = client();
        Punctual other = client()) {
      AnnouncedWorker worker =
          server.announce(WorkerAnnouncement.of("orders", "billing-3").host("web-7").pid(4711));
      schedule(server, "a", "b");
      queue(server).claim(1, MINUTE.claimant("billing-3"));
      queue(server).claim(1, MINUTE.claimant("a person 1 2"));
      assertThat(holder(server, "a").claimant()).contains("billing-3");
      assertThat(holder(server, "a").describe()).isEqualTo("billing-3 on web-7 (pid 4711)");
      assertThat(holder(other, "a").claimant()).isEmpty();
      seconds(3);
      assertThat(holder(other, "a").describe()).isEqualTo("billing-3 on web-7 (pid 4711)");
      LeaseHolder person = holder(other, "b");
      assertThat(person.claimant()).contains("a person 1 2");
      assertThat(person.pid()).hasValue(ProcessHandle.current().pid());
      assertThat(queue(other).browse(State.LEASED, 10).items())
          .extracting(each -> each.leaseHolder().orElseThrow().claimant().orElse(""))
          .containsExactlyInAnyOrder("billing-3", "a person 1 2");
      worker.close();
    }
  }

  /** A client that only claims has no workers, and is listed nevertheless. */
  @Test
  void claimant_clientWithoutWorkers_isListedWhileItHoldsMessages() {
    try (Punctual claims = client();
        Punctual other = client()) {
      schedule(claims, "a");
      Delivery<String> held = queue(claims).claim(1, MINUTE.claimant("script")).get(0);
      seconds(3);
      assertThat(holder(other, "a").claimant()).contains("script");
      assertThat(other.workers()).isEmpty();
      seconds(30);
      assertThat(holder(other, "a").claimant()).contains("script");
      held.extend(Duration.ofHours(1));
      seconds(1000);
      assertThat(holder(other, "a").claimant()).contains("script");
      held.ack();
      seconds(11);
      assertThat(store.texts).last().isEqualTo("");
      int before = store.texts.size();
      seconds(100);
      assertThat(store.texts).hasSize(before);
    }
  }

  @Test
  void claimsWithDifferentNames_shareCalls_andEachIsNamed() {
    try (Punctual server = client()) {
      List<CompletableFuture<List<Delivery<String>>>> polls = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        ClaimOptions options = MINUTE.maxWait(Duration.ofHours(1)).claimant("w" + i);
        polls.add(queue(server).async().claim(1, options).toCompletableFuture());
      }
      List<Message<String>> messages = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        messages.add(Message.of("x").id("m" + i));
      }
      queue(server).scheduleAll(messages);
      seconds(1);
      for (int i = 0; i < 50; i++) {
        Delivery<String> delivery = polls.get(i).join().get(0);
        assertThat(holder(server, delivery.id()).claimant()).contains("w" + i);
      }
    }
  }

  @Test
  void nextHolder_hasNotTheNameOfTheOneBefore() {
    try (Punctual first = client();
        Punctual second = client()) {
      schedule(first, "a");
      queue(first).claim(1, MINUTE.claimant("one"));
      seconds(61);
      queue(second).claim(1, MINUTE);
      assertThat(holder(first, "a").claimant()).isEmpty();
      seconds(61);
      queue(first).claim(1, MINUTE);
      assertThat(holder(first, "a").claimant()).isEmpty();
      seconds(61);
      queue(second).claim(1, MINUTE.claimant("two"));
      assertThat(holder(second, "a").claimant()).contains("two");
      seconds(61);
      Worker worker = queue(second).workStages(delivery -> new CompletableFuture<>());
      seconds(1);
      assertThat(holder(second, "a").claimant()).isEmpty();
      worker.close(Duration.ZERO);
    }
  }

  /** The message was released, so that its attempt has the same number again. */
  @Test
  void settledByAReceipt_andClaimedAgain_hasNotTheNameOfTheOneBefore() {
    try (Punctual server = client()) {
      schedule(server, "a");
      Delivery<String> held = queue(server).claim(1, MINUTE.claimant("one")).get(0);
      queue(server).settle(List.of(new Settlement.Release(held.receipt())));
      queue(server).claim(1, MINUTE);
      assertThat(holder(server, "a").claimant()).isEmpty();
    }
  }

  @Test
  void manyClaimants_areBounded_andTheFirstAreNamed() {
    try (Punctual server = client();
        Punctual other = client()) {
      List<Message<String>> messages = new ArrayList<>();
      for (int i = 0; i < 11_000; i++) {
        messages.add(Message.of("x").id("m" + i));
      }
      queue(server).scheduleAll(messages);
      ClaimOptions hour = ClaimOptions.DEFAULT.lease(Duration.ofHours(1));
      for (int i = 0; i < 110; i++) {
        queue(server).claim(100, hour.claimant(i + "n".repeat(250)));
      }
      seconds(3);
      assertThat(store.texts).allMatch(text -> text.length() <= Announcement.MAX_BYTES);
      assertThat(holder(other, "m0").claimant()).isPresent();
      assertThat(holder(server, "m9999").claimant()).isPresent();
      assertThat(holder(server, "m10999").claimant()).isEmpty();
      assertThat(holder(other, "m10999").describe()).contains(" on ");
    }
  }

  @Test
  void name_outOfRange_orOfATake_isRefused() {
    for (String wrong : List.of("", "a\tb", "a\nb", "n".repeat(257), "\ud800")) {
      assertThatThrownBy(() -> MINUTE.claimant(wrong)).isInstanceOf(IllegalArgumentException.class);
    }
    try (Punctual client = client()) {
      assertThatThrownBy(() -> queue(client).take(1, ClaimOptions.DEFAULT.claimant("a")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("claimant");
    }
  }

  @Test
  void unreadableAnnouncement_isIgnored() {
    try (Punctual server = client();
        Punctual other = client()) {
      schedule(server, "a");
      queue(server).claim(1, MINUTE.claimant("one"));
      seconds(3);
      String id = store.kept.keySet().iterator().next();
      String head = "1\tweb-3\t4711\t9.9";
      for (String text :
          List.of(
              head + "\tmore\t5 a b\t99999 x y\t1\t\t-1 a", "1\tweb-3\tpid\tv", "1", "pause x")) {
        store.announced(id, text);
        Optional<StoredMessage<String>> found = queue(other).find("a");
        assertThat(found.orElseThrow().leaseHolder().orElseThrow().claimant()).isEmpty();
      }
    }
  }
}
