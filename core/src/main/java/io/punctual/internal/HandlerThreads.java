package io.punctual.internal;

import java.lang.reflect.Method;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Makes the threads that a worker's handlers run on. */
final class HandlerThreads {
  private static final @Nullable Method NEW_THREAD_PER_TASK = find();

  private HandlerThreads() {}

  /**
   * Returns an executor for so many handlers at once: a virtual thread each where the JVM has them
   * (Java 21 and up), a pool of platform threads that end when idle elsewhere.
   */
  static ExecutorService create(String queue, int concurrency) {
    ThreadFactory virtual = virtualThreads(queue);
    if (virtual != null && NEW_THREAD_PER_TASK != null) {
      try {
        return (ExecutorService) NEW_THREAD_PER_TASK.invoke(null, virtual);
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("Virtual threads are there, but can't be used", e);
      }
    }
    return pool(queue, concurrency);
  }

  private static @Nullable Method find() {
    try {
      return Executors.class.getMethod("newThreadPerTaskExecutor", ThreadFactory.class);
    } catch (NoSuchMethodException before21) {
      return null;
    }
  }

  private static @Nullable ThreadFactory virtualThreads(String queue) {
    if (NEW_THREAD_PER_TASK == null) {
      return null;
    }
    try {
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      builder = type.getMethod("name", String.class, long.class).invoke(builder, name(queue), 1L);
      return (ThreadFactory) type.getMethod("factory").invoke(builder);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("Virtual threads are there, but can't be used", e);
    }
  }

  private static String name(String queue) {
    return "punctual-" + queue + "-";
  }

  private static ExecutorService pool(String queue, int concurrency) {
    AtomicInteger count = new AtomicInteger();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            concurrency,
            concurrency,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, name(queue) + count.incrementAndGet());
              thread.setDaemon(false);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
