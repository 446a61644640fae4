package io.punctual.spring;

import io.punctual.Codec;
import io.punctual.RetryPolicy;
import io.punctual.WorkerOptions;
import io.punctual.deadletter.DeadHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;
import org.springframework.scheduling.annotation.Async;
import org.springframework.validation.Validator;

/** Creates the definition of a listener from its annotation and its method. */
final class ListenerReader {
  private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9._-]+");

  private final ConfigurableBeanFactory beans;
  private final HandlerMethodFactory methods;
  private final PunctualCodecs codecs;
  private final @Nullable Validator validator;

  ListenerReader(
      ConfigurableBeanFactory beans, PunctualCodecs codecs, @Nullable Validator validator) {
    this.beans = beans;
    this.methods = new HandlerMethodFactory(beans, validator);
    this.codecs = codecs;
    this.validator = validator;
  }

  /**
   * Returns the listener that an annotation defines. The listener has the id {@code defaultId} if
   * the annotation names no id.
   */
  ListenerSpec read(
      PunctualListener annotation, Object bean, Class<?> owner, Method method, String defaultId) {
    String name = HandlerSignature.describe(method);
    Expressions expressions = new Expressions(beans, name);
    List<String> queues =
        expressions.names("queues", annotation.queues()).stream().distinct().toList();
    if (queues.isEmpty()) {
      throw new ListenerDefinitionException(name, "it names no queue", "Set the attribute value");
    }
    queues.forEach(queue -> checkName(queue, name));
    HandlerSignature signature = HandlerSignature.of(method, owner);
    checkAsync(method, owner, name);
    checkValidator(signature, name);
    Integer batchSize = expressions.number("batchSize", annotation.batchSize());
    checkBatchSize(batchSize, signature, name);
    String id = expressions.text("id", annotation.id());
    return new ListenerSpec(
        id == null ? defaultId : id,
        name,
        queues,
        codec(annotation, expressions, signature, name),
        attributes(annotation, expressions, batchSize, name),
        listenerMethod(annotation, expressions, bean, method, signature, name),
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

  /**
   * Rejects {@code @Async} on a method that returns no {@code CompletableFuture}: the worker would
   * ack the message before the method has run.
   */
  private static void checkAsync(Method method, Class<?> owner, String name) {
    boolean async =
        AnnotatedElementUtils.hasAnnotation(method, Async.class)
            || AnnotatedElementUtils.hasAnnotation(owner, Async.class);
    if (async && method.getReturnType() != CompletableFuture.class) {
      throw new ListenerDefinitionException(
          name,
          "it has @Async, but does not return a CompletableFuture, which the worker could await",
          "Remove @Async and set the attribute executor, or return a CompletableFuture");
    }
  }

  private void checkValidator(HandlerSignature signature, String name) {
    signature
        .validated()
        .filter(type -> validator == null || !validator.supports(type))
        .ifPresent(
            type -> {
              throw new ListenerDefinitionException(
                  name,
                  "there is no validator for the payload " + type.getTypeName(),
                  "Define one bean of org.springframework.validation.Validator that supports it,"
                      + " or add an implementation of Jakarta Validation");
            });
  }

  private static void checkBatchSize(
      @Nullable Integer batchSize, HandlerSignature signature, String name) {
    if (batchSize != null && signature.batch() == HandlerSignature.Batch.NONE) {
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
    if (signature.untyped()) {
      throw new ListenerDefinitionException(
          name,
          "its payload has no type that a codec can decode",
          "Use the type of the payload, byte[] for its bytes, or set the attribute codec");
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
      HandlerSignature signature,
      String name) {
    PunctualListenerErrorHandler errorHandler =
        expressions.bean(
            "errorHandler", annotation.errorHandler(), PunctualListenerErrorHandler.class);
    DeadHandler<?> deadHandler =
        expressions.bean("deadHandler", annotation.deadHandler(), DeadHandler.class);
    return new ListenerMethod(callable(bean, method, name), signature, errorHandler, deadHandler);
  }

  private InvocableHandlerMethod callable(Object bean, Method method, String name) {
    try {
      return methods.createInvocableHandlerMethod(
          bean, AopUtils.selectInvocableMethod(method, bean.getClass()));
    } catch (IllegalStateException e) {
      throw new ListenerDefinitionException(
          name,
          "the proxy of its bean does not have the method",
          "Add the method to an interface of the bean, or use a proxy of the class, where the"
              + " method is not private",
          e);
    }
  }

  private static UnaryOperator<WorkerOptions> attributes(
      PunctualListener annotation,
      Expressions expressions,
      @Nullable Integer batchSize,
      String name) {
    Integer concurrency = expressions.number("concurrency", annotation.concurrency());
    Integer prefetch = expressions.number("prefetch", annotation.prefetch());
    Duration lease = expressions.duration("lease", annotation.lease());
    Duration timeout = expressions.duration("handlerTimeout", annotation.handlerTimeout());
    Boolean interrupt = expressions.flag("interruptOnLeaseLost", annotation.interruptOnLeaseLost());
    Executor executor = expressions.bean("executor", annotation.executor(), Executor.class);
    UnaryOperator<RetryPolicy> retry = retry(annotation, expressions);
    UnaryOperator<WorkerOptions> attributes =
        defaults -> {
          WorkerOptions.Builder options = defaults.toBuilder();
          set(concurrency, options::concurrency);
          set(prefetch, options::prefetch);
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
      return maxAttempts == null
          ? new ListenerRetryPolicy(policy, OptionalInt.empty(), fatal)
          : new ListenerRetryPolicy(
              policy.maxAttempts(maxAttempts), OptionalInt.of(maxAttempts), fatal);
    };
  }
}
