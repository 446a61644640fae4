package io.punctual.redis;

import static io.punctual.redis.PartitionUser.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.State;
import io.punctual.kit.redis.RedisProcess;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.Operation;
import io.punctual.spi.TimeRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests pages of dead letters without contents, while the letters change between the requests of a
 * page.
 */
final class DeadLetterPagesTest {
  private RedisProcess redis;
  private RedisStore store;
  private RequestGate gate;
  private RedisStore gated;

  /** Changes dead letters on a connection that does not pass the gate. */
  private PartitionUser other;

  private PartitionUser reader;

  @BeforeEach
  void start() {
    redis = RedisProcess.sharedAndEmpty();
    store = RedisStore.builder().url(redis.url()).open();
    gate = new RequestGate(redis.port());
    gated = RedisStore.builder().url(gate.url()).open();
    other = new PartitionUser(store, "q");
    reader = new PartitionUser(gated, "q");
  }

  @AfterEach
  void stop() throws IOException {
    gated.close();
    gate.close();
    store.close();
  }

  private static boolean readsFailures(List<String> words) {
    return words.get(0).equals("HMGET") && words.get(1).endsWith(":retries");
  }

  private static String id(int i) {
    return "m%04d".formatted(i);
  }

  /** Adds dead letters m0000, m0001, … with times of death. The failures of a letter are its id. */
  private void bury(int count, IntFunction<Integer> diedAtMillis) {
    List<Operation> dead = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Content content = Content.of(new byte[] {1});
      dead.add(
          new Operation.Restore(
              id(i), 1000, 1, id(i).getBytes(UTF_8), diedAtMillis.apply(i), content));
      if (dead.size() == 200 || i == count - 1) {
        other.call(new Call.Apply(dead, null));
        dead = new ArrayList<>();
      }
    }
  }

  private void dieAgain(String id) {
    other.apply(null, new Operation.Redrive(id));
    long token = claim();
    other.apply(null, new Operation.Bury(id, token, "again".getBytes(UTF_8)));
  }

  /** Claims the redriven message, which becomes due up to a millisecond after the redrive. */
  private long claim() {
    return Awaitility.await()
        .until(() -> other.claim(1), claimed -> !claimed.messages().isEmpty())
        .token();
  }

  private void delete(int... letters) {
    IntStream.of(letters)
        .forEach(letter -> other.apply(null, new Operation.DeleteDead(id(letter))));
  }

  private EntryPage page(@Nullable String cursor, int limit) {
    return await(reader.partition().browse(State.DEAD, cursor, limit, false));
  }

  /** Expects the letters, each with its own failures. */
  private static void expect(List<Entry> entries, IntStream letters) {
    assertThat(entries).extracting(Entry::id).containsExactlyElementsOf(ids(letters));
    assertThat(entries)
        .allSatisfy(entry -> assertThat(entry.history()).asString().isEqualTo(entry.id()));
  }

  private static List<String> ids(IntStream letters) {
    return letters.mapToObj(DeadLetterPagesTest::id).toList();
  }

  @Test
  void page_letterDiesAgainBeforeItsFailuresAreRead_omitsTheLetter() {
    bury(5, i -> 2000 + i);
    gate.before(DeadLetterPagesTest::readsFailures, () -> dieAgain(id(2)));
    expect(page(null, 4).entries(), IntStream.of(0, 1, 3));
    assertThat(gate.hasRun()).isTrue();
  }

  @Test
  void page_letterIsRedrivenBeforeItsFailuresAreRead_omitsTheLetter() {
    bury(5, i -> 2000 + i);
    gate.before(
        DeadLetterPagesTest::readsFailures, () -> other.apply(null, new Operation.Redrive(id(3))));
    expect(page(null, 4).entries(), IntStream.of(0, 1, 2));
    assertThat(gate.hasRun()).isTrue();
  }

  @Test
  void page_lettersBeforeItAreRemovedMeanwhile_hasAllItsLetters() {
    bury(20, i -> 2000 + i);
    String cursor = page(null, 10).next();
    gate.before(DeadLetterPagesTest::readsFailures, () -> delete(0, 5, 9));
    expect(page(cursor, 5).entries(), IntStream.range(10, 15));
    assertThat(gate.hasRun()).isTrue();
  }

  @Test
  void page_allLettersLeaveMeanwhile_continuesWithTheNextLetters() {
    bury(20, i -> 2000 + i);
    gate.before(DeadLetterPagesTest::readsFailures, () -> delete(0, 1, 2));
    expect(page(null, 3).entries(), IntStream.range(3, 6));
    assertThat(gate.hasRun()).isTrue();
  }

  /** If all letters have the same time of death, a step finds its position by the ids. */
  @ParameterizedTest
  @CsvSource({"9,0", "9,1", "259,0", "259,1"})
  void page_lettersAreRemovedBetweenItsSteps_listsEachRemainingLetterOnce(
      int last, int millisBetween) {
    bury(900, i -> 2000 + i * millisBetween);
    // The letter with the rank "last" ends a step. The next step reads from this rank on.
    gate.before(
        words -> words.get(0).equals("ZRANGE") && words.get(2).equals("" + last),
        () -> delete(0, last - 1, last, last + 1, 600));
    EntryPage page = page(null, 700);
    assertThat(gate.hasRun()).isTrue();
    List<Integer> removed = List.of(0, last - 1, last, last + 1, 600);
    // Two of the removed letters were not listed yet, so the page lists two further letters.
    expect(page.entries(), IntStream.range(0, 702).filter(i -> !removed.contains(i)));
    expect(page(page.next(), 1000).entries(), IntStream.range(702, 900));
  }

  @Test
  void pages_rangeOfTimes_endWithTheRange() {
    bury(900, i -> 2000 + i / 3);
    for (int letters : new int[] {3, 9, 12, 258, 261, 510, 600}) {
      TimeRange range = new TimeRange(2001, 2001 + letters / 3);
      List<Entry> listed = new ArrayList<>();
      String cursor = null;
      do {
        EntryPage page = await(reader.partition().browse(State.DEAD, range, cursor, 500, false));
        listed.addAll(page.entries());
        cursor = page.next();
        assertThat(cursor == null).isEqualTo(listed.size() == letters);
      } while (cursor != null);
      expect(listed, IntStream.range(3, 3 + letters));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 249, 250, 251, 500, 1000})
  void pages_manyLettersOfOneTimeOfDeath_listEachOnce(int limit) {
    int count = limit == 1 ? 10 : 1100;
    bury(count, i -> 2000);
    List<Entry> listed = new ArrayList<>();
    String cursor = null;
    do {
      EntryPage page = page(cursor, limit);
      listed.addAll(page.entries());
      cursor = page.next();
      assertThat(page.entries())
          .hasSize(Math.min(limit, count - listed.size() + page.entries().size()));
    } while (cursor != null && listed.size() <= count);
    expect(listed, IntStream.range(0, count));
  }
}
