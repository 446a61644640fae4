package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that each property has a description, which editors show. */
class PropertyMetadataTest {
  @Test
  void everyProperty_hasADescription() throws Exception {
    try (InputStream in =
        getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      JsonNode properties = JsonMapper.shared().readTree(in).get("properties");
      assertThat(properties.size()).isGreaterThan(25);
      for (JsonNode property : properties) {
        assertThat(property.path("description").asString(""))
            .as(property.get("name").asString())
            .endsWith(".");
      }
    }
  }
}
