package io.punctual.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.messaging.handler.annotation.support.MessageHandlerMethodFactory;
import org.springframework.validation.Validator;

/**
 * Finds the {@link PunctualListener} methods of the application's beans, and adds them to the
 * {@link PunctualListenerRegistry} when all singletons exist.
 */
public final class PunctualListenerBeanPostProcessor
    implements BeanPostProcessor, Ordered, BeanFactoryAware, SmartInitializingSingleton {
  private final Set<Class<?>> withoutListeners = ConcurrentHashMap.newKeySet();
  private final List<Found> found = new ArrayList<>();
  private @Nullable ConfigurableBeanFactory beans;
  private @Nullable ListenerReader reader;

  private record Found(
      PunctualListener annotation, Object bean, Class<?> owner, Method method, String defaultId) {}

  /** Returns whether a class has methods with listeners. */
  public static boolean hasListeners(Class<?> type) {
    return AnnotationUtils.isCandidateClass(type, PunctualListener.class)
        && !annotated(type).isEmpty();
  }

  @Override
  public void setBeanFactory(BeanFactory factory) {
    beans = (ConfigurableBeanFactory) factory;
  }

  /** Runs after the proxies of other post-processors were created. */
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
    if (withoutListeners.contains(type)
        || !AnnotationUtils.isCandidateClass(type, PunctualListener.class)) {
      return bean;
    }
    Map<Method, Set<PunctualListener>> methods = annotated(type);
    if (methods.isEmpty()) {
      withoutListeners.add(type);
    }
    methods.forEach((method, annotations) -> found(annotations, bean, type, method, name));
    return bean;
  }

  static Map<Method, Set<PunctualListener>> annotated(Class<?> type) {
    return MethodIntrospector.selectMethods(
        type,
        (MethodIntrospector.MetadataLookup<@Nullable Set<PunctualListener>>)
            method -> {
              Set<PunctualListener> annotations =
                  AnnotatedElementUtils.findMergedRepeatableAnnotations(
                      method, PunctualListener.class, PunctualListeners.class);
              return annotations.isEmpty() ? null : annotations;
            });
  }

  private synchronized void found(
      Set<PunctualListener> annotations, Object bean, Class<?> type, Method method, String name) {
    int number = 1;
    for (PunctualListener annotation : annotations) {
      String id = name + "." + method.getName() + (number == 1 ? "" : "-" + number);
      Found listener = new Found(annotation, bean, type, method, id);
      number++;
      if (reader == null) {
        found.add(listener);
      } else {
        register(listener, reader);
      }
    }
  }

  /** Reads the annotations only now, because they may name any bean. */
  @Override
  public synchronized void afterSingletonsInstantiated() {
    if (found.isEmpty() && !registryExists()) {
      return;
    }
    ListenerReader created = new ListenerReader(factory(), methods(), registry().codecs());
    reader = created;
    found.forEach(listener -> register(listener, created));
    found.clear();
  }

  private boolean registryExists() {
    return factory().getBeanProvider(PunctualListenerRegistry.class).getIfAvailable() != null;
  }

  private void register(Found listener, ListenerReader from) {
    registry()
        .register(
            from.read(
                listener.annotation(),
                listener.bean(),
                listener.owner(),
                listener.method(),
                listener.defaultId()),
            HandlerSignature.describe(listener.method()));
  }

  private PunctualListenerRegistry registry() {
    return factory().getBean(PunctualListenerRegistry.class);
  }

  private ConfigurableBeanFactory factory() {
    if (beans == null) {
      throw new IllegalStateException("setBeanFactory was not called");
    }
    return beans;
  }

  private MessageHandlerMethodFactory methods() {
    HandlerMethodFactory methods = new HandlerMethodFactory();
    methods.setBeanFactory(factory());
    Validator validator = validator();
    if (validator != null) {
      methods.setValidator(validator);
    }
    methods.afterPropertiesSet();
    return methods;
  }

  /** The name is that of Spring's own validator, in Spring Boot and in Web MVC. */
  private @Nullable Validator validator() {
    Validator unique = factory().getBeanProvider(Validator.class).getIfUnique();
    if (unique == null && factory().containsBean("mvcValidator")) {
      return factory().getBean("mvcValidator", Validator.class);
    }
    return unique;
  }
}
