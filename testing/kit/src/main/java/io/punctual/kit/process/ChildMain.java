package io.punctual.kit.process;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/**
 * The main class of each child JVM. Ends the JVM when its parent process ends, even if the parent
 * is killed, and calls the main method of a test's class.
 */
final class ChildMain {
  private static final int ORPHAN = 99;

  private ChildMain() {}

  /** The arguments are the id of the parent process, the class, and the arguments of the class. */
  public static void main(String[] args) throws Throwable {
    // The standard input can't tell the end of the parent, because some classes read the input.
    CompletableFuture<ProcessHandle> unused =
        ProcessHandle.of(Long.parseLong(args[0]))
            .map(ProcessHandle::onExit)
            .orElseGet(() -> CompletableFuture.completedFuture(null))
            .whenComplete((parent, failure) -> Runtime.getRuntime().halt(ORPHAN));
    Method main = Class.forName(args[1]).getDeclaredMethod("main", String[].class);
    main.setAccessible(true);
    try {
      main.invoke(null, (Object) Arrays.copyOfRange(args, 2, args.length));
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
