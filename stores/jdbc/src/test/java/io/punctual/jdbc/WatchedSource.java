package io.punctual.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** A data source whose statements and connections a test observes. */
final class WatchedSource {
  /** Receives the text of each statement that is prepared. */
  volatile Consumer<String> onStatement = sql -> {};

  /** Runs before a connection is given out. */
  volatile Callable<?> onConnection = () -> null;

  private final DataSource source;

  WatchedSource(DataSource source) {
    this.source = source;
  }

  DataSource source() {
    return proxy(DataSource.class, source);
  }

  private <T> T proxy(Class<T> type, Object target) {
    Object proxy =
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                onStatement.accept((String) arguments[0]);
              }
              if (method.getName().equals("getConnection") && type == DataSource.class) {
                var unused = onConnection.call();
              }
              try {
                Object result = method.invoke(target, arguments);
                return result instanceof Connection && type == DataSource.class
                    ? proxy(Connection.class, result)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
    return type.cast(proxy);
  }
}
