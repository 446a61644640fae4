package io.punctual.server.jetty;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/** Compresses large answers of text for clients that take gzip. */
final class Compression {
  private static final int LEAST = 8 << 10;

  private Compression() {}

  /** Returns the content, compressed with its headers set, if that is worth it. */
  static byte[] compressed(byte[] content, HttpFields request, HttpFields.Mutable answer) {
    if (content.length < LEAST || !isText(answer) || answer.contains(HttpHeader.CONTENT_ENCODING)) {
      return content;
    }
    answer.add(HttpHeader.VARY, "Accept-Encoding");
    if (!takesGzip(request)) {
      return content;
    }
    answer.put(HttpHeader.CONTENT_ENCODING, "gzip");
    ByteArrayOutputStream out = new ByteArrayOutputStream(content.length / 4);
    try (GZIPOutputStream gzip = new GZIPOutputStream(out, 1 << 13)) {
      gzip.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  private static boolean isText(HttpFields answer) {
    String type = answer.get(HttpHeader.CONTENT_TYPE);
    return type != null
        && (type.contains("json") || type.startsWith("text/") || type.contains("javascript"));
  }

  private static boolean takesGzip(HttpFields request) {
    for (String coding : request.getCSV(HttpHeader.ACCEPT_ENCODING, true)) {
      String text = coding.replace(" ", "").toLowerCase(Locale.ROOT);
      if (text.equals("gzip")
          || (text.startsWith("gzip;q=") && !text.matches("gzip;q=0(\\.0*)?"))) {
        return true;
      }
    }
    return false;
  }
}
