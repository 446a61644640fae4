package io.punctual.spring.boot.autoconfigure;

import io.punctual.spring.PunctualListenerRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
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
 * Warns of properties {@code punctual.*} that have no effect: their name is misspelled, the
 * application does not have or does not use what they are for, or the queue that they name has no
 * listener. Names the properties of a store that is not the chosen one as INFO.
 */
final class PropertyCheck implements ApplicationListener<ContextRefreshedEvent> {
  private static final Logger log = LoggerFactory.getLogger("io.punctual.spring.properties");
  private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("punctual");

  /** A test replaces the store, and leaves parts out, but has the properties of the application. */
  private static final String TEST_STORE = "punctualTestStore";

  private final ConfigurableListableBeanFactory beans;
  private final Environment environment;
  private final PunctualProperties properties;
  private final StoreAddress address;
  private final ObjectProvider<PunctualListenerRegistry> registries;
  private final QueueWatch watch;
  private final AtomicBoolean checked = new AtomicBoolean();

  PropertyCheck(
      ConfigurableListableBeanFactory beans,
      Environment environment,
      PunctualProperties properties,
      StoreAddress address,
      ObjectProvider<PunctualListenerRegistry> registries,
      QueueWatch watch) {
    this.beans = beans;
    this.environment = environment;
    this.properties = properties;
    this.address = address;
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
      KnownProperties known = known();
      checkNames(known);
      // Of conditions that were evaluated ahead of time, there is no report.
      if (!AotDetector.useGeneratedArtifacts() && !beans.containsBean(TEST_STORE)) {
        checkUse(known);
      }
    }
    checkQueues();
  }

  private KnownProperties known() {
    KnownProperties known = new KnownProperties().add("punctual", PunctualProperties.class);
    boolean metered = isPresent("io.punctual.micrometer.PunctualMeters");
    add(known, metered, "punctual.metrics", PunctualMetricsProperties.class);
    add(known, metered, "punctual.observation", PunctualObservationProperties.class);
    boolean served = isPresent("io.punctual.http.HttpApi");
    add(known, served, "punctual.http", PunctualHttpProperties.class);
    boolean linked =
        isPresent("io.punctual.rabbitmq.RabbitIntake")
            && isPresent("org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails");
    add(known, linked, "punctual.rabbitmq", PunctualRabbitProperties.class);
    return known;
  }

  /** Without its libraries, the class can't be read. */
  private static void add(
      KnownProperties known, boolean isReadable, String prefix, Class<? extends Record> type) {
    KnownProperties unused = isReadable ? known.add(prefix, type) : known.addAny(prefix);
  }

  private boolean isPresent(String type) {
    return ClassUtils.isPresent(type, beans.getBeanClassLoader());
  }

  /**
   * Checks the spelling. The environment variables of the operating system are not checked: other
   * programs use the same prefix.
   */
  private void checkNames(KnownProperties known) {
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      if (!(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)) {
        names(source)
            .filter(known::isUnknown)
            .forEach(name -> warn(source.getConfigurationProperty(name), name, known));
      }
    }
  }

  private static Stream<ConfigurationPropertyName> names(ConfigurationPropertySource source) {
    return source instanceof IterableConfigurationPropertySource names
        ? names.stream().filter(PREFIX::isAncestorOf)
        : Stream.empty();
  }

  private void checkUse(KnownProperties known) {
    UnusedProperties unused = new UnusedProperties(beans, environment, address);
    Set<ConfigurationPropertyName> names = new TreeSet<>();
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      names(source).filter(name -> !known.isUnknown(name)).forEach(names::add);
    }
    Map<Level, Map<String, Set<String>>> byReason = new EnumMap<>(Level.class);
    for (ConfigurationPropertyName name : names) {
      unused
          .reason(name)
          .ifPresent(
              reason ->
                  byReason
                      .computeIfAbsent(
                          unused.isOfAnotherStore(name) ? Level.INFO : Level.WARN,
                          level -> new TreeMap<>())
                      .computeIfAbsent(reason, first -> new TreeSet<>())
                      .add(name.toString()));
    }
    byReason.forEach(
        (level, reasons) ->
            reasons.forEach(
                (reason, its) ->
                    log.atLevel(level)
                        .log("The properties {} have no effect, because {}", its, reason)));
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
                + " queue, unless the application, or a child context, starts a worker for it"
                + " later{}",
            queue,
            NearestName.question(queue, listened));
      }
    }
  }
}
