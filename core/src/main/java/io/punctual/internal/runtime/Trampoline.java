package io.punctual.internal.runtime;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Keeps long chains of asynchronous calls from using up the stack. A store that answers within the
 * call, such as the memory store, lets each callback run inside the callback before it; so does a
 * thread that answers faster than the caller adds its callback. Once a thread has little stack
 * left, the next answer arrives on another thread. Thread-safe.
 */
final class Trampoline {
  /** The number of answers in a row after which a thread looks at its stack. */
  private static final int ANSWERS = 32;

  /**
   * The frames that must fit on the stack. Compiled, they take 100 KB; the next answers take up to
   * 50 KB in code that is not compiled, and the detour needs the rest.
   */
  private static final int FRAMES = 6_000;

  /** How long the other thread looks whether the caller has added its callback. */
  private static final long LOOK_NANOS = 1_000_000;

  /** The callback that cancels the answer. */
  private static final int OWN_CALLBACKS = 1;

  private static final ThreadLocal<int[]> ANSWERED = ThreadLocal.withInitial(() -> new int[1]);

  private final Executor other;

  /** Creates a trampoline; {@code other} runs tasks on another thread. */
  Trampoline(Executor other) {
    this.other = other;
  }

  /**
   * Returns the answer; or, if little stack is left, an answer that comes soon. This counts answers
   * that have not come: a different thread may complete them before the caller adds its callback.
   */
  <T> CompletableFuture<T> pass(CompletableFuture<T> answer) {
    if (hasStack()) {
      return answer;
    }
    CompletableFuture<T> later = new CompletableFuture<>();
    try {
      long end = System.nanoTime() + LOOK_NANOS;
      other.execute(() -> completeOnceUsed(later, answer, end));
    } catch (Throwable noThread) {
      return answer;
    }
    Callbacks.cancelWith(later, answer);
    return later;
  }

  /**
   * Completes the later answer once the caller has added its callback, which then runs here, while
   * the caller's stack gets free. A caller that only looks at the answer has it a little later.
   */
  private <T> void completeOnceUsed(
      CompletableFuture<T> later, CompletableFuture<T> answer, long end) {
    if (System.nanoTime() - end < 0 && later.getNumberOfDependents() <= OWN_CALLBACKS) {
      try {
        other.execute(() -> completeOnceUsed(later, answer, end));
        return;
      } catch (Throwable noThread) {
        // The client closes, for example; the caller gets its answer all the same.
      }
    }
    CompletableFuture<?> unused =
        answer.whenComplete((value, failure) -> Callbacks.pass(later, value, failure));
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
