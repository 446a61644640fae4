package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.IfPresent;
import io.punctual.Limits;
import io.punctual.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that a message that the queue would refuse after the commit fails before it. */
class InvalidMessageTest extends TransactionFixture {
  /** A payload without a form as JSON. */
  public record Unwritable(String name) {
    public String getText() {
      if (name.isEmpty()) {
        throw new IllegalStateException("a planned failure");
      }
      return name;
    }
  }

  @ParameterizedTest
  @EnumSource(IfPresent.class)
  void payloadThatCannotBeEncoded_failsBeforeTheCommit(IfPresent ifPresent) {
    TransactionalQueue<Unwritable> things = queues.transactional("things", Unwritable.class);
    assertThatThrownBy(
            () ->
                transaction.executeWithoutResult(
                    status -> {
                      jdbc.update("INSERT INTO orders VALUES ('1')");
                      things.schedule(Message.of(new Unwritable("")).id("1"), ifPresent);
                    }))
        .hasStackTraceContaining("a planned failure");
    assertThat(rows()).isZero();
  }

  static List<Message<String>> invalidMessages() {
    Message<String> valid = message("1");
    return List.of(
        valid.id("i".repeat(Limits.ID_BYTES + 1)),
        valid.header("large", "h".repeat(Limits.HEADER_BYTES)),
        valid.dueIn(Duration.ofDays(Limits.DAYS)),
        valid.notAfter(Instant.MAX));
  }

  @ParameterizedTest
  @MethodSource("invalidMessages")
  void invalidMessage_failsBeforeTheCommit(Message<String> invalid) {
    assertThatThrownBy(
            () ->
                transaction.executeWithoutResult(
                    status -> {
                      jdbc.update("INSERT INTO orders VALUES ('1')");
                      queue.schedule(invalid, IfPresent.REPLACE);
                    }))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(rows()).isZero();
  }
}
