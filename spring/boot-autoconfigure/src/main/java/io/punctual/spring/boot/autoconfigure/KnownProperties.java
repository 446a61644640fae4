package io.punctual.spring.boot.autoconfigure;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.util.StringUtils;

/**
 * The names of the properties that records of configuration properties have. A record within a
 * record is a part of the name; a map of records has any key there. Immutable.
 */
final class KnownProperties {
  private final Node root = new Node();

  /**
   * A part of a name. A leaf is a value, a list or a map of values, whose further parts are free.
   */
  private static final class Node {
    private final Map<String, Node> children = new LinkedHashMap<>();
    private @Nullable Node anyKey;
    private boolean leaf;
  }

  KnownProperties add(String prefix, Class<? extends Record> type) {
    add(node(prefix), type);
    return this;
  }

  /** Adds all names with a prefix. */
  KnownProperties addAny(String prefix) {
    node(prefix).leaf = true;
    return this;
  }

  private Node node(String prefix) {
    Node node = root;
    for (String part : StringUtils.delimitedListToStringArray(prefix, ".")) {
      node = node.children.computeIfAbsent(part, name -> new Node());
    }
    return node;
  }

  private static void add(Node node, Class<?> type) {
    for (RecordComponent component : type.getRecordComponents()) {
      Node child = node.children.computeIfAbsent(dashed(component.getName()), name -> new Node());
      Class<?> own = component.getType();
      Class<?> values = Map.class.isAssignableFrom(own) ? values(component.getGenericType()) : own;
      if (!values.isRecord()) {
        child.leaf = true;
      } else if (values == own) {
        add(child, values);
      } else {
        child.anyKey = new Node();
        add(child.anyKey, values);
      }
    }
  }

  private static Class<?> values(Type map) {
    Type value = ((ParameterizedType) map).getActualTypeArguments()[1];
    return value instanceof Class<?> type ? type : Object.class;
  }

  private static String dashed(String camelCase) {
    return camelCase.replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT);
  }

  /** Returns whether the name is under a prefix of the records, but none of their properties. */
  boolean isUnknown(ConfigurationPropertyName name) {
    return unknownPart(name) >= 0;
  }

  private int unknownPart(ConfigurationPropertyName name) {
    Node node = root;
    for (int i = 0; i < name.getNumberOfElements(); i++) {
      if (node.leaf) {
        return -1;
      }
      Node next = node.anyKey == null ? child(node, name, i) : node.anyKey;
      if (next == null) {
        return i;
      }
      node = next;
    }
    return -1;
  }

  private static @Nullable Node child(Node node, ConfigurationPropertyName name, int part) {
    String uniform = name.getElement(part, Form.UNIFORM);
    return node.children.entrySet().stream()
        .filter(child -> child.getKey().replace("-", "").equals(uniform))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(null);
  }

  /** Returns an unknown name with its first unknown part replaced by the nearest known part. */
  Optional<String> nearest(ConfigurationPropertyName name) {
    int part = unknownPart(name);
    Node node = root;
    for (int i = 0; i < part; i++) {
      Node next = node.anyKey == null ? child(node, name, i) : node.anyKey;
      if (next == null) {
        return Optional.empty();
      }
      node = next;
    }
    String wrong = name.getElement(part, Form.DASHED);
    return NearestName.of(wrong, node.children.keySet()).map(right -> replaced(name, part, right));
  }

  private static String replaced(ConfigurationPropertyName name, int part, String right) {
    ConfigurationPropertyName result = name.chop(part).append(right);
    for (int i = part + 1; i < name.getNumberOfElements(); i++) {
      result = result.append(name.getElement(i, Form.ORIGINAL));
    }
    return result.toString();
  }
}
