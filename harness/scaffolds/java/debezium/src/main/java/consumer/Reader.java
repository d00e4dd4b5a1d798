package consumer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.common.TopicPartition;

/**
 * Debezium's connectors with their JSON converter: rows by the key of their message.
 *
 * <p>All events of a key come in one partition, in order, so rows are applied as they arrive. A read
 * that ends at given offsets needs no boundaries of transactions: the rows of one that is cut in two
 * there are the rows of its first part. Whoever shows tables while they change has to wait for END.
 */
final class Reader {
  private static final Map<String, Set<String>> DIALECTS =
      Map.of(
          "vitess", Set.of("current", "2.7", "3.0", "3.1", "3.2", "3.4", "documented"),
          "debezium-mysql", Set.of("current", "mysql"));

  /** What the source block of each protocol calls a schema. */
  private static final Map<String, String> SCHEMAS =
      Map.of("vitess", "keyspace", "debezium-mysql", "db");

  private static final String CONVERTER = "org.apache.kafka.connect.json.JsonConverter";
  private static final Set<String> PUTS = Set.of("c", "r", "u");

  /**
   * What a value without a row has: boundaries of transactions, DDL for information, heartbeats and
   * notifications. None of them says what became of rows.
   */
  private static final List<Set<String>> OTHERS =
      List.of(Set.of("status", "id"), Set.of("ddl"), Set.of("vgtid"), Set.of("aggregate_type"));

  /** A key or a value, and the schemas of its fields, none where no schema travels. */
  private record Part(JsonNode document, Map<String, JsonNode> fields) {}

  /** A row and its shape. */
  private record Image(Map<String, Object> row, Map<String, Tables.Column> shape) {}

  /** What the last row of a message key was: its table, and whether it was deleted. */
  private record Last(Tables.Table table, boolean isGone) {}

  final Tables tables = new Tables();

  /** None: the stream says nothing that could be executed. */
  final List<Map<String, Object>> ddl = null;

  private final String schema;
  private final Map<List<String>, Last> last = new HashMap<>();

  private Reader(String schema) {
    this.schema = schema;
  }

  /** Makes the reader of each changefeed. */
  static Function<JsonNode, Reader> readers(JsonNode job) {
    return feed -> new Reader(SCHEMAS.get(feed.path("protocol").asText()));
  }

  /** Names what a changefeed asks for and this program does not do; "" for nothing. */
  static String lacking(JsonNode feed) {
    String protocol = feed.path("protocol").asText();
    String dialect = feed.path("dialect").asText();
    if (!DIALECTS.containsKey(protocol)) {
      return "protocol:" + protocol;
    }
    if (!DIALECTS.get(protocol).contains(dialect)) {
      return "dialect:" + dialect;
    }
    for (String side : List.of("key", "value")) {
      String converter = feed.path("settings").path(side + ".converter").asText(CONVERTER);
      if (!converter.equals(CONVERTER)) {
        return "converter:" + converter.substring(converter.lastIndexOf('.') + 1);
      }
    }
    return "";
  }

  /** Applies one message. */
  void take(TopicPartition place, byte[] keyBytes, byte[] valueBytes) throws IOException {
    Part named = part(keyBytes);
    Part value = part(valueBytes);
    Map<String, Object> key = row(named);
    List<String> who = List.of(place.topic(), Tables.text(key));
    JsonNode document = value.document;
    if (document.has("before") || document.has("after")) {
      last.put(who, change(key, value));
    } else if (!document.isNull()) {
      boolean isHeartbeat = document.size() == 1 && document.has("ts_ms");
      if (!isHeartbeat
          && OTHERS.stream().noneMatch(members -> members.stream().allMatch(document::has))) {
        throw new IOException(Json.clip(document) + " is no change");
      }
    } else if (!named.document.isNull() && last.containsKey(who) && !last.get(who).isGone) {
      // Behind a delete comes a tombstone. Compaction may leave it alone: then it deletes.
      last.get(who).table.remove(key, Map.of());
      last.put(who, new Last(last.get(who).table, true));
    }
  }

  /** Applies a row's event; returns its table, and whether the row is gone. */
  private Last change(Map<String, Object> key, Part value) throws IOException {
    JsonNode source = Json.object(value.document.get("source"));
    if (!source.path(schema).isTextual() || !source.path("table").isTextual()) {
      throw new IOException("a change of no table");
    }
    Image before = image(value, "before");
    Image after = image(value, "after");
    String op = value.document.path("op").asText();
    if (op.isEmpty() || op.equals("null")) { // a transform has removed it
      op = after == null ? "d" : "c";
    }
    if (op.equals("t")) { // partitions do not say which rows it came before
      throw new Declined("operation:t");
    }
    boolean isPut = PUTS.contains(op);
    if (isPut ? after == null : !op.equals("d") || before == null) {
      throw new IOException("op " + op + " without the row that it needs");
    }
    var name = new Tables.Name(source.get(schema).asText(), source.get("table").asText());
    Tables.Table table = tables.of(name);
    if (before != null && (!isPut || key.isEmpty())) {
      // What the row looks like in its table by now.
      var shape = table.shape == null ? before.shape : table.shape;
      table.remove(key, Tables.inShape(before.row, before.shape, shape));
    }
    if (isPut) {
      table.put(key, table.fitted(after.row, after.shape, source.path("ts_ms").asLong()));
    }
    return new Last(table, !isPut);
  }

  private static Part part(byte[] data) throws IOException {
    if (data == null) {
      return new Part(JsonNodeFactory.instance.nullNode(), Map.of());
    }
    JsonNode document = Json.object(data);
    if (document.size() != 2 || !document.has("schema") || !document.has("payload")) {
      return new Part(document, Map.of());
    }
    JsonNode payload = document.get("payload");
    return new Part(payload.isNull() ? payload : Json.object(payload), fields(document.get("schema")));
  }

  private static Map<String, JsonNode> fields(JsonNode schema) {
    Map<String, JsonNode> fields = new HashMap<>();
    if (schema != null) {
      schema.path("fields").forEach(field -> fields.put(field.path("field").asText(), field));
    }
    return fields;
  }

  private static Map<String, Object> row(Part told) throws IOException {
    Map<String, Object> row = new LinkedHashMap<>();
    for (var entry : told.document.properties()) {
      row.put(entry.getKey(), Values.value(told.fields.get(entry.getKey()), entry.getValue()));
    }
    return row;
  }

  /** A row and its shape, null where there is none. A new column's default is not told. */
  private static Image image(Part value, String side) throws IOException {
    JsonNode document = value.document.path(side);
    if (document.isNull() || document.isMissingNode()) {
      return null;
    }
    Map<String, JsonNode> fields = fields(value.fields.get(side));
    Map<String, Tables.Column> shape = new LinkedHashMap<>();
    Json.object(document)
        .fieldNames()
        .forEachRemaining(
            name -> shape.put(name, new Tables.Column(Values.kind(fields.get(name)), null)));
    return new Image(row(new Part(document, fields)), shape);
  }
}
