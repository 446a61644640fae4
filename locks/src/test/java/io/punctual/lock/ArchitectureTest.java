package io.punctual.lock;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.punctual.spi.StoreUrl;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests the packages that the locks may use, and the dependencies between their own packages. */
final class ArchitectureTest {
  private static final String API = "io.punctual.lock";
  private static final String INTERNALS = "io.punctual.lock.internal..";

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(API);

  /** The classes of the API that open locks, or that send requests. */
  private static final DescribedPredicate<JavaClass> FACTORIES =
      belongToAnyOf(
          RedisLocks.class, RedisLocksBuilder.class, QuorumLocks.class, DistributedLatch.class);

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
                        "io.punctual.internal.log",
                        "io.punctual.timer",
                        "io.punctual.lock..",
                        "io.punctual.redis.client.."))
                .or(belongToAnyOf(StoreUrl.class)))
        .check(CLASSES);
  }

  /** Each layer may use all layers below it. Quorum locks and the other kinds are independent. */
  @Test
  void internals_areLayers() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("protocol")
        .definedBy("io.punctual.lock.internal.protocol")
        .layer("client")
        .definedBy("io.punctual.lock.internal.client")
        .layer("hold")
        .definedBy("io.punctual.lock.internal.hold")
        .layer("attempt")
        .definedBy("io.punctual.lock.internal.attempt")
        .layer("kind")
        .definedBy("io.punctual.lock.internal.kind")
        .layer("quorum")
        .definedBy("io.punctual.lock.internal.quorum")
        .whereLayer("quorum")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("kind")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("attempt")
        .mayOnlyBeAccessedByLayers("kind", "quorum")
        .whereLayer("hold")
        .mayOnlyBeAccessedByLayers("attempt", "kind", "quorum")
        .whereLayer("client")
        .mayOnlyBeAccessedByLayers("hold", "attempt", "kind", "quorum")
        .check(CLASSES);
  }

  @Test
  void allInternals_belongToALayer() {
    classes()
        .that()
        .resideInAPackage(INTERNALS)
        .should()
        .resideInAnyPackage(
            "io.punctual.lock.internal.protocol",
            "io.punctual.lock.internal.client",
            "io.punctual.lock.internal.hold",
            "io.punctual.lock.internal.attempt",
            "io.punctual.lock.internal.kind",
            "io.punctual.lock.internal.quorum")
        .check(CLASSES);
  }

  @Test
  void internals_areUsedOnlyByTheFactoriesOfTheApi() {
    noClasses()
        .that(resideInAPackage(API).and(not(FACTORIES)))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(INTERNALS)
        .check(CLASSES);
    noClasses()
        .that()
        .resideInAPackage(INTERNALS)
        .should()
        .dependOnClassesThat(FACTORIES)
        .check(CLASSES);
  }

  /** Users cannot access the internal packages and the package of the Redis client. */
  @Test
  void publicMethods_showNeitherInternalTypesNorTheClient() {
    methods()
        .that()
        .arePublic()
        .and()
        .areDeclaredInClassesThat(resideInAPackage(API))
        .should()
        .haveRawReturnType(not(resideInAnyPackage("io.punctual.redis.client..", INTERNALS)))
        .check(CLASSES);
  }

  @Test
  void locks_neverSleep() {
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
