package io.punctual.lock;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.punctual.spi.StoreUrl;
import org.junit.jupiter.api.Test;

/**
 * Tests the packages that the locks may use, and the dependencies between the groups of their own
 * package.
 */
final class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.punctual.lock");

  /** Locks need no queue and no store. */
  @Test
  void locks_knowOnlyTheApiStoreUrlsAndTheClient() {
    classes()
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("io.punctual..")
                .negate()
                .or(
                    resideInAnyPackage(
                        "io.punctual",
                        "io.punctual.timer",
                        "io.punctual.lock",
                        "io.punctual.redis.client.."))
                .or(belongToAnyOf(StoreUrl.class)))
        .check(CLASSES);
  }

  /**
   * No public method may use a type of the Redis client, because only modules of Punctual can
   * access the package of that client.
   */
  @Test
  void publicMethods_showNoTypeOfTheClient() {
    methods()
        .that()
        .arePublic()
        .and()
        .areDeclaredInClassesThat()
        .arePublic()
        .should()
        .haveRawReturnType(not(resideInAnyPackage("io.punctual.redis.client..")))
        .check(CLASSES);
  }

  /**
   * Quorum locks and multi locks use the classes of the other locks. Of those classes, only {@link
   * RedisLocks} may use quorum locks and multi locks.
   */
  @Test
  void quorumAndMultiLocks_areUsedOnlyByTheFactory() {
    noClasses()
        .that()
        .haveNameNotMatching("io\\.punctual\\.lock\\.(\\w*(Quorum|Multi)|RedisLocks).*")
        .should()
        .dependOnClassesThat()
        .haveNameMatching("io\\.punctual\\.lock\\.\\w*(Quorum|Multi).*")
        .check(CLASSES);
  }

  @Test
  void locks_neverSleep() {
    noClasses().should().callMethod(Thread.class, "sleep", long.class).check(CLASSES);
  }
}
