package io.punctual.spring;

import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.RegisteredBean;

/**
 * Registers the methods of listeners and the types of their payloads for reflection in native
 * images.
 */
final class ListenerAotProcessor implements BeanRegistrationAotProcessor {
  @Override
  public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
    Class<?> type = bean.getBeanClass();
    return PunctualListenerBeanPostProcessor.hasListeners(type) ? new Contribution(type) : null;
  }

  private static final class Contribution implements BeanRegistrationAotContribution {
    private final Class<?> type;

    Contribution(Class<?> type) {
      this.type = type;
    }

    @Override
    public void applyTo(GenerationContext context, BeanRegistrationCode code) {
      ReflectionHints hints = context.getRuntimeHints().reflection();
      for (var method : PunctualListenerBeanPostProcessor.annotated(type).keySet()) {
        hints.registerMethod(method, ExecutableMode.INVOKE);
        List<Type> payload = HandlerSignature.of(method, type).payload().stream().toList();
        new BindingReflectionHintsRegistrar()
            .registerReflectionHints(hints, payload.toArray(Type[]::new));
      }
    }
  }
}
