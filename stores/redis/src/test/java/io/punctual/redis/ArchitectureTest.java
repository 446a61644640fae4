package io.punctual.redis;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests which packages the Redis store uses and shows, and that it does not sleep. */
final class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.punctual.redis");

  @Test
  void store_knowsOnlyTheApiTheSpiAndTheClient() {
    classes()
        .that()
        .resideInAPackage("io.punctual.redis")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("io.punctual..")
                .negate()
                .or(
                    resideInAnyPackage(
                        "io.punctual",
                        "io.punctual.deadletter",
                        "io.punctual.spi",
                        "io.punctual.internal.log",
                        "io.punctual.timer",
                        "io.punctual.redis",
                        "io.punctual.redis.client..")))
        .check(CLASSES);
  }

  /**
   * Only modules of Punctual can access the package of the Redis client, so no public method may
   * return its types.
   */
  @Test
  void publicMethods_showNoTypeOfTheClient() {
    methods()
        .that()
        .arePublic()
        .and()
        .areDeclaredInClassesThat(resideInAnyPackage("io.punctual.redis"))
        .should()
        .haveRawReturnType(not(resideInAnyPackage("io.punctual.redis.client..")))
        .check(CLASSES);
  }

  @Test
  void store_neverSleeps() {
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
