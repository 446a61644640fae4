package io.punctual.internal.runtime;

/** Creates the client's threads. */
public final class ClientThread {
  private ClientThread() {}

  /**
   * Returns a thread that has the context class loader of the calling thread, and inherits no
   * thread-local values. By default, such a thread has the system class loader, which finds no
   * stores and no codecs in a war or in the jar of a Spring Boot application.
   */
  public static Thread create(String name, Runnable task) {
    Thread thread = new Thread(null, task, name, 0, false);
    thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
    return thread;
  }
}
