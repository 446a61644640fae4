package io.punctual.internal.handler;

import io.punctual.WorkerOptions;
import io.punctual.internal.runtime.ClientThread;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** The threads that a worker's handlers run on. Thread-safe. */
public interface HandlerThreads extends Executor, AutoCloseable {
  /**
   * Closes a pool: it accepts no more handlers, and its threads end when they have run the accepted
   * handlers. Other threads stay usable.
   */
  @Override
  void close();

  /**
   * Changes the largest number of threads of a pool; has no effect on other threads.
   *
   * @param threads returns the current limit, so that the latest limit wins if calls are concurrent
   */
  default void limit(IntSupplier threads) {}

  /**
   * Returns threads for this many concurrent handlers: a virtual thread for each handler, or a pool
   * of platform threads. These threads do not keep the JVM alive. They have the calling thread's
   * context class loader, and inherit no thread-local values.
   *
   * @throws UnsupportedOperationException if virtual threads are required and the JVM has none
   */
  static HandlerThreads create(String owner, int concurrency, WorkerOptions.Threads kind) {
    String name = "punctual-" + owner + "-";
    ThreadFactory virtual = kind == WorkerOptions.Threads.PLATFORM ? null : virtualThreads(name);
    if (virtual == null && kind == WorkerOptions.Threads.VIRTUAL) {
      throw new UnsupportedOperationException(
          "This JVM has no virtual threads; use Java 21 or newer, or Threads.AUTO");
    }
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return virtual == null
        ? new HandlerPool(ClientThread.daemons(name), concurrency, Duration.ofSeconds(10))
        : given(handler -> start(virtual.newThread(handler), loader));
  }

  private static void start(Thread thread, ClassLoader loader) {
    thread.setContextClassLoader(loader);
    thread.start();
  }

  /** Returns the threads of an executor, which this object does not close. */
  static HandlerThreads given(Executor executor) {
    return new HandlerThreads() {
      @Override
      public void execute(Runnable handler) {
        executor.execute(handler);
      }

      @Override
      public void close() {}
    };
  }

  private static @Nullable ThreadFactory virtualThreads(String name) {
    Method ofVirtual;
    try {
      ofVirtual = Thread.class.getMethod("ofVirtual");
    } catch (NoSuchMethodException before21) {
      return null;
    }
    try {
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      Object builder =
          type.getMethod("name", String.class, long.class).invoke(ofVirtual.invoke(null), name, 1L);
      type.getMethod("inheritInheritableThreadLocals", boolean.class).invoke(builder, false);
      return (ThreadFactory) type.getMethod("factory").invoke(builder);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof UnsupportedOperationException) {
        return null; // Java 19 and 20 have virtual threads only as a preview.
      }
      throw new LinkageError("This JVM has virtual threads, but they can't be created", e);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("This JVM has virtual threads, but they can't be created", e);
    }
  }
}
