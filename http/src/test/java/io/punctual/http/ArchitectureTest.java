package io.punctual.http;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.ForwardingCall;
import io.punctual.internal.message.CutText;
import io.punctual.internal.runtime.GuardedTimer;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;

/** Tests which packages the API uses: no server, and no framework. */
final class ArchitectureTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.punctual.http");

  @Test
  void api_usesTheCoreAndJsonOnly() {
    classes()
        .that(
            resideInAPackage("io.punctual.http..")
                .and(DescribedPredicate.not(resideInAPackage("io.punctual.http.servlet"))))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                    "io.punctual.http..",
                    "io.punctual",
                    "io.punctual.cron",
                    "io.punctual.deadletter",
                    "io.punctual.httpstore.service",
                    "io.punctual.task",
                    "io.punctual.timer",
                    "io.punctual.view",
                    "tools.jackson.core..",
                    "java..",
                    "javax.security.auth.x500",
                    "org.jspecify..",
                    "org.slf4j..")
                .or(belongToAnyOf(CutText.class, GuardedTimer.class)))
        .check(CLASSES);
  }

  @Test
  void onlyTheServlet_knowsServlets() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.punctual.http.servlet")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("jakarta..")
        .check(CLASSES);
  }

  @Test
  void packages_haveNoCycle() {
    slices().matching("io.punctual.http.(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void aForwardingCall_forwardsEveryMethod() throws NoSuchMethodException {
    for (Method method : Call.class.getDeclaredMethods()) {
      Method forwarded =
          ForwardingCall.class.getMethod(method.getName(), method.getParameterTypes());
      assertThat(forwarded.getDeclaringClass())
          .as(method.getName())
          .isEqualTo(ForwardingCall.class);
    }
  }
}
