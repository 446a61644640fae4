package io.punctual.redis.client;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.punctual.spi.StoreUrl;
import org.junit.jupiter.api.Test;

/** Tests which packages the Redis client uses, and that it does not sleep. */
final class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.punctual.redis.client");

  /**
   * The locks use this client without the store SPI, so the client must not use types of the SPI
   * except {@code StoreUrl}.
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
                    "org.jspecify..",
                    "org.slf4j..",
                    "com.google.errorprone.annotations..")
                .or(belongToAnyOf(StoreUrl.class)))
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
}
