package io.punctual.rabbitmq.internal;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where and how the connections of a client are opened. Its {@link Connector}s share it, and log
 * their outages together. Thread-safe.
 */
public final class Endpoint {
  private static final int SHORTEST_WAIT_MILLIS = 5_000;

  private final ConnectionFactory factory;
  private final List<Address> addresses;
  private final Outage outage = new Outage();

  /**
   * Creates an endpoint.
   *
   * @param name the name of the client, for the log
   * @param given the factory to copy. The copy recovers neither connections nor their topology,
   *     because the users of {@link Connector} do so
   * @param addresses the nodes of a cluster, or empty for the address of the factory
   * @param timeout the largest time-out of each step of a connection, but at least five seconds.
   *     Longer time-outs of the factory are reduced to it, so that a silent broker does not keep a
   *     client for minutes
   */
  public Endpoint(String name, ConnectionFactory given, List<Address> addresses, Duration timeout) {
    this.factory = given.clone();
    this.addresses = List.copyOf(addresses);
    int most =
        (int) Math.max(SHORTEST_WAIT_MILLIS, Math.min(Integer.MAX_VALUE, timeout.toMillis()));
    factory.setConnectionTimeout(atMost(most, factory.getConnectionTimeout()));
    factory.setHandshakeTimeout(atMost(most, factory.getHandshakeTimeout()));
    factory.setChannelRpcTimeout(atMost(most, factory.getChannelRpcTimeout()));
    factory.setAutomaticRecoveryEnabled(false);
    factory.setTopologyRecoveryEnabled(false);
    VerifiedTls.apply(factory, name);
  }

  /** Returns the shorter time-out; a {@code given} time-out of zero means no limit. */
  private static int atMost(int most, int given) {
    return given == 0 ? most : Math.min(most, given);
  }

  ConnectionFactory factory() {
    return factory.clone();
  }

  List<Address> nodes() {
    return addresses.isEmpty()
        ? List.of(new Address(factory.getHost(), factory.getPort()))
        : addresses;
  }

  Outage outage() {
    return outage;
  }

  @Override
  public String toString() {
    return nodes().stream().map(Address::toString).collect(Collectors.joining(", "));
  }
}
