package io.punctual.rabbitmq.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.ConnectionFactory;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which failures and connections are logged. */
final class OutageTest {
  private final Endpoint endpoint =
      new Endpoint("test", new ConnectionFactory(), List.of(), Duration.ofSeconds(5));
  private final Outage outage = endpoint.outage();
  private final Connector one = new Connector("one", endpoint);
  private final Connector other = new Connector("other", endpoint);

  @Test
  void outageOfTwoConnections_hasALineAtItsStartAndAtItsEnd() {
    assertThat(outage.failed(one)).isTrue();
    assertThat(outage.failed(other)).isFalse();
    assertThat(outage.failed(one)).isFalse();
    assertThat(outage.connected(one)).isFalse();
    assertThat(outage.connected(other)).isTrue();
    assertThat(outage.connected(other)).isFalse();
  }

  @Test
  void eachConnectionIsRefusedInItsFirstUse_floodsNoLog() {
    int starts = 0;
    int ends = 0;
    for (int i = 0; i < 1_000; i++) {
      starts += outage.failed(one) ? 1 : 0;
      ends += outage.connected(one) ? 1 : 0;
    }
    assertThat(starts).isBetween(2, 50).isEqualTo(ends);
  }
}
