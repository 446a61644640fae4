package io.punctual.kit.process;

import java.io.File;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs an application in a class loader of its own, on a thread of a pool, as an application server
 * does, and checks that nothing keeps the class loader when the application has ended. Thread-safe.
 */
public final class Redeployment {
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int PAUSE_MILLIS = 20;

  /** An application, with a public constructor without parameters. */
  public interface Application {
    /** Runs to the end, and closes what it has opened. */
    void run(List<String> arguments) throws Exception;
  }

  /** What an application server does with the threads that ran an application. */
  public enum Threads {
    /** The threads stay, with what the application left in their {@link ThreadLocal}s. */
    KEPT,
    /** New threads replace them, as Tomcat does. */
    RENEWED
  }

  private Redeployment() {}

  /**
   * Runs an application to its end, in a JVM of its own, and waits until its class loader is gone.
   * Native libraries that go with the class loader can disturb other users of their classes.
   *
   * @throws AssertionError if the class loader stays; the message names threads that keep it
   */
  public static void expectClassLoaderToGo(
      Threads threads, Class<? extends Application> application, String... arguments) {
    List<String> all = new ArrayList<>(List.of(threads.name(), application.getName()));
    all.addAll(List.of(arguments));
    try (JavaProcess process =
        JavaProcess.of(Redeployment.class).small().arguments(all.toArray(String[]::new)).start()) {
      process.expectSuccess();
    }
  }

  /**
   * Runs an application.
   *
   * @param arguments one of {@link Threads}, the name of an {@link Application}, and its arguments
   */
  public static void main(String[] arguments) throws Exception {
    List<String> rest = List.of(arguments).subList(2, arguments.length);
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      WeakReference<ClassLoader> loader = pool.submit(() -> run(arguments[1], rest)).get();
      // A thread of a pool may keep its last task.
      Object unused = pool.submit(() -> run(Successor.class.getName(), List.of())).get();
      if (Threads.valueOf(arguments[0]) == Threads.RENEWED) {
        pool.shutdownNow();
      }
      awaitEnd(loader);
    } finally {
      pool.shutdownNow();
    }
  }

  /**
   * The next application. {@code ObjectMethods} of JDK 17 keeps the components' classes of the
   * record that was compared or hashed last.
   */
  public static final class Successor implements Application {
    /** JDK 25 keeps classes of class loaders of applications apart from those of its own. */
    private record Compared(Thread thread, Successor application) {}

    /** For reflection. */
    public Successor() {}

    @Override
    public void run(List<String> arguments) {
      Compared one = new Compared(Thread.currentThread(), this);
      Compared other = new Compared(Thread.currentThread(), this);
      if (!one.equals(other) || one.hashCode() != other.hashCode()) {
        throw new IllegalStateException("Not equal: " + one);
      }
    }
  }

  private static WeakReference<ClassLoader> run(String application, List<String> arguments)
      throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    URLClassLoader own = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader());
    try {
      thread.setContextClassLoader(own);
      Class<?> loaded = own.loadClass(application);
      Object made = loaded.getConstructor().newInstance();
      Object unused = loaded.getMethod("run", List.class).invoke(made, arguments);
    } finally {
      thread.setContextClassLoader(before);
      own.close();
    }
    return new WeakReference<>(own);
  }

  private static URL[] classPath() {
    return Stream.of(JavaProcess.classPath().split(File.pathSeparator))
        .map(Redeployment::url)
        .toArray(URL[]::new);
  }

  private static URL url(String file) {
    try {
      return Path.of(file).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException("Not a file: " + file, e);
    }
  }

  private static void awaitEnd(WeakReference<ClassLoader> loader) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (loader.get() != null) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException(
            "The class loader stays; threads with it: " + threads(loader));
      }
      System.gc();
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    }
  }

  private static List<String> threads(WeakReference<ClassLoader> loader) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getContextClassLoader() == loader.get())
        .map(Thread::getName)
        .sorted()
        .toList();
  }
}
