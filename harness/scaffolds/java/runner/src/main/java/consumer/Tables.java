package consumer;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** Tables as rows make them: nothing tells of DDL, so a new shape comes with a row. */
final class Tables {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** A table: its rows by key, how far each key has come, and its shape with when it was told. */
  static final class Stored {
    final Map<String, Map<String, Object>> rows = new LinkedHashMap<>();
    private final Map<String, Long> greatest = new HashMap<>();
    private Map<String, Form.Column> shape;
    private long shapedAt;
  }

  final Map<Form.Table, Stored> stored = new LinkedHashMap<>();

  private Stored of(Form form) {
    return stored.computeIfAbsent(form.table, name -> new Stored());
  }

  /** Removes a row. A tombstone has no commit ts, so what its key has seen stays known. */
  void remove(Form.Read key) throws IOException {
    of(key.form()).rows.remove(idOf(key));
  }

  /**
   * Takes an inserted or updated row, unless its key has seen a later one.
   *
   * <p>A stream that is sent again brings older versions back. Without TiDB's extension there is no
   * commit ts: then the order of arrival within the partition is all there is.
   */
  void put(Form.Read key, Form.Read value) throws IOException {
    Stored table = of(value.form());
    String id = idOf(key);
    long ts = value.commitTs();
    long seen = table.greatest.getOrDefault(id, 0L);
    if (ts != 0 && ts < seen) {
      return;
    }
    table.greatest.put(id, Math.max(ts, seen));
    Map<String, Object> row = value.row();
    Map<String, Form.Column> columns = value.form().columns;
    if (ts < table.shapedAt) {
      row = inShape(row, table.shape);
    } else {
      if (table.shape != null && !table.shape.keySet().equals(columns.keySet())) {
        table.rows.replaceAll((other, older) -> inShape(older, columns));
      }
      table.shape = columns;
      table.shapedAt = ts;
    }
    table.rows.put(id, row);
  }

  /** One text for the values of a key, whatever the order of its columns. */
  private static String idOf(Form.Read key) throws IOException {
    return JSON.writeValueAsString(new TreeMap<>(key.row()));
  }

  private static Map<String, Object> inShape(
      Map<String, Object> row, Map<String, Form.Column> shape) {
    Map<String, Object> shaped = new LinkedHashMap<>();
    shape.forEach(
        (name, column) -> shaped.put(name, row.containsKey(name) ? row.get(name) : column.absent()));
    return shaped;
  }
}
