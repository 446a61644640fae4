package io.punctual.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.spi.PartitionCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests counts that several callers share, on a clock that the test sets. */
final class SharedCountsTest {
  private static final PartitionCounts FEW = counts(SharedCounts.MANY - 1);
  private static final PartitionCounts MANY = counts(SharedCounts.MANY);

  private final List<CompletableFuture<PartitionCounts>> queries = new ArrayList<>();
  private long nanos = -1;
  private final SharedCounts kept = new SharedCounts(this::query, () -> nanos);

  private static PartitionCounts counts(long scheduled) {
    return new PartitionCounts(scheduled, 0, 0, 0, 0, false);
  }

  private CompletionStage<PartitionCounts> query() {
    CompletableFuture<PartitionCounts> query = new CompletableFuture<>();
    queries.add(query);
    return query;
  }

  private void pass(long millis) {
    nanos += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private void answer(PartitionCounts counts) {
    queries.get(queries.size() - 1).complete(counts);
  }

  private CompletableFuture<PartitionCounts> get() {
    return kept.get().toCompletableFuture();
  }

  @Test
  void get_manyMessages_keptForTenTimesTheQuery() {
    CompletableFuture<PartitionCounts> first = get();
    pass(82);
    answer(MANY);
    assertThat(first).isCompletedWithValue(MANY);
    pass(819);
    assertThat(get()).isCompletedWithValue(MANY);
    assertThat(queries).hasSize(1);
    pass(1);
    assertThat(get()).isNotDone();
    assertThat(queries).hasSize(2);
  }

  @Test
  void get_verySlowQuery_keptForFiveSeconds() {
    CompletableFuture<PartitionCounts> unused = get();
    pass(60_000);
    answer(MANY);
    pass(4_999);
    assertThat(get()).isCompletedWithValue(MANY);
    pass(1);
    assertThat(get()).isNotDone();
  }

  @Test
  void get_fewMessages_neverKeptHoweverSlow() {
    CompletableFuture<PartitionCounts> unused = get();
    pass(1_000);
    answer(FEW);
    assertThat(get()).isNotDone();
    assertThat(queries).hasSize(2);
  }

  @Test
  void get_whileAQueryRuns_sharesTheNextQuery() {
    CompletableFuture<PartitionCounts> first = get();
    CompletableFuture<PartitionCounts> second = get();
    CompletableFuture<PartitionCounts> third = get();
    assertThat(queries).hasSize(1);
    answer(FEW);
    assertThat(first).isCompletedWithValue(FEW);
    assertThat(second).isNotDone();
    assertThat(queries).hasSize(2);
    PartitionCounts later = counts(7);
    answer(later);
    assertThat(second).isCompletedWithValue(later);
    assertThat(third).isCompletedWithValue(later);
    assertThat(queries).hasSize(2);
  }

  @Test
  void get_whileAQueryOfManyRuns_sharesThatQuery() {
    List<CompletableFuture<PartitionCounts>> callers = List.of(get(), get(), get());
    pass(82);
    answer(MANY);
    assertThat(callers).allSatisfy(each -> assertThat(each).isCompletedWithValue(MANY));
    assertThat(queries).hasSize(1);
  }

  @Test
  void forget_keptCountsAndARunningQuery_theNextCallerGetsNewCounts() {
    CompletableFuture<PartitionCounts> unused = get();
    pass(82);
    answer(MANY);
    kept.forget();
    CompletableFuture<PartitionCounts> before = get();
    kept.forget();
    CompletableFuture<PartitionCounts> after = get();
    pass(82);
    answer(MANY);
    assertThat(before).isCompletedWithValue(MANY);
    assertThat(after).isNotDone();
    assertThat(queries).hasSize(3);
  }

  @Test
  void keep_countsOfALargerQuery_areKeptUnlessAChangeCame() {
    assertThat(kept.keep(FEW, 1_000_000_000, kept.changes())).isFalse();
    assertThat(kept.keep(MANY, 100_000_000, kept.changes())).isTrue();
    assertThat(kept.kept()).isEqualTo(MANY);
    assertThat(get()).isCompletedWithValue(MANY);
    pass(1000);
    assertThat(kept.kept()).isNull();
    long before = kept.changes();
    kept.forget();
    assertThat(kept.keep(MANY, 100_000_000, before)).isFalse();
    assertThat(kept.kept()).isNull();
  }

  @Test
  void get_queryFails_failsItsCallersOnly() {
    CompletableFuture<PartitionCounts> first = get();
    CompletableFuture<PartitionCounts> second = get();
    queries.get(0).completeExceptionally(new IllegalStateException("no connection"));
    assertThat(first).isCompletedExceptionally();
    answer(FEW);
    assertThat(second).isCompletedWithValue(FEW);
  }
}
