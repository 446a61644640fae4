package io.punctual.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Interceptor;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests an interceptor of schedules in transactions. */
final class InterceptedTransactionTest {
  private final AtomicReference<@Nullable Throwable> seen = new AtomicReference<>();

  private final Interceptor noting =
      new Interceptor() {
        @Override
        public Around schedule(
            String queue, String id, Message<?> message, Map<String, String> headers) {
          return new Around() {
            @Override
            public void ended(Duration duration, @Nullable Throwable failure) {
              seen.set(failure);
            }
          };
        }
      };

  private static Connection failing(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            InterceptedTransactionTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                throw new OutOfMemoryError("of the test");
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void schedule_errorInTheTransaction_interceptorSeesTheError() throws Exception {
    String url = "jdbc:h2:mem:" + UUID.randomUUID();
    try (Punctual punctual =
            Punctual.builder().url(url + "?createTables=true").interceptor(noting).build();
        Connection connection = DriverManager.getConnection(url)) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      connection.setAutoCommit(false);
      JdbcTransaction transaction = JdbcTransaction.of(failing(connection));

      assertThatThrownBy(() -> queue.inTransaction(transaction).schedule("a", Duration.ofHours(1)))
          .isInstanceOf(OutOfMemoryError.class);
      assertThat(seen.get()).isInstanceOf(OutOfMemoryError.class);
    }
  }
}
