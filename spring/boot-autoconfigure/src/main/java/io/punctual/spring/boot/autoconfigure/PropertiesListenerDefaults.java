package io.punctual.spring.boot.autoconfigure;

import io.punctual.WorkerOptions;
import io.punctual.WorkerOptions.Threads;
import io.punctual.spring.ListenerDefaults;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The options of listeners from the properties, changed by the customizers of the application. */
final class PropertiesListenerDefaults implements ListenerDefaults {
  /**
   * The grace period, and the 2 seconds after it for interrupted calls, end well within the 30
   * seconds that Spring Boot allows a shutdown phase.
   */
  private static final Duration GRACE = Duration.ofSeconds(18);

  private final PunctualProperties properties;
  private final WorkerOptions base;
  private final List<WorkerOptionsCustomizer> customizers;

  PropertiesListenerDefaults(
      PunctualProperties properties, boolean virtual, List<WorkerOptionsCustomizer> customizers) {
    this.properties = properties;
    this.base =
        WorkerOptions.builder()
            .shutdownGrace(GRACE)
            .threads(virtual ? Threads.VIRTUAL : Threads.PLATFORM)
            .build();
    this.customizers = List.copyOf(customizers);
  }

  @Override
  public WorkerOptions options(String queue) {
    return WrongSettingException.check(() -> read(queue));
  }

  private WorkerOptions read(String queue) {
    ListenerProperties all = properties.listener();
    all.retry().check("punctual.listener");
    WorkerOptions common = all.apply(base, all.retry());
    ListenerProperties own = properties.queues().get(queue);
    if (own != null) {
      own.retry().check("punctual.queues." + queue);
    }
    return own == null ? common : own.apply(common, own.retry().over(all.retry()));
  }

  @Override
  public boolean autoStartup(String queue) {
    ListenerProperties own = properties.queues().get(queue);
    @Nullable Boolean ownStart = own == null ? null : own.autoStartup();
    Boolean start = ownStart == null ? properties.listener().autoStartup() : ownStart;
    return start == null || start;
  }

  @Override
  public void customize(String listener, String queue, WorkerOptions.Builder options) {
    customizers.forEach(customizer -> customizer.customize(listener, queue, options));
  }
}
