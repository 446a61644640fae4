package io.punctual.redis;

import static io.punctual.redis.PartitionUser.PAST;
import static io.punctual.redis.PartitionUser.await;
import static io.punctual.redis.PartitionUser.scheduling;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.kit.log.CapturedLog;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests partitions with keys that a foreign program, or an eviction, has removed or replaced by old
 * copies: each key, alone and with each other key. A message in any state is then delivered, or
 * found, or the log says what was lost. No message is delivered early.
 */
final class LostKeysTest {
  private static final String KEY = "{punctual:q:0}:";
  private static final DueTime LATER = new DueTime(true, 3_600_000);

  private RedisProcess redis;
  private RedisStore store;

  @BeforeEach
  void start() {
    redis = RedisProcess.sharedAndEmpty();
    store = RedisStore.builder().url(redis.url() + "?timeout=60s").open();
  }

  @AfterEach
  void stop() {
    store.close();
  }

  static Stream<String> keys() {
    return Stream.concat(PartitionKeys.NAMES.stream(), Stream.of("session"));
  }

  /** The messages of a scene: one in each state. */
  private record Messages(String prefix) {
    static final List<String> STATES =
        List.of("future", "ready", "retrying", "again", "leased", "held", "cancelled", "dead");

    String id(String state) {
      return prefix + state;
    }

    /** Returns the ids that must not get lost. The cancelled message is over with its lease. */
    List<String> live() {
      return STATES.stream().filter(state -> !state.equals("cancelled")).map(this::id).toList();
    }

    /** Returns the ids whose due time has not come. */
    List<String> early() {
      return Stream.of("future", "retrying").map(this::id).toList();
    }

    void create(PartitionUser user, RedisProcess redis) {
      List<String> claimed = List.of("retrying", "again", "dead", "leased", "cancelled", "held");
      claimed.forEach(state -> user.schedule(id(state), 10));
      Reply.Claimed claim = user.claim(claimed.size());
      assertThat(claim.messages()).hasSameSizeAs(claimed);
      user.apply(
          null,
          new Operation.Retry(id("retrying"), claim.token(), LATER, new byte[] {1}),
          new Operation.Retry(id("again"), claim.token(), PAST, new byte[] {1}),
          new Operation.Bury(id("dead"), claim.token(), new byte[] {1}),
          new Operation.Cancel(id("cancelled")),
          scheduling(id("future"), LATER, 10),
          scheduling(id("ready"), PAST, 10));
      // The leases of a client that died are over.
      redis.ask("ZADD", KEY + "leased", "XX", "0", id("leased"), "0", id("cancelled"));
    }
  }

  @ParameterizedTest
  @MethodSource("keys")
  void keysRemoved_noMessageIsInvisible(String key) {
    keys()
        .dropWhile(other -> !other.equals(key))
        .forEach(other -> lose(new TreeSet<>(List.of(key, other))));
  }

  private void lose(Set<String> lost) {
    redis.ask("FLUSHALL");
    Messages messages = new Messages("");
    messages.create(new PartitionUser(store, "q"), redis);
    remove(lost);
    expectVisible(messages, "without " + lost);
  }

  private void remove(Set<String> lost) {
    for (String name : lost) {
      Object there = redis.ask("KEYS", KEY + name + "*");
      for (Object key : (List<?>) there) {
        if (name.equals("session") || key.equals(KEY + name)) {
          redis.ask("DEL", key.toString());
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("keys")
  void keysReplacedByOldCopies_noMessageIsInvisible(String key) {
    keys()
        .dropWhile(other -> !other.equals(key))
        .forEach(other -> replace(new TreeSet<>(List.of(key, other))));
  }

  private void replace(Set<String> replaced) {
    redis.ask("FLUSHALL");
    PartitionUser user = new PartitionUser(store, "q");
    new Messages("old-").create(user, redis);
    inspect((RedisPartition) user.partition());
    replaced.forEach(name -> redis.ask("COPY", KEY + name, "copy:" + name));
    PartitionUser.await(user.partition().purge(Set.of(State.values())));
    Messages messages = new Messages("new-");
    messages.create(user, redis);
    inspect((RedisPartition) user.partition());
    remove(replaced);
    replaced.forEach(name -> redis.ask("COPY", "copy:" + name, KEY + name));
    expectVisible(messages, "with old " + replaced);
  }

  /** Does what a waiting client does within some seconds: inspects the leases and the contents. */
  private void inspect(RedisPartition partition) {
    for (int i = 0; i < 2; i++) {
      redis.ask("HDEL", KEY + "meta", "inspected");
      await(partition.inspection().regular());
    }
  }

  /** Lets a new client inspect and claim, as a worker does. */
  private void expectVisible(Messages messages, String scene) {
    try (CapturedLog log = new CapturedLog()) {
      PartitionUser user = new PartitionUser(store, "q");
      RedisPartition partition = (RedisPartition) user.partition();
      inspect(partition);
      Set<String> delivered = new HashSet<>();
      Set<String> visible = new HashSet<>();
      Reply.Claimed claimed;
      do {
        claimed = user.claim(100);
        claimed.messages().forEach(message -> delivered.add(message.id()));
        claimed.unreadable().forEach(message -> visible.add(message.id()));
      } while (!claimed.messages().isEmpty() || !claimed.unreadable().isEmpty());
      visible.addAll(delivered);
      PartitionCounts counts = await(partition.counts());
      List<String> found = new ArrayList<>();
      for (String id : messages.live()) {
        Optional<Entry> entry = await(partition.find(id));
        if (entry.isPresent()) {
          found.add(id);
        }
      }
      visible.addAll(found);
      assertThat(delivered).as(scene).doesNotContainAnyElementsOf(messages.early());
      assertThat(counts.scheduled() + counts.ready() + counts.leased() + counts.dead())
          .as(scene)
          .isGreaterThanOrEqualTo(found.size());
      boolean reported =
          log.linesWith("WARN").stream().anyMatch(line -> line.contains("'messages' was lost"));
      if (!reported) {
        assertThat(visible).as(scene).containsAll(messages.live());
      }
    }
  }

  @Test
  void memoryIsFull_messagesArePutBack() {
    PartitionUser user = new PartitionUser(store, "q");
    Stream.of("found", "inspected").forEach(id -> user.schedule(id, 10));
    user.claim(2);
    redis.ask("DEL", KEY + "leased");
    redis.ask("CONFIG", "SET", "maxmemory", "1");
    try {
      assertThat(await(user.partition().find("found"))).isPresent();
      inspect((RedisPartition) user.partition());
      assertThat(redis.ask("ZCARD", KEY + "leased")).isEqualTo(2L);
    } finally {
      redis.ask("CONFIG", "SET", "maxmemory", "0");
    }
  }

  @Test
  void scheduledRemoved_messagesSayThatTheirDueTimeWasLost() {
    PartitionUser user = new PartitionUser(store, "q");
    user.apply(null, scheduling("a", LATER, 10));
    redis.ask("DEL", KEY + "scheduled");

    assertThat(await(user.partition().counts()).leased()).isOne();

    Reply.Claimed claimed = user.claim(10);
    assertThat(claimed.messages()).isEmpty();
    assertThat(claimed.unreadable())
        .singleElement()
        .satisfies(message -> assertThat(message.why()).contains("due time was lost"));
    user.apply(null, new Operation.Bury("a", claimed.token(), new byte[] {1}));
    user.apply(null, new Operation.Redrive("a"));
    assertThat(await(user.partition().find("a")).orElseThrow().content()).isNotNull();
  }

  @Test
  void sparedRemoved_purgeEndsAndRemovesNoNewMessage() {
    PartitionUser user = new PartitionUser(store, "q");
    RedisPartition partition = (RedisPartition) user.partition();
    byte[] id = "R-purge".getBytes(US_ASCII);
    byte[] began =
        await(
            partition.look(
                PartitionScripts.PURGE,
                partition.argv(id, "begin".getBytes(US_ASCII)),
                ReplyReader::nextSome));
    user.schedule("new", 10);
    redis.ask("DEL", KEY + "spared");
    List<byte[]> step = partition.argv(id, "W".getBytes(US_ASCII), "250".getBytes(US_ASCII), began);

    assertThatThrownBy(
            () -> await(partition.look(PartitionScripts.PURGE, step, ReplyReader::nextLong)))
        .isInstanceOf(Partition.PartitionException.class)
        .hasMessageContaining("'spared'");
    assertThat(user.claim(10).messages()).hasSize(1);
  }

  /** The message was scheduled, and a purge of leased messages must not remove it. */
  @Test
  void messagePutBackDuringAPurge_isSpared() {
    PartitionUser user = new PartitionUser(store, "q");
    RedisPartition partition = (RedisPartition) user.partition();
    user.apply(null, scheduling("a", LATER, 10));
    byte[] id = "L-purge".getBytes(US_ASCII);
    byte[] began =
        await(
            partition.look(
                PartitionScripts.PURGE,
                partition.argv(id, "begin".getBytes(US_ASCII)),
                ReplyReader::nextSome));
    redis.ask("DEL", KEY + "scheduled");
    inspect(partition);

    List<byte[]> step = partition.argv(id, "L".getBytes(US_ASCII), "250".getBytes(US_ASCII), began);

    assertThat(await(partition.look(PartitionScripts.PURGE, step, ReplyReader::nextLong))).isZero();
    assertThat(await(partition.find("a"))).isPresent();
  }

  /** A client of an earlier release has created {@code meta} again, without the witness. */
  @Test
  void metaWithoutWitness_isNoLossOfContents() {
    PartitionUser user = new PartitionUser(store, "q");
    user.apply(null, scheduling("a", LATER, 10));
    redis.ask("HDEL", KEY + "meta", "witness");

    try (CapturedLog log = new CapturedLog()) {
      inspect((RedisPartition) user.partition());
      assertThat(log.linesWith("WARN")).isEmpty();
      redis.ask("DEL", KEY + "messages");
      inspect((RedisPartition) user.partition());
      assertThat(log.linesWith("'messages' was lost")).hasSize(1);
    }
  }

  @Test
  void userWithoutTheRightToScan_isToldOnce() {
    redis.ask("ACL", "SETUSER", "no-scan", "on", ">secret", "~*", "&*", "+@all", "-hscan");
    try (CapturedLog log = new CapturedLog();
        RedisStore restricted =
            RedisStore.builder()
                .url("redis://no-scan:secret@127.0.0.1:" + redis.port() + "?timeout=60s")
                .open()) {
      PartitionUser user = new PartitionUser(restricted, "q");
      user.schedule("a", 10);
      inspect((RedisPartition) user.partition());
      assertThat(log.linesWith("could not look by HSCAN"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains("'q'", "ACL rights"));
      assertThat(user.claim(10).messages()).hasSize(1);
    }
  }

  @Test
  void waitingWorker_findsMessagesWhoseDueTimesWereLost() {
    try (CapturedLog log = new CapturedLog();
        Punctual punctual = Punctual.open(redis.url())) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      queue.schedule(Message.of("x").id("later").dueIn(Duration.ofHours(1)));
      queue.work(message -> {});
      redis.ask("DEL", KEY + "scheduled");
      Awaitility.await().until(() -> queue.counts().dead() == 1);
      assertThat(log.linesWith("messages were in no place")).isNotEmpty();
    }
  }
}
