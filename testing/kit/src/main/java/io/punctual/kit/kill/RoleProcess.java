package io.punctual.kit.kill;

import io.punctual.kit.history.HistoryEvent;
import io.punctual.kit.process.JavaProcess;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A process that plays a role.
 *
 * @param role the role
 * @param stage the stage of the process
 * @param process the process; {@link KillRun#kill} kills it
 */
public record RoleProcess(Role role, Stage stage, JavaProcess process) implements Member {
  private static final String READY = "The role is ready";

  static RoleProcess start(Role role, Stage stage, UnaryOperator<JavaProcess.Builder> options) {
    JavaProcess.Builder builder =
        JavaProcess.of(RoleProcess.class)
            .small()
            .patience(KillPlan.PATIENCE)
            .arguments(words(role))
            .arguments(stage.name(), stage.url(), stage.history().toString(), "" + stage.seed());
    return new RoleProcess(role, stage, options.apply(builder).start());
  }

  private static String words(Role role) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(role);
    } catch (IOException e) {
      throw new UncheckedIOException("The role must be a record of serializable values", e);
    }
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  /** Plays a role. The arguments are the serialized role, and the components of the stage. */
  public static void main(String[] args) throws IOException, ClassNotFoundException {
    Thread main = Thread.currentThread();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> endInOrder(main)));
    byte[] role = Base64.getDecoder().decode(args[0]);
    Path history = Path.of(args[3]);
    Runnable ready = () -> System.out.println(READY);
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(role))) {
      RoleThread.play(
          (Role) in.readObject(),
          new Stage(args[1], args[2], history, Long.parseLong(args[4]), ready));
    }
  }

  private static void endInOrder(Thread main) {
    main.interrupt();
    try {
      main.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public boolean isReady() {
    boolean ready = process.hasLine(READY);
    if (!ready || !role.endsByItself()) {
      process.expectAlive();
    }
    return ready;
  }

  /** Waits until the role is ready. */
  public RoleProcess awaitReady() {
    String unused = process.awaitLine(READY);
    return this;
  }

  /** Returns the lines that the role has printed, after it has printed this number of lines. */
  public List<String> awaitLines(int number) {
    return process.awaitLines("", number);
  }

  /** Returns whether a handler of the process has received a message. */
  public boolean hasDeliveries() {
    return stage.events(HistoryEvent.HandedOver.class) > 0;
  }

  /** Waits until the role has ended by itself and without a failure. */
  @Override
  public void awaitEnd() {
    process.expectSuccess();
  }

  @Override
  public void end() {
    awaitReady();
    int unused = process.end();
  }

  @Override
  public void close() {
    process.close();
  }
}
