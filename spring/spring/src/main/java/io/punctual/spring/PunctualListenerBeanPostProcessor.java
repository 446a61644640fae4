package io.punctual.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.validation.Validator;

/**
 * Finds the {@link PunctualListener} methods of the application's beans, and adds them to the
 * {@link PunctualListenerRegistry} when all singletons exist, or at once for beans that are created
 * later. This post-processor has no order, so it runs after the ordered post-processors, and
 * listeners call the proxies that the ordered post-processors created.
 */
public final class PunctualListenerBeanPostProcessor
    implements BeanPostProcessor, BeanFactoryAware, SmartInitializingSingleton {
  private final Set<Class<?>> withoutListeners = ConcurrentHashMap.newKeySet();
  private final List<Found> found = new ArrayList<>();
  private @Nullable ConfigurableBeanFactory beans;
  private @Nullable ListenerReader reader;

  private record Found(
      PunctualListener annotation, Object bean, Class<?> owner, Method method, String defaultId) {}

  /** Returns whether a class has methods with {@link PunctualListener}. */
  public static boolean hasListeners(Class<?> type) {
    return AnnotationUtils.isCandidateClass(type, PunctualListener.class)
        && !annotated(type).isEmpty();
  }

  @Override
  public void setBeanFactory(BeanFactory factory) {
    beans = (ConfigurableBeanFactory) factory;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String name) {
    if (ScopedProxyUtils.isScopedTarget(name)) {
      return bean;
    }
    Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
    if (withoutListeners.contains(type)
        || !AnnotationUtils.isCandidateClass(type, PunctualListener.class)) {
      return bean;
    }
    Map<Method, Set<PunctualListener>> methods = annotated(type);
    if (methods.isEmpty()) {
      withoutListeners.add(type);
    }
    List<Found> all = new ArrayList<>();
    methods.forEach((method, annotations) -> add(annotations, bean, type, method, name, all));
    found(all);
    return bean;
  }

  static Map<Method, Set<PunctualListener>> annotated(Class<?> type) {
    return MethodIntrospector.selectMethods(
        type,
        (MethodIntrospector.MetadataLookup<@Nullable Set<PunctualListener>>)
            method -> {
              Set<PunctualListener> annotations = annotated(method);
              return annotations.isEmpty() ? null : annotations;
            });
  }

  /**
   * Returns the annotations of the method itself. If there are none, returns the annotations of the
   * methods that it overrides or implements.
   */
  private static Set<PunctualListener> annotated(Method method) {
    Set<PunctualListener> own =
        AnnotatedElementUtils.getMergedRepeatableAnnotations(
            method, PunctualListener.class, PunctualListeners.class);
    return own.isEmpty()
        ? AnnotatedElementUtils.findMergedRepeatableAnnotations(
            method, PunctualListener.class, PunctualListeners.class)
        : own;
  }

  private static void add(
      Set<PunctualListener> annotations,
      Object bean,
      Class<?> type,
      Method method,
      String name,
      List<Found> all) {
    int number = 1;
    for (PunctualListener annotation : annotations) {
      String id = name + "." + method.getName() + (number == 1 ? "" : "-" + number);
      all.add(new Found(annotation, bean, type, method, id));
      number++;
    }
  }

  private synchronized void found(List<Found> all) {
    if (reader == null) {
      found.addAll(all);
    } else {
      register(all, reader);
    }
  }

  /**
   * Reads the attributes of the annotations. An attribute may name any bean, so all singletons must
   * exist first.
   */
  @Override
  public synchronized void afterSingletonsInstantiated() {
    createScopedProxies();
    if (found.isEmpty() && !registryExists()) {
      return;
    }
    ListenerReader created = new ListenerReader(factory(), registry().codecs(), validator());
    reader = created;
    register(found, created);
    found.clear();
  }

  /**
   * Creates the scoped proxies of beans with listeners. Listeners call these proxies, which
   * otherwise exist only if a different bean refers to them.
   */
  private void createScopedProxies() {
    if (factory() instanceof ListableBeanFactory listable) {
      for (String name : listable.getBeanDefinitionNames()) {
        Class<?> type = ScopedProxyUtils.isScopedTarget(name) ? listable.getType(name) : null;
        if (type != null && hasListeners(type)) {
          Object unused = listable.getBean(ScopedProxyUtils.getOriginalBeanName(name));
        }
      }
    }
  }

  private boolean registryExists() {
    return factory().getBeanProvider(PunctualListenerRegistry.class).getIfAvailable() != null;
  }

  private void register(List<Found> listeners, ListenerReader from) {
    if (!listeners.isEmpty()) {
      registry().register(listeners.stream().map(each -> read(each, from)).toList());
    }
  }

  private static ListenerSpec read(Found listener, ListenerReader from) {
    return from.read(
        listener.annotation(),
        listener.bean(),
        listener.owner(),
        listener.method(),
        listener.defaultId());
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

  /**
   * Returns the only validator of the context. If there are several, returns {@code mvcValidator},
   * Spring MVC's validator; null if it is missing.
   */
  private @Nullable Validator validator() {
    Validator unique = factory().getBeanProvider(Validator.class).getIfUnique();
    if (unique == null && factory().containsBean("mvcValidator")) {
      return factory().getBean("mvcValidator", Validator.class);
    }
    return unique;
  }
}
