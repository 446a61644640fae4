package io.punctual.internal.runtime;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Creates the client's threads. They have the context class loader of a thread of the application:
 * the system class loader finds no stores and no codecs in a war or in the jar of a Spring Boot
 * application. They inherit no thread-local values.
 */
public final class ClientThread {
  private ClientThread() {}

  /** Returns a thread with the context class loader of the calling thread. */
  public static Thread create(String name, Runnable task) {
    return create(name, task, Thread.currentThread().getContextClassLoader());
  }

  /**
   * Returns a factory of daemon threads with consecutive numbers. They have the context class
   * loader of the thread that calls this method; a different thread may create them.
   *
   * @param name the beginning of their names, which the number follows
   */
  public static ThreadFactory daemons(String name) {
    AtomicInteger count = new AtomicInteger();
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return task -> {
      Thread thread = create(name + count.incrementAndGet(), task, loader);
      thread.setDaemon(true);
      return thread;
    };
  }

  private static Thread create(String name, Runnable task, @Nullable ClassLoader loader) {
    Thread thread = new Thread(null, task, name, 0, false);
    thread.setContextClassLoader(loader);
    return thread;
  }
}
