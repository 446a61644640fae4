package io.punctual.spring;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.CoroutinesUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.convert.ConversionException;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessagingException;
import org.springframework.messaging.converter.GenericMessageConverter;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;
import org.springframework.messaging.handler.annotation.support.PayloadMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;
import org.springframework.validation.Validator;

/**
 * Spring's factory of method calls, which this class extends to parameters of the type {@code
 * Delivery} and to suspending functions of Kotlin.
 */
final class HandlerMethodFactory extends DefaultMessageHandlerMethodFactory {
  private final HandlerMethodArgumentResolverComposite resolvers = new Arguments();
  private final PayloadArguments payloads;

  HandlerMethodFactory(BeanFactory beans, @Nullable Validator validator) {
    var conversions = new DefaultFormattingConversionService();
    payloads = new PayloadArguments(new GenericMessageConverter(conversions), validator);
    setBeanFactory(beans);
    setConversionService(conversions);
    afterPropertiesSet();
  }

  @Override
  protected List<HandlerMethodArgumentResolver> initArgumentResolvers() {
    List<HandlerMethodArgumentResolver> all = new ArrayList<>();
    all.add(new DeliveryArguments());
    all.add(new ContinuationArguments());
    all.addAll(super.initArgumentResolvers());
    all.replaceAll(each -> each instanceof PayloadMethodArgumentResolver ? payloads : each);
    resolvers.addResolvers(all);
    return all;
  }

  @Override
  public InvocableHandlerMethod createInvocableHandlerMethod(Object bean, Method method) {
    SuspendableMethod created = new SuspendableMethod(bean, method);
    created.setMessageMethodArgumentResolvers(resolvers);
    return created;
  }

  /**
   * All resolvers of arguments. A failed conversion or a missing header becomes a {@link
   * ListenerArgumentException}, because a retry would fail again. Other exceptions stay unchanged,
   * so the message is retried if, for example, a validator does not reach its database.
   */
  private static final class Arguments extends HandlerMethodArgumentResolverComposite {
    @Override
    public @Nullable Object resolveArgument(MethodParameter parameter, Message<?> message)
        throws Exception {
      try {
        return super.resolveArgument(parameter, message);
      } catch (MessagingException | ConversionException e) {
        throw ListenerArgumentException.unresolvable(parameter, e);
      }
    }
  }

  /** Resolves parameters of the type {@link io.punctual.Delivery}. */
  private static final class DeliveryArguments implements HandlerMethodArgumentResolver {
    @Override
    public boolean supportsParameter(MethodParameter parameter) {
      return parameter.getParameterType() == io.punctual.Delivery.class;
    }

    @Override
    public @Nullable Object resolveArgument(MethodParameter parameter, Message<?> message) {
      return message.getHeaders().get(PunctualHeaders.DELIVERY);
    }
  }

  /**
   * Resolves the hidden parameter of suspending functions to null; {@code CoroutinesUtils} replaces
   * the null.
   */
  private static final class ContinuationArguments implements HandlerMethodArgumentResolver {
    @Override
    public boolean supportsParameter(MethodParameter parameter) {
      return parameter.getParameterType().getName().equals("kotlin.coroutines.Continuation");
    }

    @Override
    public @Nullable Object resolveArgument(MethodParameter parameter, Message<?> message) {
      return null;
    }
  }

  private static final class SuspendableMethod extends InvocableHandlerMethod {
    SuspendableMethod(Object bean, Method method) {
      super(bean, method);
    }

    @Override
    protected @Nullable Object doInvoke(@Nullable Object... args) throws Exception {
      Method method = getBridgedMethod();
      return KotlinDetector.isSuspendingFunction(method)
          ? CoroutinesUtils.invokeSuspendingFunction(method, getBean(), args)
          : super.doInvoke(args);
    }
  }
}
