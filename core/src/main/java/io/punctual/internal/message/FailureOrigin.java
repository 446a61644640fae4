package io.punctual.internal.message;

import io.punctual.ReportedException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The origin of a failure: the class of the innermost cause, and the first stack frame of the
 * user's code, as in {@code com.example.CardException at com.example.Cards.charge(Cards.java:42)}.
 * Frames of the JDK, of Punctual, of frameworks and drivers, and of generated classes are not the
 * user's code. If the innermost cause has no frame of the user's code, the frames of its wrappers
 * count. A {@link ReportedException} has its own type and place.
 */
public final class FailureOrigin {
  /** Separates the class of the exception from the place. */
  static final String AT = " at ";

  private static final int LENGTH = 300;
  private static final int MOST_CAUSES = 10;

  private static final List<String> LIBRARIES =
      List.of(
          "java.",
          "javax.",
          "jdk.",
          "sun.",
          "com.sun.",
          "jakarta.",
          "kotlin.",
          "kotlinx.",
          "scala.",
          "groovy.",
          "io.punctual.",
          "org.springframework.",
          "org.hibernate.",
          "org.apache.",
          "org.codehaus.",
          "org.aspectj.",
          "org.slf4j.",
          "org.jooq.",
          "org.postgresql.",
          "org.mariadb.",
          "org.redisson.",
          "org.eclipse.",
          "ch.qos.logback.",
          "com.fasterxml.",
          "tools.jackson.",
          "com.google.",
          "com.mysql.",
          "com.zaxxer.",
          "com.rabbitmq.",
          "io.lettuce.",
          "io.netty.",
          "io.grpc.",
          "io.vertx.",
          "io.quarkus.",
          "io.micronaut.",
          "io.micrometer.",
          "io.opentelemetry.",
          "io.github.resilience4j.",
          "reactor.",
          "redis.clients.",
          "net.bytebuddy.",
          "net.sf.cglib.",
          "feign.",
          "okhttp3.",
          "okio.",
          "retrofit2.");

  private FailureOrigin() {}

  /** Returns the origin of an exception, cut to 300 characters. */
  public static String of(Throwable failure) {
    String type = type(failure);
    String place = null;
    Throwable next = failure;
    for (int depth = 0; next != null && depth < MOST_CAUSES; depth++) {
      type = type(next);
      String own = place(next);
      place = own == null ? place : own;
      next = FailureLog.causeOf(next);
    }
    return FailureLog.cut(place == null ? type : type + AT + place, LENGTH);
  }

  private static String type(Throwable failure) {
    return failure instanceof ReportedException reported
        ? reported.type()
        : failure.getClass().getName();
  }

  private static @Nullable String place(Throwable failure) {
    if (failure instanceof ReportedException reported) {
      return reported.place().isBlank() ? null : reported.place();
    }
    try {
      for (StackTraceElement frame : failure.getStackTrace()) {
        String type = frame.getClassName();
        if (!type.contains("$$") && LIBRARIES.stream().noneMatch(type::startsWith)) {
          return type + "." + frame.getMethodName() + "(" + file(frame) + ")";
        }
      }
    } catch (Throwable brokenStackTrace) {
      return null;
    }
    return null;
  }

  private static String file(StackTraceElement frame) {
    String file = frame.getFileName();
    return file == null
        ? "Unknown Source"
        : frame.getLineNumber() < 0 ? file : file + ":" + frame.getLineNumber();
  }
}
