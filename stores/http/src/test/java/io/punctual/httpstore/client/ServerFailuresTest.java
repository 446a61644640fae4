package io.punctual.httpstore.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.spi.Partition;
import io.punctual.spi.StoreUrl;
import java.io.IOException;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.Test;

/** Tests what a client concludes from a request without an answer. */
final class ServerFailuresTest {
  private final ServerFailures failures =
      new ServerFailures(ServerAddress.of(StoreUrl.parse("https://queue.example")));

  /** The HTTP client can ask for the body before it notices that TLS failed. */
  @Test
  void failureOfTls_afterTheBodyWasAskedFor_isNotSentAndARefusal() {
    for (SSLException failure :
        List.of(
            new SSLException("Unsupported or unrecognized SSL message"),
            new SSLHandshakeException("PKIX path building failed"),
            new SSLPeerUnverifiedException("No name matching queue.example found"))) {
      assertThat(failures.of(failure, true))
          .isInstanceOf(Partition.NotSentException.class)
          .hasMessageContaining("can't be reached")
          .hasCauseInstanceOf(StoreRefusedException.class);
    }
  }

  @Test
  void connectionThatEnds_afterTheBodyWasAskedFor_mayHaveArrived() {
    for (IOException failure :
        List.of(new IOException("Connection reset"), new SSLException("closing inbound"))) {
      assertThat(failures.of(failure, true))
          .isExactlyInstanceOf(PunctualException.class)
          .hasMessageContaining("gave no answer");
    }
  }
}
