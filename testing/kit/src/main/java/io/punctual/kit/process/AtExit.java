package io.punctual.kit.process;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Kills processes that still run when this JVM ends. Safe for use by many threads. */
final class AtExit {
  private static final Set<ProcessHandle> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(AtExit::killAll, "kill-processes"));
  }

  private AtExit() {}

  static void kill(ProcessHandle process) {
    RUNNING.add(process);
    CompletableFuture<Void> unused = process.onExit().thenRun(() -> RUNNING.remove(process));
  }

  private static void killAll() {
    for (ProcessHandle process : RUNNING) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }
}
