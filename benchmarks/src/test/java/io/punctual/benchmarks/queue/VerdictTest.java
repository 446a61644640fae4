package io.punctual.benchmarks.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.benchmarks.MessageCounts;
import io.punctual.benchmarks.queue.MessageLog.Row;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VerdictTest {
  @Test
  void of_lostEarlyAndTwice_countsEach() {
    List<Row> scheduled = List.of(row(1, 100, 0), row(2, 100, 0), row(3, 100, 0), row(4, 100, 0));
    List<Row> delivered = List.of(row(1, 100, 99), row(2, 100, 150), row(2, 100, 900));

    Verdict verdict = Verdict.of(scheduled, delivered);

    assertThat(verdict.tally()).isEqualTo(new MessageCounts(4, 2, 1, 1));
  }

  @Test
  void of_deliveredTwice_firstTimeIsItsLateness() {
    Verdict verdict =
        Verdict.of(List.of(row(1, 100, 0)), List.of(row(1, 100, 150), row(1, 100, 900)));

    assertThat(verdict.latenessMicros().getTotalCount()).isEqualTo(1);
    assertThat(verdict.latenessMicros().getMaxValue()).isEqualTo(50);
  }

  @Test
  void of_cutShort_missingIsUnfinishedAndAtLeastThatLate() {
    List<Row> scheduled = List.of(row(1, 100, 0), row(2, 100, 0));

    Verdict verdict = Verdict.of(scheduled, List.of(row(1, 100, 150)), OptionalLong.of(1_100));

    assertThat(verdict.tally()).isEqualTo(new MessageCounts(2, 0, 0, 0));
    assertThat(verdict.unfinished()).isEqualTo(1);
    assertThat(verdict.latenessMicros().getMaxValue()).isEqualTo(1_000);
  }

  @Test
  void log_payloadWritten_isReadAgain(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("log");
    BenchMessage message = BenchMessage.in(1_000, 42);

    try (MessageLog log = new MessageLog(file)) {
      log.add(message.payload());
    }

    assertThat(MessageLog.count(file)).isEqualTo(1);
    assertThat(MessageLog.read(file))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.number()).isEqualTo(42);
              assertThat(row.dueMicros()).isEqualTo(message.dueMicros());
            });
  }

  private static Row row(long number, long due, long at) {
    return new Row(number, due, at);
  }
}
