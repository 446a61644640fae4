package io.punctual.timer;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * The common operations of {@link TimingWheel} and {@link SlotWheel}, on entries that are numbered
 * from 0.
 */
interface WheelUnderTest {
  void schedule(int number, long due);

  boolean cancel(int number);

  boolean isScheduled(int number);

  long due(int number);

  int size();

  long time();

  long nextExpiry();

  int advance(long now, int limit, IntConsumer listener);

  static WheelUnderTest ofSlots(long time) {
    SlotWheel wheel = new SlotWheel(time);
    return new WheelUnderTest() {
      @Override
      public void schedule(int number, long due) {
        wheel.schedule(number, due);
      }

      @Override
      public boolean cancel(int number) {
        return wheel.cancel(number);
      }

      @Override
      public boolean isScheduled(int number) {
        return wheel.isScheduled(number);
      }

      @Override
      public long due(int number) {
        return wheel.due(number);
      }

      @Override
      public int size() {
        return wheel.size();
      }

      @Override
      public long time() {
        return wheel.time();
      }

      @Override
      public long nextExpiry() {
        return wheel.nextExpiry();
      }

      @Override
      public int advance(long now, int limit, IntConsumer listener) {
        return wheel.advance(now, limit, listener);
      }
    };
  }

  static WheelUnderTest ofEntries(long time) {
    TimingWheel<Numbered> wheel = new TimingWheel<>(time);
    Map<Integer, Numbered> entries = new HashMap<>();
    return new WheelUnderTest() {
      @Override
      public void schedule(int number, long due) {
        wheel.schedule(entry(number), due);
      }

      @Override
      public boolean cancel(int number) {
        return wheel.cancel(entry(number));
      }

      @Override
      public boolean isScheduled(int number) {
        return entry(number).isScheduled();
      }

      @Override
      public long due(int number) {
        return entry(number).due();
      }

      @Override
      public int size() {
        return wheel.size();
      }

      @Override
      public long time() {
        return wheel.time();
      }

      @Override
      public long nextExpiry() {
        return wheel.nextExpiry();
      }

      @Override
      public int advance(long now, int limit, IntConsumer listener) {
        return wheel.advance(now, limit, entry -> listener.accept(entry.number));
      }

      private Numbered entry(int number) {
        return entries.computeIfAbsent(number, Numbered::new);
      }
    };
  }

  final class Numbered extends WheelEntry {
    final int number;

    Numbered(int number) {
      this.number = number;
    }
  }
}
