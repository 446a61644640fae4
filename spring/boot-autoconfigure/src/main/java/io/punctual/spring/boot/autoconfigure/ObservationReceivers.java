package io.punctual.spring.boot.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler.IgnoredMeters;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.ObservationFilter;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationPredicate;
import io.micrometer.observation.ObservationRegistry;
import io.punctual.Interceptor;
import io.punctual.micrometer.ProcessConvention;
import io.punctual.micrometer.PunctualTimers;
import io.punctual.micrometer.ScheduleConvention;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationHandlerGroup;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationRegistryCustomizer;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** The beans and properties that receive or change the observations of an application. */
final class ObservationReceivers {
  private static final String SPRING_BOOT = "org.springframework.boot.";
  private static final String METER_REGISTRY = "io.micrometer.core.instrument.MeterRegistry";
  private static final String PROPERTIES = "management.observations.";
  private static final String IGNORED_METERS = "management.metrics.observations.ignored-meters";

  private final ConfigurableListableBeanFactory beans;
  private final Environment environment;

  ObservationReceivers(ConfigurableListableBeanFactory beans, Environment environment) {
    this.beans = beans;
    this.environment = environment;
  }

  /**
   * Returns the timers that replace Punctual's observations if only Spring Boot's meters receive
   * the observations, with their default names and tags; otherwise null. Also returns null if there
   * is no single registry of meters, or if this class cannot determine the receivers.
   */
  @Nullable Interceptor timers() {
    if (!ClassUtils.isPresent(METER_REGISTRY, beans.getBeanClassLoader()) || !areOnlyMeters()) {
      return null;
    }
    MeterRegistry registry = beans.getBeanProvider(MeterRegistry.class).getIfUnique();
    return registry == null
        ? null
        : PunctualTimers.builder(registry).longTaskTimers(haveLongTaskTimers()).build();
  }

  private boolean areOnlyMeters() {
    // The registry must be checked first: the other types of Spring Boot exist only with its
    // registry.
    return areOfSpringBoot(ObservationRegistry.class)
        && areMeterHandlers(names(ObservationHandler.class))
        && areOfSpringBoot(ObservationHandler.class)
        && areOfSpringBoot(ObservationHandlerGroup.class)
        && areOfSpringBoot(ObservationRegistryCustomizer.class)
        && areOfSpringBoot(ObservationPredicate.class)
        && areOfSpringBoot(ObservationFilter.class)
        && names(GlobalObservationConvention.class).length == 0
        && names(ScheduleConvention.class).length == 0
        && names(ProcessConvention.class).length == 0
        && !hasProperties();
  }

  private boolean haveLongTaskTimers() {
    return !Binder.get(environment)
        .bind(IGNORED_METERS, Bindable.setOf(IgnoredMeters.class))
        .orElse(Set.of())
        .contains(IgnoredMeters.LONG_TASK_TIMER);
  }

  private String[] names(Class<?> type) {
    return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type);
  }

  private boolean areMeterHandlers(String[] names) {
    return names.length > 0
        && Arrays.stream(names)
            .allMatch(name -> beans.getType(name) == DefaultMeterObservationHandler.class);
  }

  private boolean areOfSpringBoot(Class<?> type) {
    return Arrays.stream(names(type)).allMatch(this::isOfSpringBoot);
  }

  private boolean isOfSpringBoot(String name) {
    if (beans.containsBeanDefinition(name)
        && beans.getMergedBeanDefinition(name) instanceof RootBeanDefinition definition) {
      Method factory = definition.getResolvedFactoryMethod();
      return factory != null && factory.getDeclaringClass().getName().startsWith(SPRING_BOOT);
    }
    return false;
  }

  /** Returns whether Spring Boot properties may disable or change Punctual's observations. */
  private boolean hasProperties() {
    return !map("key-values", String.class).isEmpty()
        || map("enable", Boolean.class).keySet().stream()
            .anyMatch(name -> name.equals("all") || name.startsWith("punctual"));
  }

  private <T> Map<String, T> map(String property, Class<T> type) {
    return Binder.get(environment)
        .bind(PROPERTIES + property, Bindable.mapOf(String.class, type))
        .orElse(Map.of());
  }
}
