package io.punctual.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;
import org.springframework.messaging.handler.annotation.MessageMapping;

/**
 * Delivers the due messages of queues to a method of a bean.
 *
 * <pre>{@code
 * @PunctualListener("order-timeouts")
 * void close(Order order) {
 *   orders.close(order.id());
 * }
 * }</pre>
 *
 * <p>Parameters: the payload, with or without {@code @Payload} and {@code @Valid}; {@link
 * io.punctual.Delivery}; Spring's {@code Message}; {@code @Header} and {@code @Headers}, for the
 * headers of the message and those of {@link PunctualHeaders}. A single parameter {@code List<T>}
 * or {@code List<Delivery<T>>} receives a batch.
 *
 * <p>Returns: nothing, a {@code CompletionStage}, a type that Spring's {@code
 * ReactiveAdapterRegistry} knows, or the result of a Kotlin {@code suspend} function. The worker
 * acks the message when the method returns or its result completes, unless the method has settled
 * the {@code Delivery}. It applies the retry policy when the method or its result fails. A message
 * that does not fit the parameters, such as an invalid payload or a missing header, is buried
 * without a retry: see {@link ListenerArgumentException}. Any other signature fails at the start of
 * the application.
 *
 * <p>All strings may contain placeholders <code>${...}</code> and expressions {@code #{...}}. An
 * empty option of the worker, such as {@code lease}, has the default value of the queue: see {@link
 * ListenerDefaults}. An attribute that names a bean may also be an expression that returns the
 * object itself.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(PunctualListeners.class)
@MessageMapping
public @interface PunctualListener {
  /** The names of the queues. A string may contain several names, separated by commas. */
  @AliasFor("queues")
  String[] value() default {};

  /** As {@link #value}. */
  @AliasFor("value")
  String[] queues() default {};

  /** The listener's id in the {@link PunctualListenerRegistry}; by default {@code bean.method}. */
  String id() default "";

  /**
   * The maximum number of calls of the method at once, for all of its queues together: 1 to
   * 100,000.
   */
  String concurrency() default "";

  /**
   * The maximum number of messages that wait in the process for a free call of the method, for each
   * queue: 0 to 10,000. See {@link io.punctual.WorkerOptions.Builder#prefetch}.
   */
  String prefetch() default "";

  /**
   * The largest number of messages of a batch: 1 to 1000. Only for a method with a {@code List}
   * parameter.
   */
  String batchSize() default "";

  /** How long a claimed message is leased, such as {@code 30s} or {@code PT30S}. */
  String lease() default "";

  /** How long a call of the method may take. */
  String handlerTimeout() default "";

  /**
   * Whether the worker interrupts the method, or cancels its result, when a lease of its messages
   * is lost: {@code true} or {@code false}.
   */
  String interruptOnLeaseLost() default "";

  /** The bean of the {@link io.punctual.RetryPolicy}. */
  String retry() default "";

  /**
   * The limit of deliveries of a message, including the first: 1 to 1,000,000. A rule of the retry
   * policy can lower this limit for its exceptions, but not raise it.
   */
  String maxAttempts() default "";

  /** Exceptions that bury the message at once, before any rule of the retry policy applies. */
  Class<? extends Throwable>[] noRetryFor() default {};

  /** The bean of the {@link io.punctual.Codec}; by default the codec of the payload's type. */
  String codec() default "";

  /** The bean of the {@link java.util.concurrent.Executor} that runs the method. */
  String executor() default "";

  /** The bean of the {@link PunctualListenerErrorHandler}. */
  String errorHandler() default "";

  /**
   * The bean of the {@link io.punctual.deadletter.DeadHandler}, which receives a message before it
   * becomes a dead letter. Its payload has the type of the method's payload. A message that the
   * method itself buries does not go there.
   */
  String deadHandler() default "";

  /**
   * Whether the listener starts with the application; by default as {@link
   * ListenerDefaults#autoStartup} says for its queues.
   */
  String autoStartup() default "";
}
