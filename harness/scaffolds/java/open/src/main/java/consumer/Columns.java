package consumer;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Columns of the Open Protocol in the contract's JSON: the type's code and the flags tell how. */
final class Columns {
  private static final int BINARY = 1;
  private static final int HANDLE_KEY = 2;

  /** With years, bits, and ENUM and SET by number. */
  private static final Set<Integer> INTEGERS = Set.of(1, 2, 3, 8, 9, 13, 16, 247, 248);

  private static final Set<Integer> FLOATS = Set.of(4, 5);

  /** Temporal types, vectors, JSON, decimals. */
  private static final Set<Integer> TEXTS = Set.of(7, 10, 11, 12, 14, 225, 245, 246);

  /** CHAR and VARCHAR, BINARY and VARBINARY. */
  private static final Set<Integer> STRINGS = Set.of(15, 253, 254);

  /** The TEXT and the BLOB types. */
  private static final Set<Integer> LOBS = Set.of(249, 250, 251, 252);

  /** Go's quotation of bytes in a string. */
  private static final Pattern PIECE =
      Pattern.compile(
          "[^\\\\]+|\\\\(?:[abfnrtv\\\\\"]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})");

  private static final String ESCAPED = "abfnrtv\\\"";
  private static final byte[] MEANT = {7, 8, 12, 10, 13, 9, 11, '\\', '"'};

  /** A row, and its handle key. */
  record Image(Map<String, Object> row, Map<String, Object> key) {}

  private Columns() {}

  static Image image(JsonNode columns) throws IOException {
    if (Json.object(columns).isEmpty()) {
      throw new IOException("a row without columns");
    }
    Map<String, Object> row = new LinkedHashMap<>();
    Map<String, Object> key = new LinkedHashMap<>();
    for (var entry : columns.properties()) {
      String name = entry.getKey();
      JsonNode column = entry.getValue();
      if (!column.path("f").isInt() || !column.has("v")) {
        throw new IOException("column " + name + " is " + Json.clip(column));
      }
      int flags = column.get("f").intValue();
      row.put(name, value(name, column, (flags & BINARY) != 0));
      if (column.path("h").asBoolean() || (flags & HANDLE_KEY) != 0) {
        key.put(name, row.get(name));
      }
    }
    return new Image(row, key);
  }

  private static Object value(String name, JsonNode column, boolean isBinary) throws IOException {
    JsonNode value = column.get("v");
    int code = column.path("t").asInt();
    if (value.isNull()) {
      return null;
    }
    boolean isNumber = INTEGERS.contains(code) && value.isIntegralNumber();
    if (isNumber || (FLOATS.contains(code) && value.isNumber())) {
      return value;
    }
    String text = value.textValue();
    boolean isPlain = TEXTS.contains(code) || (STRINGS.contains(code) && !isBinary);
    if (text != null && isPlain) {
      return text;
    }
    if (text != null && (STRINGS.contains(code) || LOBS.contains(code))) {
      byte[] raw = LOBS.contains(code) ? Base64.getDecoder().decode(text) : unquoted(text);
      return isBinary ? HexFormat.of().formatHex(raw) : utf8(raw);
    }
    throw new IOException("column " + name + " of type code " + code + " is " + Json.clip(value));
  }

  private static String utf8(byte[] raw) throws IOException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(raw)).toString();
  }

  /** The bytes that Go has quoted. */
  private static byte[] unquoted(String text) throws IOException {
    var raw = new ByteArrayOutputStream();
    Matcher piece = PIECE.matcher(text);
    int at = 0;
    for (; at < text.length() && piece.find(at) && piece.start() == at; at = piece.end()) {
      raw.writeBytes(bytes(piece.group()));
    }
    if (at < text.length()) {
      throw new IOException("a string of bytes has no escape at " + at);
    }
    return raw.toByteArray();
  }

  private static byte[] bytes(String piece) {
    if (piece.charAt(0) != '\\') {
      return piece.getBytes(StandardCharsets.UTF_8);
    }
    return switch (piece.charAt(1)) {
      case 'x' -> HexFormat.of().parseHex(piece.substring(2));
      case 'u', 'U' ->
          Character.toString(Integer.parseInt(piece.substring(2), 16))
              .getBytes(StandardCharsets.UTF_8);
      default -> new byte[] {MEANT[ESCAPED.indexOf(piece.charAt(1))]};
    };
  }
}
