package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Message;
import io.punctual.PunctualException;
import io.punctual.Worker;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests a template in transactions in which the store takes no part. */
class TemplateAfterCommitTest extends TransactionFixture {
  private final PunctualTemplate template = new PunctualTemplate(queues);

  @Test
  void commit_handlerSeesTheRow_andRollback_deliversNothing() throws Exception {
    BlockingQueue<String> handled = new LinkedBlockingQueue<>();
    try (Worker worker = plain.work(delivery -> handled.add(delivery.id() + " rows " + rows()))) {
      transaction.executeWithoutResult(
          status -> {
            jdbc.update("INSERT INTO orders VALUES ('1')");
            template.schedule("orders", Message.of("x").id("1"));
            status.setRollbackOnly();
          });
      transaction.executeWithoutResult(
          status -> {
            jdbc.update("INSERT INTO orders VALUES ('2')");
            template.schedule("orders", Message.of("x").id("2"));
          });
      assertThat(handled.poll(60, TimeUnit.SECONDS)).isEqualTo("2 rows 1");
    }
    assertThat(handled).isEmpty();
  }

  @Test
  void modeBeforeCommit_sendsBeforeTheCommit() {
    PunctualTemplate before = new PunctualTemplate(queues, TransactionMode.BEFORE_COMMIT);
    transaction.executeWithoutResult(
        status -> {
          before.schedule("orders", message("1"));
          template.schedule("orders", message("2"));
          assertThat(isStored("1")).isFalse();
          first(
              new Step() {
                @Override
                public void afterCommit() {
                  assertThat(isStored("1")).isTrue();
                  assertThat(isStored("2")).isFalse();
                }
              });
        });
    assertThat(isStored("2")).isTrue();
  }

  /** A payload without a form as JSON. */
  public record Unwritable(String planned) {
    public String getText() {
      if (planned.isEmpty()) {
        throw new IllegalStateException("a planned failure");
      }
      return planned;
    }
  }

  @Test
  void payloadThatCannotBeEncoded_failsBeforeTheCommit() {
    assertThatThrownBy(
            () ->
                transaction.executeWithoutResult(
                    status -> {
                      jdbc.update("INSERT INTO orders VALUES ('1')");
                      template.schedule("orders", Message.of(new Unwritable("")).id("1"));
                    }))
        .isNotInstanceOf(AssertionError.class);
    assertThat(rows()).isZero();
  }

  /** A payload whose form as JSON lacks memory once the transaction is committed. */
  public final class Heavy {
    public String getText() {
      if (rows() > 0) {
        throw new OutOfMemoryError("a planned lack of memory");
      }
      return "text";
    }
  }

  @Test
  void errorAfterTheCommit_namesTheChange_andSendsTheOthers() {
    plain.schedule(message("older"));
    assertThatThrownBy(
            () ->
                transaction.executeWithoutResult(
                    status -> {
                      template.schedule("orders", Message.of(new Heavy()).id("heavy"));
                      template.cancel("orders", "older");
                      jdbc.update("INSERT INTO orders VALUES ('1')");
                    }))
        .isInstanceOf(PunctualException.class)
        .hasMessageContaining("is committed")
        .hasMessageContaining("schedule of 'heavy'")
        .hasCauseInstanceOf(OutOfMemoryError.class);
    assertThat(isStored("older")).isFalse();
  }
}
