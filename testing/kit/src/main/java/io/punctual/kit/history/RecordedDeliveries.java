package io.punctual.kit.history;

import io.punctual.AsyncHandler;
import io.punctual.BatchHandler;
import io.punctual.Delivery;
import io.punctual.Handler;
import io.punctual.kit.history.HistoryEvent.HandedOver;
import io.punctual.kit.history.HistoryEvent.HandlerReturned;
import java.util.List;

/** Handlers that record their deliveries. Safe for use by many threads. */
final class RecordedDeliveries {
  private final Recording recording;

  RecordedDeliveries(Recording recording) {
    this.recording = recording;
  }

  <T> Handler<T> handler(Handler<T> handler) {
    return delivery -> {
      handedOver(delivery);
      boolean failed = true;
      try {
        handler.handle(delivery);
        failed = false;
      } finally {
        returned(delivery, failed);
      }
    };
  }

  <T> BatchHandler<T> batchHandler(BatchHandler<T> handler) {
    return deliveries -> {
      deliveries.forEach(this::handedOver);
      boolean failed = true;
      try {
        handler.handle(deliveries);
        failed = false;
      } finally {
        returned(deliveries, failed);
      }
    };
  }

  <T> AsyncHandler<T> asyncHandler(AsyncHandler<T> handler) {
    return delivery -> {
      handedOver(delivery);
      boolean started = false;
      try {
        var stage =
            handler
                .handle(delivery)
                .whenComplete((value, failure) -> returned(delivery, failure != null));
        started = true;
        return stage;
      } finally {
        if (!started) {
          returned(delivery, true);
        }
      }
    };
  }

  void handedOver(Delivery<?> delivery) {
    long now = recording.now();
    recording.record(
        new HandedOver(
            now,
            delivery.queue(),
            delivery.id(),
            delivery.fencingToken(),
            delivery.attempt(),
            delivery.dueAt().toEpochMilli(),
            delivery.lateness().toNanos() / 1000,
            delivery.isLost()));
  }

  private <T> void returned(List<Delivery<T>> deliveries, boolean failed) {
    deliveries.forEach(delivery -> returned(delivery, failed));
  }

  private void returned(Delivery<?> delivery, boolean failed) {
    long now = recording.now();
    recording.record(
        new HandlerReturned(
            now,
            delivery.queue(),
            delivery.id(),
            delivery.fencingToken(),
            failed,
            delivery.isSettled(),
            delivery.isLost()));
  }
}
