package io.punctual.internal.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Failure;
import io.punctual.deadletter.DeadReason;
import java.io.IOException;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class FailureOriginTest {
  private static final StackTraceElement JDK = frame("java.util.ArrayList", "get", 1);
  private static final StackTraceElement DRIVER = frame("org.postgresql.Driver", "ask", 2);
  private static final StackTraceElement PROXY = frame("com.example.Cards$$SpringCGLIB", "x", 3);
  private static final StackTraceElement CARDS = frame("com.example.Cards", "charge", 42);
  private static final StackTraceElement ORDERS = frame("com.example.Orders", "close", 7);

  private static StackTraceElement frame(String type, String method, int line) {
    String name = type.substring(type.lastIndexOf('.') + 1);
    return new StackTraceElement(type, method, name + ".java", line);
  }

  private static <T extends Throwable> T at(T failure, StackTraceElement... frames) {
    failure.setStackTrace(frames);
    return failure;
  }

  @Test
  void of_librariesAndProxies_namesTheFirstFrameOfTheUser() {
    assertThat(FailureOrigin.of(at(new IOException("x"), JDK, DRIVER, PROXY, CARDS, ORDERS)))
        .isEqualTo("java.io.IOException at com.example.Cards.charge(Cards.java:42)");
  }

  @Test
  void of_causes_namesTheInnermostExceptionAndItsPlace() {
    Throwable root = at(new IOException("x"), JDK, CARDS, ORDERS);
    assertThat(FailureOrigin.of(at(new RuntimeException(root), ORDERS)))
        .isEqualTo("java.io.IOException at com.example.Cards.charge(Cards.java:42)");
    assertThat(FailureOrigin.of(at(new RuntimeException(at(root, DRIVER)), ORDERS)))
        .isEqualTo("java.io.IOException at com.example.Orders.close(Orders.java:7)");
  }

  @Test
  void of_noFrameOfTheUser_namesTheClass() {
    assertThat(FailureOrigin.of(at(new IOException("x"), JDK))).isEqualTo("java.io.IOException");
  }

  @Test
  void of_stackTraceWithANullFrame_stillHasAnOrigin() {
    Throwable broken =
        new RuntimeException() {
          private static final long serialVersionUID = 1L;

          @Override
          public StackTraceElement[] getStackTrace() {
            return new StackTraceElement[1];
          }
        };
    assertThat(FailureOrigin.of(broken)).isEqualTo(broken.getClass().getName());
  }

  @Test
  void of_brokenException_stillHasAnOrigin() {
    Throwable broken =
        new RuntimeException() {
          private static final long serialVersionUID = 1L;

          @Override
          public StackTraceElement[] getStackTrace() {
            throw new IllegalStateException("broken");
          }

          @Override
          public synchronized Throwable getCause() {
            throw new IllegalStateException("broken");
          }
        };
    assertThat(FailureOrigin.of(broken)).isEqualTo(broken.getClass().getName());
  }

  @Test
  void summary_placeOfTheUser_groupsByOrigin() {
    byte[] history =
        FailureLog.EMPTY
            .with(new Failure(1, Instant.EPOCH, "order 1"), at(new IOException("order 1"), CARDS))
            .buriedFor(DeadReason.FAILED, "order 1")
            .toBytes();
    assertThat(FailureSummary.of(history))
        .isEqualTo(
            new FailureSummary(
                DeadReason.FAILED,
                "java.io.IOException at com.example.Cards.charge(Cards.java:42)"));
  }

  @Test
  void summary_noPlace_groupsByTheDetailsWithoutNumbersAndQuotes() {
    FailureSummary first = ofDetail("order 17 of 'ann' at 12:30 is gone");
    FailureSummary second = ofDetail("order a4-f of 'bob' at 7 is gone");
    assertThat(first).isEqualTo(second);
    assertThat(first.failure()).isEqualTo("order # of # at # is gone");
    assertThat(first.key()).isEqualTo(second.key()).matches("[0-9a-f]{12}");
    assertThat(ofDetail("order is late").key()).isNotEqualTo(first.key());
  }

  @Test
  void summary_notDead_groupsByTheLastError() {
    byte[] history = FailureLog.EMPTY.with(new Failure(1, Instant.EPOCH, "no room")).toBytes();
    assertThat(FailureSummary.of(history)).isEqualTo(new FailureSummary(null, "no room"));
    assertThat(FailureSummary.of(new byte[0])).isEqualTo(new FailureSummary(null, ""));
  }

  private static FailureSummary ofDetail(String detail) {
    return FailureSummary.of(FailureLog.EMPTY.buriedFor(DeadReason.BY_CALLER, detail).toBytes());
  }
}
