package io.punctual.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.RequestBatches;
import io.punctual.lock.internal.protocol.ServerHandle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests errors while batches of requests are sent, as they occur when memory is short. */
final class RequestBatchesTest extends LockTestServer {
  private final List<Integer> sent = Collections.synchronizedList(new ArrayList<>());
  private final List<Integer> told = Collections.synchronizedList(new ArrayList<>());

  private LockClient client;

  /** Batches that can't be sent if they contain 100. */
  private RequestBatches<Integer> batches;

  @BeforeEach
  void openBatches() {
    client = open().session().client();
    batches = new RequestBatches<>(client, this::handle, this::send, this::tell);
  }

  private ServerHandle handle(int request) {
    return new ServerHandle(
        client.keys(LockKind.MUTEX, "a"), client.options(LONG), Integer.toString(request));
  }

  private void send(List<Integer> batch) {
    if (batch.contains(100)) {
      throw new InternalError("of the test");
    }
    sent.addAll(batch);
  }

  private void tell(int request, Throwable error) {
    told.add(request);
    if (request == 100) {
      throw new InternalError("of the test");
    }
  }

  private static List<Integer> numbers(int from, int end) {
    return IntStream.range(from, end).boxed().toList();
  }

  @Test
  void errorInABatch_failsTheRequestsOfThisBatchOnly() {
    batches.sendAll(numbers(0, 300));

    assertThat(told).isEqualTo(numbers(100, 200));
    assertThat(sent).hasSize(200).doesNotContainAnyElementsOf(told);
  }

  @Test
  void errorInABatch_doesNotEndTheSendingOfLaterRequests() {
    for (int request : List.of(1, 100, 2)) {
      batches.add(request);
      await().until(() -> sent.contains(request) || told.contains(request));
    }

    assertThat(sent).containsExactly(1, 2);
    assertThat(told).containsExactly(100);
  }
}
