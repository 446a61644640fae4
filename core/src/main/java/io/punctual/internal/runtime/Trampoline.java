package io.punctual.internal.runtime;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Keeps long chains of asynchronous calls from using up the stack. A store that answers within the
 * call, such as the memory store, lets each callback run inside the callback before it. Once a
 * thread has little stack left, the next answer arrives on another thread. Thread-safe.
 */
final class Trampoline {
  /** The number of answers in a row after which a thread looks at its stack. */
  private static final int ANSWERS = 32;

  /** The frames that must fit on the stack, with many times the stack of the next answers. */
  private static final int FRAMES = 3_000;

  private static final ThreadLocal<int[]> ANSWERED = ThreadLocal.withInitial(() -> new int[1]);

  private final Executor other;

  /** Creates a trampoline; {@code other} runs tasks on another thread. */
  Trampoline(Executor other) {
    this.other = other;
  }

  /** Returns an answer that is there already; or, if little stack is left, that comes soon. */
  <T> CompletableFuture<T> pass(CompletableFuture<T> answer) {
    if (hasStack()) {
      return answer;
    }
    CompletableFuture<T> later = new CompletableFuture<>();
    try {
      other.execute(
          () -> {
            CompletableFuture<?> unused =
                answer.whenComplete((value, failure) -> complete(later, value, failure));
          });
    } catch (Throwable noThread) {
      return answer;
    }
    return later;
  }

  private static <T> void complete(
      CompletableFuture<T> later, @Nullable T value, @Nullable Throwable failure) {
    if (failure == null) {
      later.complete(value);
    } else {
      later.completeExceptionally(StoreFailures.unwrap(failure));
    }
  }

  /** Runs a callback: here, or on another thread if little stack is left. */
  void execute(Runnable callback) {
    if (hasStack()) {
      callback.run();
      return;
    }
    other.execute(callback);
  }

  private static boolean hasStack() {
    int[] answered = ANSWERED.get();
    if (answered[0]++ < ANSWERS) {
      return true;
    }
    try {
      int unused = descend(FRAMES);
      answered[0] = 0;
      return true;
    } catch (StackOverflowError littleStack) {
      return false;
    }
  }

  private static int descend(int frames) {
    return frames == 0 ? 0 : 1 + descend(frames - 1);
  }
}
