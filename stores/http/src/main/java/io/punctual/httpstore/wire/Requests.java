package io.punctual.httpstore.wire;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The names of requests in paths, and the types of their answers. Thread-safe. */
public final class Requests {
  private static final Map<String, Class<? extends Request<?>>> BY_NAME = new HashMap<>();
  private static final Map<Class<?>, Type> ANSWERS = new ConcurrentHashMap<>();

  static {
    add(Request.class);
  }

  private Requests() {}

  @SuppressWarnings("unchecked") // Only requests are permitted.
  private static void add(Class<?> type) {
    if (type.isRecord()) {
      BY_NAME.put(name(type), (Class<? extends Request<?>>) type);
      return;
    }
    for (Class<?> each : type.getPermittedSubclasses()) {
      add(each);
    }
  }

  /** Returns the last part of the path of a request, such as {@code find-many}. */
  public static String name(Class<?> request) {
    return request.getSimpleName().replaceAll("(?<=.)(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
  }

  /** Returns the kind of request with this name. */
  public static Optional<Class<? extends Request<?>>> named(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  /** Returns all kinds of requests. */
  public static Iterable<Class<? extends Request<?>>> all() {
    return BY_NAME.values();
  }

  /** Returns the type of the answer to a kind of request. */
  public static Type answer(Class<?> request) {
    return ANSWERS.computeIfAbsent(
        request,
        type -> ((ParameterizedType) type.getGenericInterfaces()[0]).getActualTypeArguments()[0]);
  }
}
