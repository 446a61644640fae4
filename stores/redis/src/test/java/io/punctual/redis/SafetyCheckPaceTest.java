package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Store;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how often the clients of a server make their safety checks. */
final class SafetyCheckPaceTest {
  private static final Duration KEEP = Duration.ofSeconds(30);

  private final AtomicLong nanos = new AtomicLong();

  @ParameterizedTest
  @CsvSource({
    "1, 1, 1000, 1000",
    "1, 10000, 1000, 1000",
    "100, 100, 1000, 1000",
    "1000, 10, 7500, 10000",
    "1000, 101, 15000, 20000",
    "1000000, 1000, 45000, 60000"
  })
  void oneServer_hasAHundredScriptsOfASecond(long clients, int partitions, long least, long most) {
    SafetyCheckPace pace = oneServer(clients);
    assertThat(pace.interval(partitions).toMillis()).isBetween(least, most);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 5000, 5000",
    "1, 8000, 12000, 16000",
    "300, 8, 5000, 5000",
    "1000, 80, 45000, 60000"
  })
  void cluster_asksOnePartitionInAScript(long clients, int partitions, long least, long most) {
    SafetyCheckPace pace = SafetyCheckPace.cluster(nanos::get);
    pace.announced("me", true, clients);
    assertThat(pace.interval(partitions).toMillis()).isBetween(least, most);
  }

  private SafetyCheckPace oneServer(long clients) {
    SafetyCheckPace pace = SafetyCheckPace.oneServer(nanos::get);
    pace.announced("me", true, clients);
    return pace;
  }

  @Test
  void serverForManyClients_asksOnceForAll() {
    SafetyCheckPace pace = oneServer(1);
    for (int i = 1; i < 1000; i++) {
      pace.announced("client" + i, true, i + 1);
    }
    assertThat(pace.interval(10_000)).isEqualTo(Duration.ofSeconds(1));
    assertThat(pace.isCrowded()).isFalse();
    pace.announced("client1", true, 3000);
    assertThat(pace.interval(10_000).toMillis()).isBetween(15_750L, 21_000L);
    assertThat(pace.isCrowded()).isTrue();
  }

  @Test
  void withoutHints_orAfterAFailure_theChecksAreAtTheShortestInterval() {
    SafetyCheckPace pace = oneServer(1000);
    pace.checked(false, true);
    assertThat(pace.interval(1)).isEqualTo(Duration.ofSeconds(1));
    pace.checked(true, false);
    assertThat(pace.interval(1)).isEqualTo(Duration.ofSeconds(1));
    pace.checked(true, true);
    assertThat(pace.interval(1)).isGreaterThan(Duration.ofSeconds(7));
  }

  @Test
  void countOfClients_isForgotten() {
    SafetyCheckPace pace = oneServer(1000);
    nanos.addAndGet(Duration.ofSeconds(61).toNanos());
    assertThat(pace.interval(1)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void notesForWorkers_areNoClients() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    try (RedisStore store = RedisStore.builder().url(redis.url()).open()) {
      for (int i = 0; i < 300; i++) {
        await(store.announce("note" + i, "text", Duration.ofMinutes(10)));
      }
      await(store.announce("client", "text", KEEP));
      assertThat(store.safetyCheckInterval(1)).isEqualTo(Duration.ofSeconds(1));
    }
  }

  @Test
  void registrationOfAWaitingClient_outlivesTheLongestPause() throws IOException {
    SafetyCheckPace pace = oneServer(Integer.MAX_VALUE);
    assertThat(pace.interval(1).toMillis()).isLessThan(silentMillis() / 4 * 3);
  }

  private static long silentMillis() throws IOException {
    try (InputStream script = SafetyCheckPace.class.getResourceAsStream("waiting.lua")) {
      String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
      Matcher millis = Pattern.compile("local SILENT_MILLIS = (\\d+)").matcher(text);
      assertThat(millis.find()).isTrue();
      return Long.parseLong(millis.group(1));
    }
  }

  @Test
  void crowd_makesFewChecks_andAnotherClientFindsTheMessageOfOneThatDied() {
    RedisProcess redis = RedisProcess.sharedAndEmpty();
    RedisStore dying = RedisStore.builder().url(redis.url()).open();
    try (RedisStore crowd = RedisStore.builder().url(redis.url()).open();
        RedisStore living = RedisStore.builder().url(redis.url()).open();
        Punctual heir = Punctual.builder().store(living).build()) {
      IntStream.range(0, 300)
          .mapToObj(i -> crowd.announce("crowd" + i, "text", KEEP))
          .toList()
          .forEach(PartitionUser::await);
      Punctual first = Punctual.builder().store(dying).build();
      CompletableFuture<String> never = new CompletableFuture<>();
      work(first.queue("q", Codec.string()), never);
      awaitCrowd(dying);
      TimedQueue<String> queue = heir.queue("q", Codec.string());
      CompletableFuture<String> delivered = new CompletableFuture<>();
      work(queue, delivered);
      awaitCrowd(living);

      var unused = queue.schedule(Message.of("go").dueIn(Duration.ofSeconds(2)));
      dying.close();
      assertThat(delivered.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo("go");
      assertThat(never).isNotDone();
      first.close();
    }
  }

  private static void work(TimedQueue<String> queue, CompletableFuture<String> delivered) {
    var unused = queue.work(WorkerOptions.DEFAULT, each -> delivered.complete(each.payload()));
  }

  /** Waits until a client has learned of the crowd with its announcement. */
  private static void awaitCrowd(Store store) {
    Awaitility.await()
        .until(() -> store.safetyCheckInterval(1).compareTo(Duration.ofSeconds(2)) > 0);
  }
}
