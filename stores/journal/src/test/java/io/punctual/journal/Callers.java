package io.punctual.journal;

/** Finds the code that calls a method of a test. */
final class Callers {
  private Callers() {}

  /** Returns the class and the method of the closest caller outside a type and its inner types. */
  static String outside(Class<?> type) {
    return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
        .walk(
            frames ->
                frames
                    .filter(frame -> !isOf(frame.getClassName(), type))
                    .findFirst()
                    .map(
                        frame ->
                            frame.getDeclaringClass().getSimpleName() + "." + frame.getMethodName())
                    .orElseThrow());
  }

  private static boolean isOf(String name, Class<?> type) {
    return name.contains(type.getSimpleName()) || name.equals(Callers.class.getName());
  }
}
