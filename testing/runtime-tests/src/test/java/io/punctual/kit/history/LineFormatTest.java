package io.punctual.kit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.IfPresent;
import io.punctual.ScheduleOutcome;
import io.punctual.State;
import io.punctual.kit.history.HistoryEvent.Doubt;
import io.punctual.kit.history.HistoryEvent.Failed;
import io.punctual.kit.history.HistoryEvent.Found;
import io.punctual.kit.history.HistoryEvent.HandedOver;
import io.punctual.kit.history.HistoryEvent.ScheduleAnswered;
import io.punctual.kit.history.HistoryEvent.ScheduleInvoked;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LineFormatTest {
  static Stream<HistoryEvent> events() {
    return Stream.of(
        new ScheduleInvoked(-5, 1, 2, "q", null, IfPresent.EARLIEST, true, Long.MAX_VALUE),
        new ScheduleInvoked(Long.MIN_VALUE, 1, 2, "q", "", IfPresent.KEEP, false, -1),
        new ScheduleAnswered(1, 2, "größe 消息 \uD83D\uDE00 %-'", ScheduleOutcome.KEPT, 3, null),
        new ScheduleAnswered(1, 2, "-", ScheduleOutcome.REJECTED, 3, State.DEAD),
        new Failed(9, 8, Doubt.UNKNOWN, null, "a\nline\tand \u0000 a \"quote\""),
        new HandedOver(1, "q", "\u007f\u0080\uffff", 7, 2, 5, 4, true),
        new Found(1, "q", "a b", State.READY, 3, 0));
  }

  @ParameterizedTest
  @MethodSource("events")
  void read_whatWasWritten_isTheSame(HistoryEvent event) {
    String line = LineFormat.write(event);
    assertThat(line).endsWith("\n").matches("[ -~]*\n");
    assertThat(LineFormat.read(line.substring(0, line.length() - 1))).isEqualTo(event);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Nothing 1", "CancelInvoked 1 2 3 'q", "Found 1 'q 'a AWAY 3 0"})
  void read_noEvent_isRefused(String line) {
    assertThatThrownBy(() -> LineFormat.read(line)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void write_event_readsWell() {
    assertThat(LineFormat.write(new Found(12, "orders", "order 42", State.READY, 3, 0)))
        .isEqualTo("Found 12 'orders 'order%2042 READY 3 0\n");
  }
}
