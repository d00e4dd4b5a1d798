package consumer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;

/** A registered schema that is ready to read, and TiDB's values in the contract's JSON. */
final class Form {
  static final String COMMIT_TS = "_tidb_commit_ts";

  /** Fields that TiCDC adds begin so; a column of such a name has a tidb_type, they have none. */
  private static final String EXTENSION = "_tidb_";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> TEMPORAL = Set.of("DATE", "TIME", "DATETIME", "TIMESTAMP");

  /** How a column's values are read. */
  record Column(String kind, int scale) {}

  /** What a message's key or value holds; commitTs is 0 where TiDB's extension does not tell it. */
  record Read(Form form, Map<String, Object> row, long commitTs) {}

  final Tables.Name name;
  final Map<String, Tables.Column> shape = new LinkedHashMap<>();
  private final Map<String, Column> columns = new LinkedHashMap<>();
  private final GenericDatumReader<GenericRecord> reader;

  /** Takes a schema's text. Defaults are TiDB's, which Avro's own rules would refuse: they go. */
  Form(String text) throws IOException {
    if (!(JSON.readTree(text) instanceof ObjectNode document)
        || !document.path("type").asText().equals("record")) {
      throw new IOException("the schema is no record");
    }
    // A namespace is <the changefeed's>.<database>.
    String namespace = document.path("namespace").asText();
    name =
        new Tables.Name(
            namespace.substring(namespace.indexOf('.') + 1), document.path("name").asText());
    for (JsonNode one : document.path("fields")) {
      JsonNode told = ((ObjectNode) one).remove("default");
      JsonNode branch = branch(one.get("type"));
      String kind = branch.path("connect.parameters").path("tidb_type").asText("");
      String label = one.get("name").asText();
      if (kind.isEmpty() && label.startsWith(EXTENSION)) {
        continue;
      }
      int scale = branch.path("scale").asInt(0);
      boolean isBytes = branch.path("type").asText().equals("bytes");
      columns.put(label, new Column(kind, scale));
      shape.put(label, new Tables.Column("", absent(kind, isBytes, told)));
    }
    Schema schema =
        new Schema.Parser(NameValidator.NO_VALIDATION)
            .setValidateDefaults(false)
            .parse(document.toString());
    reader = new GenericDatumReader<>(schema);
  }

  /** Reads a body; IOException for bytes that are not of this schema. */
  Read read(byte[] message, int from) throws IOException {
    BinaryDecoder decoder =
        DecoderFactory.get().binaryDecoder(message, from, message.length - from, null);
    GenericRecord told;
    try {
      told = reader.read(null, decoder);
    } catch (RuntimeException error) {
      throw new IOException("not of its schema: " + error.getMessage(), error);
    }
    if (!decoder.isEnd()) {
      throw new IOException("bytes are left behind the row");
    }
    Map<String, Object> row = new LinkedHashMap<>();
    columns.forEach((label, column) -> row.put(label, value(column, told.get(label))));
    boolean hasTs = told.hasField(COMMIT_TS) && !columns.containsKey(COMMIT_TS);
    return new Read(this, row, hasTs ? (Long) told.get(COMMIT_TS) : 0);
  }

  private static JsonNode branch(JsonNode type) {
    List<JsonNode> branches = new ArrayList<>();
    (type.isArray() ? type : JSON.createArrayNode().add(type)).forEach(branches::add);
    branches.removeIf(one -> one.asText().equals("null"));
    return branches.get(0);
  }

  private static Object value(Column column, Object told) {
    if (told instanceof ByteBuffer buffer) {
      byte[] raw = new byte[buffer.remaining()];
      buffer.duplicate().get(raw);
      return bytes(column.kind, column.scale, raw);
    }
    if (told instanceof Long number && column.kind.equals("BIGINT UNSIGNED")) {
      return Long.toUnsignedString(number); // sent as a long, it wraps beyond 2^63 - 1
    }
    return told instanceof CharSequence text ? text.toString() : told;
  }

  private static String bytes(String kind, int scale, byte[] raw) {
    return switch (kind) {
      case "DECIMAL" -> new BigDecimal(new BigInteger(raw), scale).toPlainString();
      case "BIT" -> new BigInteger(1, raw).toString();
      default -> HexFormat.of().formatHex(raw);
    };
  }

  /**
   * What rows without the column have; null where the schema does not tell it. The default of a
   * binary type is base64; a function such as CURRENT_TIMESTAMP is known to the database only.
   */
  private static Object absent(String kind, boolean isBytes, JsonNode told) {
    if (told == null || told.isNull()) {
      return null;
    }
    if (told.isNumber()) {
      boolean isUnsigned = kind.equals("BIGINT UNSIGNED");
      return isUnsigned ? Long.toUnsignedString(told.longValue()) : (Object) told;
    }
    String text = told.asText();
    if (isBytes) {
      return kind.equals("DECIMAL") ? null : bytes(kind, 0, Base64.getDecoder().decode(text));
    }
    boolean isFunction =
        text.equals("uuid()") || (TEMPORAL.contains(kind) && !text.matches("[-\\d:. ]+"));
    return isFunction ? null : text;
  }
}
