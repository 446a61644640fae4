package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A session that sends calls without waiting for replies. For one thread at a time. */
final class PipelinedSession {
  private final Partition partition;
  private final String id;
  private final List<CompletionStage<Reply>> replies = new ArrayList<>();

  PipelinedSession(TestPartition tested) {
    this.partition = tested.partition();
    this.id = tested.newSession().id();
  }

  void apply(Operation operation) {
    Call.Apply body = new Call.Apply(List.of(operation), null);
    replies.add(partition.call(new Call(id, replies.size() + 1, 1, body)));
  }

  /** Waits for all replies, and returns the outcomes in the order of the calls. */
  List<Outcome> outcomes() {
    return replies.stream().map(StoreResults::await).map(PipelinedSession::only).toList();
  }

  private static Outcome only(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Applied.class);
    return ((Reply.Applied) reply).outcomes().get(0);
  }
}
