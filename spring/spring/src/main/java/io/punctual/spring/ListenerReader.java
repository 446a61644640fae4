package io.punctual.spring;

import io.punctual.Codec;
import io.punctual.RetryPolicy;
import io.punctual.WorkerOptions;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.messaging.handler.annotation.support.MessageHandlerMethodFactory;
import org.springframework.messaging.handler.invocation.MethodArgumentResolutionException;

/** Reads the listeners of a bean's method. */
final class ListenerReader {
  private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9._-]+");

  private final ConfigurableBeanFactory beans;
  private final MessageHandlerMethodFactory methods;
  private final PunctualCodecs codecs;

  ListenerReader(
      ConfigurableBeanFactory beans, MessageHandlerMethodFactory methods, PunctualCodecs codecs) {
    this.beans = beans;
    this.methods = methods;
    this.codecs = codecs;
  }

  /** Returns the listener of an annotation; {@code defaultId} applies if it names no id. */
  ListenerSpec read(
      PunctualListener annotation, Object bean, Class<?> owner, Method method, String defaultId) {
    String name = HandlerSignature.describe(method);
    Expressions expressions = new Expressions(beans, name);
    List<String> queues = expressions.names("queues", annotation.queues());
    if (queues.isEmpty()) {
      throw new ListenerDefinitionException(name, "it names no queue", "Set the attribute value");
    }
    queues.forEach(queue -> checkName(queue, name));
    HandlerSignature signature = HandlerSignature.of(method, owner);
    checkBatchSize(annotation, signature, name);
    String id = expressions.text("id", annotation.id());
    return new ListenerSpec(
        id == null ? defaultId : id,
        queues,
        codec(annotation, expressions, signature, name),
        attributes(annotation, expressions, name),
        listenerMethod(annotation, expressions, bean, method, signature),
        expressions.flag("autoStartup", annotation.autoStartup()));
  }

  private static void checkName(String queue, String name) {
    if (!QUEUE.matcher(queue).matches()) {
      throw new ListenerDefinitionException(
          name,
          "'" + queue + "' is no queue's name",
          "Define the property that it names, or use letters, digits, dots, dashes and"
              + " underscores");
    }
  }

  private static void checkBatchSize(
      PunctualListener annotation, HandlerSignature signature, String name) {
    if (!annotation.batchSize().isEmpty() && signature.batch() == HandlerSignature.Batch.NONE) {
      throw new ListenerDefinitionException(
          name,
          "it has a batchSize, but receives single messages",
          "Use a parameter List<T>, or remove batchSize");
    }
  }

  private Codec<?> codec(
      PunctualListener annotation,
      Expressions expressions,
      HandlerSignature signature,
      String name) {
    Codec<?> codec = expressions.bean("codec", annotation.codec(), Codec.class);
    if (codec != null) {
      return codec;
    }
    Type payload = signature.payload().orElse(byte[].class);
    try {
      return codecs.codec(payload);
    } catch (RuntimeException e) {
      throw new ListenerDefinitionException(
          name,
          "its payload is " + payload.getTypeName() + ", which has no codec",
          "Set the attribute codec, or change the type",
          e);
    }
  }

  private ListenerMethod listenerMethod(
      PunctualListener annotation,
      Expressions expressions,
      Object bean,
      Method method,
      HandlerSignature signature) {
    PunctualListenerErrorHandler errorHandler =
        expressions.bean(
            "errorHandler", annotation.errorHandler(), PunctualListenerErrorHandler.class);
    Method callable = AopUtils.selectInvocableMethod(method, bean.getClass());
    return new ListenerMethod(
        methods.createInvocableHandlerMethod(bean, callable), signature, errorHandler);
  }

  private static UnaryOperator<WorkerOptions> attributes(
      PunctualListener annotation, Expressions expressions, String name) {
    Integer concurrency = expressions.number("concurrency", annotation.concurrency());
    Integer batchSize = expressions.number("batchSize", annotation.batchSize());
    Duration lease = expressions.duration("lease", annotation.lease());
    Duration timeout = expressions.duration("handlerTimeout", annotation.handlerTimeout());
    Boolean interrupt = expressions.flag("interruptOnLeaseLost", annotation.interruptOnLeaseLost());
    Executor executor = expressions.bean("executor", annotation.executor(), Executor.class);
    UnaryOperator<RetryPolicy> retry = retry(annotation, expressions);
    UnaryOperator<WorkerOptions> attributes =
        defaults -> {
          WorkerOptions.Builder options = defaults.toBuilder();
          set(concurrency, options::concurrency);
          set(batchSize, options::batchSize);
          set(lease, options::lease);
          set(timeout, options::handlerTimeout);
          set(interrupt, options::interruptOnLeaseLost);
          set(executor, options::executor);
          return options.retryPolicy(retry.apply(defaults.retryPolicy())).build();
        };
    return checked(attributes, name);
  }

  /** Applies the attributes once, so that a value out of range fails when the context starts. */
  private static UnaryOperator<WorkerOptions> checked(
      UnaryOperator<WorkerOptions> attributes, String name) {
    try {
      WorkerOptions unused = attributes.apply(WorkerOptions.DEFAULT);
      return attributes;
    } catch (IllegalArgumentException e) {
      throw new ListenerDefinitionException(
          name, String.valueOf(e.getMessage()), "Change the attribute", e);
    }
  }

  private static <V> void set(@Nullable V value, java.util.function.Function<V, ?> setter) {
    if (value != null) {
      Object unused = setter.apply(value);
    }
  }

  private static UnaryOperator<RetryPolicy> retry(
      PunctualListener annotation, Expressions expressions) {
    RetryPolicy bean = expressions.bean("retry", annotation.retry(), RetryPolicy.class);
    Integer maxAttempts = expressions.number("maxAttempts", annotation.maxAttempts());
    List<Class<? extends Throwable>> fatal = List.of(annotation.noRetryFor());
    return defaults -> {
      RetryPolicy policy = bean == null ? defaults : bean;
      RetryPolicy limited = maxAttempts == null ? policy : policy.maxAttempts(maxAttempts);
      return limited.forFailure(failure -> isFatal(fatal, failure), RetryPolicy.never());
    };
  }

  /** An argument that can't be resolved, such as an invalid payload, stays so. */
  private static boolean isFatal(List<Class<? extends Throwable>> fatal, Throwable failure) {
    Throwable cause = ListenerMethod.unwrapped(failure);
    return cause instanceof MethodArgumentResolutionException
        || fatal.stream().anyMatch(type -> type.isInstance(cause));
  }
}
