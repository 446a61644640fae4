package io.punctual.server;

import io.punctual.server.config.ServerConfig;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/**
 * A server in a process of its own. The arguments are the store, the port and the config file. It
 * answers each line of its input with its used heap.
 */
final class ServerMain {
  private ServerMain() {}

  public static void main(String[] args) throws Exception {
    PunctualServer server =
        PunctualServer.start(
            new ServerConfig.Options(
                args.length > 2 ? Path.of(args[2]) : null,
                args[0],
                null,
                null,
                Integer.valueOf(args[1])),
            Map.of());
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    ReloadSignal.handle(server::reload);
    System.out.println("ready " + server.address().getPort());
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    while (input.readLine() != null) {
      System.out.println("heap " + usedHeap());
    }
    Thread.currentThread().join();
  }

  private static long usedHeap() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    memory.gc();
    return memory.getHeapMemoryUsage().getUsed();
  }
}
