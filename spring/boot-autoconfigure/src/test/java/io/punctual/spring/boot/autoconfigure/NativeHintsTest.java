package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.proxies;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

import io.lettuce.core.resource.ClientResources;
import io.punctual.spi.StoreProvider;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.ServiceLoader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.util.ClassUtils;

/**
 * Tests the hints for native images: for the reflection, the proxies and the resources of
 * Punctual's modules.
 */
class NativeHintsTest {
  private final RuntimeHints hints = new RuntimeHints();

  @BeforeEach
  void register() {
    ClassLoader loader = getClass().getClassLoader();
    SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories", loader)
        .load(RuntimeHintsRegistrar.class)
        .stream()
        .filter(each -> each.getClass().getName().startsWith("io.punctual."))
        .forEach(each -> each.registerHints(hints, loader));
  }

  /**
   * Finds the resources by patterns, so that the test includes scripts that a later version adds.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "io/punctual/**/*.lua",
        "io/punctual/**/*.sql",
        "META-INF/services/io.punctual.spi.*"
      })
  void everyResource_hasAHint(String pattern) throws IOException {
    Resource[] found =
        new PathMatchingResourcePatternResolver().getResources("classpath*:" + pattern);
    assertThat(found).isNotEmpty();
    for (Resource each : found) {
      String url = each.getURL().toString();
      String name =
          url.substring(Math.max(url.lastIndexOf("io/punctual/"), url.lastIndexOf("META-INF/s")));
      assertThat(resource().forResource(name)).as(name).accepts(hints);
    }
  }

  @Test
  void everyStoreOfTheClassPath_hasAHint() {
    assertThat(ServiceLoader.load(StoreProvider.class))
        .hasSizeGreaterThanOrEqualTo(4)
        .allSatisfy(
            provider ->
                assertThat(
                        reflection()
                            .onType(provider.getClass())
                            .withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS))
                    .accepts(hints));
  }

  /**
   * Punctual calls these methods by reflection, because the class may be absent or older. Each
   * method that is present must have a hint.
   */
  @ParameterizedTest
  @CsvSource({
    "java.lang.Thread, ofVirtual",
    "java.lang.Thread$Builder, name",
    "java.lang.Thread$Builder, inheritInheritableThreadLocals",
    "java.lang.Thread$Builder, factory",
    "org.postgresql.PGConnection, getNotifications",
    "org.postgresql.PGConnection, getBackendPID",
    "org.postgresql.PGConnection, getPrepareThreshold",
    "org.postgresql.PGNotification, getParameter",
    "io.lettuce.core.MaintNotificationsConfig, disabled",
    "io.lettuce.core.ClientOptions$Builder, maintNotificationsConfig",
    "org.springframework.jdbc.datasource.ConnectionHolder, isTransactionActive"
  })
  void reflectiveCall_hasAHint(String name, String method) throws ClassNotFoundException {
    if (!ClassUtils.isPresent(name, null)) {
      return;
    }
    Arrays.stream(Class.forName(name).getDeclaredMethods())
        .filter(each -> each.getName().equals(method))
        .forEach(this::assertInvocable);
  }

  private void assertInvocable(Method method) {
    assertThat(reflection().onMethodInvocation(method)).as(method.toString()).accepts(hints);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "com.zaxxer.hikari.HikariDataSource",
        "io.punctual.jackson.JacksonCodec",
        "tools.jackson.databind.json.JsonMapper",
        "reactor.core.scheduler.NonBlocking",
        "kotlinx.coroutines.reactor.MonoKt"
      })
  void classWhosePresenceIsAsked_hasAHint(String name) {
    if (ClassUtils.isPresent(name, null)) {
      assertThat(reflection().onType(TypeReference.of(name))).as(name).accepts(hints);
    }
  }

  @Test
  void proxyOfLettucesResources_hasAHint() {
    assertThat(proxies().forInterfaces(ClientResources.class)).accepts(hints);
  }

  /** The endpoints write objects of these classes as JSON. */
  @ParameterizedTest
  @ValueSource(
      classes = {
        PunctualListenersEndpoint.Listeners.class,
        PunctualListenersEndpoint.Listener.class
      })
  void replyOfAnEndpoint_hasAHint(Class<?> type) {
    new ReflectiveRuntimeHintsRegistrar()
        .registerRuntimeHints(hints, PunctualListenersEndpoint.class);
    assertThat(reflection().onType(type)).accepts(hints);
  }
}
