package io.punctual.benchmarks;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Encodes histograms as words to pass them between processes. */
public final class Histograms {
  private Histograms() {}

  /** Returns a word that {@link #decode} understands. */
  public static String encode(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
  }

  /** Returns the histogram that was encoded. */
  public static Histogram decode(String word) {
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(word)), 0);
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("not a histogram: " + word, e);
    }
  }

  /** The same values divided by a thousand. */
  public static Histogram toMicros(Histogram nanos) {
    Histogram micros = new Histogram(3);
    nanos
        .recordedValues()
        .forEach(
            value ->
                micros.recordValueWithCount(
                    value.getValueIteratedTo() / 1_000, value.getCountAtValueIteratedTo()));
    return micros;
  }
}
