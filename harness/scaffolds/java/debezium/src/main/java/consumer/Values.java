package consumer;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * Values of Connect's JSON in the contract's JSON: the schema's name, or its type, tells how.
 *
 * <p>Without a schema a value stays as it is. Dates and times are numbers then whose unit nobody
 * tells: let schemas travel, or set time.precision.mode=isostring.
 */
final class Values {
  private static final String DECIMAL = "org.apache.kafka.connect.data.Decimal";
  private static final String ZONED = "io.debezium.time.ZonedTimestamp";
  private static final String BITS = "io.debezium.data.Bits";
  private static final Set<String> INTEGERS = Set.of("int8", "int16", "int32", "int64");
  private static final Set<String> FLOATS = Set.of("float", "double");
  private static final long DAY_S = 86_400;

  private static final Map<String, LongFunction<String>> TIMES =
      Map.of(
          "io.debezium.time.Date", Values::day,
          "org.apache.kafka.connect.data.Date", Values::day,
          "io.debezium.time.Time", number -> time(number, 3),
          "org.apache.kafka.connect.data.Time", number -> time(number, 3),
          "io.debezium.time.MicroTime", number -> time(number, 6),
          "io.debezium.time.NanoTime", number -> time(number, 9),
          "io.debezium.time.Timestamp", number -> moment(number, 3),
          "org.apache.kafka.connect.data.Timestamp", number -> moment(number, 3),
          "io.debezium.time.MicroTimestamp", number -> moment(number, 6),
          "io.debezium.time.NanoTimestamp", number -> moment(number, 9));

  private Values() {}

  static Object value(JsonNode schema, JsonNode value) throws IOException {
    if (value.isNull()) {
      return null;
    }
    if (schema == null && (value.isNumber() || value.isTextual() || value.isBoolean())) {
      return value;
    }
    String name = schema == null ? "" : schema.path("name").asText();
    String type = schema == null ? "" : schema.path("type").asText();
    if (name.equals(DECIMAL) && (value.isTextual() || value.isNumber())) {
      return value.isNumber() ? value.decimalValue().toPlainString() : decimal(schema, value);
    }
    if (value.isBoolean() && type.equals("boolean")) {
      return value.booleanValue() ? 1 : 0;
    }
    if (value.isTextual() && name.equals(BITS)) {
      return bits(Base64.getDecoder().decode(value.asText()));
    }
    if (value.isTextual() && type.equals("bytes")) {
      return HexFormat.of().formatHex(Base64.getDecoder().decode(value.asText()));
    }
    if (value.isTextual() && type.equals("string")) {
      return name.equals(ZONED) ? zoned(value.asText()) : value;
    }
    if (value.isIntegralNumber() && value.canConvertToLong() && TIMES.containsKey(name)) {
      return TIMES.get(name).apply(value.longValue());
    }
    boolean isInteger = INTEGERS.contains(type) && value.isIntegralNumber();
    if (isInteger || (FLOATS.contains(type) && value.isNumber())) {
      return value;
    }
    throw new IOException(Json.clip(value) + " is no " + type + " " + name);
  }

  /** What a column holds, so that one of another kind is a new one; integers are one. */
  static String kind(JsonNode schema) {
    if (schema == null) {
      return "";
    }
    String type = schema.path("type").asText();
    String kind = INTEGERS.contains(type) ? "integer" : type;
    return schema.hasNonNull("name") ? schema.get("name").asText() : kind;
  }

  private static String decimal(JsonNode schema, JsonNode value) {
    byte[] raw = Base64.getDecoder().decode(value.asText());
    int scale = Integer.parseInt(schema.path("parameters").path("scale").asText("0"));
    return new BigDecimal(new BigInteger(raw), scale).toPlainString();
  }

  /** The number of a BIT column, whose bytes come lowest first. */
  private static BigInteger bits(byte[] raw) {
    BigInteger number = BigInteger.ZERO;
    for (int at = raw.length - 1; at >= 0; at--) {
      number = number.shiftLeft(8).or(BigInteger.valueOf(raw[at] & 0xff));
    }
    return number;
  }

  /** A TIMESTAMP at UTC; what is none, the text of a date of zeros, stays as it is. */
  private static String zoned(String text) {
    boolean isMoment = text.endsWith("Z");
    return isMoment ? text.substring(0, text.length() - 1).replace('T', ' ') : text;
  }

  /** A day since 1970; Java's calendar has a year 0, as MySQL's. */
  private static String day(long number) {
    return LocalDate.ofEpochDay(number).toString();
  }

  /** A TIME, which may be negative, or longer than a day. */
  private static String time(long number, int digits) {
    long size = (long) Math.pow(10, digits);
    long whole = Math.abs(number);
    return (number < 0 ? "-" : "") + clock(whole / size) + fraction(whole % size, digits);
  }

  /** A DATETIME since 1970. */
  private static String moment(long number, int digits) {
    long size = (long) Math.pow(10, digits);
    long seconds = Math.floorDiv(number, size);
    String clock = clock(Math.floorMod(seconds, DAY_S));
    String rest = fraction(Math.floorMod(number, size), digits);
    return day(Math.floorDiv(seconds, DAY_S)) + " " + clock + rest;
  }

  private static String clock(long seconds) {
    return String.format("%02d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
  }

  /** Behind the point; MySQL has six digits at most. */
  private static String fraction(long rest, int digits) {
    return String.format(".%0" + digits + "d", rest).substring(0, Math.min(digits, 6) + 1);
  }
}
