package io.punctual.spring.boot.jpa;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.spring.PunctualQueues;
import io.punctual.spring.PunctualTransactions;
import io.punctual.spring.TransactionalQueue;
import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The application that {@link JpaTransactionTest} uses. */
final class Shop {
  final EntityManager entities;
  final PunctualTransactions transactions;
  final TransactionTemplate template;
  final PlatformTransactionManager manager;
  final PlacedOrder.Action callback;
  final TimedQueue<String> plain;
  final TimedQueue<String> closing;
  final TransactionalQueue<String> queue;

  Shop(
      EntityManager entities,
      PunctualTransactions transactions,
      PlatformTransactionManager manager,
      PlacedOrder.Action callback,
      Punctual punctual,
      PunctualQueues queues) {
    this.entities = entities;
    this.transactions = transactions;
    this.template = new TransactionTemplate(manager);
    this.manager = manager;
    this.callback = callback;
    this.plain = punctual.queue("orders", Codec.string());
    this.closing = punctual.queue("closing", Codec.string());
    this.queue = queues.transactional("orders", String.class);
  }

  void inTransaction(Runnable action) {
    template.executeWithoutResult(status -> action.run());
  }

  TransactionTemplate inner(int propagation) {
    TransactionTemplate inner = new TransactionTemplate(manager);
    inner.setPropagationBehavior(propagation);
    return inner;
  }

  void place(String id) {
    entities.persist(new PlacedOrder(id, "number " + id));
    queue.schedule(message(id));
  }

  /** Makes an entity dirty, so that the next flush calls its callback. */
  void change(String id) {
    entities.find(PlacedOrder.class, id).number = "changed";
  }

  List<String> rows() {
    return entities
        .createQuery("select o.id from PlacedOrder o order by o.id", String.class)
        .getResultList();
  }

  List<String> stored() {
    return plain.findAll(List.of("1", "2", "3")).stream()
        .flatMap(Optional::stream)
        .map(StoredMessage::id)
        .toList();
  }

  static Message<String> message(String id) {
    return Message.of("payload " + id).id(id).dueIn(Duration.ofHours(1));
  }
}
