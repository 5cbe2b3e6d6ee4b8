// The scanner of tile scripts: lines, indentation, brackets, strings and the soft keywords.
//
// What Python's tokenizer keeps beside its grammar is kept here: a stack of indentations, and a stack of frames, each
// an open bracket or an open string. The top frame says how the next character is read:
//
//   no frame           a line break ends the statement
//   a bracket          a line break joins two lines
//   a replacement      `{…}` of an f-string: as in a bracket, but a `:` begins the format
//   a string, a format text up to a quote, a brace or an escape
//
// Brackets are tokens of this scanner for that reason: it alone knows how deep the text stands, whatever the parser
// makes of it. In particular a line break outside of brackets is a `newline` token even where no rule asks for one.
// The half-typed `x = ` thus meets a newline that it cannot use, and the parser repairs or drops that line, instead of
// reading on into the next. Three more ideas serve text that is being typed:
//
// - A newline is never empty (it covers its line break), because the parser ignores empty tokens while it recovers. At
//   the end of the text, where there is nothing to cover, it changes the state instead.
// - Where a line begins is told by the parser (the marker LINE_START is valid there and nowhere else); its indentation
//   is measured anew at each such place. No state can go stale when the parser drops a broken line.
// - A bracket that nobody closes must not swallow the rest of the file. A line break within brackets ends the
//   statement after all if what follows can be no continuation (`bracket_is_abandoned`). These rules never fire in
//   text that Python accepts: they look for pairs of tokens that no expression holds.

#include "tree_sitter/parser.h"

#include <stdlib.h>
#include <string.h>

// In the order of `externals` in grammar.js.
enum Token {
  NEWLINE,
  INDENT,
  DEDENT,
  UNEXPECTED_INDENT,
  NO_BLOCK,
  OUTDENTED_COMMENTS,
  LEFT_PAREN,
  LEFT_BRACKET,
  LEFT_BRACE,
  RIGHT_PAREN,
  RIGHT_BRACKET,
  RIGHT_BRACE,
  STRING_START,
  STRING_CONTENT,
  ESCAPE_SEQUENCE,
  BAD_ESCAPE,
  STRING_END,
  UNTERMINATED,
  INTERPOLATION_START,
  FORMAT_COLON,
  MATCH,
  TYPE,
  INDENTED_BLOCK,
  HANDLER,
  HEADER_REST,
  BLOCK_HEADER,
  CLOSING_QUOTE,
  VALID_ESCAPE,
  LINE_START,
  RECOVERING,
};

// Python's own limits (MAXINDENT, MAXLEVEL); together they keep the state below 1,024 bytes.
enum { MAX_INDENTS = 100, MAX_FRAMES = 200, MAX_NESTED_FORMATS = 2 };

// A frame: one of the brackets, or FRAME_STRING with its properties.
enum {
  FRAME_PAREN = 1,
  FRAME_BRACKET,
  FRAME_BRACE,
  FRAME_REPLACEMENT,
  FRAME_FORMAT,
  FRAME_STRING = 0x80,
  STRING_DOUBLE = 0x01,
  STRING_TRIPLE = 0x02,
  STRING_RAW = 0x04,
  STRING_BYTES = 0x08,
  STRING_FORMAT = 0x10,
};

enum {
  // A newline was made at the end of the text.
  FLAG_END = 1,
  // The comments here stand left of their block, which goes on behind them.
  FLAG_OUTDENTED = 2,
  // The last token was a string without its closing quote.
  FLAG_UNTERMINATED = 4,
  // From here on: how often LINE_START was made at this place.
  LINE_START_ONCE = 8,
  LINE_START_MASK = 0xF8,
};

// An indentation as Python measures it: with tabs up to multiples of 8, and with tabs of width 1. Two indentations
// compare only where both measures agree.
typedef struct {
  uint16_t column;
  uint16_t alternative;
} Indent;

typedef struct {
  uint8_t flags;
  uint8_t indent_count;
  uint8_t frame_count;
  Indent indents[MAX_INDENTS];
  uint8_t frames[MAX_FRAMES];
} Scanner;

enum { WORD_SIZE = 12 };

static inline int32_t peek(const TSLexer *lexer) { return lexer->lookahead; }
static inline void take(TSLexer *lexer) { lexer->advance(lexer, false); }
static inline void skip(TSLexer *lexer) { lexer->advance(lexer, true); }
static inline bool is_line_break(int32_t c) { return c == '\n' || c == '\r'; }
static inline bool is_blank(int32_t c) { return c == ' ' || c == '\t' || c == '\f'; }
static inline bool is_quote(int32_t c) { return c == '"' || c == '\''; }
static inline bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

// Every character above ASCII counts: the lexer's own tables decide later.
static inline bool is_word_start(int32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c > 127;
}
static inline bool is_word(int32_t c) { return is_word_start(c) || is_digit(c); }

static inline bool is_hex(int32_t c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static inline bool finish(TSLexer *lexer, enum Token token) {
  lexer->result_symbol = (TSSymbol)token;
  return true;
}

static inline uint8_t top_frame(const Scanner *scanner) {
  return scanner->frame_count > 0 ? scanner->frames[scanner->frame_count - 1] : 0;
}

static inline bool is_text_frame(uint8_t frame) { return (frame & FRAME_STRING) != 0 || frame == FRAME_FORMAT; }

static bool push_frame(Scanner *scanner, uint8_t frame) {
  if (scanner->frame_count >= MAX_FRAMES) return false;
  scanner->frames[scanner->frame_count++] = frame;
  return true;
}

static inline Indent top_indent(const Scanner *scanner) {
  if (scanner->indent_count > 0) return scanner->indents[scanner->indent_count - 1];
  return (Indent){0, 0};
}

static void take_line_break(TSLexer *lexer) {
  if (peek(lexer) == '\r') {
    take(lexer);
    if (peek(lexer) == '\n') take(lexer);
  } else {
    take(lexer);
  }
}

static void take_rest_of_line(TSLexer *lexer) {
  while (!lexer->eof(lexer) && !is_line_break(peek(lexer))) take(lexer);
}

// Reads a word and returns its length; `word` gets it, or "" if it has WORD_SIZE characters or more.
static unsigned take_word(TSLexer *lexer, char word[WORD_SIZE]) {
  unsigned length = 0;
  while (is_word(peek(lexer))) {
    if (length < WORD_SIZE) word[length] = peek(lexer) > 127 ? '?' : (char)peek(lexer);
    length++;
    take(lexer);
  }
  word[length < WORD_SIZE ? length : 0] = '\0';
  return length;
}

static bool is_one_of(const char *word, const char *const *list) {
  for (; *list; list++) {
    if (strcmp(word, *list) == 0) return true;
  }
  return false;
}

// Keywords that no bracket of a valid script holds outside of a string.
static bool begins_statement(const char *word) {
  static const char *const list[] = {"def",  "class", "return",   "import", "with",     "while", "try",
                                     "raise", "pass",  "break",    "del",    "continue", "global", "nonlocal",
                                     "assert", "elif", "except",  "finally", NULL};
  return is_one_of(word, list);
}

// Words that may follow a complete operand.
static bool follows_operand(const char *word) {
  static const char *const list[] = {"if", "else", "for", "in", "is", "and", "or", "not", "as", "async", "from", NULL};
  return is_one_of(word, list);
}

// --- Strings --------------------------------------------------------------------------------------------------------

// The frame of a string with prefix `word`, without its quotes; 0 if there is no such prefix.
static uint8_t string_prefix(const char *word) {
  uint8_t frame = FRAME_STRING;
  unsigned letters = 0;
  for (; *word; word++, letters++) {
    switch (*word | 0x20) {
      case 'r':
        if (frame & STRING_RAW) return 0;
        frame |= STRING_RAW;
        break;
      case 'b':
        if (frame & (STRING_BYTES | STRING_FORMAT)) return 0;
        frame |= STRING_BYTES;
        break;
      case 'f':
        if (frame & (STRING_BYTES | STRING_FORMAT)) return 0;
        frame |= STRING_FORMAT;
        break;
      case 'u':
        return letters == 0 && word[1] == '\0' ? frame : 0;
      default:
        return 0;
    }
  }
  return frame;
}

// At the first quote, behind a prefix.
static bool scan_string_start(Scanner *scanner, TSLexer *lexer, uint8_t frame) {
  int32_t quote = peek(lexer);
  if (quote == '"') frame |= STRING_DOUBLE;
  take(lexer);
  lexer->mark_end(lexer);
  if (peek(lexer) == quote) {
    take(lexer);
    if (peek(lexer) == quote) {
      take(lexer);
      lexer->mark_end(lexer);
      frame |= STRING_TRIPLE;
    }
  }
  return push_frame(scanner, frame) && finish(lexer, STRING_START);
}

static bool take_hex(TSLexer *lexer, unsigned count, int32_t limit) {
  int32_t value = 0;
  for (unsigned i = 0; i < count; i++) {
    int32_t c = peek(lexer);
    if (!is_hex(c)) return false;
    if (value > (limit >> 4)) return false;
    value = value * 16 + (is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    take(lexer);
  }
  return value <= limit;
}

// Behind a backslash. Returns the token, or STRING_CONTENT for what is no escape.
static enum Token scan_escape(TSLexer *lexer, uint8_t string) {
  int32_t c = peek(lexer);
  if (is_line_break(c)) {
    take_line_break(lexer);
    return ESCAPE_SEQUENCE;
  }
  if (c >= '0' && c <= '7') {
    for (unsigned i = 0; i < 3 && peek(lexer) >= '0' && peek(lexer) <= '7'; i++) take(lexer);
    return ESCAPE_SEQUENCE;
  }
  switch (c) {
    case '\\':
    case '\'':
    case '"':
    case 'a':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
    case 'v':
      take(lexer);
      return ESCAPE_SEQUENCE;
    case 'x':
      take(lexer);
      return take_hex(lexer, 2, 0xFF) ? ESCAPE_SEQUENCE : BAD_ESCAPE;
    case 'u':
    case 'U':
      if (string & STRING_BYTES) break;
      take(lexer);
      return take_hex(lexer, c == 'u' ? 4 : 8, 0x10FFFF) ? ESCAPE_SEQUENCE : BAD_ESCAPE;
    case 'N': {
      if (string & STRING_BYTES) break;
      take(lexer);
      if (peek(lexer) != '{') return BAD_ESCAPE;
      take(lexer);
      unsigned length = 0;
      for (; is_word(peek(lexer)) || peek(lexer) == ' ' || peek(lexer) == '-'; length++) take(lexer);
      if (peek(lexer) != '}' || length == 0) return BAD_ESCAPE;
      take(lexer);
      return ESCAPE_SEQUENCE;
    }
    default:
      break;
  }
  // Python keeps both characters. A brace still begins a replacement, and the end of the text is still the end.
  bool brace = (string & STRING_FORMAT) && (c == '{' || c == '}');
  if (!brace && !lexer->eof(lexer) && c <= 127) take(lexer);
  return STRING_CONTENT;
}

// The string without its quotes ends here. What stands open within a string in single quotes ends with that string.
static bool end_unterminated(Scanner *scanner, TSLexer *lexer, unsigned string_index) {
  scanner->frame_count = (uint8_t)string_index;
  for (unsigned i = 0; i < string_index; i++) {
    uint8_t frame = scanner->frames[i];
    if ((frame & FRAME_STRING) && !(frame & STRING_TRIPLE)) {
      scanner->frame_count = (uint8_t)i;
      break;
    }
  }
  scanner->flags |= FLAG_UNTERMINATED;
  return finish(lexer, UNTERMINATED);
}

// Within the text of a string, or of a format.
static bool scan_text(Scanner *scanner, TSLexer *lexer) {
  bool in_format = top_frame(scanner) == FRAME_FORMAT;
  // Formats and replacements stand on their string.
  unsigned string_index = (unsigned)scanner->frame_count - 1;
  while (string_index > 0 && !(scanner->frames[string_index] & FRAME_STRING)) string_index--;
  uint8_t string = scanner->frames[string_index];
  int32_t quote = string & STRING_DOUBLE ? '"' : '\'';
  bool triple = (string & STRING_TRIPLE) != 0;
  bool replaces = (string & STRING_FORMAT) != 0;
  bool raw = (string & STRING_RAW) != 0;
  bool bytes = (string & STRING_BYTES) != 0;
  bool any = false;

  lexer->mark_end(lexer);
  for (;;) {
    int32_t c = peek(lexer);
    if (c == quote) {
      if (any) lexer->mark_end(lexer);
      take(lexer);
      if (triple) {
        if (peek(lexer) != quote) {
          any = true;
          continue;
        }
        take(lexer);
        if (peek(lexer) != quote) {
          any = true;
          continue;
        }
        take(lexer);
      }
      if (any) return finish(lexer, STRING_CONTENT);
      lexer->mark_end(lexer);
      scanner->frame_count = (uint8_t)string_index;
      return finish(lexer, STRING_END);
    }
    if (c == '\\') {
      if (raw) {
        take(lexer);
        if (is_line_break(peek(lexer))) {
          take_line_break(lexer);
        } else if (peek(lexer) == quote || peek(lexer) == '\\') {
          take(lexer);
        }
        any = true;
        continue;
      }
      if (any) lexer->mark_end(lexer);
      take(lexer);
      enum Token token = scan_escape(lexer, string);
      if (token == STRING_CONTENT) {
        any = true;
        continue;
      }
      if (any) return finish(lexer, STRING_CONTENT);
      lexer->mark_end(lexer);
      return finish(lexer, token);
    }
    if (replaces && (c == '{' || c == '}')) {
      if (any) {
        lexer->mark_end(lexer);
        return finish(lexer, STRING_CONTENT);
      }
      take(lexer);
      if (in_format && c == '}') {
        lexer->mark_end(lexer);
        scanner->frame_count -= 2;
        return finish(lexer, RIGHT_BRACE);
      }
      if (!in_format && peek(lexer) == c) {
        take(lexer);
        lexer->mark_end(lexer);
        return finish(lexer, ESCAPE_SEQUENCE);
      }
      lexer->mark_end(lexer);
      bool too_deep = (unsigned)scanner->frame_count - string_index > 2 * MAX_NESTED_FORMATS + 1;
      if (c == '}' || too_deep) return finish(lexer, BAD_ESCAPE);
      return push_frame(scanner, FRAME_REPLACEMENT) && finish(lexer, INTERPOLATION_START);
    }
    if ((!triple && is_line_break(c)) || (c == 0 && lexer->eof(lexer))) {
      lexer->mark_end(lexer);
      if (any) return finish(lexer, STRING_CONTENT);
      return end_unterminated(scanner, lexer, string_index);
    }
    if (bytes && c > 127) {
      if (any) {
        lexer->mark_end(lexer);
        return finish(lexer, STRING_CONTENT);
      }
      while (peek(lexer) > 127) take(lexer);
      lexer->mark_end(lexer);
      return finish(lexer, BAD_ESCAPE);
    }
    take(lexer);
    any = true;
  }
}

// --- Lines ----------------------------------------------------------------------------------------------------------

// The number of characters from the last line break that measure_indent skipped, or from where it began if it met none.
typedef struct {
  unsigned length;
  bool from_line_break;
} Skipped;

// Skips blanks and line breaks and measures the indentation of the first line that is not blank.
static Indent measure_indent(TSLexer *lexer, Skipped *skipped) {
  Indent indent = {0, 0};
  *skipped = (Skipped){0, false};
  for (;; skipped->length++, skip(lexer)) {
    int32_t c = peek(lexer);
    if (c == ' ') {
      indent.column++;
      indent.alternative++;
    } else if (c == '\t') {
      indent.column = (uint16_t)((indent.column / 8 + 1) * 8);
      indent.alternative++;
    } else if (c == '\f') {
      indent = (Indent){0, 0};
    } else if (is_line_break(c)) {
      indent = (Indent){0, 0};
      *skipped = (Skipped){(unsigned)-1, true};
    } else {
      return lexer->eof(lexer) ? (Indent){0, 0} : indent;
    }
  }
}

// As measure_indent, past comments.
static Indent measure_code_indent(TSLexer *lexer) {
  Skipped skipped;
  for (;;) {
    Indent indent = measure_indent(lexer, &skipped);
    if (peek(lexer) != '#') return indent;
    while (!lexer->eof(lexer) && !is_line_break(peek(lexer))) skip(lexer);
  }
}

// Words after which an operand must follow.
static bool expects_operand(const char *word) {
  static const char *const list[] = {"and", "or",    "not",   "in",   "is",     "if", "else",
                                     "for", "await", "yield", "from", "lambda", "as", "async", NULL};
  return is_one_of(word, list);
}

// At a quote: takes the string, roughly (what the replacements of an f-string hold may mislead it).
static void take_string(TSLexer *lexer) {
  int32_t quote = peek(lexer);
  bool triple = false;
  take(lexer);
  if (peek(lexer) == quote) {
    take(lexer);
    if (peek(lexer) != quote) return;
    triple = true;
    take(lexer);
  }
  for (unsigned quotes = 0; !lexer->eof(lexer) && quotes < (triple ? 3U : 1U);) {
    if (!triple && is_line_break(peek(lexer))) return;
    quotes = peek(lexer) == quote ? quotes + 1 : 0;
    if (peek(lexer) == '\\') take(lexer);
    take(lexer);
  }
}

// Takes, roughly, all up to the end of the logical line, and tells whether its last token is a `:` outside of brackets.
static bool line_ends_with_colon(TSLexer *lexer) {
  int depth = 0;
  bool colon = false;
  while (!lexer->eof(lexer)) {
    int32_t c = peek(lexer);
    if (is_line_break(c) && depth <= 0) break;
    if (is_line_break(c) || is_blank(c)) {
      take(lexer);
    } else if (c == '#') {
      take_rest_of_line(lexer);
    } else if (c == '\\') {
      take(lexer);
      if (is_line_break(peek(lexer))) take_line_break(lexer);
    } else if (is_quote(c)) {
      take_string(lexer);
      colon = false;
    } else {
      if (c == '(' || c == '[' || c == '{') depth++;
      if (c == ')' || c == ']' || c == '}') depth--;
      colon = c == ':' && depth <= 0;
      take(lexer);
    }
  }
  return colon;
}

// Behind the word `match` where a statement begins. No expression statement can end with a colon, and none has two
// operands side by side.
static bool begins_match(TSLexer *lexer) {
  while (is_blank(peek(lexer))) take(lexer);
  int32_t c = peek(lexer);
  if (is_word_start(c)) {
    char word[WORD_SIZE];
    take_word(lexer, word);
    if (strcmp(word, "not") != 0 && !follows_operand(word)) return true;
  } else if (c == '.') {
    // `...`, `.5` or an attribute.
    take(lexer);
    if (peek(lexer) != '.' && !is_digit(peek(lexer))) return false;
  } else if (c == '=' || c == ',' || c == ':' || c == ';' || is_line_break(c)) {
    return false;
  }
  return line_ends_with_colon(lexer);
}

// Behind the word `type` where a statement begins.
static bool begins_type_alias(TSLexer *lexer) {
  while (is_blank(peek(lexer))) take(lexer);
  if (!is_word_start(peek(lexer))) return false;
  char word[WORD_SIZE];
  take_word(lexer, word);
  return !follows_operand(word);
}

// A line that is as deep as its block only if a tab is eight blanks wide counts as an unexpected indent of its own, at
// the same column. This tells whether such a block ends here.
static bool ends_mixed_indent(const Scanner *scanner, Indent here) {
  if (scanner->indent_count < 2) return false;
  Indent top = scanner->indents[scanner->indent_count - 1];
  Indent below = scanner->indents[scanner->indent_count - 2];
  return here.column == top.column && here.alternative != top.alternative && below.column == top.column;
}

// Where a line begins. Returns false with `*done` unset if the line belongs to the current block.
static bool scan_line_start(Scanner *scanner, TSLexer *lexer, const bool *valid, bool *done) {
  *done = true;
  Indent top = top_indent(scanner);
  if (valid[INDENT]) {
    Indent code = measure_code_indent(lexer);
    if (code.column <= top.column || code.alternative <= top.alternative || scanner->indent_count >= MAX_INDENTS) {
      return finish(lexer, NO_BLOCK);
    }
    scanner->indents[scanner->indent_count++] = code;
    return finish(lexer, INDENT);
  }

  Skipped skipped;
  Indent here = measure_indent(lexer, &skipped);
  // The parser may have inserted a missing newline in the middle of a line.
  if (here.column != top.column && !skipped.from_line_break && !lexer->eof(lexer) &&
      lexer->get_column(lexer) != skipped.length) {
    *done = false;
    return false;
  }
  if (peek(lexer) == '#') {
    // A comment left of its block belongs to the block if the block goes on behind it. A flag remembers that for the
    // comments that follow, which would otherwise each look through all the others.
    if (here.column >= top.column || (scanner->flags & FLAG_OUTDENTED)) return false;
    if (measure_code_indent(lexer).column < top.column) {
      scanner->indent_count--;
      return finish(lexer, DEDENT);
    }
    scanner->flags |= FLAG_OUTDENTED;
    return finish(lexer, OUTDENTED_COMMENTS);
  }
  if (here.column < top.column || ends_mixed_indent(scanner, here)) {
    scanner->indent_count--;
    return finish(lexer, DEDENT);
  }
  if (here.column > top.column || here.alternative != top.alternative) {
    if (valid[UNEXPECTED_INDENT] && scanner->indent_count < MAX_INDENTS) {
      scanner->indents[scanner->indent_count++] = here;
    }
    return finish(lexer, UNEXPECTED_INDENT);
  }
  *done = lexer->eof(lexer);
  return false;
}

static bool scan_newline(Scanner *scanner, TSLexer *lexer) {
  if (lexer->eof(lexer)) {
    scanner->flags |= FLAG_END;
  } else {
    take_line_break(lexer);
  }
  lexer->mark_end(lexer);
  return finish(lexer, NEWLINE);
}

// Within brackets, of which `frame` is the innermost, behind `word` (perhaps empty) at the beginning of a line: whether
// the line can only be a statement of its own. Such is a line that assigns as no argument does, and one that ends with
// an operand while the next begins with another. Takes the line and more.
static bool line_stands_alone(TSLexer *lexer, uint8_t frame, const char *word) {
  int depth = 0;
  bool operand = *word && !expects_operand(word);
  // `name =` is an argument, and more may be one in parameters, lambdas and replacements.
  bool lone_name = *word != '\0';
  bool item_start = !lone_name;
  bool may_assign = frame == FRAME_REPLACEMENT || strcmp(word, "lambda") == 0;
  while (!lexer->eof(lexer)) {
    int32_t c = peek(lexer);
    if (is_blank(c)) {
      take(lexer);
      continue;
    }
    if (c == '#') {
      take_rest_of_line(lexer);
      continue;
    }
    if (c == '\\') {
      take(lexer);
      if (is_line_break(peek(lexer))) take_line_break(lexer);
      continue;
    }
    if (is_line_break(c)) {
      if (depth > 0) {
        take(lexer);
        continue;
      }
      if (!operand) return false;
      measure_code_indent(lexer);
      c = peek(lexer);
      if (lexer->eof(lexer) || is_digit(c)) return true;
      if (!is_word_start(c)) return false;
      char next[WORD_SIZE];
      take_word(lexer, next);
      return !is_quote(peek(lexer)) && !follows_operand(next);
    }
    if (is_word(c)) {
      char next[WORD_SIZE];
      take_word(lexer, next);
      operand = !expects_operand(next);
      lone_name = item_start;
      item_start = false;
      if (depth == 0 && strcmp(next, "lambda") == 0) may_assign = true;
      continue;
    }
    bool begins_item = item_start;
    item_start = false;
    if (is_quote(c)) {
      take_string(lexer);
      operand = true;
      lone_name = false;
      continue;
    }
    take(lexer);
    operand = false;
    switch (c) {
      case '(':
      case '[':
      case '{':
        depth++;
        lone_name = false;
        break;
      case ')':
      case ']':
      case '}':
        if (depth == 0) return false;
        depth--;
        operand = true;
        lone_name = false;
        break;
      case ',':
        item_start = depth == 0;
        lone_name = false;
        break;
      case ';':
        return true;
      case '.':
        operand = peek(lexer) == '.';
        lone_name = false;
        break;
      case ':':
        if (peek(lexer) == '=') take(lexer);
        if (depth == 0 && frame == FRAME_PAREN) may_assign = true;
        lone_name = false;
        break;
      case '=':
        if (peek(lexer) == '=') {
          take(lexer);
        } else if (depth == 0 && !may_assign && !(lone_name && frame == FRAME_PAREN)) {
          return true;
        }
        lone_name = false;
        break;
      case '!':
      case '<':
      case '>':
        if (peek(lexer) == c) take(lexer);
        if (peek(lexer) == '=') take(lexer);
        lone_name = false;
        break;
      case '*':
        // The stars of `*args` and `**kwargs` begin an item, too.
        item_start = begins_item;
        // Fall through.
      case '/':
      case '+':
      case '-':
      case '%':
      case '&':
      case '|':
      case '^':
      case '@':
        if (peek(lexer) == c) take(lexer);
        if (peek(lexer) == '=' && depth == 0) return !may_assign && !begins_item;
        lone_name = false;
        break;
      default:
        lone_name = false;
        break;
    }
  }
  return true;
}

// Behind a line break within brackets, at the first character of the next line that is neither blank nor a comment; if
// it begins a word, that is taken already and `word` has it. `column` is where the line begins.
static bool bracket_is_abandoned(const Scanner *scanner, TSLexer *lexer, const bool *valid, unsigned column,
                                 const char *word) {
  int32_t c = peek(lexer);
  if (lexer->eof(lexer)) return true;
  if (begins_statement(word)) return true;
  // A bracket may follow an operand, as a call does, but no brace: where the parser takes the one and not the other, an
  // operand has just ended. Another one cannot follow.
  bool operand_ended =
      valid[RECOVERING] ? (scanner->flags & FLAG_UNTERMINATED) != 0 : valid[LEFT_BRACKET] && !valid[LEFT_BRACE];
  if (operand_ended) {
    if (*word && !follows_operand(word) && !is_quote(c)) return true;
    if (is_digit(c)) return true;
  }
  // Text within brackets usually stands deeper than its statement.
  return column <= top_indent(scanner).column && line_stands_alone(lexer, top_frame(scanner), word);
}

// Ends the open brackets: for the text that follows, the statement ended with the last line.
static bool abandon_brackets(Scanner *scanner, TSLexer *lexer) {
  scanner->frame_count = 0;
  if (lexer->eof(lexer)) scanner->flags |= FLAG_END;
  return finish(lexer, NEWLINE);
}

// --- Brackets -------------------------------------------------------------------------------------------------------

// A closing bracket ends the innermost bracket of its kind, and with it what was left open within. One that has no
// counterpart is a token all the same, and an error.
static bool scan_closing(Scanner *scanner, TSLexer *lexer, uint8_t kind, enum Token token) {
  take(lexer);
  lexer->mark_end(lexer);
  for (unsigned i = scanner->frame_count; i > 0; i--) {
    uint8_t frame = scanner->frames[i - 1];
    if (frame == kind || (kind == FRAME_BRACE && frame == FRAME_REPLACEMENT)) {
      scanner->frame_count = (uint8_t)(i - 1);
      break;
    }
    if (is_text_frame(frame)) break;
  }
  return finish(lexer, token);
}

static bool scan_opening(Scanner *scanner, TSLexer *lexer, uint8_t kind, enum Token token) {
  take(lexer);
  lexer->mark_end(lexer);
  return push_frame(scanner, kind) && finish(lexer, token);
}

static bool scan(Scanner *scanner, TSLexer *lexer, const bool *valid) {
  bool recovering = valid[RECOVERING];
  if (is_text_frame(top_frame(scanner))) {
    if (recovering || valid[STRING_CONTENT]) return scan_text(scanner, lexer);
    // The parser left the string while it recovered.
    while (is_text_frame(top_frame(scanner))) scanner->frame_count--;
  }

  lexer->mark_end(lexer);
  if (!recovering && (valid[LINE_START] || valid[INDENT])) {
    bool done;
    bool found = scan_line_start(scanner, lexer, valid, &done);
    if (done) {
      if (found) scanner->frame_count = 0;
      return found;
    }
  }

  // The parser skipped a newline that it had no use for, and would now read on as if the line had not ended. It is
  // offered the beginning of a line instead, at which it can only take up the statements around; each refusal makes
  // reading on costlier. (The newline token itself costs it next to nothing to skip.)
  if (recovering && scanner->frame_count == 0 && (scanner->flags & LINE_START_MASK) != LINE_START_MASK &&
      !lexer->eof(lexer) && lexer->get_column(lexer) == 0) {
    scanner->flags += LINE_START_ONCE;
    return finish(lexer, LINE_START);
  }

  // Within a line.
  bool joined = false;
  unsigned column = 0;
  int32_t c = peek(lexer);
  for (;; c = peek(lexer)) {
    if (is_blank(c)) {
      column++;
      skip(lexer);
    } else if (is_line_break(c)) {
      if (scanner->frame_count == 0) return scan_newline(scanner, lexer);
      // Marks the end of the statement, should it end here.
      if (!joined) lexer->mark_end(lexer);
      joined = true;
      column = 0;
      skip(lexer);
    } else if (c == '#' && joined) {
      // The comment is a token of its own; whether the bracket ends is asked again behind it.
      return false;
    } else {
      break;
    }
  }

  switch (c) {
    case '(':
      return scan_opening(scanner, lexer, FRAME_PAREN, LEFT_PAREN);
    case '[':
      return scan_opening(scanner, lexer, FRAME_BRACKET, LEFT_BRACKET);
    case '{':
      return scan_opening(scanner, lexer, FRAME_BRACE, LEFT_BRACE);
    case ')':
      return scan_closing(scanner, lexer, FRAME_PAREN, RIGHT_PAREN);
    case ']':
      return scan_closing(scanner, lexer, FRAME_BRACKET, RIGHT_BRACKET);
    case '}':
      return scan_closing(scanner, lexer, FRAME_BRACE, RIGHT_BRACE);
    case '"':
    case '\'':
      if (!valid[STRING_START]) return false;
      return scan_string_start(scanner, lexer, FRAME_STRING);
    case ':':
      if (top_frame(scanner) != FRAME_REPLACEMENT) return false;
      take(lexer);
      lexer->mark_end(lexer);
      return push_frame(scanner, FRAME_FORMAT) && finish(lexer, FORMAT_COLON);
    case 'b':
    case 'B':
    case 'f':
    case 'F':
    case 'r':
    case 'R':
    case 'u':
    case 'U':
      if (!joined && !valid[STRING_START]) return false;
      break;
    case 'm':
      if (!joined && (!valid[MATCH] || recovering)) return false;
      break;
    case 't':
      if (!joined && (!valid[TYPE] || recovering)) return false;
      break;
    case 0:
      if (!lexer->eof(lexer)) return false;
      if (recovering) {
        if (!(scanner->flags & FLAG_END)) return abandon_brackets(scanner, lexer);
        if (scanner->indent_count == 0) return false;
        scanner->indent_count--;
        return finish(lexer, DEDENT);
      }
      return abandon_brackets(scanner, lexer);
    default:
      if (!joined) return false;
      if (is_word_start(c)) break;
      return bracket_is_abandoned(scanner, lexer, valid, column, "") && abandon_brackets(scanner, lexer);
  }

  char word[WORD_SIZE];
  take_word(lexer, word);
  if (is_quote(peek(lexer)) && valid[STRING_START]) {
    uint8_t frame = string_prefix(word);
    if (frame) return scan_string_start(scanner, lexer, frame);
  }
  if (joined) {
    return bracket_is_abandoned(scanner, lexer, valid, column, word) && abandon_brackets(scanner, lexer);
  }
  if (recovering) return false;
  lexer->mark_end(lexer);
  if (valid[MATCH] && strcmp(word, "match") == 0) return begins_match(lexer) && finish(lexer, MATCH);
  if (valid[TYPE] && strcmp(word, "type") == 0) return begins_type_alias(lexer) && finish(lexer, TYPE);
  return false;
}

// --- The interface to the parser ------------------------------------------------------------------------------------

void *tree_sitter_tilescript_external_scanner_create(void) { return calloc(1, sizeof(Scanner)); }

void tree_sitter_tilescript_external_scanner_destroy(void *payload) { free(payload); }

#ifdef TILESCRIPT_STOPS
// A host that has no use for a repaired tree gives a flag for its thread, which is set where the parser begins to repair;
// as the parser's cancellation flag, it ends the parse there. Null: none.
static _Thread_local size_t *stop_at_error;
void tree_sitter_tilescript_stop_at_error(size_t *flag) { stop_at_error = flag; }
#endif

bool tree_sitter_tilescript_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  Scanner *scanner = payload;
#ifdef TILESCRIPT_STOPS
  if (valid[RECOVERING] && stop_at_error) *stop_at_error = 1;
#endif
  if (!scan(scanner, lexer, valid)) return false;
  if (lexer->result_symbol != OUTDENTED_COMMENTS) scanner->flags &= (uint8_t)~FLAG_OUTDENTED;
  if (lexer->result_symbol != LINE_START) scanner->flags &= (uint8_t)~LINE_START_MASK;
  if (lexer->result_symbol != UNTERMINATED) scanner->flags &= (uint8_t)~FLAG_UNTERMINATED;
  return true;
}

// The state: flags, number of frames, frames, indentations. One byte holds a usual indentation, so that the state
// rarely outgrows what the library keeps within a token (24 bytes).
enum { WIDE_INDENT = 0xFF };

unsigned tree_sitter_tilescript_external_scanner_serialize(void *payload, char *buffer) {
  const Scanner *scanner = payload;
  unsigned size = 0;
  buffer[size++] = (char)scanner->flags;
  buffer[size++] = (char)scanner->frame_count;
  memcpy(buffer + size, scanner->frames, scanner->frame_count);
  size += scanner->frame_count;
  for (unsigned i = 0; i < scanner->indent_count; i++) {
    Indent indent = scanner->indents[i];
    if (indent.column < WIDE_INDENT && indent.column == indent.alternative) {
      buffer[size++] = (char)indent.column;
    } else {
      buffer[size++] = (char)WIDE_INDENT;
      memcpy(buffer + size, &indent, sizeof indent);
      size += sizeof indent;
    }
  }
  return size;
}

void tree_sitter_tilescript_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
  Scanner *scanner = payload;
  scanner->flags = 0;
  scanner->frame_count = 0;
  scanner->indent_count = 0;
  if (length < 2) return;
  unsigned at = 0;
  scanner->flags = (uint8_t)buffer[at++];
  scanner->frame_count = (uint8_t)buffer[at++];
  memcpy(scanner->frames, buffer + at, scanner->frame_count);
  at += scanner->frame_count;
  while (at < length) {
    Indent *indent = &scanner->indents[scanner->indent_count++];
    uint8_t column = (uint8_t)buffer[at++];
    if (column < WIDE_INDENT) {
      *indent = (Indent){column, column};
    } else {
      memcpy(indent, buffer + at, sizeof *indent);
      at += sizeof *indent;
    }
  }
}
