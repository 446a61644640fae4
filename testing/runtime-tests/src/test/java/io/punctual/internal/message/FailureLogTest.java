package io.punctual.internal.message;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Failure;
import io.punctual.deadletter.DeadReason;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FailureLogTest {
  private static Failure failure(int attempt, String error) {
    return new Failure(attempt, Instant.ofEpochMilli(1_700_000_000_123L + attempt), error);
  }

  @Test
  void toBytes_readBack_isTheSame() {
    FailureLog log =
        FailureLog.EMPTY
            .with(failure(1, "first ä"))
            .with(failure(2, ""))
            .buriedFor(DeadReason.BY_CALLER, "why");
    assertThat(FailureLog.of(log.toBytes())).isEqualTo(log);
    assertThat(FailureLog.of(new byte[0])).isSameAs(FailureLog.EMPTY);
  }

  @Test
  void origin_ofTheLastFailure_readBack() {
    FailureLog log =
        FailureLog.EMPTY
            .with(failure(1, "x"), new IllegalStateException("x"))
            .buriedFor(DeadReason.FAILED, "why")
            .ofOccurrence(7);
    FailureLog read = FailureLog.of(log.toBytes());
    assertThat(read).isEqualTo(log);
    assertThat(read.origin()).startsWith("java.lang.IllegalStateException");
    assertThat(log.with(failure(2, "no exception")).origin()).isNull();
  }

  @Test
  void toBytes_sameTextAgain_isWrittenOnce() {
    FailureLog log =
        FailureLog.EMPTY
            .with(failure(1, "refused"))
            .with(failure(2, "refused"))
            .with(failure(3, ""))
            .with(failure(4, ""))
            .with(failure(5, "refused"));
    assertThat(FailureLog.of(log.toBytes())).isEqualTo(log);
    assertThat(new String(log.toBytes(), ISO_8859_1).split("refused", -1)).hasSize(3);
  }

  private static byte[] without(byte[] bytes, int from, int count) {
    byte[] rest = new byte[bytes.length - count];
    System.arraycopy(bytes, 0, rest, 0, from);
    System.arraycopy(bytes, from + count, rest, from, rest.length - from);
    return rest;
  }

  @Test
  void of_version3_hasTheTextOfEachFailure() {
    FailureLog log = FailureLog.EMPTY.with(failure(1, "x"), new IllegalStateException("x"));
    byte[] now = log.toBytes();
    byte[] before = without(now, now.length - 4, 1);
    before[0] = 3;
    assertThat(FailureLog.of(before)).isEqualTo(log);
  }

  @Test
  void of_version2_hasTheFailuresAndNoOrigin() {
    FailureLog log = FailureLog.EMPTY.with(failure(1, "x")).buriedFor(DeadReason.FAILED, "why");
    byte[] now = log.toBytes();
    int origin = 1 + 4 + (2 + "FAILED".length()) + (2 + "why".length());
    byte[] before = without(without(now, now.length - 4, 1), origin, 2);
    before[0] = 2;
    assertThat(FailureLog.of(before)).isEqualTo(log);
    assertThat(FailureSummary.of(before)).isEqualTo(new FailureSummary(DeadReason.FAILED, "why"));
  }

  @Test
  void toBytes_eachReason_readBack() {
    for (DeadReason reason : DeadReason.values()) {
      FailureLog log = FailureLog.EMPTY.buriedFor(reason, "why");
      assertThat(FailureLog.of(log.toBytes()).reason()).isEqualTo(reason);
    }
  }

  @Test
  void with_manyLongFailures_keepsTheLastFiveInBoundedBytes() {
    FailureLog log = FailureLog.EMPTY;
    for (int i = 1; i <= 1000; i++) {
      log = log.with(failure(i, i + "\u4e00".repeat(10_000)));
    }
    log = log.buriedFor(DeadReason.FAILED, "\u4e00".repeat(10_000));
    assertThat(log.total()).isEqualTo(1000);
    assertThat(log.last()).extracting(Failure::attempt).containsExactly(996, 997, 998, 999, 1000);
    assertThat(log.toBytes()).hasSizeLessThan(6 << 10);
  }

  @Test
  void describe_causes_areNamedOnceEach() {
    Throwable root = new java.io.IOException("disk");
    Throwable wrapper = new RuntimeException(new IllegalStateException("order 7", root));
    assertThat(FailureLog.describe(wrapper))
        .isEqualTo(
            "java.lang.RuntimeException: java.lang.IllegalStateException: order 7"
                + "; caused by java.io.IOException: disk");
  }

  @Test
  void describe_longTexts_keepTheOutermostAndTheLast() {
    Throwable root = new java.io.IOException("disk");
    Throwable wrapper = new RuntimeException("a".repeat(500), new Error("middle", root));
    assertThat(FailureLog.describe(wrapper))
        .startsWith("java.lang.RuntimeException: aaa")
        .endsWith("…; caused by java.io.IOException: disk")
        .hasSize(300);
  }

  @Test
  void cut_withinACharacter_leavesTheWholeCharacterOut() {
    String text = "a".repeat(8) + "\uD83D\uDE00" + "b".repeat(8);
    assertThat(FailureLog.cut(text, 10)).isEqualTo("a".repeat(8) + "…");
    assertThat(FailureLog.cut(text, 11)).isEqualTo("a".repeat(8) + "\uD83D\uDE00…");
    assertThat(CutText.first(text, 9)).isEqualTo("a".repeat(8));
    assertThat(CutText.first(text, 10)).hasSize(10);
    assertThat(CutText.first(text, 18)).isEqualTo(text);
  }

  @Test
  void of_damagedBytes_countsAsOneFailureNobodyCanRead() {
    byte[] bytes = FailureLog.EMPTY.with(failure(1, "x")).toBytes();
    bytes[0] = 99;
    assertThat(FailureLog.of(bytes).last()).hasSize(1);
    bytes = FailureLog.EMPTY.buriedFor(DeadReason.FAILED, "why").toBytes();
    bytes[7] = 'X';
    assertThat(FailureLog.of(bytes).last()).hasSize(1);
    assertThat(FailureLog.of(new byte[] {2, 0}).last().get(0).error()).contains("can't be read");
  }
}
