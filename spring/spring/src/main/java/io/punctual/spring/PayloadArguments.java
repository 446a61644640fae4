package io.punctual.spring;

import java.lang.annotation.Annotation;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.handler.annotation.support.MethodArgumentNotValidException;
import org.springframework.messaging.handler.annotation.support.PayloadMethodArgumentResolver;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.ValidationAnnotationUtils;

/**
 * Spring's resolver of payload parameters, with two differences: empty payloads are allowed, and
 * the texts of failures contain no values.
 */
final class PayloadArguments extends PayloadMethodArgumentResolver {
  PayloadArguments(MessageConverter converter, @Nullable Validator validator) {
    super(converter, validator);
  }

  /**
   * Returns whether a parameter has {@code @Valid}, {@code @Validated}, or a similar annotation
   * that Spring validates.
   */
  static boolean isValidated(MethodParameter parameter) {
    for (Annotation annotation : parameter.getParameterAnnotations()) {
      if (ValidationAnnotationUtils.determineValidationHints(annotation) != null) {
        return true;
      }
    }
    return false;
  }

  /** Returns false for an empty text and for empty bytes, which are valid payloads. */
  @Override
  protected boolean isEmptyPayload(@Nullable Object payload) {
    return payload == null;
  }

  @Override
  protected void validate(Message<?> message, MethodParameter parameter, Object target) {
    try {
      super.validate(message, parameter, target);
    } catch (MethodArgumentNotValidException e) {
      throw new ListenerArgumentException(parameter, "the payload is invalid: " + errors(e));
    }
  }

  private static String errors(MethodArgumentNotValidException failure) {
    return failure.getBindingResult() == null
        ? "no details"
        : failure.getBindingResult().getAllErrors().stream()
            .map(PayloadArguments::describe)
            .collect(Collectors.joining(", "));
  }

  private static String describe(ObjectError error) {
    return error instanceof FieldError field
        ? field.getField() + " (" + error.getCode() + ")"
        : String.valueOf(error.getCode());
  }
}
