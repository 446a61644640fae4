package io.punctual.redis.client;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;

/**
 * Ensures that the event loops of shared client resources are not allocated and released at the
 * same time. Lettuce releases an event loop group outside the lock under which it allocates groups.
 * So a client that opens while the last user releases the group could get threads that are ending.
 */
final class SharedThreads implements EventLoopGroupProvider {
  private final EventLoopGroupProvider provider;

  private SharedThreads(EventLoopGroupProvider provider) {
    this.provider = provider;
  }

  /**
   * Returns the same resources, with event loops that are allocated and released under a lock, and
   * with a {@link HostsFileResolver}.
   */
  static ClientResources of(ClientResources resources) {
    SharedThreads threads = new SharedThreads(resources.eventLoopGroupProvider());
    HostsFileResolver addresses = new HostsFileResolver(resources.socketAddressResolver());
    // Uses a dynamic proxy, because newer versions of Lettuce add methods to the interface.
    return (ClientResources)
        Proxy.newProxyInstance(
            ClientResources.class.getClassLoader(),
            new Class<?>[] {ClientResources.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("eventLoopGroupProvider")) {
                return threads;
              }
              if (method.getName().equals("socketAddressResolver")) {
                return addresses;
              }
              try {
                return method.invoke(resources, arguments);
              } catch (InvocationTargetException e) {
                throw e.getTargetException();
              }
            });
  }

  @Override
  public <T extends EventLoopGroup> T allocate(Class<T> type) {
    synchronized (provider) {
      return provider.allocate(type);
    }
  }

  @Override
  public Future<Boolean> release(
      EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
    synchronized (provider) {
      return provider.release(group, quietPeriod, timeout, unit);
    }
  }

  @Override
  public int threadPoolSize() {
    return provider.threadPoolSize();
  }

  @Override
  public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
    return provider.shutdown(quietPeriod, timeout, unit);
  }
}
