package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.ConnectionFactory;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.StoreUnavailableException;
import io.punctual.rabbitmq.delay.RabbitDelayQueue;
import io.punctual.rabbitmq.delay.TlsServer;
import io.punctual.rabbitmq.internal.VerifiedTls;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that connections verify the certificate of the broker, also if the factory trusts every
 * certificate, as it does after {@code setUri} in some versions of RabbitMQ's client.
 */
final class TlsVerificationTest {
  @TempDir private Path folder;

  private static ConnectionFactory trusting(TlsServer server) throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setHost("localhost");
    factory.setPort(URI.create(server.url()).getPort());
    factory.useTlsWithNoVerification();
    return factory;
  }

  @Test
  void bridge_refusesACertificateThatIsNotTrusted() throws Exception {
    try (TlsServer server = new TlsServer(folder);
        Punctual punctual = Punctual.open("memory:");
        RabbitBridge bridge =
            RabbitBridge.builder(punctual.queue("due", Codec.bytes()), trusting(server))
                .exchange("orders")
                .start()) {
      assertThat(server.handshake()).failsWithin(60, TimeUnit.SECONDS);
      assertThat(bridge.isAvailable()).isFalse();
    }
  }

  @Test
  void intake_refusesACertificateThatIsNotTrusted() throws Exception {
    try (TlsServer server = new TlsServer(folder);
        Punctual punctual = Punctual.open("memory:");
        RabbitIntake intake =
            RabbitIntake.builder(punctual.queue("due", Codec.bytes()), trusting(server))
                .source("orders")
                .target("orders.due", "topic")
                .start()) {
      assertThat(server.handshake()).failsWithin(60, TimeUnit.SECONDS);
      assertThat(intake.isAvailable()).isFalse();
    }
  }

  @Test
  void delayQueue_refusesACertificateThatIsNotTrusted() throws Exception {
    try (TlsServer server = new TlsServer(folder)) {
      ConnectionFactory factory = trusting(server);
      Assertions.assertThatThrownBy(
              () -> RabbitDelayQueue.builder(factory, "due", Codec.string()).open())
          .isInstanceOf(StoreUnavailableException.class);
      assertThat(server.handshake()).failsWithin(Duration.ofMinutes(1));
    }
  }

  @Test
  void factoriesThatVerify_orUseNoTls_stayAsTheyAre() throws Exception {
    ConnectionFactory own = new ConnectionFactory();
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, null, null);
    own.useSslProtocol(context);
    SocketFactory sockets = own.getSocketFactory();
    VerifiedTls.apply(own, "own");
    assertThat(own.getSocketFactory()).isSameAs(sockets);
    ConnectionFactory plain = new ConnectionFactory();
    VerifiedTls.apply(plain, "plain");
    assertThat(plain.isSSL()).isFalse();
  }
}
