package io.punctual.benchmarks.http;

import io.punctual.server.PunctualServer;
import io.punctual.server.config.ServerConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The process of a server without a client: {@code HttpServerChild <store>}. Prints its port, and
 * then its memory for each line that it reads.
 */
final class HttpServerChild {
  private static final String LIMITS = "limits: {pollsPerCaller: 20000, requestsPerCaller: 20000}";

  private HttpServerChild() {}

  public static void main(String[] args) throws IOException {
    try (PunctualServer server = start(args[0])) {
      System.out.println(server.address().getPort());
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      while (in.readLine() != null) {
        System.out.println(residentKilobytes() + " " + heapBytes());
      }
    }
    System.exit(0);
  }

  /** Starts a server on a free port, with limits that no trial reaches. */
  static PunctualServer start(String store) throws IOException {
    Path file = Files.createTempFile("bench", ".yaml");
    try {
      Files.writeString(file, LIMITS);
      return PunctualServer.start(new ServerConfig.Options(file, store, null, null, 0), Map.of());
    } finally {
      Files.delete(file);
    }
  }

  /** The memory of the process as Linux counts it, before the collection that follows. */
  private static String residentKilobytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .map(line -> line.replaceAll("\\D", ""))
        .findFirst()
        .orElseThrow();
  }

  private static long heapBytes() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    memory.gc();
    return memory.getHeapMemoryUsage().getUsed();
  }
}
