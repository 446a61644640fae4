package io.punctual.redis.client;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.punctual.internal.runtime.Backoff;
import io.punctual.spi.StoreUrl;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests which packages the Redis client uses, and that it does not sleep. */
final class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.punctual.redis.client");

  /**
   * The locks use this client without the store SPI, so the client must not use types of the SPI
   * except {@code StoreUrl}, and nothing of its runtime except {@code Backoff}.
   */
  @Test
  void client_knowsOnlyTheApiStoreUrlsAndLibraries() {
    classes()
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                    "io.punctual.redis.client..",
                    "io.punctual",
                    "io.punctual.internal.log",
                    "io.punctual.timer",
                    "io.lettuce.core..",
                    "io.netty..",
                    "java..",
                    "javax.net.ssl",
                    "org.jspecify..",
                    "org.slf4j..",
                    "com.google.errorprone.annotations..")
                .or(belongToAnyOf(Backoff.class, StoreUrl.class)))
        .check(CLASSES);
  }

  @Test
  void packages_haveNoCycle() {
    slices().matching("io.punctual.redis.(client..)").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void client_neverSleeps() {
    noClasses().should().callMethod(Thread.class, "sleep", long.class).check(CLASSES);
  }

  /**
   * These methods start a thread of the JDK for ever, which keeps the class loader of the
   * application that calls them first.
   */
  @Test
  void nobody_usesTheTimeOutsOfFutures() {
    for (String method : List.of("orTimeout", "completeOnTimeout", "delayedExecutor")) {
      noClasses()
          .should()
          .callMethodWhere(target(owner(type(CompletableFuture.class))).and(target(name(method))))
          .check(CLASSES);
    }
  }
}
