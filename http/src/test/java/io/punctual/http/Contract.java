package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.punctual.http.exchange.RequestHead;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/** Checks answers against the description of the API. */
final class Contract {
  static final JsonNode DOCUMENT = read();

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final SchemaRegistry REGISTRY =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
  private static final Map<String, Schema> SCHEMAS = new ConcurrentHashMap<>();

  private Contract() {}

  private static JsonNode read() {
    try (InputStream in = HttpApi.class.getResourceAsStream("openapi.json")) {
      // A schema of its own has its parts in $defs.
      String text = text(Objects.requireNonNull(in).readAllBytes());
      return new ObjectMapper().readTree(text.replace("#/components/schemas/", "#/$defs/"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Checks the status, the type and the body of an answer. */
  static void check(RequestHead head, ApiDriver.Response response) {
    String type = response.headers().getOrDefault("Content-Type", "");
    if (type.equals("application/problem+json")) {
      check("/components/responses/Problem/content/application~1problem+json", response.text());
      return;
    }
    String template = template(head.path());
    String place =
        "/paths/"
            + template.replace("~", "~0").replace("/", "~1")
            + "/"
            + head.method().toLowerCase(Locale.ROOT)
            + "/responses/"
            + response.status();
    assertThat(DOCUMENT.at(place).isMissingNode())
        .as("the description has no answer " + place)
        .isFalse();
    if (response.status() == 204) {
      assertThat(response.body()).isEmpty();
      return;
    }
    String content = place + "/content/" + type.replace("/", "~1");
    assertThat(DOCUMENT.at(content).isMissingNode())
        .as("the description has no " + content)
        .isFalse();
    if (type.equals("application/json")) {
      check(content, response.text());
    } else if (type.equals("application/x-ndjson")) {
      response.text().lines().forEach(line -> validate("ScheduleResult", line));
    }
  }

  private static String template(String path) {
    String best = null;
    for (String template : DOCUMENT.get("paths").propertyNames()) {
      if (path.matches(template.replaceAll("\\{[a-z]+}", "[^/]+").replace(".", "\\."))) {
        best = best == null || best.contains("{") ? template : best;
      }
    }
    return Objects.requireNonNull(best, "the description has no path for " + path);
  }

  private static void check(String content, String json) {
    validate(content, DOCUMENT.at(content).get("schema"), json);
  }

  private static void validate(String component, String json) {
    ObjectNode schema = JSON.createObjectNode();
    schema.put("$ref", "#/$defs/" + component);
    validate(component, schema, json);
  }

  private static void validate(String key, JsonNode schema, String json) {
    Schema compiled =
        SCHEMAS.computeIfAbsent(
            key,
            name -> {
              ObjectNode whole = ((ObjectNode) schema).deepCopy();
              whole.set("$defs", DOCUMENT.at("/components/schemas"));
              return REGISTRY.getSchema(whole);
            });
    assertThat(compiled.validate(JSON.readTree(json))).as(key + ": " + json).isEmpty();
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
