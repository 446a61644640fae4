package io.punctual.redisson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.CancelOutcome;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.collection.DelayedQueue;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.migration.redisson.RedissonImport;
import io.punctual.migration.redisson.RedissonPayloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Faults of Redisson's delayed queue from the page "From Redisson". Each test shows a fault in
 * Redisson, and that a queue of Punctual does not have the fault.
 */
final class RedissonFaultsTest {
  private static RedisProcess redis;
  private static Punctual punctual;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
    punctual = Punctual.open(redis.url());
  }

  @AfterAll
  static void stop() {
    punctual.close();
    redis.close();
  }

  @Test
  void retainAll_inRedissonStillDeliversTheDroppedElement_inPunctualNot() throws Exception {
    try (DelayedQueues<String> redisson = DelayedQueues.ofStrings(redis.url(), "retain")) {
      redisson.offer("kept", 300);
      redisson.offer("dropped", 300);
      boolean changed = redisson.delayed.retainAll(List.of("kept"));

      assertThat(changed).isTrue();
      assertThat(redisson.delayed.readAll()).containsExactly("kept");
      assertThat(List.of(take(redisson), take(redisson)))
          .containsExactlyInAnyOrder("kept", "dropped");
    }

    TimedQueue<String> queue = punctual.queue("retain", Codec.string());
    DelayedQueue<String> delayed = DelayedQueue.of(queue);
    delayed.offer("kept", 300, TimeUnit.MILLISECONDS);
    delayed.offer("dropped", 300, TimeUnit.MILLISECONDS);
    boolean changed = delayed.retainAll(List.of("kept"));

    assertThat(changed).isTrue();
    assertThat(queue.take(10, Duration.ofSeconds(30)))
        .extracting(Message::payload)
        .containsExactly("kept");
    await().until(() -> queue.counts().pending() == 0);
  }

  private static String take(DelayedQueues<String> redisson) throws InterruptedException {
    return String.valueOf(redisson.ready.poll(30, TimeUnit.SECONDS));
  }

  /**
   * Redisson's script for due entries fails at the entry in the old format, after it has added the
   * good entry to the ready list.
   */
  @Test
  @Tag("extended")
  void oldEntry_inRedissonStallsTheQueueAndRepeatsAGoodEntry_inPunctualNot() throws Exception {
    try (DelayedQueues<String> redisson = DelayedQueues.ofStrings(redis.url(), "old")) {
      redisson.offer("good", 1000);
      new OldEntries(redis, "old").offerBesideTheLatest("old");
      redisson.offer("later", 2000);

      assertThat(take(redisson)).isEqualTo("good");
      assertThat(take(redisson)).isEqualTo("good");
      assertThat(take(redisson)).isEqualTo("good");
      assertThatThrownBy(redisson.delayed::readAll).hasMessageContaining("unpack");
    }

    TimedQueue<String> queue = punctual.queue("old", Codec.string());
    RedissonImport.from(redis.url()).queue("old").to(queue, RedissonPayloads.string()).run();
    List<String> delivered = new ArrayList<>();
    while (delivered.size() < 3) {
      queue.take(10, Duration.ofSeconds(30)).forEach(message -> delivered.add(message.payload()));
    }
    assertThat(delivered).containsExactlyInAnyOrder("good", "old", "later");
    await().until(() -> queue.counts().pending() == 0);
  }

  /**
   * Counts the commands that the server runs for a removal, because their number does not depend on
   * the server's speed.
   */
  @Test
  void remove_inRedissonReadsAllEarlierEntries_inPunctualNot() {
    int pending = 2000;
    try (DelayedQueues<String> redisson = DelayedQueues.ofStrings(redis.url(), "remove")) {
      for (int i = 0; i < pending; i++) {
        redisson.offer("order-" + i, 3_600_000);
      }
      long before = calls("lindex");
      boolean removed = redisson.delayed.remove("order-" + (pending - 1));

      assertThat(removed).isTrue();
      assertThat(calls("lindex") - before).isEqualTo(pending);
    }

    TimedQueue<String> queue = punctual.queue("remove", Codec.string());
    List<Message<String>> messages = new ArrayList<>();
    for (int i = 0; i < pending; i++) {
      messages.add(Message.of("order-" + i).id("order-" + i).dueIn(Duration.ofHours(1)));
    }
    queue.scheduleAll(messages);
    long before = calls("\\w+");
    CancelOutcome outcome = queue.cancel("order-" + (pending - 1));

    assertThat(outcome).isEqualTo(CancelOutcome.CANCELLED);
    assertThat(calls("\\w+") - before).isLessThan(100);
  }

  /** Returns how often the server has run the commands whose names match. */
  private static long calls(String command) {
    Matcher found =
        Pattern.compile("cmdstat_" + command + ":calls=(\\d+)")
            .matcher(String.valueOf(redis.ask("INFO", "commandstats")));
    long calls = 0;
    while (found.find()) {
      calls += Long.parseLong(found.group(1));
    }
    return calls;
  }
}
