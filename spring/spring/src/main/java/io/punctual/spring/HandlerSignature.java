package io.punctual.spring;

import io.punctual.Delivery;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.SynthesizingMethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;

/**
 * A listener's method as its parameters and its return type describe it.
 *
 * @param payload the type that the codec decodes, or empty if no parameter names one
 * @param batch the form of a batch
 * @param result the kind of the return
 */
record HandlerSignature(Optional<Type> payload, Batch batch, Result result) {
  /** Whether the method receives batches, and of which elements. */
  enum Batch {
    NONE,
    PAYLOADS,
    DELIVERIES
  }

  /** The kinds of returns. */
  enum Result {
    NOTHING,
    STAGE,
    REACTIVE,
    SUSPENDED
  }

  /** Reads the signature of a method of this class. */
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
      return new HandlerSignature(Optional.ofNullable(payload), batch, result());
    }

    private void read(MethodParameter parameter, ResolvableType type) {
      Class<?> raw = parameter.getParameterType();
      if (parameter.hasParameterAnnotation(Header.class) || isHeaders(parameter)) {
        return;
      }
      checkPayload(parameter, raw);
      if (Delivery.class.isAssignableFrom(raw) || raw == Message.class) {
        take(type.getGeneric(0), parameter);
      } else if (raw == List.class) {
        readList(bound(type.getGeneric(0)), parameter);
      } else if (hasPayload) {
        throw failure(
            "the parameters " + name(parameter) + " and a parameter before it are payloads",
            "A method has one payload; mark headers with @Header");
      } else {
        hasPayload = true;
        take(type, parameter);
      }
    }

    private void readList(ResolvableType element, MethodParameter parameter) {
      boolean deliveries = element.toClass() == Delivery.class;
      batch = deliveries ? Batch.DELIVERIES : Batch.PAYLOADS;
      take(deliveries ? element.getGeneric(0) : element, parameter);
    }

    private void checkPayload(MethodParameter parameter, Class<?> raw) {
      Payload annotation = parameter.getParameterAnnotation(Payload.class);
      if (annotation != null && !annotation.expression().isEmpty()) {
        throw failure(
            "@Payload has an expression", "Remove the expression and read the field in the method");
      }
      if (raw == List.class && isValidated(parameter)) {
        throw failure(
            "a batch can't be validated",
            "Validate its elements in the method, or take single messages");
      }
    }

    private static boolean isValidated(MethodParameter parameter) {
      for (var annotation : parameter.getParameterAnnotations()) {
        if (annotation.annotationType().getSimpleName().startsWith("Valid")) {
          return true;
        }
      }
      return false;
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

    /** Returns the upper bound of a wildcard, which Kotlin writes for a read-only list. */
    private static ResolvableType bound(ResolvableType type) {
      return type.getType() instanceof WildcardType wildcard
          ? ResolvableType.forType(wildcard.getUpperBounds()[0])
          : type;
    }

    private static boolean isHeaders(MethodParameter parameter) {
      return parameter.hasParameterAnnotation(Headers.class)
          || MessageHeaders.class.isAssignableFrom(parameter.getParameterType());
    }

    private boolean isContinuation(MethodParameter parameter) {
      return KotlinDetector.isSuspendingFunction(method)
          && parameter.getParameterIndex() == method.getParameterCount() - 1;
    }

    private Result result() {
      Class<?> type = method.getReturnType();
      if (KotlinDetector.isSuspendingFunction(method)) {
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

    private static String name(MethodParameter parameter) {
      return "number " + (parameter.getParameterIndex() + 1);
    }

    private ListenerDefinitionException failure(String problem, String remedy) {
      return new ListenerDefinitionException(describe(method), problem, remedy);
    }
  }

  /** Returns a method's name for messages. */
  static String describe(Method method) {
    return method.getDeclaringClass().getSimpleName() + "." + method.getName();
  }
}
