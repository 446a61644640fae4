package io.punctual.cli.server;

import io.punctual.cli.command.ConsoleCommand;
import io.punctual.cli.command.StoreOption;
import io.punctual.cli.output.ExitCode;
import io.punctual.http.access.AccessToken;
import io.punctual.server.PunctualServer;
import io.punctual.server.ReloadSignal;
import io.punctual.server.config.ConfigException;
import io.punctual.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Serves the HTTP API of one store, until the user ends the command. */
@Command(
    name = "server",
    description = {
      "Serves the HTTP API of a store, for programs in any language, until a signal ends the"
          + " command. Without a store, a journal in ./punctual-data.",
      "",
      "SIGHUP reads the config file again; the log names the keys that need a restart."
    },
    mixinStandardHelpOptions = true)
public final class ServerCommand extends ConsoleCommand {
  @Mixin private StoreOption store;

  @Option(names = "--config", paramLabel = "FILE", description = "The config file, in YAML.")
  private @Nullable Path file;

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      description =
          "The address to listen on: 127.0.0.1 by default. Any other address needs tokens, and TLS"
              + " or a proxy, in the config file.")
  private @Nullable String host;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "The port: 8420 by default; 0 for any free port.")
  private @Nullable Integer port;

  @Option(names = "--check", description = "Only say whether the configuration is right.")
  private boolean check;

  @Option(
      names = "--new-token",
      paramLabel = "ID",
      description = "Only print a new token, and its lines for the config file.")
  private @Nullable String newToken;

  @Override
  public int execute() throws IOException {
    try {
      if (newToken != null) {
        printToken(newToken);
      } else if (check) {
        ServerConfig config = ServerConfig.read(options(), console().environment());
        print("The configuration is right: port " + config.port() + " of " + config.host());
      } else {
        serve();
      }
      return ExitCode.OK;
    } catch (ConfigException | IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  private ServerConfig.Options options() {
    return new ServerConfig.Options(
        file,
        store.given().orElse(null),
        store.url(console().environment()).orElse(null),
        host,
        port);
  }

  private void printToken(String id) {
    String token = AccessToken.generate(id);
    print(token);
    console().say("The token is not shown again. Its lines for the config file:");
    console().say("tokens:");
    console().say("  - id: " + id);
    console().say("    sha256: " + AccessToken.sha256(token));
    console().say("    role: NAME-OF-A-ROLE");
  }

  private void serve() throws IOException {
    console().out().ignoreReaderGone();
    try (PunctualServer server =
        PunctualServer.startAndWarmUp(options(), console().environment())) {
      ReloadSignal.handle(server::reload);
      greet(server);
      console().stop().asked().join();
    }
  }

  private void greet(PunctualServer server) {
    print("Serves " + server.store() + " at " + server.address());
    print("Its console is at " + server.address() + "/console/");
    if (server.hasAuthentication() && console().terminal().out()) {
      print("This link signs you in, once, within 5 minutes: " + server.newSignInLink());
    }
    String header = server.hasAuthentication() ? " -H \"Authorization: Bearer $TOKEN\"" : "";
    if (header.isEmpty()) {
      print("Every program on this machine may use it; a config file with tokens changes that.");
    }
    print("Schedule a message with:");
    print(
        "  curl "
            + server.address()
            + "/v1/queues/mail/messages"
            + header
            + " -H 'Content-Type: application/json' -d"
            + " '{\"payload\":\"Hello\",\"delay\":\"10s\"}'");
    if (header.isEmpty()) {
      print("Receive it, for example in Python, in the folder clients/python of the project:");
      print(
          "  python3 -c 'from punctual import Punctual; Punctual(\""
              + server.address()
              + "\").queue(\"mail\").work(print).wait()'");
    }
  }

  private void print(String line) {
    console().out().print(line + System.lineSeparator());
    console().out().flush();
  }
}
