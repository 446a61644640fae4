package io.punctual.server.jetty;

import io.punctual.http.exchange.Answer;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Answers what Jetty refuses itself, in the form of all other problems. */
final class ErrorAnswers extends ErrorHandler {
  /** The headers that each answer has, encoded once. */
  static final List<HttpField> HARMLESS =
      Answer.HARMLESS.entrySet().stream()
          .<HttpField>map(header -> new PreEncodedHttpField(header.getKey(), header.getValue()))
          .toList();

  private static final Map<Integer, String> DETAILS =
      Map.of(
          400, "The request is not valid HTTP: its request line, headers, path or chunks",
          408, "The request did not arrive in time",
          414, "The address of the request is too long",
          417, "Only Expect: 100-continue is known",
          426, "Only HTTP/1.0 and HTTP/1.1 are served",
          431, "The headers of the request exceed 16 KiB",
          505, "Only HTTP/1.0 and HTTP/1.1 are served");

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    int status = response.getStatus();
    Object cause = request.getAttribute(ERROR_EXCEPTION);
    if (cause instanceof HttpException known) {
      status = known.getCode();
    }
    if (status < 400) {
      status = 500;
    }
    response.setStatus(status);
    byte[] body = body(status);
    describe(response.getHeaders());
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
    response.write(true, ByteBuffer.wrap(body), callback);
    return true;
  }

  private static void describe(HttpFields.Mutable fields) {
    HARMLESS.forEach(fields::put);
    fields.put(HttpHeader.CONTENT_TYPE, Problems.CONTENT_TYPE);
    fields.put(HttpHeader.CACHE_CONTROL, "no-store");
  }

  private static byte[] body(int status) {
    String detail = DETAILS.getOrDefault(status, "The server could not serve the request");
    return Problems.json(status, detail);
  }
}
