package io.punctual.spring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;

/**
 * Evaluates the attributes of an annotation: first placeholders {@code ${...}}, then expressions
 * {@code #{...}}.
 */
final class Expressions {
  private final ConfigurableBeanFactory beans;
  private final String method;

  Expressions(ConfigurableBeanFactory beans, String method) {
    this.beans = beans;
    this.method = method;
  }

  private @Nullable Object evaluate(String attribute, String text) {
    try {
      String resolved = beans.resolveEmbeddedValue(text);
      BeanExpressionResolver resolver = beans.getBeanExpressionResolver();
      return resolver == null
          ? resolved
          : resolver.evaluate(resolved, new BeanExpressionContext(beans, null));
    } catch (RuntimeException e) {
      throw new ListenerDefinitionException(
          method,
          "the attribute " + attribute + " has the unresolvable value '" + text + "'",
          "Define the property or the bean that it names",
          e);
    }
  }

  /** Returns the text of an attribute, or null if it is empty. */
  @Nullable String text(String attribute, String text) {
    Object value = text.isEmpty() ? null : evaluate(attribute, text);
    String result = value == null ? "" : value.toString().strip();
    return result.isEmpty() ? null : result;
  }

  /**
   * Returns the names in an attribute that is a list of texts. A text can contain several names,
   * separated by commas.
   */
  List<String> names(String attribute, String[] texts) {
    List<String> names = new ArrayList<>();
    for (String text : texts) {
      add(evaluate(attribute, text), names);
    }
    return names;
  }

  private static void add(@Nullable Object value, List<String> names) {
    if (value instanceof Object[] values) {
      add(List.of(values), names);
    } else if (value instanceof Collection<?> values) {
      values.forEach(each -> add(each, names));
    } else if (value != null) {
      for (String name : StringUtils.commaDelimitedListToStringArray(value.toString())) {
        if (!name.isBlank()) {
          names.add(name.strip());
        }
      }
    }
  }

  @Nullable Integer number(String attribute, String text) {
    return parsed(attribute, text, Integer::valueOf, "a number such as 16");
  }

  @Nullable Duration duration(String attribute, String text) {
    return parsed(
        attribute, text, DurationFormatterUtils::detectAndParse, "a duration such as 30s or PT30S");
  }

  @Nullable Boolean flag(String attribute, String text) {
    return parsed(
        attribute,
        text,
        value -> {
          if (!value.equals("true") && !value.equals("false")) {
            throw new IllegalArgumentException(value);
          }
          return Boolean.valueOf(value);
        },
        "true or false");
  }

  private <V> @Nullable V parsed(
      String attribute, String text, Function<String, V> parser, String form) {
    String value = text(attribute, text);
    if (value == null) {
      return null;
    }
    try {
      return parser.apply(value);
    } catch (RuntimeException e) {
      throw new ListenerDefinitionException(
          method, "the attribute " + attribute + " is '" + value + "'", "Write " + form, e);
    }
  }

  /**
   * Returns the bean that an attribute names, or the object that its expression returns; null if
   * the attribute is empty.
   */
  <B> @Nullable B bean(String attribute, String text, Class<B> type) {
    Object value = text.isEmpty() ? null : evaluate(attribute, text);
    if (value == null || (value instanceof String name && name.isBlank())) {
      return null;
    }
    if (type.isInstance(value)) {
      return type.cast(value);
    }
    try {
      return beans.getBean(value.toString().strip(), type);
    } catch (RuntimeException e) {
      throw new ListenerDefinitionException(
          method,
          "the attribute " + attribute + " names '" + value + "', which is no " + type.getName(),
          "Define a bean of this name and type",
          e);
    }
  }
}
