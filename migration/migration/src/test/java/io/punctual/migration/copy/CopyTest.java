package io.punctual.migration.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.IfPresent;
import io.punctual.PunctualException;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.migration.copy.CopyProgress.Step;
import io.punctual.spi.Call;
import io.punctual.spi.DueTime;
import io.punctual.spi.Entry;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Copies between two stores in memory. */
final class CopyTest extends CopyFixture {
  private static void apply(Store store, Operation... operations) {
    call(store, new Call.Apply(List.of(operations), null));
  }

  private static void claim(Store store, int limit, Duration lease) {
    call(store, new Call.Claim(limit, lease.toMillis()));
  }

  private static void call(Store store, Call.Body body) {
    String session = UUID.randomUUID().toString().replace("-", "");
    partition(store).openSession(session, null).toCompletableFuture().join();
    partition(store).call(new Call(session, 1, 1, body)).toCompletableFuture().join();
  }

  private void schedule(Store store, String id, String payload) {
    long due = clock.instant().plusSeconds(60).toEpochMilli();
    apply(
        store,
        new Operation.Schedule(
            id, new DueTime(false, due), IfPresent.REPLACE, Samples.text(payload)));
  }

  private static List<String> ids(CopiedQueue copied) {
    return copied.firstDifferences().stream().map(Difference::id).toList();
  }

  @Test
  void run_allStates_areEqualInTheTarget() {
    Samples.fill(source, QUEUE, 3_000, 50_000, 1, clock.instant().toEpochMilli());
    CopiedQueue copied = copy().run().get(0);
    assertThat(copied.isEqual()).isTrue();
    assertThat(copied.messages()).isEqualTo(3_000);
    assertThat(copied.stored()).isEqualTo(3_000);
    assertThat(copied.present()).isZero();
    assertThat(steps).doesNotContain(Step.COMPARING);
    Map<String, Entry> original = Samples.all(source, QUEUE);
    assertThat(original).hasSize(3_000);
    assertThat(original.values())
        .extracting(Entry::state)
        .contains(State.SCHEDULED, State.READY, State.DEAD);
    Samples.expectSame(Samples.all(target, QUEUE), original);
  }

  @Test
  void between_oneStore_isRefused() {
    assertThatThrownBy(() -> StoreCopy.between(source, source))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("same store");
  }

  @Test
  void run_pausedQueueWithoutMessages_isPausedInTheTarget() {
    partition(source).pause(true).toCompletableFuture().join();
    assertThat(copy().run()).singleElement().matches(CopiedQueue::paused);
    assertThat(isPaused(target)).isTrue();
    assertThat(target.queues().toCompletableFuture().join()).containsExactly(QUEUE);
  }

  @Test
  void run_queueHasLimits_limitsAreCopied() {
    schedule(source, "a", "1");
    QueueLimits limits = QueueLimits.none().concurrency(3);
    partition(source).limits(limits).toCompletableFuture().join();
    copy().run();
    assertThat(partition(target).counts().toCompletableFuture().join().limits()).isEqualTo(limits);
  }

  @Test
  void run_onlyTheTargetHasLimits_limitsAreRemoved() {
    schedule(source, "a", "1");
    partition(target).limits(QueueLimits.none().concurrency(3)).toCompletableFuture().join();
    copy().run();
    assertThat(partition(target).counts().toCompletableFuture().join().limits())
        .isEqualTo(QueueLimits.none());
  }

  @Test
  void run_mergeIntoAQueueWithLimits_keepsThem() {
    schedule(source, "a", "1");
    partition(source).limits(QueueLimits.none().concurrency(3)).toCompletableFuture().join();
    QueueLimits own = QueueLimits.none().concurrency(7);
    partition(target).limits(own).toCompletableFuture().join();
    copy().targetQueues(TargetQueues.MERGE).run();
    assertThat(partition(target).counts().toCompletableFuture().join().limits()).isEqualTo(own);
  }

  @Test
  void run_chosenQueue_copiesNoOtherQueue() {
    schedule(source, "a", "1");
    Samples.fill(source, "other", 5, 10, 1);
    assertThat(copy().queues(List.of("other")).run())
        .extracting(CopiedQueue::queue)
        .containsExactly("other");
    assertThat(target.queues().toCompletableFuture().join()).containsExactly("other");
  }

  @Test
  void run_queueThatIsMissing_isRefused() {
    schedule(source, "a", "1");
    assertThatThrownBy(() -> copy().queues(List.of(QUEUE, "nowhere")).run())
        .isInstanceOf(CopyRefusedException.class)
        .hasMessageContaining("nowhere");
    assertThat(Samples.all(target, QUEUE)).isEmpty();
  }

  @Test
  void run_sourceIsNotPaused_isRefusedOrPaused() {
    schedule(source, "a", "1");
    StoreCopy required = StoreCopy.between(source, target);
    assertThatThrownBy(required::run)
        .isInstanceOf(CopyRefusedException.class)
        .hasMessageContainingAll(QUEUE, "not paused");
    assertThat(Samples.all(target, QUEUE)).isEmpty();

    CopiedQueue copied = required.sourceQueues(SourceQueues.PAUSE).run().get(0);
    assertThat(copied.isEqual()).isTrue();
    assertThat(copied.paused()).isTrue();
    assertThat(isPaused(source)).isTrue();
    assertThat(isPaused(target)).isTrue();
  }

  @Test
  void run_leasedMessage_isRefusedUntilItsLeaseEnds() {
    schedule(source, "a", "1");
    clock.advance(Duration.ofMinutes(2));
    claim(source, 1, Duration.ofMinutes(1));
    assertThatThrownBy(() -> copy().run())
        .isInstanceOf(CopyRefusedException.class)
        .hasMessageContaining("1 leased");

    clock.advance(Duration.ofMinutes(2));
    assertThat(copy().run().get(0).isEqual()).isTrue();
    Entry copied = Samples.all(target, QUEUE).get("a");
    assertThat(copied.state()).isEqualTo(State.READY);
    assertThat(copied.attempts()).isEqualTo(1);
  }

  @Test
  void run_leasedMessages_areWaitedForOrCopied() {
    schedule(source, "a", "1");
    clock.advance(Duration.ofMinutes(2));
    claim(source, 1, Duration.ofMinutes(1));
    assertThat(copy().leasedMessages(LeasedMessages.COPY).run().get(0).isEqual()).isTrue();
    assertThat(Samples.all(target, QUEUE).get("a").attempts()).isEqualTo(1);

    StoreCopy waits =
        copy()
            .leasedMessages(LeasedMessages.WAIT)
            .targetQueues(TargetQueues.CONTINUE)
            .onProgress(
                progress -> {
                  if (progress.step() == Step.WAITING) {
                    clock.advance(Duration.ofMinutes(2));
                  }
                  steps.add(progress.step());
                });
    assertThat(waits.run().get(0).isEqual()).isTrue();
    assertThat(steps).contains(Step.WAITING);
  }

  @Test
  void run_messageCancelledDuringItsLease_isNotCopied() {
    schedule(source, "a", "1");
    schedule(source, "b", "2");
    clock.advance(Duration.ofMinutes(2));
    claim(source, 1, Duration.ofMinutes(1));
    apply(source, new Operation.Cancel("a"), new Operation.Cancel("b"));
    CopiedQueue copied = copy().leasedMessages(LeasedMessages.COPY).run().get(0);
    assertThat(copied.isEqual()).isTrue();
    assertThat(copied.messages()).isZero();
    assertThat(Samples.all(target, QUEUE)).isEmpty();
  }

  @Test
  void run_targetHasMessages_isRefusedBeforeAnyQueueIsTouched() {
    schedule(source, "a", "1");
    Samples.fill(source, "zebra", 3, 10, 1);
    Samples.fill(target, "zebra", 1, 10, 2);
    assertThatThrownBy(() -> copy().run())
        .isInstanceOf(CopyRefusedException.class)
        .hasMessageContainingAll("zebra", "1 messages");
    assertThat(Samples.all(target, QUEUE)).isEmpty();
    assertThat(isPaused(target)).isFalse();
  }

  @Test
  void run_continuesAPartOfACopy_storesTheRest() {
    Samples.fill(source, QUEUE, 2_000, 100, 3);
    Samples.fill(target, QUEUE, 700, 100, 3);
    partition(target).pause(true).toCompletableFuture().join();
    Map<String, Entry> part = Samples.all(target, QUEUE);
    // The two fills began at different times, so the times of their messages differ.
    CopiedQueue different = copy().targetQueues(TargetQueues.CONTINUE).run().get(0);
    assertThat(different.differences()).isBetween(1L, 700L);
    assertThat(part).containsKeys(ids(different).toArray(String[]::new));
    assertThat(isPaused(target)).isTrue();

    partition(target).purge(EnumSet.allOf(State.class)).toCompletableFuture().join();
    StoreCopy stopped =
        copy()
            .targetQueues(TargetQueues.CONTINUE)
            .onProgress(
                progress -> {
                  if (progress.messages() > 500) {
                    throw new PunctualException("stopped", null);
                  }
                });
    assertThatThrownBy(stopped::run).hasMessage("stopped");
    assertThat(Samples.all(target, QUEUE)).hasSizeLessThan(2_000);
    assertThat(isPaused(target)).isTrue();
    CopiedQueue copied = copy().targetQueues(TargetQueues.CONTINUE).run().get(0);
    assertThat(copied.isEqual()).isTrue();
    assertThat(copied.stored() + copied.present()).isEqualTo(2_000);
    assertThat(isPaused(target)).isFalse();
    Samples.expectSame(Samples.all(target, QUEUE), Samples.all(source, QUEUE));
  }

  @Test
  void run_merges_keepsWhatTheTargetHas() {
    schedule(source, "a", "source");
    schedule(source, "b", "source");
    schedule(source, "c", "same");
    schedule(target, "a", "target");
    schedule(target, "c", "same");
    schedule(target, "z", "target");
    CopiedQueue copied = copy().targetQueues(TargetQueues.MERGE).run().get(0);
    assertThat(copied.isEqual()).isTrue();
    assertThat(copied.stored()).isEqualTo(1);
    assertThat(copied.present()).isEqualTo(2);
    assertThat(copied.keptDifferent()).isEqualTo(1);
    assertThat(copied.firstDifferences())
        .singleElement()
        .matches(kept -> kept.id().equals("a") && kept.what().contains("payload"));
    assertThat(Samples.all(target, QUEUE)).containsOnlyKeys("a", "b", "c", "z");
    assertThat(isPaused(target)).isFalse();
  }

  @Test
  void run_targetChangesBeforeTheVerification_namesTheIdsAndStaysPaused() {
    for (String id : List.of("kept", "lost", "moved")) {
      schedule(source, id, id);
    }
    StoreCopy meddled =
        copy()
            .onProgress(
                progress -> {
                  if (progress.step() == Step.VERIFYING && steps.add(Step.VERIFYING)) {
                    apply(
                        target,
                        new Operation.Cancel("lost"),
                        new Operation.Reschedule("moved", new DueTime(false, 7)));
                    schedule(target, "extra", "x");
                  }
                });
    CopiedQueue copied = meddled.run().get(0);
    assertThat(copied.isEqual()).isFalse();
    assertThat(copied.differences()).isEqualTo(3);
    assertThat(copied.firstDifferences())
        .containsExactlyInAnyOrder(
            new Difference("lost", "is not in the target"),
            new Difference("moved", "differs: due time"),
            new Difference("extra", "is not in the source"));
    assertThat(copied.paused()).isTrue();
    assertThat(isPaused(target)).isTrue();
  }

  @Test
  void run_sourceChangesDuringTheCopy_isADifference() {
    schedule(source, "a", "1");
    StoreCopy changed =
        copy()
            .onProgress(
                progress -> {
                  if (progress.step() == Step.VERIFYING && steps.add(Step.VERIFYING)) {
                    schedule(source, "late", "2");
                  }
                });
    // The verification may have read the source before the change, and so may have found no
    // difference; a second copy finds the late message.
    changed.run();
    CopiedQueue again = copy().targetQueues(TargetQueues.CONTINUE).run().get(0);
    assertThat(again.isEqual()).isTrue();
    assertThat(again.stored()).isEqualTo(1);
    assertThat(Samples.all(target, QUEUE)).containsOnlyKeys("a", "late");
  }

  @Test
  void run_messagesBecomeDueDuringTheCopy_areCountedOnce() {
    List<Operation> operations = new ArrayList<>();
    long now = clock.instant().toEpochMilli();
    for (int i = 0; i < 900; i++) {
      // Ten messages share each due time.
      operations.add(
          new Operation.Schedule(
              "m" + i,
              new DueTime(false, now + 1 + i / 10),
              IfPresent.REJECT,
              Samples.text("m" + i)));
    }
    apply(source, operations.toArray(Operation[]::new));
    StoreCopy aging =
        copy()
            .onProgress(
                progress -> {
                  steps.add(progress.step());
                  clock.advance(Duration.ofMillis(7));
                });
    CopiedQueue copied = aging.run().get(0);
    assertThat(copied.isEqual()).isTrue();
    assertThat(copied.messages()).isEqualTo(900);
    assertThat(copied.stored()).isEqualTo(900);
    assertThat(steps).doesNotContain(Step.COMPARING);
  }

  @Test
  void run_partitionThatWantsShortCalls_getsShortCalls() {
    Samples.fill(source, QUEUE, 95, 10, 1);
    List<Integer> sizes = new ArrayList<>();
    Store limited =
        proxy(
            Store.class,
            (method, args) ->
                method.getName().equals("partitions")
                    ? target
                        .partitions(QUEUE)
                        .thenApply(all -> all.stream().map(each -> limited(each, sizes)).toList())
                    : method.invoke(target, args));

    List<CopiedQueue> copied =
        StoreCopy.between(source, limited).sourceQueues(SourceQueues.AS_THEY_ARE).run();

    assertThat(copied).allMatch(CopiedQueue::isEqual);
    assertThat(sizes).isNotEmpty().allMatch(size -> size <= 10);
  }

  private static Partition limited(Partition partition, List<Integer> sizes) {
    return proxy(
        Partition.class,
        (method, args) -> {
          if (method.getName().equals("operationsPerCall")) {
            return 10;
          }
          if (method.getName().equals("call")
              && ((Call) args[0]).body() instanceof Call.Apply apply) {
            sizes.add(apply.operations().size());
          }
          return method.invoke(partition, args);
        });
  }

  private interface Calls {
    Object run(Method method, Object[] args) throws Exception;
  }

  private static <P> P proxy(Class<P> type, Calls calls) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> calls.run(method, args)));
  }
}
