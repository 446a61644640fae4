package io.punctual.spring;

import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import org.springframework.core.MethodParameter;
import org.springframework.core.NestedRuntimeException;
import org.springframework.messaging.MessageHandlingException;

/**
 * A message that does not fit the parameters of a listener's method: an invalid payload, a missing
 * header, or a value of a different type. The worker buries the message without a retry. The text
 * names fields and rules, and no values of the message, because logs and dead letters show it.
 */
public final class ListenerArgumentException extends NestedRuntimeException {
  private static final long serialVersionUID = 1;

  ListenerArgumentException(MethodParameter parameter, String problem) {
    super(
        "The message does not fit the parameter number "
            + (parameter.getParameterIndex() + 1)
            + " of "
            + describe(parameter.getExecutable())
            + ": "
            + problem);
  }

  /** Leaves the cause out: texts of conversions contain the values. */
  static ListenerArgumentException unresolvable(MethodParameter parameter, Exception failure) {
    return new ListenerArgumentException(
        parameter,
        failure instanceof MessageHandlingException
            ? String.valueOf(failure.getMessage())
            : "there is no conversion of the value to " + parameter.getParameterType().getName());
  }

  private static String describe(Executable executable) {
    return executable instanceof Method method
        ? HandlerSignature.describe(method)
        : executable.getName();
  }
}
