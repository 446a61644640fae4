package io.punctual.internal.worker;

import io.punctual.WorkerOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The threads that a worker's handlers run on. Thread-safe. */
interface HandlerThreads extends Executor, AutoCloseable {
  /** Takes no more handlers, and lets its threads end when they have run those they have. */
  @Override
  void close();

  /**
   * Returns threads for so many handlers at once: a virtual thread for each handler, or a pool of
   * platform threads. Neither keeps the JVM alive.
   *
   * @throws UnsupportedOperationException if virtual threads are demanded and the JVM has none
   */
  static HandlerThreads create(String queue, int concurrency, WorkerOptions.Threads kind) {
    String name = "punctual-" + queue + "-";
    ThreadFactory virtual = kind == WorkerOptions.Threads.PLATFORM ? null : virtualThreads(name);
    if (virtual == null && kind == WorkerOptions.Threads.VIRTUAL) {
      throw new UnsupportedOperationException(
          "This JVM has no virtual threads; use Java 21 or newer, or Threads.AUTO");
    }
    return virtual == null
        ? new HandlerPool(platformThreads(name), concurrency, Duration.ofSeconds(10))
        : given(handler -> virtual.newThread(handler).start());
  }

  /** Returns those of an executor that is closed elsewhere, if it has to be. */
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

  /**
   * Makes threads with the context class loader of who asks for them now, and nothing else
   * inherited.
   */
  static ThreadFactory platformThreads(String name) {
    AtomicInteger count = new AtomicInteger();
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    // Made by a thread that has run a handler, and takes over nothing of what that left behind.
    return handler -> {
      Thread thread = new Thread(null, handler, name + count.incrementAndGet(), 0, false);
      thread.setContextClassLoader(loader);
      thread.setDaemon(true);
      return thread;
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
      return (ThreadFactory) type.getMethod("factory").invoke(builder);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof UnsupportedOperationException) {
        return null; // a preview of Java 19 and 20
      }
      throw new LinkageError("Virtual threads are there, but can't be used", e);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("Virtual threads are there, but can't be used", e);
    }
  }
}
