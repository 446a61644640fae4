package io.punctual.rabbitmq.delay;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.amqp.AmqpException;
import com.rabbitmq.client.amqp.Connection;
import com.rabbitmq.client.amqp.ConnectionBuilder;
import com.rabbitmq.client.amqp.Environment;
import com.rabbitmq.client.amqp.impl.AmqpEnvironmentBuilder;
import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections of AMQP 1.0 with the settings of a factory for AMQP 0.9.1. RabbitMQ serves both
 * on the same port. Loaded only if the library is present. Safe for use by many threads.
 */
final class Amqp10 implements AutoCloseable {
  private final ConnectionFactory factory;
  private final List<Address> addresses;
  private final @Nullable SSLContext tls;
  private final Environment environment;

  /**
   * Prepares connections, without opening any.
   *
   * @param tls the TLS context of the connections, or null without TLS
   * @param dispatcher runs the handlers of all consumers
   */
  Amqp10(
      ConnectionFactory factory,
      List<Address> addresses,
      @Nullable SSLContext tls,
      Executor dispatcher) {
    this.factory = factory.clone();
    this.addresses =
        addresses.isEmpty()
            ? List.of(new Address(factory.getHost(), factory.getPort()))
            : List.copyOf(addresses);
    this.tls = tls;
    this.environment = new AmqpEnvironmentBuilder().dispatchingExecutor(dispatcher).build();
  }

  /**
   * Tries the nodes in turn, and opens a connection to the first node that accepts it. If no node
   * does, throws the failure of the last node.
   *
   * @throws StoreUnavailableException if the last node does not answer
   * @throws StoreRefusedException if the last node refuses the user
   */
  Connection open(String name) {
    PunctualException failure = null;
    for (Address address : addresses) {
      try {
        return builder(name, address).build();
      } catch (AmqpException e) {
        failure = failed("Connecting to " + address + " by AMQP 1.0", e);
      }
    }
    throw failure == null ? new StoreUnavailableException("No address", null) : failure;
  }

  private ConnectionBuilder builder(String name, Address address) {
    int port =
        address.getPort() == ConnectionFactory.USE_DEFAULT_PORT
            ? factory.getPort()
            : address.getPort();
    ConnectionBuilder builder =
        environment
            .connectionBuilder()
            .name(name)
            .host(address.getHost())
            .port(port)
            .username(factory.getUsername())
            .password(factory.getPassword())
            .virtualHost(factory.getVirtualHost())
            .recovery()
            .activated(false)
            .connectionBuilder();
    return tls == null
        ? builder
        : builder.tls().sslContext(tls).hostnameVerification().connection();
  }

  /** Converts an exception of the library into an exception for users. */
  static PunctualException failed(String doing, AmqpException failure) {
    String text = doing + " failed: " + Failures.text(failure);
    return failure instanceof AmqpException.AmqpSecurityException
        ? new StoreRefusedException(text, failure)
        : new StoreUnavailableException(text, failure);
  }

  @Override
  public void close() {
    environment.close();
  }
}
