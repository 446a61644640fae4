package io.punctual.spring.boot.autoconfigure;

import io.punctual.spring.PunctualListenerRegistry;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.NativeDetector;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.ClassUtils;

/**
 * Warns of properties {@code punctual.*} that have no effect, because their name is misspelled, or
 * the queue that they name has no listener. The environment variables of the operating system are
 * not checked: other programs use the same prefix.
 */
final class SpellingCheck implements ApplicationListener<ContextRefreshedEvent> {
  private static final Logger log = LoggerFactory.getLogger("io.punctual.spring.properties");
  private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("punctual");

  private final Environment environment;
  private final PunctualProperties properties;
  private final ObjectProvider<PunctualListenerRegistry> registries;
  private final QueueWatch watch;
  private final AtomicBoolean checked = new AtomicBoolean();

  SpellingCheck(
      Environment environment,
      PunctualProperties properties,
      ObjectProvider<PunctualListenerRegistry> registries,
      QueueWatch watch) {
    this.environment = environment;
    this.properties = properties;
    this.registries = registries;
    this.watch = watch;
  }

  @Override
  public void onApplicationEvent(ContextRefreshedEvent event) {
    if (checked.getAndSet(true)) {
      return;
    }
    // A native image can't list the components of records.
    if (!NativeDetector.inNativeImage()) {
      checkNames();
    }
    checkQueues();
  }

  /** Without their libraries, properties have no effect, and their classes can't be read. */
  private static KnownProperties known() {
    KnownProperties known = new KnownProperties().add("punctual", PunctualProperties.class);
    if (isPresent("io.punctual.micrometer.PunctualMeters")) {
      known
          .add("punctual.metrics", PunctualMetricsProperties.class)
          .add("punctual.observation", PunctualObservationProperties.class);
    }
    if (isPresent("io.punctual.http.HttpApi")) {
      known.add("punctual.http", PunctualHttpProperties.class);
    }
    if (isPresent("io.punctual.rabbitmq.RabbitIntake")
        && isPresent("org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails")) {
      known.add("punctual.rabbitmq", PunctualRabbitProperties.class);
    }
    return known;
  }

  private static boolean isPresent(String type) {
    return ClassUtils.isPresent(type, SpellingCheck.class.getClassLoader());
  }

  private void checkNames() {
    KnownProperties known = known();
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      if (source instanceof IterableConfigurationPropertySource names
          && !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
        names.stream()
            .filter(name -> PREFIX.isAncestorOf(name) && known.isUnknown(name))
            .forEach(name -> warn(source.getConfigurationProperty(name), name, known));
      }
    }
  }

  private static void warn(
      @Nullable ConfigurationProperty property,
      ConfigurationPropertyName name,
      KnownProperties known) {
    log.warn(
        "The property {} has no effect, because Punctual has no such property{}{}",
        name,
        known.nearest(name).map(right -> "; did you mean " + right + "?").orElse(""),
        property == null || property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")");
  }

  private void checkQueues() {
    Set<String> listened = new TreeSet<>(watch.workedQueues());
    registries.ifAvailable(
        registry -> registry.listeners().forEach(each -> listened.addAll(each.queues())));
    for (String queue : new TreeSet<>(properties.queues().keySet())) {
      if (!listened.contains(queue)) {
        log.warn(
            "The properties punctual.queues.{}.* have no effect, because no listener has this"
                + " queue, unless the application starts a worker for it later{}",
            queue,
            NearestName.question(queue, listened));
      }
    }
  }
}
