package io.punctual.httpstore.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests calls that a proxy repeats, and calls of a client that was restored from an image. */
final class CopiesTest {
  private final Copies copies = new Copies();
  private final Partition partition =
      MemoryStore.builder().build().partitions("orders").toCompletableFuture().join().get(0);

  @BeforeEach
  void open() {
    partition.openSession("s1", null).toCompletableFuture().join();
  }

  private Reply answer(String sending, Call.Body body) {
    return copies
        .answer(sending, new Call("s1", 1, 1, body, false), partition::call)
        .toCompletableFuture()
        .join();
  }

  private static Call.Apply schedule() {
    return new Call.Apply(
        List.of(
            new Operation.Schedule(
                "a", DueTime.NOW, io.punctual.IfPresent.REJECT, Content.of(new byte[0]))),
        null);
  }

  @Test
  void copyAfterTheAnswer_getsTheSameAnswer() {
    Reply first = answer("x", schedule());
    assertThat(first).isInstanceOf(Reply.Applied.class);
    assertThat(((Reply.Applied) answer("x", schedule())).outcomes())
        .isEqualTo(((Reply.Applied) first).outcomes());
  }

  @Test
  void copyDuringTheCall_isNotExecuted() {
    CompletableFuture<Reply> slow = new CompletableFuture<>();
    Call call = new Call("s1", 1, 1, schedule(), false);
    CompletableFuture<Reply> first = copies.answer("x", call, c -> slow).toCompletableFuture();
    CompletableFuture<Reply> copy =
        copies
            .answer(
                "x",
                call,
                c -> {
                  throw new AssertionError("executed twice");
                })
            .toCompletableFuture();
    slow.complete(new Reply.Forgotten());
    assertThat(first.join()).isEqualTo(new Reply.Forgotten());
    assertThat(copy.join()).isEqualTo(new Reply.Forgotten());
  }

  /** A clone continues with the same session and number, but not with the same random number. */
  @Test
  void callOfAClone_isStillRecognized() {
    assertThat(answer("x", schedule())).isInstanceOf(Reply.Applied.class);
    assertThat(answer("y", schedule())).isEqualTo(new Reply.NoSession());
  }

  @Test
  void failedCall_leavesNothingBehind() {
    Call call = new Call("s1", 1, 1, schedule(), false);
    CompletableFuture<Reply> failed =
        copies
            .answer(
                "x",
                call,
                c -> {
                  throw new IllegalStateException("as asked");
                })
            .toCompletableFuture();
    assertThat(failed).isCompletedExceptionally();
    assertThat(answer("x", schedule())).isInstanceOf(Reply.Applied.class);
  }
}
