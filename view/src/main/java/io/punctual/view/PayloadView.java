package io.punctual.view;

import io.punctual.StoredMessage;
import io.punctual.UndecodableException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A payload: JSON is {@code payload}, other text is {@code payload} as a string with {@code
 * payloadText}, and other bytes are {@code payloadBase64}.
 *
 * @param payload a {@link JsonText}, the value of a JSON payload with redacted fields, or a text;
 *     null if the payload is not text or not shown. The value {@code null} of a JSON payload is a
 *     {@link JsonText}, too
 * @param payloadText whether the payload is text that is not JSON
 * @param payloadBase64 the bytes in Base64, or null
 * @param damaged whether the store could not read the payload
 */
public record PayloadView(
    @Nullable Object payload, boolean payloadText, @Nullable String payloadBase64, boolean damaged)
    implements View {
  private static final PayloadView HIDDEN = new PayloadView(null, false, null, false);
  private static final PayloadView DAMAGED = new PayloadView(null, false, null, true);

  /** Returns the view of a payload. */
  public static PayloadView of(byte[] bytes, Redaction redaction) {
    if (!redaction.showsContents()) {
      return HIDDEN;
    }
    Optional<String> text = text(bytes);
    Optional<JsonText> json = text.flatMap(JsonText::of);
    if (redaction.showsWholePayloads()) {
      return json.map(PayloadView::json)
          .or(() -> text.map(other -> new PayloadView(other, true, null, false)))
          .orElseGet(
              () -> new PayloadView(null, false, Base64.getEncoder().encodeToString(bytes), false));
    }
    return json.map(found -> redacted(found, redaction)).orElse(HIDDEN);
  }

  /** Returns the view of the payload of a message. */
  static PayloadView of(StoredMessage<?> message, Redaction redaction) {
    try {
      return of(message.payloadBytes(), redaction);
    } catch (UndecodableException e) {
      return DAMAGED;
    }
  }

  private static PayloadView redacted(JsonText json, Redaction redaction) {
    Object shown = redaction.json(json.value());
    return json(shown == null ? json : shown);
  }

  private static PayloadView json(Object json) {
    return new PayloadView(json, false, null, false);
  }

  /** Returns the bytes as text if they are UTF-8. */
  public static Optional<String> text(byte[] bytes) {
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  @Override
  public Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("payload", payload)
        .flag("payloadText", payloadText)
        .put("payloadBase64", payloadBase64)
        .flag("damaged", damaged)
        .toMap();
  }
}
