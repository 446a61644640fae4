package io.punctual.rabbitmq.delay;

import io.punctual.kit.process.Command;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** A TLS server with a certificate that no trust store has. It accepts one connection. */
public final class TlsServer implements AutoCloseable {
  private static final String PASSWORD = "password";

  private final SSLServerSocket socket;
  private final CompletableFuture<Void> handshake = new CompletableFuture<>();

  public TlsServer(Path folder) throws Exception {
    Path keys = folder.resolve("keys");
    List<String> arguments = new ArrayList<>(List.of("-genkeypair", "-keyalg", "EC"));
    arguments.addAll(List.of("-alias", "server", "-dname", "CN=localhost"));
    arguments.addAll(List.of("-ext", "san=dns:localhost,ip:127.0.0.1"));
    arguments.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    arguments.addAll(List.of("-keystore", keys.toString()));
    Command.ofJdk("keytool", arguments).run();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(keys)) {
      store.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    socket =
        (SSLServerSocket)
            context
                .getServerSocketFactory()
                .createServerSocket(0, 1, InetAddress.getLoopbackAddress());
    Thread acceptor = new Thread(this::accept, "tls-server");
    acceptor.setDaemon(true);
    acceptor.start();
  }

  private void accept() {
    try (SSLSocket accepted = (SSLSocket) socket.accept()) {
      accepted.startHandshake();
      boolean unused = handshake.complete(null);
    } catch (IOException e) {
      boolean unused = handshake.completeExceptionally(e);
    }
  }

  public String url() {
    return "amqps://user:secret@localhost:" + socket.getLocalPort();
  }

  /** Completes when a client has accepted the certificate; fails if the handshake fails. */
  public CompletableFuture<Void> handshake() {
    return handshake;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
