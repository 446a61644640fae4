package io.punctual.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.punctual.HandlerTimeoutException;
import io.punctual.NotConfirmedException;
import io.punctual.NotDoneException;
import io.punctual.OutcomeUnknownException;
import io.punctual.PunctualException;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.spi.Partition;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class OutcomesTest {
  @Test
  void everyExceptionOfTheCore_hasARow() {
    Set<Class<?>> exceptions =
        new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.punctual")
                .stream()
                .filter(type -> type.getPackageName().equals("io.punctual"))
                .filter(type -> type.isAssignableTo(PunctualException.class))
                .map(JavaClass::reflect)
                .collect(Collectors.toSet());
    assertThat(exceptions).contains(StoreUnavailableException.class);
    exceptions.removeAll(
        Set.of(PunctualException.class, NotDoneException.class, HandlerTimeoutException.class));
    assertThat(exceptions).allMatch(Outcomes.known()::contains);
  }

  @Test
  void failure_isFoundBelowOtherExceptions() {
    StoreUnavailableException away = new StoreUnavailableException("redis is away", null);
    assertThat(Outcomes.of(new CompletionException(away))).isEqualTo(Outcome.UNAVAILABLE);
    assertThat(Outcomes.of(new IllegalStateException("x", new CompletionException(away))))
        .isEqualTo(Outcome.UNAVAILABLE);
    assertThat(Outcomes.problem(new CompletionException(away)).detail()).isEqualTo("redis is away");
  }

  @Test
  void wrongArgument_isTheCallersFaultOnlyIfItIsTheFailureItself() {
    IllegalArgumentException wrong = new IllegalArgumentException("wrong");
    assertThat(Outcomes.of(new CompletionException(wrong))).isEqualTo(Outcome.INVALID);
    assertThat(Outcomes.of(new IllegalStateException("bug", wrong))).isEqualTo(Outcome.INTERNAL);
    assertThat(Outcomes.of(new StoreRefusedException("refused", wrong))).isEqualTo(Outcome.REFUSED);
  }

  @Test
  void problem_saysWhetherTheChangeWasDone() {
    assertThat(Outcomes.problem(new OutcomeUnknownException("late", "a/1", null)).tree())
        .containsEntry("outcome", "unknown")
        .containsEntry("status", 504)
        .containsEntry("id", "a/1")
        .doesNotContainKey("queue");
    assertThat(Outcomes.problem(new NotConfirmedException("disk", "a")).outcome())
        .isEqualTo("done");
    assertThat(Outcomes.problem(new StoreRefusedException("no", null)).outcome())
        .isEqualTo("not-done");
    assertThat(Outcomes.problem(new NullPointerException()).detail())
        .isEqualTo("java.lang.NullPointerException");
  }

  @Test
  void exitCode_tellsAStoreThatDoesNotAnswerFromOtherFailures() {
    StoreUnavailableException away = new StoreUnavailableException("away", null);
    assertThat(Outcomes.exitCode(new OutcomeUnknownException("late", null, away))).isEqualTo(5);
    assertThat(Outcomes.exitCode(new OutcomeUnknownException("late", null, null))).isEqualTo(5);
    assertThat(Outcomes.exitCode(new IllegalStateException(away))).isEqualTo(5);
    StoreRefusedException refused = new StoreRefusedException("no", null);
    assertThat(Outcomes.exitCode(refused)).isEqualTo(1);
    assertThat(Outcomes.exitCode(new OutcomeUnknownException("half", null, refused))).isEqualTo(1);
    assertThat(Outcomes.exitCode(new Partition.NotSentException("away", null))).isEqualTo(5);
    assertThat(Outcomes.exitCode(new Partition.NotSentException("no", refused))).isEqualTo(1);
  }
}
