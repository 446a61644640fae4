package io.punctual.contract;

import io.punctual.spi.Store;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * The store for the client of one test. Closing it has no effect, because all tests of a class
 * share the store. Stateless.
 */
final class UnclosedStore {
  private UnclosedStore() {}

  static Store of(Store store) {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                return null;
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
