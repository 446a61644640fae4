package io.punctual.server;

import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls an action at each SIGHUP, where the JVM and the system have this signal. */
public final class ReloadSignal {
  private static final Logger LOG = LoggerFactory.getLogger(ReloadSignal.class);

  private ReloadSignal() {}

  /** Calls the action on a thread of the JVM at each SIGHUP from now on. */
  public static void handle(Runnable action) {
    try {
      // By reflection, because the compiler warns of these types and knows no way to allow them.
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          Proxy.newProxyInstance(
              ReloadSignal.class.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      Object before =
          signal
              .getMethod("handle", signal, handler)
              .invoke(null, signal.getConstructor(String.class).newInstance("HUP"), proxy);
      if (handler.getField("SIG_IGN").get(null).equals(before)) {
        LOG.warn("SIGHUP is ignored, as by nohup, so that a new configuration needs a restart");
      }
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      LOG.warn("This system has no SIGHUP, so that a new configuration needs a restart", e);
    }
  }
}
