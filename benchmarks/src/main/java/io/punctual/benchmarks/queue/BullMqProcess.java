package io.punctual.benchmarks.queue;

import io.punctual.benchmarks.Child;
import io.punctual.kit.process.Command;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.json.JsonMapper;

/**
 * Starts the processes of BullMQ: Node with {@code src/main/js/child.mjs}, which works like {@link
 * QueueChild}. Before the first start, npm installs the packages beside that file.
 */
final class BullMqProcess {
  private static final String HEAP = "--max-old-space-size=1024";

  private BullMqProcess() {}

  static Child start(String role, Orders orders) throws IOException {
    Path folder = folder();
    install(folder);
    String child = folder.resolve("child.mjs").toString();
    String node = Program.NODE.require().toString();
    return Child.start(Command.of(node, HEAP, child, role, orders.word()));
  }

  private static synchronized void install(Path folder) throws IOException {
    Path wanted = folder.resolve("package-lock.json");
    Path installed = folder.resolve("node_modules/.package-lock.json");
    if (Files.notExists(installed)
        || Files.getLastModifiedTime(installed).compareTo(Files.getLastModifiedTime(wanted)) < 0) {
      String npm = Program.NPM.require().toString();
      String unused =
          Command.of(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
              .directory(folder)
              .run();
    }
  }

  /** The version that npm installs. */
  static String version() {
    return JsonMapper.shared()
        .readTree(folder().resolve("package.json"))
        .at("/dependencies/bullmq")
        .asString();
  }

  /** The folder of the sources: the benchmarks always run from the folder of their classes. */
  private static Path folder() {
    try {
      Path classes =
          Path.of(BullMqProcess.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return classes.resolve("../../src/main/js").normalize();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
