package io.punctual.spring;

import io.punctual.Due;
import io.punctual.EnlistedQueue;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.TimedQueue;
import java.util.List;

/**
 * The calls that change a queue, immediately or inside a transaction. Safe for use by many threads
 * if the queue is.
 */
interface ChangeCalls<T> {
  /** Schedules these messages, at least one. */
  void schedule(List<Message<T>> messages, IfPresent ifPresent);

  void cancel(String id);

  void reschedule(String id, Due due);

  static <T> ChangeCalls<T> of(TimedQueue<T> queue) {
    return new ChangeCalls<>() {
      @Override
      public void schedule(List<Message<T>> messages, IfPresent ifPresent) {
        Object unused =
            messages.size() == 1
                ? queue.schedule(messages.get(0), ifPresent)
                : queue.scheduleAll(messages, ifPresent);
      }

      @Override
      public void cancel(String id) {
        queue.cancel(id);
      }

      @Override
      public void reschedule(String id, Due due) {
        queue.reschedule(id, due);
      }
    };
  }

  static <T> ChangeCalls<T> of(EnlistedQueue<T> queue) {
    return new ChangeCalls<>() {
      @Override
      public void schedule(List<Message<T>> messages, IfPresent ifPresent) {
        List<?> unused = queue.scheduleAll(messages, ifPresent);
      }

      @Override
      public void cancel(String id) {
        queue.cancel(id);
      }

      @Override
      public void reschedule(String id, Due due) {
        queue.reschedule(id, due);
      }
    };
  }
}
