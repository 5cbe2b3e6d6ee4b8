// The grammar of tile scripts: the whole of Python 3.12, after the PEG grammar of its language reference.
//
// What shapes this file:
// - Lines, indentation, brackets and strings come from src/scanner.c, which also knows the soft keywords `match` and
//   `type` by looking at their line. The rules below are LR(1) but for one conflict (`with (`), so that the parser
//   hardly ever follows two readings at once.
// - Expressions are layered as in the reference (expression, disjunction, operand, primary), by hidden rules.
// - Targets are expressions. Which expressions may be assigned to, and other rules that Python's own parser checks
//   beside its grammar, are checked in compiler/syntax/acceptance.cpp, where they get a message of their own.
// - Some tokens are never produced. A rule that asks for one behind a token of broken text makes the parser insert it as
//   a missing node: the tree then says what is wrong, and the lines around it stay whole.

const PREC = {
  or: 1,
  and: 2,
  not: 3,
  bit_or: 5,
  bit_xor: 6,
  bit_and: 7,
  shift: 8,
  sum: 9,
  product: 10,
  unary: 11,
  power: 12,
};

// The layers of expressions, each with all that is below it. A rule that chose between the next lower layer and its own
// forms would be simpler to read, but cost a reduction for every layer that an expression rises through; spelled out,
// the token that follows an operand picks its layer at once.
const operand = ($) => [$._primary, $.await, $.unary_operator, $.binary_operator];
const disjunction = ($) => [...operand($), $.comparison_operator, $.not_operator, $.boolean_operator];
const expression = ($) => [...disjunction($), $.conditional_expression, $.lambda];

/** One or more `rule`, separated by commas. */
const list1 = (rule) => seq(rule, repeat(seq(',', rule)));
/** One or more `rule`, separated by commas, with an optional comma at the end. */
const list1_comma = (rule) => seq(list1(rule), optional(','));

export default grammar({
  name: 'tilescript',

  word: ($) => $.identifier,

  // The last is empty and comes before comments; it also keeps the scanner in use in every state.
  extras: ($) => [/[ \t\f\r\n]/, $.comment, $.line_continuation, $._outdented_comments],

  // In the order of `enum Token` in src/scanner.c. Tokens that only broken text has are visible: the parser then finds
  // it costlier to skip them than to insert the missing node that their rules ask for.
  externals: ($) => [
    $._newline,
    $._indent,
    $._dedent,
    $.unexpected_indent,
    $.no_block,
    $._outdented_comments,
    $._left_paren,
    $._left_bracket,
    $._left_brace,
    $._right_paren,
    $._right_bracket,
    $._right_brace,
    $.string_start,
    $.string_content,
    $.escape_sequence,
    $.bad_escape,
    $.string_end,
    $._unterminated,
    $._interpolation_start,
    $._format_colon,
    $._match,
    $._type,

    // Never produced; the parser inserts them as missing nodes, whose kinds say what is wrong.
    $.indented_block,
    $.handler,
    $.header_rest,
    $.block_header,
    $.closing_quote,
    $.valid_escape,

    // Tells the scanner that a line begins here. Produced only to bring the parser back to such a place.
    $.line_start,
    // Never produced, and used by no rule: valid only while the parser recovers.
    $._recovering,
  ],

  conflicts: ($) => [
    [$.with_item, $.parenthesized_expression],
    [$.with_item, $.tuple],
    [$.block, $.try_statement],
  ],

  inline: ($) => [
    $._simple_statement,
    $._compound_statement,
    $._definition,
    $._expressions,
    $._right_side,
    $._left_side,
    $._named,
    $._element,
    $._argument,
    $._parameter,
    $._lambda_parameter,
    $._subscript,
    $._clause,
    $._target,
    $._string_part,
    $._module_names,
    $._whole_try,
  ],

  rules: {
    module: ($) => repeat($._statement),

    // --- Statements -------------------------------------------------------------------------------------------

    _statement: ($) =>
      choice(
        $._simple_statements,
        $._compound_statement,
        // Only for recovery: a broken line is left behind at its line break.
        $._newline,
        alias($._unexpected_block, $.block),
        $.line_start,
      ),

    _unexpected_block: ($) => seq($._unexpected_header, repeat1($._statement), $._dedent),
    _unexpected_header: ($) => seq($.unexpected_indent, $.block_header),

    _simple_statements: ($) =>
      seq($._simple_statement, repeat(seq(';', $._simple_statement)), optional(';'), $._newline),

    block: ($) =>
      choice(
        $._simple_statements,
        seq($._newline, $._indent, repeat1($._statement), $._dedent),
        seq($._newline, $.no_block, $.indented_block),
      ),

    _simple_statement: ($) =>
      choice(
        $.expression_statement,
        $.return_statement,
        $.import_statement,
        $.import_from_statement,
        $.raise_statement,
        $.pass_statement,
        $.delete_statement,
        $.assert_statement,
        $.break_statement,
        $.continue_statement,
        $.global_statement,
        $.nonlocal_statement,
        $.type_alias_statement,
      ),

    _compound_statement: ($) =>
      choice(
        $._definition,
        $.decorated_definition,
        $.if_statement,
        $.for_statement,
        $.while_statement,
        $.with_statement,
        $.try_statement,
        $.match_statement,
      ),

    expression_statement: ($) => choice($._expressions, $.yield, $.assignment, $.augmented_assignment),

    assignment: ($) =>
      choice(
        seq(field('left', $._left_side), '=', field('right', $._right_side)),
        seq(
          field('left', $._primary),
          ':',
          field('type', $._expression),
          optional(seq('=', field('right', choice($._expressions, $.yield)))),
        ),
      ),

    _left_side: ($) => choice($._primary, alias($._starred_operand, $.list_splat), $.expression_list),
    _right_side: ($) => choice($._expressions, $.yield, alias($._chained_assignment, $.assignment)),

    _chained_assignment: ($) => seq(field('left', $._left_side), '=', field('right', $._right_side)),

    augmented_assignment: ($) =>
      seq(
        field('left', $._primary),
        field(
          'operator',
          choice('+=', '-=', '*=', '@=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=', '**=', '//='),
        ),
        field('right', choice($._expressions, $.yield)),
      ),

    return_statement: ($) => seq('return', optional(field('value', $._expressions))),

    raise_statement: ($) =>
      seq('raise', optional(seq(field('exception', $._expression), optional(seq('from', field('cause', $._expression)))))),

    assert_statement: ($) =>
      seq('assert', field('condition', $._expression), optional(seq(',', field('message', $._expression)))),

    delete_statement: ($) => seq('del', list1_comma(field('target', $._primary))),

    pass_statement: () => 'pass',
    break_statement: () => 'break',
    continue_statement: () => 'continue',

    global_statement: ($) => seq('global', list1(field('name', $.identifier))),
    nonlocal_statement: ($) => seq('nonlocal', list1(field('name', $.identifier))),

    import_statement: ($) => seq('import', list1($._module_names)),

    _module_names: ($) => field('name', choice($.dotted_name, $.aliased_import)),

    import_from_statement: ($) =>
      seq(
        'from',
        field('module_name', choice($.dotted_name, $.relative_import)),
        'import',
        choice(
          $.wildcard_import,
          list1($._imported_name),
          seq(alias($._left_paren, '('), list1_comma($._imported_name), alias($._right_paren, ')')),
        ),
      ),

    _imported_name: ($) =>
      field(
        'name',
        choice(alias($._single_name, $.dotted_name), alias($._single_alias, $.aliased_import)),
      ),
    _single_name: ($) => $.identifier,
    _single_alias: ($) =>
      seq(field('name', alias($._single_name, $.dotted_name)), 'as', field('alias', $.identifier)),

    wildcard_import: () => '*',
    aliased_import: ($) => seq(field('name', $.dotted_name), 'as', field('alias', $.identifier)),
    relative_import: ($) => seq($.import_prefix, optional($.dotted_name)),
    import_prefix: () => repeat1(choice('.', '...')),
    dotted_name: ($) => seq($.identifier, repeat(seq('.', $.identifier))),

    type_alias_statement: ($) =>
      seq(
        alias($._type, 'type'),
        field('name', $.identifier),
        optional(field('type_parameters', $.type_parameters)),
        '=',
        field('value', $._expression),
      ),

    // --- Compound statements ----------------------------------------------------------------------------------
    //
    // What stands before a block is a rule of its own, up to its colon: where a colon is missing, the parser can insert
    // it only if the colon completes a rule. It inserts one token at a time; `header_rest` stands for all that is missing.

    if_statement: ($) =>
      seq(
        $._if_head,
        field('consequence', $.block),
        repeat(field('alternative', $.elif_clause)),
        optional(field('alternative', $.else_clause)),
      ),
    _if_head: ($) => seq('if', choice(seq(field('condition', $._named), ':'), $.header_rest)),
    elif_clause: ($) => seq($._elif_head, field('consequence', $.block)),
    _elif_head: ($) => seq('elif', choice(seq(field('condition', $._named), ':'), $.header_rest)),
    else_clause: ($) => seq($._else_head, field('body', $.block)),
    _else_head: () => seq('else', ':'),

    while_statement: ($) =>
      seq($._while_head, field('body', $.block), optional(field('alternative', $.else_clause))),
    _while_head: ($) => seq('while', choice(seq(field('condition', $._named), ':'), $.header_rest)),

    for_statement: ($) =>
      seq($._for_head, field('body', $.block), optional(field('alternative', $.else_clause))),
    _for_head: ($) =>
      seq(
        optional('async'),
        'for',
        choice(
          seq(
            field('left', $._targets),
            choice(seq('in', choice(seq(field('right', $._expressions), ':'), $.header_rest)), $.header_rest),
          ),
          $.header_rest,
        ),
      ),

    try_statement: ($) =>
      choice($._whole_try, seq($._try_head, $._newline, $.no_block, $.indented_block)),
    _try_head: () => seq('try', ':'),

    _whole_try: ($) =>
      seq(
        $._try_head,
        field('body', $.block),
        choice(
          seq(
            choice(repeat1($.except_clause), repeat1(alias($._except_group_clause, $.except_clause))),
            optional($.else_clause),
            optional($.finally_clause),
          ),
          $.finally_clause,
          $.handler,
          $.line_start,
        ),
      ),

    except_clause: ($) =>
      seq($._except_head, field('body', $.block)),
    _except_head: ($) =>
      seq(
        'except',
        optional(seq(field('type', $._expression), optional(seq('as', field('name', $.identifier))))),
        ':',
      ),
    _except_group_clause: ($) => seq($._except_group_head, field('body', $.block)),
    _except_group_head: ($) =>
      seq('except', '*', field('type', $._expression), optional(seq('as', field('name', $.identifier))), ':'),
    finally_clause: ($) => seq($._finally_head, field('body', $.block)),
    _finally_head: () => seq('finally', ':'),

    with_statement: ($) =>
      seq($._with_head, field('body', $.block)),
    _with_head: ($) =>
      seq(
        optional('async'),
        'with',
        choice(seq(choice(list1($.with_item), $._parenthesized_items), ':'), seq(list1($.with_item), ',', $.header_rest), $.header_rest),
      ),
    _parenthesized_items: ($) =>
      prec.dynamic(1, seq(alias($._left_paren, '('), list1_comma($.with_item), alias($._right_paren, ')'))),
    with_item: ($) => seq(field('value', choice(...expression($))), optional(seq('as', field('alias', $._target)))),

    _definition: ($) => choice($.function_definition, $.class_definition),

    function_definition: ($) => seq($._function_head, field('body', $.block)),
    _function_head: ($) =>
      seq(
        optional('async'),
        'def',
        choice(
          seq(
            field('name', $.identifier),
            optional(field('type_parameters', $.type_parameters)),
            choice(
              seq(
                field('parameters', $.parameters),
                choice(seq(optional(seq('->', field('return_type', $._expression))), ':'), seq('->', $.header_rest)),
              ),
              field('parameters', alias($._open_parameters, $.parameters)),
              $.header_rest,
            ),
          ),
          $.header_rest,
        ),
      ),
    _open_parameters: ($) => seq(alias($._left_paren, '('), optional(list1_comma($._parameter)), $.header_rest),

    class_definition: ($) => seq($._class_head, field('body', $.block)),
    _class_head: ($) =>
      seq(
        'class',
        field('name', $.identifier),
        optional(field('type_parameters', $.type_parameters)),
        optional(field('arguments', $.argument_list)),
        ':',
      ),

    decorated_definition: ($) =>
      seq(repeat1($.decorator), choice(field('definition', $._definition), $.line_start)),
    decorator: ($) => seq('@', field('expression', $._named), $._newline),

    match_statement: ($) =>
      seq(
        $._match_head,
        $._newline,
        choice(
          seq($._indent, repeat1(choice($.case_clause, $.line_start, alias($._unexpected_cases, $.block))), $._dedent),
          seq($.no_block, $.indented_block),
        ),
      ),

    _match_head: ($) =>
      seq(
        alias($._match, 'match'),
        field('subject', choice($._element, alias($._element_list, $.expression_list))),
        ':',
      ),

    _unexpected_cases: ($) => seq($.unexpected_indent, $.block_header, repeat1($.case_clause), $._dedent),

    case_clause: ($) => seq($._case_head, field('body', $.block)),
    _case_head: ($) =>
      seq(
        'case',
        field('pattern', choice($._pattern, alias($._open_sequence, $.sequence_pattern))),
        optional(field('guard', alias($._guard, $.if_clause))),
        ':',
      ),
    _guard: ($) => seq('if', field('condition', $._named)),

    // --- Patterns ---------------------------------------------------------------------------------------------

    _pattern: ($) => choice($.as_pattern, $._or_pattern),
    as_pattern: ($) => seq(field('pattern', $._or_pattern), 'as', field('name', $.identifier)),
    _or_pattern: ($) => choice($.or_pattern, $._closed_pattern),
    or_pattern: ($) => seq($._closed_pattern, repeat1(seq('|', $._closed_pattern))),

    _closed_pattern: ($) =>
      choice(
        $._signed_number,
        alias($._complex_pattern, $.binary_operator),
        $.string,
        $.concatenated_string,
        $.none,
        $.true,
        $.false,
        $._name_pattern,
        $.parenthesized_pattern,
        $.sequence_pattern,
        $.mapping_pattern,
        $.class_pattern,
      ),

    _signed_number: ($) => choice($._number, alias($._negative_number, $.unary_operator)),
    _negative_number: ($) => seq(field('operator', '-'), field('argument', $._number)),
    _complex_pattern: ($) =>
      seq(field('left', $._signed_number), field('operator', choice('+', '-')), field('right', $.imaginary)),

    _name_pattern: ($) => choice($.identifier, alias($._dotted_pattern, $.attribute)),
    _dotted_pattern: ($) => seq(field('object', $._name_pattern), '.', field('attribute', $.identifier)),

    parenthesized_pattern: ($) => seq(alias($._left_paren, '('), $._pattern, alias($._right_paren, ')')),

    sequence_pattern: ($) =>
      choice(
        seq(alias($._left_bracket, '['), optional(list1_comma($._sequence_item)), alias($._right_bracket, ']')),
        seq(
          alias($._left_paren, '('),
          optional(seq($._sequence_item, ',', optional(list1_comma($._sequence_item)))),
          alias($._right_paren, ')'),
        ),
      ),
    _open_sequence: ($) => seq($._sequence_item, ',', optional(list1_comma($._sequence_item))),
    _sequence_item: ($) => choice($._pattern, $.star_pattern),
    star_pattern: ($) => seq('*', field('name', $.identifier)),

    mapping_pattern: ($) =>
      seq(
        alias($._left_brace, '{'),
        optional(list1_comma(choice($.pair_pattern, $.double_star_pattern))),
        alias($._right_brace, '}'),
      ),
    pair_pattern: ($) => seq(field('key', $._pattern_key), ':', field('value', $._pattern)),
    _pattern_key: ($) =>
      choice(
        $._signed_number,
        alias($._complex_pattern, $.binary_operator),
        $.string,
        $.concatenated_string,
        $.none,
        $.true,
        $.false,
        alias($._dotted_pattern, $.attribute),
      ),
    double_star_pattern: ($) => seq('**', field('name', $.identifier)),

    class_pattern: ($) =>
      seq(
        field('class', $._name_pattern),
        alias($._left_paren, '('),
        optional(list1_comma(choice($._pattern, $.keyword_pattern))),
        alias($._right_paren, ')'),
      ),
    keyword_pattern: ($) => seq(field('name', $.identifier), '=', field('value', $._pattern)),

    // --- Parameters -------------------------------------------------------------------------------------------

    parameters: ($) =>
      seq(alias($._left_paren, '('), optional(list1_comma($._parameter)), alias($._right_paren, ')')),
    lambda_parameters: ($) => list1_comma($._lambda_parameter),

    _parameter: ($) =>
      choice(
        $._lambda_parameter,
        $.typed_parameter,
        $.typed_default_parameter,
      ),
    _lambda_parameter: ($) =>
      choice(
        $.identifier,
        $.default_parameter,
        $.list_splat_pattern,
        $.dictionary_splat_pattern,
        $.keyword_separator,
        $.positional_separator,
      ),

    typed_parameter: ($) =>
      choice(
        seq(field('name', choice($.identifier, $.dictionary_splat_pattern)), ':', field('type', $._expression)),
        seq(
          field('name', $.list_splat_pattern),
          ':',
          field('type', choice($._expression, alias($._starred_operand, $.list_splat))),
        ),
      ),
    default_parameter: ($) => seq(field('name', $.identifier), '=', field('value', $._expression)),
    typed_default_parameter: ($) =>
      seq(field('name', $.identifier), ':', field('type', $._expression), '=', field('value', $._expression)),
    list_splat_pattern: ($) => seq('*', field('name', $.identifier)),
    dictionary_splat_pattern: ($) => seq('**', field('name', $.identifier)),
    keyword_separator: () => '*',
    positional_separator: () => '/',

    type_parameters: ($) =>
      seq(
        alias($._left_bracket, '['),
        list1_comma(choice($.type_parameter, $.list_splat_pattern, $.dictionary_splat_pattern)),
        alias($._right_bracket, ']'),
      ),
    type_parameter: ($) => seq(field('name', $.identifier), optional(seq(':', field('bound', $._expression)))),

    // --- Expressions ------------------------------------------------------------------------------------------

    // A value with or without commas: Python's star_expressions.
    _expressions: ($) => choice(...expression($), alias($._starred_operand, $.list_splat), $.expression_list),
    expression_list: ($) => {
      const item = choice($._expression, alias($._starred_operand, $.list_splat));
      return seq(item, choice(',', seq(repeat1(seq(',', item)), optional(','))));
    },
    _element_list: ($) => seq($._element, choice(',', seq(repeat1(seq(',', $._element)), optional(',')))),

    // What `for` assigns to. No operator, so that `in` ends it.
    _targets: ($) => choice($._target, alias($._target_list, $.expression_list)),
    _target: ($) => choice($._primary, alias($._starred_primary, $.list_splat)),
    _target_list: ($) => seq($._target, choice(',', seq(repeat1(seq(',', $._target)), optional(',')))),

    _named: ($) => choice(...expression($), $.named_expression),
    named_expression: ($) => seq(field('name', $.identifier), ':=', field('value', $._expression)),

    _element: ($) => choice(...expression($), $.named_expression, alias($._starred_operand, $.list_splat)),
    _starred_operand: ($) => seq('*', field('argument', $._operand)),
    _starred_primary: ($) => seq('*', field('argument', $._primary)),
    list_splat: ($) => seq('*', field('argument', $._expression)),

    _expression: ($) => choice(...expression($)),

    conditional_expression: ($) =>
      seq(
        field('consequence', $._disjunction),
        'if',
        field('condition', $._disjunction),
        'else',
        field('alternative', $._expression),
      ),
    lambda: ($) =>
      seq('lambda', optional(field('parameters', $.lambda_parameters)), ':', field('body', $._expression)),

    _disjunction: ($) => choice(...disjunction($)),

    boolean_operator: ($) =>
      choice(
        ...[
          ['or', PREC.or],
          ['and', PREC.and],
        ].map(([operator, precedence]) =>
          prec.left(
            precedence,
            seq(field('left', $._disjunction), field('operator', operator), field('right', $._disjunction)),
          ),
        ),
      ),
    not_operator: ($) => prec(PREC.not, seq('not', field('argument', $._disjunction))),

    comparison_operator: ($) =>
      seq(
        $._operand,
        repeat1(
          seq(
            field(
              'operators',
              choice(
                '<',
                '<=',
                '==',
                '!=',
                '>=',
                '>',
                'in',
                'is',
                alias(seq('not', 'in'), 'not in'),
                alias(seq('is', 'not'), 'is not'),
              ),
            ),
            $._operand,
          ),
        ),
      ),

    _operand: ($) => choice(...operand($)),

    binary_operator: ($) =>
      choice(
        ...[
          ['|', PREC.bit_or],
          ['^', PREC.bit_xor],
          ['&', PREC.bit_and],
          ['<<', PREC.shift],
          ['>>', PREC.shift],
          ['+', PREC.sum],
          ['-', PREC.sum],
          ['*', PREC.product],
          ['@', PREC.product],
          ['/', PREC.product],
          ['%', PREC.product],
          ['//', PREC.product],
        ].map(([operator, precedence]) =>
          prec.left(
            precedence,
            seq(field('left', $._operand), field('operator', operator), field('right', $._operand)),
          ),
        ),
        prec.right(
          PREC.power,
          seq(field('left', choice($._primary, $.await)), field('operator', '**'), field('right', $._operand)),
        ),
      ),
    unary_operator: ($) =>
      prec(PREC.unary, seq(field('operator', choice('+', '-', '~')), field('argument', $._operand))),
    await: ($) => seq('await', field('argument', $._primary)),

    yield: ($) =>
      seq(
        'yield',
        optional(choice(seq('from', field('argument', $._expression)), field('argument', $._expressions))),
      ),

    _primary: ($) =>
      choice(
        $.identifier,
        $._number,
        $.string,
        $.concatenated_string,
        $.true,
        $.false,
        $.none,
        $.ellipsis,
        $.attribute,
        $.subscript,
        $.call,
        $.list,
        $.list_comprehension,
        $.tuple,
        $.parenthesized_expression,
        $.generator_expression,
        $.set,
        $.set_comprehension,
        $.dictionary,
        $.dictionary_comprehension,
      ),

    attribute: ($) => seq(field('object', $._primary), '.', field('attribute', $.identifier)),

    subscript: ($) =>
      seq(
        field('value', $._primary),
        alias($._left_bracket, '['),
        list1_comma(field('subscript', $._subscript)),
        alias($._right_bracket, ']'),
      ),
    _subscript: ($) => choice(...expression($), $.named_expression, $.slice, $.list_splat),
    slice: ($) =>
      seq(
        optional(field('start', $._expression)),
        ':',
        optional(field('stop', $._expression)),
        optional(seq(':', optional(field('step', $._expression)))),
      ),

    call: ($) => seq(field('function', $._primary), field('arguments', choice($.argument_list, $.generator_expression))),
    argument_list: ($) =>
      seq(alias($._left_paren, '('), optional(list1_comma($._argument)), alias($._right_paren, ')')),
    _argument: ($) => choice(...expression($), $.named_expression, $.keyword_argument, $.list_splat, $.dictionary_splat),
    keyword_argument: ($) => seq(field('name', $.identifier), '=', field('value', choice(...expression($)))),
    dictionary_splat: ($) => seq('**', field('argument', $._expression)),
    _dictionary_operand: ($) => seq('**', field('argument', $._operand)),

    parenthesized_expression: ($) =>
      seq(alias($._left_paren, '('), choice(...expression($), $.named_expression, $.yield), alias($._right_paren, ')')),
    tuple: ($) =>
      seq(
        alias($._left_paren, '('),
        optional(seq($._element, ',', optional(list1_comma($._element)))),
        alias($._right_paren, ')'),
      ),
    list: ($) =>
      seq(alias($._left_bracket, '['), optional(list1_comma($._element)), alias($._right_bracket, ']')),
    set: ($) => seq(alias($._left_brace, '{'), list1_comma($._element), alias($._right_brace, '}')),
    dictionary: ($) =>
      seq(
        alias($._left_brace, '{'),
        optional(list1_comma(choice($.pair, alias($._dictionary_operand, $.dictionary_splat)))),
        alias($._right_brace, '}'),
      ),
    pair: ($) => seq(field('key', $._expression), ':', field('value', $._expression)),

    generator_expression: ($) =>
      seq(alias($._left_paren, '('), field('body', $._named), $._clauses, alias($._right_paren, ')')),
    list_comprehension: ($) =>
      seq(alias($._left_bracket, '['), field('body', $._named), $._clauses, alias($._right_bracket, ']')),
    set_comprehension: ($) =>
      seq(alias($._left_brace, '{'), field('body', $._named), $._clauses, alias($._right_brace, '}')),
    dictionary_comprehension: ($) =>
      seq(alias($._left_brace, '{'), field('body', $.pair), $._clauses, alias($._right_brace, '}')),

    _clauses: ($) => seq($.for_in_clause, repeat($._clause)),
    _clause: ($) => choice($.for_in_clause, $.if_clause),
    for_in_clause: ($) =>
      seq(optional('async'), 'for', field('left', $._targets), 'in', field('right', $._disjunction)),
    if_clause: ($) => seq('if', field('condition', $._disjunction)),

    // --- Atoms ------------------------------------------------------------------------------------------------

    concatenated_string: ($) => seq($.string, repeat1($.string)),
    string: ($) =>
      seq($.string_start, repeat($._string_part), choice($.string_end, seq($._unterminated, $.closing_quote))),
    _string_part: ($) => choice($.string_content, $.escape_sequence, $.interpolation, $._broken_escape),
    _broken_escape: ($) => seq($.bad_escape, $.valid_escape),

    interpolation: ($) =>
      seq(
        alias($._interpolation_start, '{'),
        field('expression', choice($._expressions, $.yield)),
        optional('='),
        optional(field('type_conversion', $.type_conversion)),
        optional(field('format_specifier', $.format_specifier)),
        alias($._right_brace, '}'),
      ),
    type_conversion: () => /![ars]/,
    format_specifier: ($) => seq(alias($._format_colon, ':'), repeat($._string_part)),

    _number: ($) => choice($.integer, $.float, $.imaginary),
    integer: () =>
      token(
        choice(
          /0(_?0)*/,
          /[1-9](_?[0-9])*/,
          /0[xX](_?[0-9a-fA-F])+/,
          /0[oO](_?[0-7])+/,
          /0[bB](_?[01])+/,
        ),
      ),
    float: () =>
      token(
        choice(
          /[0-9](_?[0-9])*\.([0-9](_?[0-9])*)?([eE][+-]?[0-9](_?[0-9])*)?/,
          /\.[0-9](_?[0-9])*([eE][+-]?[0-9](_?[0-9])*)?/,
          /[0-9](_?[0-9])*[eE][+-]?[0-9](_?[0-9])*/,
        ),
      ),
    imaginary: () =>
      token(
        choice(
          /[0-9](_?[0-9])*\.([0-9](_?[0-9])*)?([eE][+-]?[0-9](_?[0-9])*)?[jJ]/,
          /\.[0-9](_?[0-9])*([eE][+-]?[0-9](_?[0-9])*)?[jJ]/,
          /[0-9](_?[0-9])*([eE][+-]?[0-9](_?[0-9])*)?[jJ]/,
        ),
      ),

    // Names are mostly ASCII: written apart, those letters are compared before the tables of Unicode are searched.
    identifier: () => token(choice(/[A-Za-z_][A-Za-z0-9_]*/, /[_\p{XID_Start}][_\p{XID_Continue}]*/)),
    true: () => 'True',
    false: () => 'False',
    none: () => 'None',
    ellipsis: () => '...',

    comment: () => /#[^\r\n]*/,
    line_continuation: () => token(seq('\\', choice('\n', '\r\n', '\r'))),
  },
});
