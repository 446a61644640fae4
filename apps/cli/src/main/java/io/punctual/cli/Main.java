package io.punctual.cli;

import io.punctual.Punctual;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.ReaderWatch;
import io.punctual.cli.output.Stdout;
import io.punctual.cli.output.Stop;
import io.punctual.cli.output.Terminal;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Runs the {@code punctual} command. */
public final class Main {
  private Main() {}

  /** Runs the command that the arguments name, and ends the JVM with its exit code. */
  public static void main(String[] args) {
    Map<String, String> environment = System.getenv();
    Stop stop = new Stop();
    Console console =
        new Console(
            new FileInputStream(FileDescriptor.in),
            new Stdout(new FileOutputStream(FileDescriptor.out), new ReaderWatch()),
            new PrintWriter(
                new OutputStreamWriter(
                    new FileOutputStream(FileDescriptor.err), StandardCharsets.UTF_8)),
            Terminal.detect(environment),
            environment,
            Punctual::open,
            stop);
    stop.askAtShutdown();
    int exitCode;
    try {
      exitCode = PunctualCommand.run(console, args);
    } finally {
      stop.ended();
    }
    System.exit(exitCode);
  }
}
