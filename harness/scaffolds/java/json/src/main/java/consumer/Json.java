package consumer;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;

/** JSON as it stands: no number is rounded. */
final class Json {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .nodeFactory(JsonNodeFactory.withExactBigDecimals(true))
          .build();

  private Json() {}

  /** Returns an object. */
  static JsonNode object(byte[] text) throws IOException {
    return object(MAPPER.readTree(text));
  }

  /** Returns what has to be an object. */
  static JsonNode object(JsonNode node) throws IOException {
    if (node == null || !node.isObject()) {
      throw new IOException(clip(node) + " is no object");
    }
    return node;
  }

  static String clip(JsonNode node) {
    String text = String.valueOf(node);
    return text.length() <= 60 ? text : text.substring(0, 60);
  }
}
