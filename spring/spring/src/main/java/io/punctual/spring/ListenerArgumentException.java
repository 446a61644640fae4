package io.punctual.spring;

import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import org.springframework.core.MethodParameter;
import org.springframework.core.NestedRuntimeException;
import org.springframework.messaging.MessageHandlingException;

/**
 * Thrown if a message does not fit the parameters of a listener's method: the payload is invalid, a
 * header is missing, or a value has a different type. The worker buries the message without a
 * retry. The text names fields and rules. It contains no values of the message, because logs and
 * dead letters show the text.
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

  /**
   * Returns an exception without a cause, because the texts of conversion failures contain values
   * of the message.
   */
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
