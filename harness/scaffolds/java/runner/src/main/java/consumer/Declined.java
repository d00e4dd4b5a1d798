package consumer;

/** Something that this program does not do; its message says what. */
final class Declined extends RuntimeException {
  Declined(String what) {
    super(what);
  }
}
