package io.punctual.spring;

import io.punctual.Delivery;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.StandardReflectionParameterNameDiscoverer;
import org.springframework.core.annotation.SynthesizingMethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.handler.annotation.ValueConstants;
import org.springframework.messaging.support.MessageHeaderAccessor;
import org.springframework.util.ClassUtils;

/**
 * The parts of a listener's method that decide how a worker calls it: the parameters and the return
 * type.
 *
 * @param payload the type that the codec decodes, or empty if no parameter names a type
 * @param batch the content of the list that receives a batch, or {@code NONE} if there is no such
 *     list
 * @param result the kind of the return type
 * @param validated the class of the payload if it is validated, otherwise empty
 * @param untyped whether a parameter receives the payload, but none names its type
 */
record HandlerSignature(
    Optional<Type> payload,
    Batch batch,
    Result result,
    Optional<Class<?>> validated,
    boolean untyped) {
  /**
   * The content of the list that receives a batch; {@code NONE} for a method that receives single
   * messages.
   */
  enum Batch {
    NONE,
    PAYLOADS,
    DELIVERIES
  }

  /** The kinds of return types. */
  enum Result {
    NOTHING,
    STAGE,
    REACTIVE,
    SUSPENDED
  }

  /** Reads the signature of a listener's method of the class {@code owner}. */
  static HandlerSignature of(Method method, Class<?> owner) {
    return new Reader(method, owner).read();
  }

  boolean isAsync() {
    return result != Result.NOTHING;
  }

  private static final class Reader {
    private final Method method;
    private final Class<?> owner;
    private @Nullable Type payload;
    private @Nullable Class<?> validated;
    private boolean hasPayload;
    private Batch batch = Batch.NONE;

    Reader(Method method, Class<?> owner) {
      this.method = method;
      this.owner = owner;
    }

    HandlerSignature read() {
      int others = 0;
      for (int i = 0; i < method.getParameterCount(); i++) {
        MethodParameter parameter = new SynthesizingMethodParameter(method, i);
        if (!isContinuation(parameter)) {
          read(parameter, ResolvableType.forMethodParameter(method, i, owner));
          others++;
        }
      }
      if (batch != Batch.NONE && others > 1) {
        throw failure(
            "a method with a list has further parameters",
            "Remove them: a batch has no common headers, and List<Delivery<T>> has them all");
      }
      return new HandlerSignature(
          Optional.ofNullable(payload),
          batch,
          result(),
          Optional.ofNullable(validated),
          hasPayload && payload == null);
    }

    private void read(MethodParameter parameter, ResolvableType type) {
      Class<?> raw = parameter.getParameterType();
      checkValidation(parameter, raw);
      if (parameter.hasParameterAnnotation(Header.class) || isHeaders(parameter)) {
        checkHeader(parameter, raw);
        return;
      }
      checkPayload(parameter);
      checkKind(parameter, raw);
      if (isWrapper(raw)) {
        take(type.getGeneric(0), parameter);
      } else if (raw == List.class) {
        readList(bound(type.getGeneric(0)), parameter);
      } else if (hasPayload) {
        throw failure(
            "the parameters " + name(parameter) + " and a parameter before it are payloads",
            "A method has one payload; mark headers with @Header");
      } else {
        hasPayload = true;
        validated = PayloadArguments.isValidated(parameter) ? raw : null;
        take(type, parameter);
      }
    }

    private void readList(ResolvableType element, MethodParameter parameter) {
      boolean deliveries = element.toClass() == Delivery.class;
      hasPayload |= !deliveries;
      batch = deliveries ? Batch.DELIVERIES : Batch.PAYLOADS;
      take(deliveries ? element.getGeneric(0) : element, parameter);
    }

    private static boolean isWrapper(Class<?> raw) {
      return raw == Delivery.class || raw == Message.class;
    }

    private void checkValidation(MethodParameter parameter, Class<?> raw) {
      if (!PayloadArguments.isValidated(parameter)) {
        return;
      }
      if (raw == List.class) {
        throw failure(
            "a batch can't be validated",
            "Validate its elements in the method, or take single messages");
      }
      if (isWrapper(raw)
          || parameter.hasParameterAnnotation(Header.class)
          || isHeaders(parameter)) {
        throw failure(
            "the parameter " + name(parameter) + " can't be validated",
            "Add a parameter of the payload's type, and validate that");
      }
    }

    private void checkHeader(MethodParameter parameter, Class<?> raw) {
      Header header = parameter.getParameterAnnotation(Header.class);
      if (header == null) {
        if (!Map.class.isAssignableFrom(raw) || !raw.isAssignableFrom(MessageHeaders.class)) {
          throw failure(
              "the parameter " + name(parameter) + " can't have the headers",
              "Use @Headers Map<String, Object> or MessageHeaders");
        }
      } else {
        checkName(header, parameter);
        checkOptional(header, parameter, raw);
      }
    }

    private void checkName(Header header, MethodParameter parameter) {
      parameter.initParameterNameDiscovery(new StandardReflectionParameterNameDiscoverer());
      if (header.name().isEmpty() && parameter.getParameterName() == null) {
        throw failure(
            "@Header of the parameter " + name(parameter) + " has no name",
            "Set the attribute value, or compile with -parameters");
      }
    }

    private void checkOptional(Header header, MethodParameter parameter, Class<?> raw) {
      boolean nothing =
          !header.required() && header.defaultValue().equals(ValueConstants.DEFAULT_NONE);
      // For a missing header, Spring passes false to a boolean parameter.
      if (nothing && raw.isPrimitive() && raw != boolean.class) {
        throw failure(
            "the parameter " + name(parameter) + " is optional, but a primitive value",
            "Use its class, such as Integer, or set defaultValue");
      }
    }

    /**
     * Rejects subtypes of {@code Delivery} and {@code Message}, because no argument would have the
     * subtype.
     */
    private void checkKind(MethodParameter parameter, Class<?> raw) {
      boolean wrapper = Delivery.class.isAssignableFrom(raw) || Message.class.isAssignableFrom(raw);
      if (wrapper && !isWrapper(raw)) {
        throw failure(
            "the parameter " + name(parameter) + " is a " + raw.getSimpleName(),
            "Use Delivery<T> or Spring's Message<T>");
      }
    }

    private void checkPayload(MethodParameter parameter) {
      Payload annotation = parameter.getParameterAnnotation(Payload.class);
      if (annotation != null && !annotation.expression().isEmpty()) {
        throw failure(
            "@Payload has an expression", "Remove the expression and read the field in the method");
      }
    }

    private void take(ResolvableType type, MethodParameter parameter) {
      ResolvableType bound = bound(type);
      Class<?> raw = bound.resolve();
      if (raw == null || raw == Object.class) {
        return;
      }
      Type found = bound.hasGenerics() ? bound.getType() : raw;
      if (payload != null
          && !ResolvableType.forType(payload).equalsType(ResolvableType.forType(found))) {
        throw failure(
            "the parameter "
                + name(parameter)
                + " has the payload "
                + found.getTypeName()
                + ", but a parameter before it has "
                + payload.getTypeName(),
            "Use the same type in all parameters");
      }
      payload = found;
    }

    /**
     * Returns the upper bound of a wildcard: Kotlin compiles {@code List<T>} to {@code List<?
     * extends T>}.
     */
    private static ResolvableType bound(ResolvableType type) {
      return type.getType() instanceof WildcardType wildcard
          ? ResolvableType.forType(wildcard.getUpperBounds()[0])
          : type;
    }

    private static boolean isHeaders(MethodParameter parameter) {
      return parameter.hasParameterAnnotation(Headers.class)
          || MessageHeaders.class.isAssignableFrom(parameter.getParameterType())
          || MessageHeaderAccessor.class.isAssignableFrom(parameter.getParameterType());
    }

    private boolean isContinuation(MethodParameter parameter) {
      return KotlinDetector.isSuspendingFunction(method)
          && parameter.getParameterIndex() == method.getParameterCount() - 1;
    }

    private Result result() {
      Class<?> type = method.getReturnType();
      if (KotlinDetector.isSuspendingFunction(method)) {
        checkCoroutines();
        return Result.SUSPENDED;
      }
      if (type == void.class || type == Void.class || type.getName().equals("kotlin.Unit")) {
        return Result.NOTHING;
      }
      if (CompletionStage.class.isAssignableFrom(type)) {
        return Result.STAGE;
      }
      ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
      if (adapter == null) {
        throw failure(
            "it returns " + type.getTypeName(),
            "Return void, a CompletionStage or a reactive type; to send a reply, schedule a"
                + " message");
      }
      return Result.REACTIVE;
    }

    private void checkCoroutines() {
      boolean reactor =
          ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", owner.getClassLoader());
      if (!reactor || !KotlinDetector.isKotlinReflectPresent()) {
        throw failure(
            "it is a suspend function, and the libraries for its call are not on the class path",
            "Add org.jetbrains.kotlinx:kotlinx-coroutines-reactor and"
                + " org.jetbrains.kotlin:kotlin-reflect");
      }
    }

    private static String name(MethodParameter parameter) {
      return "number " + (parameter.getParameterIndex() + 1);
    }

    private ListenerDefinitionException failure(String problem, String remedy) {
      return new ListenerDefinitionException(describe(method), problem, remedy);
    }
  }

  /** Returns a method's class, name and parameter types, for the texts of exceptions. */
  static String describe(Method method) {
    return Arrays.stream(method.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(
            Collectors.joining(
                ", ",
                method.getDeclaringClass().getSimpleName() + "." + method.getName() + "(",
                ")"));
  }
}
