package io.punctual.redis;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
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
}
