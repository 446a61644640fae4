package io.punctual.internal.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * This process, as the list of workers shows it. Immutable.
 *
 * @param host the name of the host, or "unknown"
 * @param pid the id of the process
 * @param version the version of Punctual, or "unknown"
 */
public record ProcessInfo(String host, long pid, String version) {
  private static final String UNKNOWN = "unknown";

  /** Returns this process. Asks no name server, because the answer may take seconds. */
  public static ProcessInfo current() {
    String version = ProcessInfo.class.getPackage().getImplementationVersion();
    return new ProcessInfo(
        hostName(), ProcessHandle.current().pid(), version == null ? UNKNOWN : version);
  }

  private static String hostName() {
    return Optional.ofNullable(System.getenv("HOSTNAME"))
        .or(() -> Optional.ofNullable(System.getenv("COMPUTERNAME")))
        .or(ProcessInfo::hostOfFile)
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .orElse(UNKNOWN);
  }

  private static Optional<String> hostOfFile() {
    try {
      return Optional.of(Files.readString(Path.of("/etc/hostname")));
    } catch (IOException | RuntimeException e) {
      return Optional.empty();
    }
  }
}
